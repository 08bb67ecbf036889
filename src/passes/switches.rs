//! Switches: statements that are left out, conditions that hold or do not, expressions that give way to one in them, and functions
//! that give an answer instead, while the program runs. One compilation is enough to try any set of them; what the failure does without is taken out of the text afterwards.
//!
//! Each is a condition around a statement, beside another condition or at the start of a body, that asks by its number whether
//! it is off. Every turn of a loop and every call counts as a step, so that a program that goes on for ever is known by their number.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::{Pass, hoist, nodes, ran};
use crate::subject::{Element, PROBE_CRATE as CRATE, Subject};
use crate::syntax::lexer::TokenKind;
use crate::syntax::{Edit, ExprKind, FileId, Kind, Node, NodeId, StmtKind, Tree};

/// What an expression may give way to has at most so many tokens: it is there twice.
const LONGEST_INSTEAD: usize = 40;

/// A part of the program that can be switched off while it runs.
#[derive(Debug, Clone)]
pub struct Switch {
    /// What takes it out of the text.
    pub element: Element,
    /// The file that it stands in.
    pub file: FileId,
    /// The bytes of the statement, the condition or the body that it is about.
    pub range: Range<usize>,
    /// What happens in its place.
    off: Off,
}

/// What a part of the program does when it is switched off.
#[derive(Debug, Clone)]
enum Off {
    /// Nothing.
    Nothing,
    /// A function returns this; where that is said.
    Returns(usize, String),
    /// A condition is so, whatever it looks at.
    Is(bool),
    /// An operand of what stands here leaves the decision to the other one.
    Leaves(bool, Range<usize>),
    /// An expression gives what the one in it gives, which stands here.
    Gives(Range<usize>),
}

impl Switch {
    /// Whether it is about what a function returns.
    pub fn answers(&self) -> bool {
        matches!(self.off, Off::Returns(..))
    }
}

/// A subject with switches in it.
pub struct Switched {
    /// The text to compile and run.
    pub subject: Subject,
    /// What was put into it.
    pub edits: HashMap<FileId, Vec<Edit>>,
    /// Where in it stands what happens instead, by number.
    instead: Vec<(FileId, Range<usize>, usize)>,
}

/// A switch for every statement that does something and gives no value, for every condition whose branches are there for both
/// cases, and for every part of a condition.
pub fn in_bodies(subject: &Subject) -> Vec<Switch> {
    let all = nodes(subject, |_, _, node| {
        matches!(
            node.kind,
            Kind::Stmt(_) | Kind::Expr(ExprKind::If | ExprKind::Binary)
        )
    });
    let all =
        all.filter(|(file, tree, id, _)| ran::at_run_time(subject.file(*file).source(), tree, *id));
    all.flat_map(|(file, tree, id, node)| match node.kind {
        Kind::Stmt(kind) => statement(subject, file, tree, id, kind)
            .into_iter()
            .collect(),
        Kind::Expr(ExprKind::If) => condition(subject, file, tree, node),
        Kind::Expr(ExprKind::Binary) => operands(subject, file, tree, node),
        _ => Vec::new(),
    })
    .collect()
}

fn statement(
    subject: &Subject,
    file: FileId,
    tree: &Tree,
    id: NodeId,
    kind: StmtKind,
) -> Option<Switch> {
    let source = subject.file(file).source();
    let node = tree.node(id);
    let optional = match kind {
        StmtKind::Let => names_nothing(source, tree, id),
        StmtKind::Expr | StmtKind::Macro => is_optional(source, tree, id),
    };
    optional.then(|| Switch {
        element: Element::cut(subject, node.kind, file, node.range.clone()),
        file,
        range: node.range.clone(),
        off: Off::Nothing,
    })
}

