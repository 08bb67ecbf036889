//! Who called whom while the failure showed, and what goes with a call: a function that is reached
//! only through another one – that one dominates it – runs no more when that one does not.
//!
//! The weight of an element is what it saves. Where a sweep follows, a call of a few tokens saves all
//! that runs for its sake alone; a minimizer that knows this asks for it first.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use crate::subject::{Element, PROBE_CALL, PROBE_MARK, Subject};
use crate::syntax::lexer::TokenKind;
use crate::syntax::{FileId, Kind, Origin};

/// The calls that probes reported, by where the bodies stood originally.
#[derive(Debug, Clone, Default)]
pub struct Calls {
    /// By callee: its callers. `None` is whatever has no probe: the test harness, a thread's start.
    callers: BTreeMap<Origin, BTreeSet<Option<Origin>>>,
}

impl Calls {
    /// From the probes and the numbers that they reported: each call is its caller's number, with
    /// [`PROBE_CALL`] set, and its callee's behind it.
    pub fn of(probes: &[Origin], reported: &[u32]) -> Calls {
        let mut callers: BTreeMap<Origin, BTreeSet<Option<Origin>>> = BTreeMap::new();
        for pair in reported.windows(2).filter(|pair| is_call(pair[0])) {
            let caller = probes.get((pair[0] & !PROBE_CALL) as usize).copied();
            if let Some(callee) = probes.get(pair[1] as usize) {
                callers.entry(*callee).or_default().insert(caller);
            }
        }
        Calls { callers }
    }

    /// The functions that call the one with `body`, as far as they have probes.
    pub fn callers(&self, body: Origin) -> impl Iterator<Item = Origin> {
        let callers = self.callers.get(&body).into_iter().flatten();
        callers.flatten().copied()
    }

    /// The functions that the one with `body` calls itself.
    pub fn called_by(&self, body: Origin) -> BTreeSet<Origin> {
        let called = self.callers.iter();
        let called = called.filter(|(_, callers)| callers.contains(&Some(body)));
        called.map(|(callee, _)| *callee).collect()
    }

    /// The functions that only those in `above` call, and others of which that is so.
    pub fn only_below(&self, above: BTreeSet<Origin>) -> BTreeSet<Origin> {
        let mut found = above;
        loop {
            let is_below = |callers: &BTreeSet<Option<Origin>>| {
                let mut callers = callers.iter();
                callers.all(|caller| caller.is_some_and(|caller| found.contains(&caller)))
            };
            let below = self.callers.iter().filter(|(_, callers)| is_below(callers));
            let new: Vec<Origin> = below
                .map(|(callee, _)| *callee)
                .filter(|callee| !found.contains(callee))
                .collect();
            if new.is_empty() {
                return found;
            }
            found.extend(new);
        }
    }

    /// The functions that `body` calls, directly or not, and that call it, itself included; none if it does not call itself.
    pub fn circle(&self, body: &Origin) -> BTreeSet<Origin> {
        let above = |body: &Origin| {
            let mut found: BTreeSet<Origin> = BTreeSet::new();
            let mut open = vec![*body];
            while let Some(next) = open.pop() {
                let callers = self.callers.get(&next).into_iter().flatten();
                let new = callers.flatten().filter(|caller| found.insert(**caller));
                open.extend(new);
            }
            found
        };
        let callers = above(body);
        match callers.contains(body) {
            true => callers
                .into_iter()
                .filter(|caller| above(caller).contains(body))
                .collect(),
            false => BTreeSet::new(),
        }
    }
}

/// Whether `word` says who made the call to what follows.
pub(super) fn is_call(word: u32) -> bool {
    word & PROBE_CALL != 0 && word & PROBE_MARK == 0
}

/// What runs for the sake of each body alone, in one version of a subject.
#[derive(Debug, Default)]
pub struct Dependents {
    /// By file, in order of their text.
    bodies: HashMap<FileId, Vec<Body>>,
}

