//! What macros make of their calls, as the compiler tells it: items stand for themselves then, and are searched like all others.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use super::query::{At, all, is_expr};
use crate::build::Diagnostic;
use crate::subject::Subject;
use crate::syntax::{ExprKind, FileId, ItemKind, Kind, Origin, Part, StmtKind, Text, lexer};

/// The steps in which macros were expanded.
#[derive(Debug, Default)]
pub struct Expansions {
    /// By a macro's name and what it was given: what came of that, unless it was not always the same.
    steps: HashMap<Given, Option<String>>,
    /// The macros that others define.
    defined: BTreeSet<String>,
}

/// A call: the macro's name, and the tokens that it was given without what stands between them. How two tokens are kept apart
/// is not the same in a text and in what the compiler prints.
type Given = (String, String);

/// A call in a subject, and what it expands to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expanded {
    /// The file.
    pub file: FileId,
    /// Where the call stands in it, its attributes and its semicolon included.
    pub range: Range<usize>,
    /// Where the macro's path begins: what panics in code that macros make is said to stand there.
    pub path: usize,
    /// What takes its place.
    pub text: String,
}

/// Calls that lie in what a call expands to, one in the other, as macros that take a token at a time need them.
const DEPTH: usize = 2000;

impl Expansions {
    /// Those that rustc's notes tell of, in pairs for each call: what was expanded, and to what.
    pub fn of(notes: &[Diagnostic]) -> Expansions {
        let mut found = Expansions::default();
        for note in notes {
            for pair in note.children.windows(2) {
                let before = pair[0].message.strip_prefix("expanding `");
                let after = pair[1].message.strip_prefix("to `");
                let (Some(before), Some(after)) = (before, after) else {
                    continue;
                };
                let unquoted = |text: &str| text.strip_suffix('`').unwrap_or(text).to_string();
                let (before, after) = (unquoted(before), unquoted(after));
                let (before, after) = (without_comments(before), without_comments(after));
                let Some(call) = Call::first(&before) else {
                    continue;
                };
                found.defined.extend(definitions(&after));
                found
                    .steps
                    .entry(call.given)
                    .and_modify(|known| {
                        if known.as_ref() != Some(&after) {
                            *known = None;
                        }
                    })
                    .or_insert(Some(after));
            }
        }
        found
    }

    /// The calls of `subject` that expand to no more than `most` tokens, where its own macros are called: those in the place of
    /// items, and inside bodies the only ones of their macros, or any in `tests`. What a call expands to may hold further ones.
    pub fn calls(
        &self,
        subject: &Subject,
        most: usize,
        tests: &[(FileId, Range<usize>)],
    ) -> Vec<Expanded> {
        let mut own: BTreeSet<String> = self.defined.clone();
        own.extend(own_macros(subject));
        let only = only_uses(subject);
        let mut calls = all(subject, |kind| {
            kind.is_macro_call() || is_inside_a_body(kind)
        });
        calls.sort_by_key(|at| (at.file, at.range().start, std::cmp::Reverse(at.range().end)));
        let mut expanded: Vec<Expanded> = Vec::new();
        for at in calls {
            // What a call is given is left to the next time.
            let is_given =
                |outer: &Expanded| outer.file == at.file && at.range().start < outer.range.end;
            if expanded.last().is_some_and(is_given) {
                continue;
            }
            let is_wanted =
                |name: &str| only.contains(name) || is_within(at.file, &at.range(), tests);
            expanded.extend(self.expanded_at(at, &own, is_wanted, most));
        }
        expanded
    }

    fn expanded_at(
        &self,
        at: At,
        own: &BTreeSet<String>,
        is_wanted: impl Fn(&str) -> bool,
        most: usize,
    ) -> Option<Expanded> {
        // What begins an expression may bind less than what goes on behind it.
        let depth = if at.kind().is_macro_call() { DEPTH } else { 0 };
        let text = self.expanded(own, at.text(), depth)?;
        let text = match at.kind().is_macro_call() {
            true => text,
            false => in_a_body(at, &text, is_wanted)?,
        };
        let path = at.range().start + Tokens::of(at.text()).first_path()?;
        (lexer::count(&text) <= most).then(|| Expanded {
            file: at.file,
            range: at.range(),
            path,
            text: format!(" {text} "),
        })
    }