/// Whether nothing in the function mentions what the `let` statement `id` names.
fn names_nothing(source: &str, tree: &Tree, id: NodeId) -> bool {
    let node = tree.node(id);
    let mut children = node.children.iter().map(|child| tree.node(*child));
    let pattern = children.find(|child| matches!(child.kind, Kind::Pat(_)));
    let (Some(pattern), Some(body)) = (pattern, ran::body_of(tree, id)) else {
        return false;
    };
    let names = tree.identifiers(source, &pattern.range);
    let names: Vec<&str> = names.filter(|name| *name != "_").collect();
    // What is bound under such a name is there to be dropped later.
    if names.iter().any(|name| name.starts_with('_')) {
        return false;
    }
    let around = &tree.node(body).range;
    let outside = [around.start..node.range.start, node.range.end..around.end];
    let mut outside = outside.iter().flat_map(|range| tree.tokens_in(range));
    !outside.any(|token| {
        let text = &source[token.range()];
        match token.kind {
            // A format string may take it.
            TokenKind::Literal => names.iter().any(|name| text.contains(name)),
            _ => names.contains(&text),
        }
    })
}

/// The condition of an `if` that goes on with one of its branches in any case.
fn condition(subject: &Subject, file: FileId, tree: &Tree, node: &Node) -> Vec<Switch> {
    let child = |wanted: fn(Kind) -> bool| {
        let mut children = node.children.iter().map(|child| tree.node(*child));
        children.find(|child| wanted(child.kind))
    };
    let condition = child(|kind| matches!(kind, Kind::Expr(_)));
    let (Some(condition), Some(then)) = (condition, child(|kind| kind == Kind::Block)) else {
        return Vec::new();
    };
    if binds(tree, condition) {
        return Vec::new();
    }
    let otherwise = child(|kind| kind == Kind::Else);
    let otherwise = otherwise.and_then(|other| Some(tree.node(*other.children.first()?)));
    let branches = [(true, Some(then)), (false, otherwise)];
    let switches = branches.into_iter().filter_map(|(is, branch)| {
        let branch = &branch?.range;
        let rest = [node.range.start..branch.start, branch.end..node.range.end];
        let rest = rest.into_iter().filter(|range| !range.is_empty());
        let edits = rest.map(|range| Edit::delete(file, range)).collect();
        Some(Switch {
            element: Element::new(subject, node.kind, edits),
            file,
            range: condition.range.clone(),
            off: Off::Is(is),
        })
    });
    switches.collect()
}

/// The operands of `&&` and `||` without which the other one decides.
fn operands(subject: &Subject, file: FileId, tree: &Tree, node: &Node) -> Vec<Switch> {
    let [left, right] = node.children[..] else {
        return Vec::new();
    };
    let (left, right) = (tree.node(left), tree.node(right));
    let between = subject.file(file).source()[left.range.end..right.range.start].trim();
    let is = match between {
        "&&" => true,
        "||" => false,
        _ => return Vec::new(),
    };
    let operands = [
        (left, node.range.start..right.range.start),
        (right, left.range.end..node.range.end),
    ];
    let operands = operands
        .into_iter()
        .filter(|(operand, _)| !binds(tree, operand));
    operands
        .map(|(operand, gone)| Switch {
            element: Element::new(subject, node.kind, vec![Edit::delete(file, gone)]),
            file,
            range: operand.range.clone(),
            off: Off::Leaves(is, node.range.clone()),
        })
        .collect()
}

/// Whether `condition` has a `let` in it, outside of functions and blocks.
fn binds(tree: &Tree, condition: &Node) -> bool {
    condition.kind == Kind::Expr(ExprKind::Let)
        || condition.kind == Kind::Expr(ExprKind::Binary)
            && condition
                .children
                .iter()
                .any(|child| binds(tree, tree.node(*child)))
}

/// A switch for every function that `answers` has a value for, one for each value.
pub fn answers(subject: &Subject, answers: &super::Answers) -> Vec<Switch> {
    let lists = (0..).map_while(|round| answers.list(subject, round));
    lists
        .flatten()
        .filter_map(|element| {
            let [edit] = &element.edits[..] else {
                return None;
            };
            let version = subject.file(edit.file);
            let (source, tree) = (version.source(), version.tree()?);
            let inner = tree.innermost(&edit.range)?;
            let mut around = std::iter::once(inner).chain(tree.ancestors(inner));
            let body = around.find(|id| tree.node(*id).kind == Kind::Body)?;
            let node = tree.node(body);
            let at = ran::behind_inner_attributes(tree, node);
            ran::at_run_time(source, tree, body).then(|| Switch {
                file: edit.file,
                range: node.range.clone(),
                off: Off::Returns(at, edit.text.trim().to_string()),
                element: element.clone(),
            })
        })
        .collect()
}