#[derive(Debug)]
struct Body {
    range: Range<usize>,
    /// Tokens of all functions that it dominates, itself left out.
    tokens: u64,
    /// The functions that it dominates directly.
    called: Vec<Called>,
}

#[derive(Debug)]
struct Called {
    name: String,
    /// Where its caller mentions its name.
    mentions: Vec<usize>,
    /// Its tokens, and those of all that it dominates.
    tokens: u64,
}

/// A function as it stands in the subject.
struct Function {
    file: FileId,
    range: Range<usize>,
    name: String,
    tokens: u64,
}

impl Dependents {
    /// What depends on the bodies of `subject`, as far as `calls` tell.
    pub fn of(subject: &Subject, calls: &Calls) -> Dependents {
        if calls.callers.is_empty() {
            return Dependents::default();
        }
        let mut functions: Vec<Function> = Vec::new();
        let mut at: HashMap<Origin, usize> = HashMap::new();
        for (file, version, tree) in subject.sources() {
            let Some(text) = version.text() else { continue };
            for (id, node) in tree.nodes().filter(|(_, node)| node.kind == Kind::Body) {
                let (Some(origin), Some(outer)) = (text.origin(node.range.start), tree.parent(id))
                else {
                    continue;
                };
                at.insert(origin, functions.len());
                functions.push(Function {
                    file,
                    range: node.range.clone(),
                    name: outer
                        .name
                        .clone()
                        .map_or_else(String::new, |name| version.source()[name].into()),
                    tokens: tree.weight(&outer.range) as u64,
                });
            }
        }
        let callers: Vec<Vec<Option<usize>>> = {
            let mut callers = vec![Vec::new(); functions.len()];
            for (callee, from) in &calls.callers {
                let Some(callee) = at.get(callee) else {
                    continue;
                };
                // A caller that is gone has left its calls to somebody.
                let from = from.iter().map(|caller| at.get(caller.as_ref()?).copied());
                callers[*callee].extend(from);
            }
            callers
        };
        let dominators = dominators(&callers);
        let below = below(&functions, &dominators);
        let mut bodies: HashMap<FileId, Vec<Body>> = HashMap::new();
        let mut called: Vec<Vec<Called>> = functions.iter().map(|_| Vec::new()).collect();
        for (callee, dominator) in dominators.iter().enumerate() {
            let Some(Some(dominator)) = dominator else {
                continue;
            };
            let caller = &functions[*dominator];
            called[*dominator].push(Called {
                mentions: mentions(subject, caller, &functions[callee].name),
                name: functions[callee].name.clone(),
                tokens: functions[callee].tokens + below[callee],
            });
        }
        for ((function, tokens), called) in functions.into_iter().zip(below).zip(called) {
            bodies.entry(function.file).or_default().push(Body {
                range: function.range,
                tokens,
                called,
            });
        }
        Dependents { bodies }
    }

    /// Tokens that nothing runs any more when `element` is gone, besides its own.
    pub fn below(&self, element: &Element) -> u64 {
        let mut tokens = 0;
        // Mentions that go, by body and callee: an element may take several.
        let mut gone: BTreeMap<(FileId, usize, usize), usize> = BTreeMap::new();
        for edit in &element.edits {
            let Some(bodies) = self.bodies.get(&edit.file) else {
                continue;
            };
            let before_end = bodies
                .iter()
                .take_while(|body| body.range.start < edit.range.end);
            for (at, body) in before_end.enumerate() {
                if edit.range.start <= body.range.start && body.range.end <= edit.range.end {
                    tokens += body.tokens;
                } else if body.range.start <= edit.range.start && edit.range.end <= body.range.end {
                    for (callee, called) in body.called.iter().enumerate() {
                        let inside = called.mentions.iter().filter(|at| edit.range.contains(at));
                        let stays = edit.text.contains(&called.name);
                        let inside = if stays { 0 } else { inside.count() };
                        *gone.entry((edit.file, at, callee)).or_default() += inside;
                    }
                }
            }
        }
        let dead = gone.into_iter().filter_map(|((file, at, callee), gone)| {
            let called = &self.bodies[&file][at].called[callee];
            (gone > 0 && gone == called.mentions.len()).then_some(called.tokens)
        });
        tokens + dead.sum::<u64>()
    }