    /// What the one call in `text` expands to, if it is one of `own` macros; calls that are all of a part of that are followed.
    fn expanded(&self, own: &BTreeSet<String>, text: &str, depth: usize) -> Option<String> {
        let call = Call::first(text)?;
        if !own.contains(&call.given.0) {
            return None;
        }
        let mut result = self.steps.get(&call.given)?.clone()?;
        let mut at = 0;
        for _ in 0..depth {
            let Some(call) = Call::next(&result, at) else {
                break;
            };
            let step = own
                .contains(&call.given.0)
                .then(|| self.steps.get(&call.given));
            match step.flatten().and_then(Option::as_ref) {
                Some(step) => {
                    at = call.range.start;
                    result.replace_range(call.range, step);
                }
                None => at = call.range.end,
            }
        }
        // A macro's own crate is the one that it is called in.
        Some(result.replace("$crate", "crate"))
    }
}

/// What rustc prints of tokens holds no comments but those that say something; where it looks so, `/` stands in front of `*`.
fn without_comments(text: String) -> String {
    let mut text = text;
    loop {
        let mut end = 0;
        let tokens = lexer::tokens(&text).into_iter().map(|token| token.range());
        let behind = std::iter::once(text.len()..text.len());
        let gaps = tokens.chain(behind).map(|token| {
            let gap = end..token.start;
            end = token.end;
            gap
        });
        let starts = gaps.filter_map(|gap| {
            let start = gap.start + text[gap.clone()].find("/*")?;
            let says =
                text[start..gap.end].starts_with("/**") && text[start..gap.end].contains("*/");
            (!says).then_some(start)
        });
        match starts.into_iter().next() {
            Some(start) => text.insert(start + 1, ' '),
            None => return text,
        }
    }
}

/// The tokens of the macros that the subject defines, and of the items that macros make.
pub fn tokens_of_macros(subject: &Subject) -> usize {
    let is_of_macros =
        |kind: Kind| kind.is_macro_call() || kind == Kind::Item(ItemKind::MacroRules);
    let all = all(subject, is_of_macros);
    all.iter().map(|at| at.tree.weight(&at.range())).sum()
}

/// Whether one of the subject's own macros is called inside one of `places`.
pub fn calls_any_within(subject: &Subject, places: &[(FileId, Range<usize>)]) -> bool {
    let own = own_macros(subject);
    let calls = all(subject, |kind| {
        kind.is_macro_call() || is_inside_a_body(kind)
    });
    calls.into_iter().any(|at| {
        let called = || Some(Call::first(at.text())?.given.0);
        is_within(at.file, &at.range(), places) && called().is_some_and(|name| own.contains(&name))
    })
}

/// The macros that the subject defines.
fn own_macros(subject: &Subject) -> BTreeSet<String> {
    let definitions = all(subject, |kind| kind == Kind::Item(ItemKind::MacroRules));
    let names = definitions.iter().filter_map(|at| at.name());
    names.map(str::to_string).collect()
}

/// Whether `range` of `file` lies inside one of `places`.
pub fn is_within(file: FileId, range: &Range<usize>, places: &[(FileId, Range<usize>)]) -> bool {
    let mut places = places.iter();
    places.any(|(own, outer)| *own == file && outer.start <= range.start && range.end <= outer.end)
}

/// Whether there is a call that may be expanded.
pub fn calls_any(subject: &Subject) -> bool {
    !all(subject, |kind| {
        kind.is_macro_call() || is_inside_a_body(kind)
    })
    .is_empty()
}

/// Whether a call stands where a statement or an expression does.
fn is_inside_a_body(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Expr(ExprKind::Macro) | Kind::Stmt(StmtKind::Macro)
    )
}

/// What a call inside a body gives way to, if that of its macro `is_wanted`: a statement's expression has its semicolon, and
/// one that is a part of another keeps together.
fn in_a_body(at: At, text: &str, is_wanted: impl Fn(&str) -> bool) -> Option<String> {
    if !is_wanted(at.tree.macro_called(at.source, &at.range())?) {
        return None;
    }
    if at.kind() == Kind::Stmt(StmtKind::Macro) {
        let ends = at.text().ends_with(';');
        let open = ends && !text.trim_end().ends_with(['}', ';']);
        return Some(format!("{text}{}", if open { ";" } else { "" }));
    }
    let is_part = at.parent().is_some_and(|outer| is_expr(outer.kind()));
    Some(match is_part {
        true => format!("({text})"),
        false => text.to_string(),
    })
}