/// A switch for every expression that gives a value and may give way to one that stands in it.
pub fn expressions(subject: &Subject) -> Vec<Switch> {
    let all = hoist::expressions(subject).filter(|(file, tree, outer, inner, _)| {
        let source = subject.file(*file).source();
        tree.tokens_in(&tree.node(*inner).range).len() <= LONGEST_INSTEAD
            && gives_a_value(source, tree, *outer)
            && ran::at_run_time(source, tree, *outer)
    });
    all.map(|(file, tree, outer, inner, element)| Switch {
        element,
        file,
        range: tree.node(outer).range.clone(),
        off: Off::Gives(tree.node(inner).range.clone()),
    })
    .collect()
}

/// Whether `id` is an expression that is evaluated to a value which something makes use of: no place, and no statement.
fn gives_a_value(source: &str, tree: &Tree, id: NodeId) -> bool {
    let node = tree.node(id);
    let Kind::Expr(kind) = node.kind else {
        return false;
    };
    let Some(user) = tree.parent(id) else {
        return false;
    };
    let dropped =
        user.kind == Kind::Stmt(StmtKind::Expr) && source[user.range.clone()].ends_with(';');
    let gives = match kind {
        ExprKind::Binary => !assigns(source, tree, node) && !binds(tree, node),
        // Where one of these ends, a statement or an arm may as well.
        ExprKind::If | ExprKind::Match => {
            !matches!(user.kind, Kind::Stmt(_) | Kind::Arm | Kind::Else)
        }
        // Where a place is wanted, a copy of what is there would take the changes.
        ExprKind::Field | ExprKind::Index | ExprKind::Unary => match user.kind {
            Kind::Init => true,
            Kind::Expr(ExprKind::Binary) => !assigns(source, tree, user),
            Kind::Expr(user) => matches!(
                user,
                ExprKind::Array
                    | ExprKind::Call
                    | ExprKind::Cast
                    | ExprKind::Return
                    | ExprKind::Struct
                    | ExprKind::Tuple
            ),
            _ => false,
        },
        _ => matches!(
            kind,
            ExprKind::Array
                | ExprKind::Await
                | ExprKind::Call
                | ExprKind::Cast
                | ExprKind::MethodCall
                | ExprKind::Reference
                | ExprKind::Struct
                | ExprKind::Try
                | ExprKind::Tuple
        ),
    };
    gives && !dropped
}

/// Whether the binary expression `node` changes its left side.
fn assigns(source: &str, tree: &Tree, node: &Node) -> bool {
    let [left, right] = node.children[..] else {
        return true;
    };
    let operator = source[tree.node(left).range.end..tree.node(right).range.start].trim();
    operator.ends_with('=') && !["==", "!=", "<=", ">="].contains(&operator)
}

/// What takes all of `off` out of the text of `subject`. Where several are about the same place, the first is what happens.
pub fn elements<'s>(subject: &Subject, off: impl IntoIterator<Item = &'s Switch>) -> Vec<Element> {
    let mut found: Vec<Element> = Vec::new();
    let mut places = HashSet::new();
    let mut operands = HashMap::new();
    // What is in something that gave way was not asked.
    let mut given: Vec<(FileId, &Range<usize>)> = Vec::new();
    let mut off: Vec<&Switch> = off.into_iter().collect();
    let order = |switch: &&Switch| (switch.range.start, std::cmp::Reverse(switch.range.end));
    off.sort_by_key(order);
    for switch in off {
        let around = |(file, range): &(FileId, &Range<usize>)| {
            *file == switch.file
                && range.start <= switch.range.start
                && switch.range.end <= range.end
        };
        if given.iter().any(around) || !places.insert((switch.file, switch.range.clone())) {
            continue;
        }
        if let Off::Gives(_) = switch.off {
            given.push((switch.file, &switch.range));
        }
        if let Off::Leaves(is, around) = &switch.off {
            let at = found.len();
            let other = operands.insert((switch.file, around.clone()), at);
            // Neither of the two is there to decide.
            if let Some(other) = other {
                let edit = Edit::replace(switch.file, around.clone(), is.to_string());
                found[other] = Element::new(subject, switch.element.kind, vec![edit]);
                continue;
            }
        }
        found.push(switch.element.clone());
    }
    found
}

