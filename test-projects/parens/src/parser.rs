//! From words to trees, by precedence climbing.

use crate::Error;
use crate::ast::{Expr, Operator};
use crate::lexer::Token;

pub(crate) struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
}

impl<'t> Parser<'t> {
    pub(crate) fn new(tokens: &'t [Token]) -> Self {
        Parser { tokens, at: 0 }
    }

    pub(crate) fn whole(mut self) -> Result<Expr, Error> {
        let expr = self.binary(0)?;
        match self.peek() {
            None => Ok(expr),
            Some(_) => Err(Error::Expected("the end")),
        }
    }

    fn peek(&self) -> Option<&'t Token> {
        self.tokens.get(self.at)
    }

    fn next(&mut self) -> Option<&'t Token> {
        let token = self.peek();
        self.at += usize::from(token.is_some());
        token
    }

    fn eat(&mut self, token: &Token) -> bool {
        let found = self.peek() == Some(token);
        self.at += usize::from(found);
        found
    }

    fn binary(&mut self, least: u8) -> Result<Expr, Error> {
        let mut left = self.prefix()?;
        while let Some(&Token::Operator(operator)) = self.peek() {
            let precedence = operator.precedence();
            if precedence < least {
                break;
            }
            self.at += 1;
            let inside = if operator.groups_right() {
                precedence
            } else {
                precedence + 1
            };
            let right = self.binary(inside)?;
            left = Expr::Binary(Box::new(left), operator, Box::new(right));
        }
        Ok(left)
    }

    fn prefix(&mut self) -> Result<Expr, Error> {
        match self.peek() {
            Some(Token::Operator(Operator::Add)) => {
                self.next();
                self.prefix()
            }
            Some(Token::Operator(Operator::Subtract)) => {
                // A power binds tighter than the sign in front of it.
                let inner = self.binary(Operator::Power.precedence())?;
                Ok(Expr::Negative(Box::new(inner)))
            }
            _ => self.primary(),
        }
    }

    fn primary(&mut self) -> Result<Expr, Error> {
        match self.next() {
            Some(Token::Number(number)) => Ok(Expr::Number(*number)),
            Some(Token::Name(name)) => {
                if self.eat(&Token::Open) {
                    Ok(Expr::Call(name.clone(), self.arguments()?))
                } else {
                    Ok(Expr::Name(name.clone()))
                }
            }
            Some(Token::Open) => {
                let inner = self.binary(0)?;
                if self.eat(&Token::Close) {
                    Ok(inner)
                } else {
                    Err(Error::Expected("`)`"))
                }
            }
            _ => Err(Error::Expected("a number, a name or `(`")),
        }
    }

    fn arguments(&mut self) -> Result<Vec<Expr>, Error> {
        let mut arguments = Vec::new();
        if self.eat(&Token::Close) {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.binary(0)?);
            if self.eat(&Token::Close) {
                return Ok(arguments);
            }
            if !self.eat(&Token::Comma) {
                return Err(Error::Expected("`,` or `)`"));
            }
        }
    }
}