/// The macros that are called once.
fn only_uses(subject: &Subject) -> BTreeSet<&str> {
    let mut calls: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, version, tree) in subject.sources() {
        let source = version.source();
        for pair in tree.tokens().windows(2) {
            if &source[pair[1].range()] == "!" {
                *calls.entry(&source[pair[0].range()]).or_default() += 1;
            }
        }
    }
    let once = calls.into_iter().filter(|(_, calls)| *calls == 1);
    once.map(|(name, _)| name).collect()
}

/// A macro call in a text.
struct Call {
    given: Given,
    /// From its path to the semicolon behind it.
    range: Range<usize>,
}

impl Call {
    /// The first one of `text`, whatever stands in front of it.
    fn first(text: &str) -> Option<Call> {
        let tokens = Tokens::of(text);
        let bang = (1..tokens.len()).find(|at| tokens.is_call(*at))?;
        tokens.call(bang)
    }

    /// The next one from `start` on that stands in the place of an item, outside all groups.
    fn next(text: &str, start: usize) -> Option<Call> {
        let tokens = Tokens::of(text);
        let mut depth = 0_usize;
        let mut begins = true;
        let mut at = 0;
        while at < tokens.len() {
            match tokens.word(at) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            let is_call = depth == 0 && begins && tokens.start(at) >= start;
            if is_call && let Some(bang) = tokens.path_before_bang(at) {
                let mut call = tokens.call(bang)?;
                call.range.start = tokens.start(at);
                return Some(call);
            }
            // An attribute's end is none of an item's.
            begins = depth == 0 && matches!(tokens.word(at), "}" | ";");
            at += 1;
        }
        None
    }
}

/// The tokens of a text, by number.
struct Tokens<'t> {
    text: &'t str,
    all: Vec<lexer::Token>,
}

impl<'t> Tokens<'t> {
    fn of(text: &'t str) -> Tokens<'t> {
        let all = lexer::tokens(text);
        Tokens { text, all }
    }

    fn len(&self) -> usize {
        self.all.len()
    }

    fn word(&self, at: usize) -> &'t str {
        self.all
            .get(at)
            .map_or("", |token| &self.text[token.range()])
    }

    fn start(&self, at: usize) -> usize {
        self.all
            .get(at)
            .map_or(self.text.len(), |token| token.range().start)
    }

    /// Whether the `!` of a call stands at `at`.
    fn is_call(&self, at: usize) -> bool {
        let is_name = self
            .all
            .get(at.wrapping_sub(1))
            .is_some_and(|token| token.kind == lexer::TokenKind::Ident);
        is_name && self.word(at) == "!" && matches!(self.word(at + 1), "(" | "[" | "{")
    }

    /// Where the path of the first call begins, in bytes.
    fn first_path(&self) -> Option<usize> {
        let mut at = (1..self.len()).find(|at| self.is_call(*at))? - 1;
        while at > 0 && self.word(at - 1) == "::" {
            let is_name = at > 1 && self.all[at - 2].kind == lexer::TokenKind::Ident;
            at -= if is_name { 2 } else { 1 };
        }
        Some(self.start(at))
    }

    /// Where the `!` of a call stands whose path begins at `at`.
    fn path_before_bang(&self, at: usize) -> Option<usize> {
        let mut at = at + usize::from(matches!(self.word(at), "$" | "::"));
        while self.word(at + 1) == "::" {
            at += 2;
        }
        self.is_call(at + 1).then_some(at + 1)
    }

    /// The call whose `!` stands at `bang`.
    fn call(&self, bang: usize) -> Option<Call> {
        let mut depth = 0_usize;
        let mut end = bang + 1;
        loop {
            match self.word(end) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                "" => return None,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            end += 1;
        }
        let given: String = (bang + 2..end).map(|at| self.word(at)).collect();
        let last = end + usize::from(self.word(end + 1) == ";");
        Some(Call {
            given: (self.word(bang - 1).to_string(), given),
            range: self.start(bang - 1)..self.all[last].range().end,
        })
    }
}