/// `subject` with the switches of these numbers.
pub fn switched<'s>(
    subject: &Subject,
    switches: impl IntoIterator<Item = (usize, &'s Switch)>,
) -> Switched {
    // What ends at a place comes before what begins there.
    let mut parts: HashMap<FileId, Vec<(usize, Part, Put)>> = HashMap::new();
    for (number, switch) in switches {
        let (file, range) = (switch.file, &switch.range);
        let own = parts.entry(file).or_default();
        let mut around = |before: String, after: &str| {
            own.push((range.start, Part::Opens, Put::always(before)));
            own.push((range.end, Part::Closes, Put::always(after)));
        };
        match &switch.off {
            Off::Nothing => around(format!("if ::{CRATE}::is_on({number}) {{ "), " }"),
            Off::Is(true) | Off::Leaves(true, _) => {
                around(format!("(::{CRATE}::is_off({number}) || ("), "))")
            }
            Off::Is(false) | Off::Leaves(false, _) => {
                around(format!("(::{CRATE}::is_on({number}) && ("), "))")
            }
            Off::Returns(at, value) => {
                let before = format!(" if ::{CRATE}::is_off({number}) {{ return ");
                let put = Put::instead(&before, value, "; } ", number);
                own.push((*at, Part::Returns, put));
            }
            Off::Gives(inner) => {
                let inner = &subject.file(file).source()[inner.clone()];
                let before = format!("(if ::{CRATE}::is_on({number}) {{ ");
                let put = Put::instead(" } else { ", inner, " })", number);
                own.push((range.start, Part::Opens, Put::always(before)));
                own.push((range.end, Part::Closes, put));
            }
        }
    }
    let mut result = subject.clone();
    let mut edits = HashMap::new();
    let mut instead = Vec::new();
    for (file, version, tree) in subject.sources() {
        let Some(text) = version.text() else { continue };
        let mut own = parts.remove(&file).unwrap_or_default();
        let counted = tree
            .nodes()
            .filter(|(id, node)| is_counted(version.source(), tree, *id, node));
        let step = format!(" ::{CRATE}::step(); ");
        own.extend(counted.map(|(_, node)| {
            let at = ran::behind_inner_attributes(tree, node);
            (at, Part::Step, Put::always(&step))
        }));
        // What begins last ends first.
        let mut own: Vec<_> = own.into_iter().enumerate().collect();
        own.sort_by_key(|(order, (at, part, _))| {
            let order = *order as isize;
            let order = if *part == Part::Closes { -order } else { order };
            (*at, *part, order)
        });
        let first = ran::names_the_crate(subject, file, tree);
        let mut ahead: usize = first.iter().map(|edit| edit.text.len()).sum();
        let mut all: Vec<Edit> = first.into_iter().collect();
        for (_, (at, _, put)) in own {
            instead.extend(put.instead.map(|(range, number)| {
                let begin = at + ahead;
                (file, begin + range.start..begin + range.end, number)
            }));
            ahead += put.text.len();
            all.push(Edit::replace(file, at..at, put.text));
        }
        let own = all;
        if !own.is_empty() {
            result = result.with_text(file, text.apply(&own));
            edits.insert(file, own);
        }
    }
    Switched {
        subject: result,
        edits,
        instead,
    }
}

/// What is put at one place, and where in it stands what happens instead, with its number.
struct Put {
    text: String,
    instead: Option<(Range<usize>, usize)>,
}