    /// The same where a value stays in the place of an expression, 0 for all other elements.
    pub fn replaced(&self, element: &Element) -> u64 {
        match element.kind {
            Kind::Expr(_) => self.below(element),
            _ => 0,
        }
    }
}

/// Where the body of `caller` mentions `name`.
fn mentions(subject: &Subject, caller: &Function, name: &str) -> Vec<usize> {
    let version = subject.file(caller.file);
    let Some(tree) = version.tree() else {
        return Vec::new();
    };
    let tokens = tree.tokens_in(&caller.range).iter();
    tokens
        .filter(|token| token.kind == TokenKind::Ident)
        .filter(|token| &version.source()[token.range()] == name)
        .map(|token| token.start as usize)
        .collect()
}

/// The immediate dominator of each function, from the root on, which is `None`; none at all of those
/// that nobody called. After Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm".
fn dominators(callers: &[Vec<Option<usize>>]) -> Vec<Option<Option<usize>>> {
    let order = reverse_postorder(callers);
    let mut rank = vec![usize::MAX; callers.len()];
    for (place, function) in order.iter().enumerate() {
        rank[*function] = place;
    }
    let mut found: Vec<Option<Option<usize>>> = vec![None; callers.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for function in &order {
            let known = callers[*function]
                .iter()
                .filter(|caller| caller.is_none_or(|caller| found[caller].is_some()));
            let joined = known.copied().reduce(|a, b| join(a, b, &found, &rank));
            if joined.is_some() && found[*function] != joined {
                found[*function] = joined;
                changed = true;
            }
        }
    }
    found
}

/// The nearest function that dominates both `a` and `b`.
fn join(
    mut a: Option<usize>,
    mut b: Option<usize>,
    found: &[Option<Option<usize>>],
    rank: &[usize],
) -> Option<usize> {
    loop {
        match (a, b) {
            (Some(one), Some(other)) if one == other => return a,
            (Some(one), Some(other)) if rank[one] > rank[other] => a = found[one].flatten(),
            (Some(_), Some(other)) => b = found[other].flatten(),
            _ => return None,
        }
    }
}

/// All functions that were called, callers first where there is no cycle.
fn reverse_postorder(callers: &[Vec<Option<usize>>]) -> Vec<usize> {
    let mut callees = vec![Vec::new(); callers.len()];
    let mut first = Vec::new();
    for (callee, from) in callers.iter().enumerate() {
        for caller in from {
            match caller {
                Some(caller) => callees[*caller].push(callee),
                None => first.push(callee),
            }
        }
    }
    let mut seen = vec![false; callers.len()];
    let mut order = Vec::new();
    for start in first {
        let mut open = vec![(start, 0)];
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        while let Some((function, next)) = open.pop() {
            match callees[function].get(next) {
                Some(callee) => {
                    open.push((function, next + 1));
                    if !std::mem::replace(&mut seen[*callee], true) {
                        open.push((*callee, 0));
                    }
                }
                None => order.push(function),
            }
        }
    }
    order.reverse();
    order
}