/// The names of the macros that `text` defines.
fn definitions(text: &str) -> Vec<String> {
    let tokens = Tokens::of(text);
    let starts = (0..tokens.len())
        .filter(|at| tokens.word(*at) == "macro_rules" && tokens.word(at + 1) == "!");
    starts.map(|at| tokens.word(at + 2).to_string()).collect()
}

/// `subject` with these calls expanded, in order of where they stand, and where what they expand to stands then. `origin` says where
/// a text of so many bytes counts as standing originally; what fails in it fails where the call stood, as before.
pub fn expanded(
    subject: &Subject,
    calls: &[&Expanded],
    mut origin: impl FnMut(FileId, usize) -> Origin,
) -> (Subject, Vec<(FileId, Range<usize>)>) {
    let mut result = subject.clone();
    let mut places = Vec::new();
    for calls in calls.chunk_by(|one, next| one.file == next.file) {
        let file = calls[0].file;
        let Some(text) = subject.file(file).text() else {
            continue;
        };
        let mut made = Vec::new();
        for call in calls {
            let origin = origin(file, call.text.len());
            if let Some(place) = subject.place(file, call.path) {
                result = result.counting(origin, call.text.len(), place);
            }
            made.push(Text::standing_at(origin, call.text.as_str()));
        }
        let mut parts = Vec::new();
        let mut at = 0;
        for (call, made) in calls.iter().zip(&made) {
            parts.push(Part::Of(text, at..call.range.start));
            parts.push(Part::Of(made, 0..call.text.len()));
            at = call.range.end;
        }
        parts.push(Part::Of(text, at..text.as_str().len()));
        let (text, starts) = Text::assembled(parts);
        let starts = starts.into_iter().skip(1).step_by(2).zip(calls);
        places.extend(starts.map(|(start, call)| (file, start..start + call.text.len())));
        result = result.with_text(file, text);
    }
    (result, places)
}