impl Put {
    fn always(text: impl Into<String>) -> Put {
        Put {
            text: text.into(),
            instead: None,
        }
    }

    fn instead(before: &str, value: &str, after: &str, number: usize) -> Put {
        Put {
            text: format!("{before}{value}{after}"),
            instead: Some((before.len()..before.len() + value.len(), number)),
        }
    }
}

impl Switched {
    /// The number of the switch that what stands at `offset` of `file` happens for when that is off.
    pub fn instead_at(&self, file: FileId, offset: usize) -> Option<usize> {
        let mut all = self.instead.iter();
        let there = all.find(|(own, range, _)| *own == file && range.contains(&offset));
        there.map(|(_, _, number)| *number)
    }
}

/// What is put at one place, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Closes,
    Step,
    Returns,
    Opens,
}

/// Whether running through the block `id` again and again may take for ever.
fn is_counted(source: &str, tree: &Tree, id: NodeId, node: &Node) -> bool {
    let repeats = |outer: &Node| {
        matches!(
            outer.kind,
            Kind::Expr(ExprKind::For | ExprKind::While | ExprKind::Loop)
        )
    };
    let counts = match node.kind {
        Kind::Body => true,
        Kind::Block => tree.parent(id).is_some_and(repeats),
        _ => false,
    };
    counts && ran::at_run_time(source, tree, id)
}

/// What a statement begins with that never comes to its end: where it is the last one, the type of what is around it may hang
/// on that.
const LEAVES: [&str; 7] = [
    "return",
    "break",
    "continue",
    "panic",
    "todo",
    "unreachable",
    "unimplemented",
];