/// Tokens of what each function dominates, itself left out.
fn below(functions: &[Function], dominators: &[Option<Option<usize>>]) -> Vec<u64> {
    let mut dominated = vec![Vec::new(); functions.len()];
    let mut open: Vec<usize> = Vec::new();
    for (function, dominator) in dominators.iter().enumerate() {
        match dominator {
            Some(Some(dominator)) => dominated[*dominator].push(function),
            _ => open.push(function),
        }
    }
    // Parents first; backwards, every sum is whole when it is added.
    let mut order = Vec::new();
    while let Some(function) = open.pop() {
        order.push(function);
        open.extend(&dominated[function]);
    }
    let mut sums = vec![0; functions.len()];
    for function in order.iter().rev() {
        if let Some(Some(dominator)) = dominators[*function] {
            sums[dominator] += functions[*function].tokens + sums[*function];
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{Edit, ExprKind, StmtKind};

    const TEXT: &str =
        "fn a() { b(); c(); } fn b() { d(); e(1); } fn c() { d(); } fn d() {} fn e(x: u8) {}";

    fn subject() -> Subject {
        Subject::new([("a.rs".into(), TEXT.as_bytes().to_vec())])
    }

    /// The calls of `TEXT` as its probes would report them; the probe of a function has the number of its letter.
    fn calls(pairs: &[(char, char)]) -> Calls {
        let probes: Vec<Origin> = ('a'..='e')
            .map(|name| {
                let head = TEXT.find(&format!("fn {name}(")).expect("it is there");
                Origin {
                    file: FileId(0),
                    offset: (head + TEXT[head..].find('{').expect("a body")) as u32,
                }
            })
            .collect();
        let number = |name: char| match name {
            '-' => PROBE_CALL - 1,
            _ => name as u32 - 'a' as u32,
        };
        let words = pairs
            .iter()
            .flat_map(|(from, to)| [number(*from) | PROBE_CALL, number(*to)]);
        Calls::of(&probes, &words.collect::<Vec<_>>())
    }

    fn below(calls: &Calls, cut: &str) -> u64 {
        let subject = subject();
        let start = TEXT.find(cut).expect("it is there");
        let edit = Edit::delete(FileId(0), start..start + cut.len());
        let element = Element::new(&subject, Kind::Body, vec![edit]);
        Dependents::of(&subject, calls).below(&element)
    }

    const ALL: &[(char, char)] = &[
        ('-', 'a'),
        ('a', 'b'),
        ('a', 'c'),
        ('b', 'd'),
        ('c', 'd'),
        ('b', 'e'),
    ];

    #[test]
    fn what_only_one_function_calls_goes_with_the_call() {
        let calls = calls(ALL);
        assert_eq!(below(&calls, "e(1);"), 9, "fn e(x: u8) {{}}");
        assert_eq!(below(&calls, "c();"), 10, "c alone: d is called by b too");
        assert_eq!(below(&calls, "b();"), 15 + 9, "b and e");
        assert_eq!(below(&calls, "b(); c();"), 15 + 9 + 10, "d hangs on both");
        assert_eq!(below(&calls, "{ b(); c(); }"), 15 + 9 + 10 + 6, "all");
    }

    #[test]
    fn only_what_stays_as_a_value_is_in_the_place_of_a_computation() {
        let (subject, calls) = (subject(), calls(ALL));
        let dependents = Dependents::of(&subject, &calls);
        let start = TEXT.find("e(1)").expect("it is there");
        let around = [start..start + 2, start + 3..start + 4];
        let hoisted = |kind| {
            let edits = around.clone().map(|range| Edit::delete(FileId(0), range));
            dependents.replaced(&Element::new(&subject, kind, edits.to_vec()))
        };
        assert_eq!(hoisted(Kind::Expr(ExprKind::Call)), 9, "fn e(x: u8) {{}}");
        assert_eq!(hoisted(Kind::Stmt(StmtKind::Expr)), 0);
    }

    #[test]
    fn recursion_does_not_keep_itself_alive() {
        let mut pairs = ALL.to_vec();
        pairs.push(('e', 'b'));
        assert_eq!(below(&calls(&pairs), "b();"), 15 + 9);
    }

    #[test]
    fn what_starts_by_itself_hangs_on_nobody() {
        let mut pairs = ALL.to_vec();
        pairs.push(('-', 'e'));
        assert_eq!(below(&calls(&pairs), "b();"), 15);
        assert_eq!(below(&Calls::default(), "b();"), 0);
    }
}