/// What rustc says of one call.
#[cfg(test)]
pub(crate) fn note(steps: &[(&str, &str)]) -> Diagnostic {
    use crate::build::Level;
    let say = |message: String, children| Diagnostic {
        level: Level::Note,
        code: None,
        message,
        spans: Vec::new(),
        children,
        rendered: None,
    };
    let children = steps.iter().flat_map(|(before, after)| {
        let pair = [format!("expanding `{before}`"), format!("to `{after}`")];
        pair.map(|message| say(message, Vec::new()))
    });
    let children = children.collect();
    say("trace_macro".into(), children)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(text: &str) -> Subject {
        Subject::new([("a.rs".into(), text.as_bytes().to_vec())]).with_roots([FileId(0)])
    }

    fn after(text: &str, notes: &[Diagnostic]) -> String {
        let subject = subject(text);
        let calls = Expansions::of(notes).calls(&subject, 1000, &[]);
        let calls: Vec<&Expanded> = calls.iter().collect();
        let origin = |file, length| Origin {
            file,
            offset: 500 + length as u32,
        };
        let (result, places) = expanded(&subject, &calls, origin);
        let source = result.file(FileId(0)).source();
        for ((file, range), call) in places.iter().zip(&calls) {
            assert_eq!(source[range.clone()], call.text);
            let text = result.file(*file).text().unwrap();
            let offset = text.origin(range.start).map(|origin| origin.offset);
            assert_eq!(offset, Some(500 + call.text.len() as u32));
        }
        source.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_quotient_of_what_a_reference_points_to_is_no_comment() {
        for (printed, meant) in [
            ("self /* elt; a / b", "self / * elt; a / b"),
            ("a /*b /*c \"/* d\"", "a / *b / *c \"/* d\""),
            ("/** says */ fn f() {}", "/** says */ fn f() {}"),
        ] {
            assert_eq!(without_comments(printed.to_owned()), meant);
        }
    }

    #[test]
    fn a_call_gives_way_to_what_it_expands_to() {
        let notes = [note(&[
            ("make! { A, & u8 }", "struct A(& u8) ; rest! ([A]) ;"),
            (
                "rest! { [A] }",
                "impl A { fn f() { vec! [1] ; $crate :: g() } }",
            ),
        ])];
        assert_eq!(
            after(
                "macro_rules! make { } macro_rules! rest {} #[x] make! { A, &u8 } make!(B, u8); vec![1];",
                &notes
            ),
            "macro_rules! make { } macro_rules! rest {} struct A(& u8) ; impl A { fn f() { vec! [1] ; crate :: g() } } make!(B, u8); vec![1];"
        );
    }

    #[test]
    fn what_fails_in_what_a_call_expands_to_fails_where_the_call_stood() {
        let text = "macro_rules! f { () => {} } fn g() { a(); #[b] c::f!(); d(); }";
        let subject = subject(text);
        let notes = [note(&[("f! {  }", "e(); i!();")])];
        let calls = Expansions::of(&notes).calls(&subject, 1000, &[]);
        let offset = 1000;
        let made = |file, _| Origin { file, offset };
        let (result, places) = expanded(&subject, &[&calls[0]], made);
        let (file, range) = places[0].clone();
        let call = Origin {
            file,
            offset: text.find("c::f!").unwrap() as u32,
        };
        for at in range.clone() {
            assert_eq!(result.place(file, at), Some(call));
        }
        let start = call.offset as usize;
        assert_eq!(subject.standing_for(call), [(file, start..start + 1)]);
        assert_eq!(result.standing_for(call), [(file, range.clone())]);
        let at = |offset| result.place(file, offset).map(|place| place.offset);
        assert_eq!(at(range.start - 1), Some(range.start as u32 - 1));
        assert_eq!(at(range.end), Some(text.find(" d();").unwrap() as u32));
    }

    #[test]
    fn calls_in_tests_are_expanded_though_there_are_more_of_them() {
        let text = "macro_rules! f { ($n:expr) => {} } fn g() { f!(1); } fn t() { f!(1); f!(2); }";
        let subject = subject(text);
        let tests = [(FileId(0), text.find("fn t").unwrap()..text.len())];
        assert!(calls_any_within(&subject, &tests));
        assert!(!calls_any_within(
            &subject,
            &[(FileId(0), 0..text.find("fn g").unwrap())]
        ));
        let notes = [note(&[("f! { 1 }", "a()"), ("f! { 2 }", "b()")])];
        let expansions = Expansions::of(&notes);
        assert!(expansions.calls(&subject, 1000, &[]).is_empty());
        let calls = expansions.calls(&subject, 1000, &tests);
        let texts: Vec<&str> = calls.iter().map(|call| call.text.trim()).collect();
        assert_eq!(texts, ["a();", "b();"]);
    }

    #[test]
    fn inside_bodies_only_calls_of_macros_are_expanded() {
        let notes = [
            note(&[("once! { 1 }", "x + 1")]),
            note(&[("let_! { y }", "let y = 1")]),
            note(&[("twice! { }", "2")]),
        ];
        let text = "macro_rules! once {} macro_rules! let_ {} macro_rules! twice {} ";
        assert_eq!(
            after(
                &format!("{text}fn f() {{ let_!(y); once!(1) * twice!() + twice!(); }}"),
                &notes
            ),
            format!("{text}fn f() {{ let y = 1; (x + 1) * twice!() + twice!(); }}")
        );
        assert_eq!(
            after(&format!("{text}fn f() {{ g(once!(1)) }}"), &notes),
            format!("{text}fn f() {{ g( (x + 1) ) }}")
        );
    }

    #[test]
    fn macros_that_macros_define_are_the_subject_s_own_too() {
        let notes = [
            note(&[("make! { A }", "macro_rules! A { () => { } }")]),
            note(&[("A! { }", "struct B ;")]),
        ];
        assert_eq!(
            after("macro_rules! make {} impl C { A! {} }", &notes),
            "macro_rules! make {} impl C { struct B ; }"
        );
    }

    #[test]
    fn what_expands_to_one_thing_and_another_stays() {
        let notes = [note(&[("m! { }", "struct A ;"), ("m! { }", "struct B ;")])];
        let text = "macro_rules! m {} m! {}";
        assert_eq!(after(text, &notes), text);
        assert_eq!(
            after("m! {}", &[note(&[("m! { }", "struct A ;")])]),
            "m! {}"
        );
    }
}