/// Whether the statement `id` may be left out as far as its looks tell: it gives no value to what is around it.
fn is_optional(source: &str, tree: &Tree, id: NodeId) -> bool {
    let node = tree.node(id);
    let Some(outer) = tree.parent(id) else {
        return false;
    };
    let is_last = outer.children.last() == Some(&id);
    if !is_last {
        return true;
    }
    if source[node.range.clone()].ends_with(';') {
        let first = tree.identifiers(source, &node.range).next();
        return !first.is_some_and(|first| LEAVES.contains(&first));
    }
    let around = outer
        .parent
        .map(|around| tree.node(around))
        .filter(|_| matches!(outer.kind, Kind::Body | Kind::Block));
    let has = |around: &Node, kind: Kind| {
        let mut children = around.children.iter();
        children.any(|child| tree.node(*child).kind == kind)
    };
    around.is_some_and(|around| match (outer.kind, around.kind) {
        (Kind::Body, _) => !has(around, Kind::ReturnType),
        (_, Kind::Expr(ExprKind::For | ExprKind::While | ExprKind::Loop)) => true,
        (_, Kind::Expr(ExprKind::If)) => !has(around, Kind::Else),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(text: &str) -> Subject {
        Subject::new([("a.rs".into(), text.as_bytes().to_vec())])
    }

    /// `subject` with `switches`: `?0 { … }` around what number 0 leaves out, `?0=` before what it answers, `(0|(…))`
    /// and `(0&(…))` around what it makes true and false, `(0? { … } else { … })` around what gives way, `.` for a step.
    fn shown(subject: &Subject, switches: &[Switch]) -> String {
        let switched = switched(subject, switches.iter().enumerate());
        let mut text = switched.subject.file(FileId(0)).source().to_string();
        for number in 0..switches.len() {
            let on = format!("if ::{CRATE}::is_on({number}) {{ ");
            let off = format!("if ::{CRATE}::is_off({number}) {{ return ");
            text = text.replace(&format!("({on}"), &format!("({number}? {{ "));
            text = text.replace(&on, &format!("?{number} {{ "));
            text = text.replace(&off, &format!("?{number}= {{ "));
            text = text.replace(
                &format!("(::{CRATE}::is_off({number}) || ("),
                &format!("({number}|("),
            );
            text = text.replace(
                &format!("(::{CRATE}::is_on({number}) && ("),
                &format!("({number}&("),
            );
        }
        let text = text.replace(&format!("::{CRATE}::step();"), ".");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_statement_that_gives_no_value_has_a_switch() {
        let subject = subject("fn f() -> u8 { let a = 1; g(a); m!{} if a { h(); } b }");
        assert_eq!(
            shown(&subject, &in_bodies(&subject)),
            "fn f() -> u8 { . let a = 1; ?0 { g(a); } ?1 { m!{} } ?2 { if (3|(a)) { ?4 { h(); } } } b }"
        );
    }

    #[test]
    fn what_a_value_or_a_type_hangs_on_has_none() {
        let subject = subject(
            "fn f() -> u8 { if a { return b; } if c { d } else { e } } fn g() { if a { h() } }",
        );
        assert_eq!(
            shown(&subject, &in_bodies(&subject)),
            "fn f() -> u8 { . ?0 { if (1|(a)) { return b; } } if (2|((3&(c)))) { d } else { e } } fn g() { . ?4 { if (5|(a)) { ?6 { h() } } } }"
        );
    }

    #[test]
    fn a_let_statement_whose_name_is_mentioned_has_none() {
        let subject = subject("fn f() { let a = g(); let b = h(a); let _ = i(); }");
        assert_eq!(
            shown(&subject, &in_bodies(&subject)),
            "fn f() { . let a = g(); ?0 { let b = h(a); } ?1 { let _ = i(); } }"
        );
    }

    #[test]
    fn what_a_string_may_mention_or_is_there_to_be_dropped_has_none() {
        let subject =
            subject("fn f() { let n = g(); println!(\"{n:?}\"); let _guard = h(); let m = i(); }");
        assert_eq!(
            shown(&subject, &in_bodies(&subject)),
            "fn f() { . let n = g(); ?0 { println!(\"{n:?}\"); } let _guard = h(); ?1 { let m = i(); } }"
        );
    }

    #[test]
    fn what_begins_last_ends_first() {
        let subject = subject("fn f() { if c { self.ok = a && b } }");
        let all = in_bodies(&subject);
        assert_eq!(
            shown(&subject, &all),
            "fn f() { . ?0 { if (1|(c)) { ?2 { self.ok = (3|(a)) && (4|(b)) } } } }"
        );
        let switched = switched(&subject, all.iter().enumerate());
        let tree = switched.subject.file(FileId(0)).tree();
        assert!(tree.is_some_and(|tree| tree.parsed));
    }

    #[test]
    fn an_error_in_an_answer_is_about_that_answer() {
        let subject = subject("enum K { A, B } fn f() -> K { g(1, 2, 3, 4, 5, 6, 7); h(K::B) }");
        let all = answers(&subject, &super::super::Answers::default());
        let switched = switched(&subject, all.iter().enumerate());
        let file = FileId(0);
        let source = switched.subject.file(file).source();
        let at = |text: &str| source.find(text).expect("it is there");
        assert_eq!(switched.instead_at(file, at("Default::")), Some(1));
        assert_eq!(switched.instead_at(file, at("return Default")), None);
        assert_eq!(switched.instead_at(file, at("K::A;")), Some(0));
        assert_eq!(switched.instead_at(file, at("g(1")), None);
        assert_eq!(switched.instead_at(file, at("enum")), None);
    }

    #[test]
    fn an_expression_gives_way_to_what_stands_in_it() {
        let subject = subject("fn f() { let a = g(h(1), b.c()); a.d = 2; *e() = 3; i(j); &k.l }");
        let all = expressions(&subject);
        assert_eq!(
            shown(&subject, &all),
            "fn f() { . let a = (0? { (5? { (7? { g((1? { (6? { h(1) } else { 1 }) } else { h }), (2? { b.c() } else { b })) } else { b.c() }) } else { h(1) }) } else { g }); a.d = 2; *(3? { e() } else { e }) = 3; i(j); (4? { &k.l } else { k.l }) }"
        );
    }

    #[test]
    fn with_expressions_that_give_way_it_still_parses() {
        let subject = subject(
            "fn f() { if a(b) { c(d); } else if e(f) { g(h); } match i(j) { K => match l(m) { _ => n(o) } _ => p(q), } if r(s) && let T = u(v) {} w(x); }",
        );
        let all = expressions(&subject);
        assert!(all.len() > 8);
        let switched = switched(&subject, all.iter().enumerate());
        let tree = switched.subject.file(FileId(0)).tree();
        assert!(tree.is_some_and(|tree| tree.parsed));
    }

    #[test]
    fn what_is_in_an_expression_that_gave_way_was_not_asked() {
        let subject = subject("fn f() -> u8 { g(h(1), 2) }");
        let all = expressions(&subject);
        let taken = |off: &[usize]| {
            let elements = elements(&subject, off.iter().map(|at| &all[*at]));
            let after = subject.without(&elements);
            after.file(FileId(0)).source().to_string()
        };
        let of = |text: &str| {
            all.iter()
                .position(|one| taken_alone(&subject, one) == text)
        };
        let (whole, inner) = (of("fn f() -> u8 { h(1) }"), of("fn f() -> u8 { g(1, 2) }"));
        let both = [whole.expect("it may"), inner.expect("it may")];
        assert_eq!(taken(&both), "fn f() -> u8 { h(1) }");
    }

    fn taken_alone(subject: &Subject, switch: &Switch) -> String {
        let after = subject.without([&switch.element]);
        let source = after.file(FileId(0)).source();
        source.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_condition_may_go_either_way_and_lose_its_parts() {
        let subject =
            subject("fn f() { let a = if b && c { 1 } else if let D = d { 2 } else { 3 }; a }");
        let all = in_bodies(&subject);
        assert_eq!(
            shown(&subject, &all),
            "fn f() { . let a = if (0|((1&((2|(b)) && (3|(c)))))) { 1 } else if let D = d { 2 } else { 3 }; ?4 { a } }"
        );
        let after = |at: usize| {
            let after = subject.without([&all[at].element]);
            let source = after.file(FileId(0)).source().to_string();
            source.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(after(0), "fn f() { let a = { 1 }; a }");
        assert_eq!(
            after(1),
            "fn f() { let a = if let D = d { 2 } else { 3 }; a }"
        );
        assert_eq!(
            after(2),
            "fn f() { let a = if c { 1 } else if let D = d { 2 } else { 3 }; a }"
        );
        assert_eq!(
            after(3),
            "fn f() { let a = if b { 1 } else if let D = d { 2 } else { 3 }; a }"
        );
    }

    #[test]
    fn code_that_may_run_at_compile_time_has_none() {
        let subject = subject("const fn f() { g(); } const A: u8 = { g(); 1 };");
        assert_eq!(
            shown(&subject, &in_bodies(&subject)),
            "const fn f() { g(); } const A: u8 = { g(); 1 };"
        );
    }

    #[test]
    fn every_turn_of_a_loop_counts() {
        let subject = subject("fn f() { for a in b {} while c { break; } loop {c();} }");
        assert_eq!(
            shown(&subject, &[]),
            "fn f() { . for a in b { . } while c { . break; } loop { . c();} }"
        );
        assert_eq!(
            shown(&subject, &in_bodies(&subject)),
            "fn f() { . ?0 { for a in b { . } } ?1 { while c { . break; } } ?2 { loop { . ?3 { c(); }} } }"
        );
    }

    #[test]
    fn a_function_answers_in_place_of_all_that_is_in_it() {
        let subject = subject("fn f(a: u8) -> Option<u8> { g(a); h() } fn i() { g(1); }");
        let all = answers(&subject, &super::super::Answers::default());
        let shown = shown(&subject, &all);
        assert!(shown.contains("-> Option<u8> { . ?0= { None; }"), "{shown}");
        assert!(shown.contains("fn i() { . ?1= { ; } g(1); }"), "{shown}");
        let after = subject.without([&all[0].element]);
        let after = after.file(FileId(0)).source();
        assert!(
            after.contains("{None}") || after.contains("{ None }"),
            "{after}"
        );
    }
}
