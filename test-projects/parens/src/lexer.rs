//! Formulas as words.

use crate::Error;
use crate::ast::Operator;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Token {
    Number(f64),
    Name(String),
    Operator(Operator),
    Open,
    Close,
    Comma,
}

pub(crate) fn tokens(formula: &str) -> Result<Vec<Token>, Error> {
    let mut tokens = Vec::new();
    let mut rest = formula.char_indices().peekable();
    while let Some((start, character)) = rest.next() {
        let token = match character {
            _ if character.is_whitespace() => continue,
            '(' => Token::Open,
            ')' => Token::Close,
            ',' => Token::Comma,
            '+' => Token::Operator(Operator::Add),
            '-' => Token::Operator(Operator::Subtract),
            '*' => Token::Operator(Operator::Multiply),
            '/' => Token::Operator(Operator::Divide),
            '^' => Token::Operator(Operator::Power),
            '0'..='9' => {
                let mut end = start + 1;
                while let Some((at, _)) = rest.next_if(|(_, c)| c.is_ascii_digit() || *c == '.') {
                    end = at + 1;
                }
                let number = formula[start..end].parse();
                Token::Number(number.map_err(|_| Error::Character(character, start))?)
            }
            _ if character.is_alphabetic() => {
                let mut name = String::from(character);
                while let Some((_, letter)) = rest.next_if(|(_, c)| c.is_alphanumeric()) {
                    name.push(letter);
                }
                Token::Name(name)
            }
            _ => return Err(Error::Character(character, start)),
        };
        tokens.push(token);
    }
    Ok(tokens)
}
