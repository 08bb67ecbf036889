//! What the engine remembers of earlier lists: how often each kind of element was needed, and which
//! refusals still stand.
//!
//! # Priors by kind against one p₀
//!
//! Measured on inputs that the shipped table was learned from, among others. It saves a sixth of the
//! trials against the papers' 0.1 and 0.25, and nothing that counts against 0.5: after the first trials
//! lists are short and mostly needed. Where a list is long and little of it is needed, 0.5 costs a trial
//! an element.
//!
// corpus table: begin
//! `cargo bench --bench corpus -- arrayvec generics ice-file-matches mir-validate nosyn-gce opaque smallvec semver --algorithms wprobdd --initial-probabilities by-kind,0.1,0.25,0.5`: 32 reductions of 8 inputs, 1104 tokens before (geometric mean).
//!
//! | algorithm | p₀ | tokens | p | trials | p | CPU seconds | p | ρ |
//! | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
//! | wprobdd | by-kind | 55.8 |  | 82.2 |  | 4.01 |  | −0.28 |
//! | wprobdd | 0.1 | 53.3 | 1.000 | 100.1 | 0.008 | 4.65 | 0.008 | −0.29 |
//! | wprobdd | 0.25 | 56.3 | 1.000 | 96.6 | 0.008 | 4.54 | 0.023 | −0.34 |
//! | wprobdd | 0.5 | 55.8 |  | 85.4 | 0.172 | 4.46 | 0.312 | −0.28 |
// corpus table: end

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use super::priors;
use crate::subject::{Element, Subject};
use crate::syntax::lexer::{Token, TokenKind};
use crate::syntax::{FileId, Kind, NodeId, StmtKind, Tree};

/// How likely an element is needed, by pass and kind: shipped as a table ([`super::priors`]) and
/// learned during the run.
#[derive(Debug, Default)]
pub struct Priors {
    /// How many were kept, and of how many.
    seen: HashMap<(&'static str, Kind), (f64, f64)>,
    /// By pass: how often all elements of a list went together, and of how many tries.
    together: HashMap<&'static str, (f64, f64)>,
    /// Whether the shipped table, which is about compiler crashes, says nothing of this reduction.
    unlearned: bool,
}

/// How likely a definition is needed that nothing mentions: a variant may still be made by a macro, a field be there
/// for its size.
pub const UNMENTIONED: f64 = 0.05;

/// How likely an element is needed that can go alone, where others that can go with it.
pub const GOES_ALONE: f64 = 0.05;

/// How likely an element is needed that was refused alone in other surroundings: one by one is cheapest then.
pub const REFUSED_BEFORE: f64 = 0.8;

/// Of a long list a crash needs about so many, however long it is: what the table knows is short lists, of which most is needed.
const NEEDED_OF_MANY: f64 = 16.0;

/// What the shipped table counts for, in observations of this run.
const SHIPPED: f64 = 2.0;

/// Where `kind` starts in a pass over what runs, when what is reduced is not a compiler crash.
fn running(pass: &str, kind: Kind) -> Option<f64> {
    match (pass, kind) {
        // Branches that hold nothing.
        ("hollow-branches", _) => Some(0.02),
        // They log, and assert what holds.
        ("statements", Kind::Stmt(StmtKind::Macro)) => Some(0.2),
        ("inputs", _) => Some(0.3),
        // What runs show that the failure does without.
        ("skips", _) => Some(0.05),
        // A macro makes much of which one failure needs little.
        ("macro-items", _) => Some(0.1),
        // Of what runs most is needed: one by one is cheapest.
        ("answers" | "statements" | "hoist-expressions", _) => Some(0.6),
        _ => None,
    }
}

/// Where a kind starts that the table does not have: bodies, statements and attributes go by the
/// dozen, of the rest about half is needed once the coarse things are gone.
fn guess(kind: Kind) -> f64 {
    match kind {
        Kind::Body => 0.1,
        Kind::Stmt(_) | Kind::Attribute | Kind::Doc | Kind::Modifier | Kind::Visibility => 0.2,
        Kind::Item(_) | Kind::Member(_) => 0.3,
        _ => 0.5,
    }
}

/// Where a kind starts in `pass`; a traversal, which has no rows of its own, takes those that all
/// passes have for the kind.
fn shipped(pass: &str, kind: Kind) -> f64 {
    let rows = || priors::KEPT.iter().filter(|row| row.1 == kind);
    let own = rows().find(|row| row.0 == pass);
    let sum = |(kept, all), row: &(&str, Kind, u32, u32)| (kept + row.2, all + row.3);
    let (kept, all) = own.map_or_else(|| rows().fold((0, 0), sum), |row| (row.2, row.3));
    // A kind seen seldom may be anything.
    (f64::from(kept) + 2.0 * guess(kind)) / (f64::from(all) + 2.0)
}

impl Priors {
    /// For what is not a compiler crash. What a sweep leaves of a failing test goes by the dozen
    /// statements, of which those of a crash are nearly all needed.
    pub fn unlearned() -> Priors {
        Priors {
            unlearned: true,
            ..Priors::default()
        }
    }

    /// What an element of `kind` starts from in `pass`.
    pub fn of(&self, pass: &'static str, kind: Kind) -> f64 {
        let (kept, all) = self.seen.get(&(pass, kind)).copied().unwrap_or_default();
        let first = match self.unlearned {
            true => running(pass, kind).unwrap_or_else(|| guess(kind)),
            false => shipped(pass, kind),
        };
        ((kept + SHIPPED * first) / (all + SHIPPED)).clamp(0.02, 0.95)
    }

    /// The same, in a list of `length`: however many there are, a crash needs few of them.
    pub fn in_a_list(&self, pass: &'static str, kind: Kind, length: usize) -> f64 {
        let one = self.of(pass, kind);
        match self.unlearned {
            true => one,
            false => one.min((NEEDED_OF_MANY / length as f64).max(0.02)),
        }
    }

    /// Takes note of one element's fate.
    pub fn learn(&mut self, pass: &'static str, kind: Kind, kept: bool) {
        let entry = self.seen.entry((pass, kind)).or_default();
        // Older lists were about a larger subject: they fade.
        entry.0 = entry.0 * 0.98 + f64::from(u8::from(kept));
        entry.1 = entry.1 * 0.98 + 1.0;
    }

    /// Whether removing a whole list of `pass`, of this many elements, is worth a trial: whether what
    /// it saves if it succeeds, as often as it did so far, is more than the trial that it costs.
    pub fn all_at_once(&self, pass: &'static str, length: usize) -> bool {
        let row = priors::TOGETHER.iter().find(|row| row.0 == pass);
        let row = row.filter(|_| !self.unlearned);
        let (gone, all) = row.map_or((0, 0), |row| (row.1, row.2));
        let first = (f64::from(gone) + 0.5) / (f64::from(all) + 1.0);
        let (gone, all) = self.together.get(pass).copied().unwrap_or_default();
        let rate = (gone + SHIPPED * first) / (all + SHIPPED);
        rate * (length as f64 - 1.0) > 1.0 - rate
    }

    /// Takes note of what became of removing a whole list.
    pub fn learn_all_at_once(&mut self, pass: &'static str, succeeded: bool) {
        let entry = self.together.entry(pass).or_default();
        entry.0 += f64::from(u8::from(succeeded));
        entry.1 += 1.0;
    }
}

/// What an element's verdict is taken to depend on: how often the names in it are mentioned
/// anywhere, and the smallest whole thing that it is a part of.
///
/// That is a guess. A refusal that stands wrongly costs tokens, one that is forgotten costs a trial;
/// taking the whole outermost item for the surroundings forgot nearly all of them after every change.
#[derive(Debug)]
pub struct Contexts {
    mentions: HashMap<u64, u32>,
}

impl Contexts {
    /// The contexts of the elements of `subject`.
    pub fn of(subject: &Subject) -> Contexts {
        let mut mentions = HashMap::new();
        for (_, file, tree) in subject.sources() {
            for token in tree.tokens() {
                if matches!(token.kind, TokenKind::Ident | TokenKind::Lifetime) {
                    *mentions
                        .entry(hash(&file.source()[token.range()]))
                        .or_default() += 1;
                }
            }
        }
        Contexts { mentions }
    }

    /// Whether `element` takes a definition that nothing outside of it mentions.
    pub fn unmentioned(&self, subject: &Subject, element: &Element) -> bool {
        let Some(edit) = element.edits.first() else {
            return false;
        };
        let file = subject.file(edit.file);
        let Some(name) = file.tree().and_then(|tree| {
            let node = tree.node(tree.innermost(&edit.range)?);
            let defines = matches!(
                node.kind,
                Kind::Item(_) | Kind::Member(_) | Kind::Variant | Kind::Field | Kind::GenericParam
            );
            let whole = node.range == edit.range && edit.text.is_empty();
            node.name.clone().filter(|_| defines && whole)
        }) else {
            return false;
        };
        let name = &file.source()[name];
        let inside = element.edits.iter().map(|edit| {
            let file = subject.file(edit.file);
            let words = file
                .tree()
                .map(|tree| tree.identifiers(file.source(), &edit.range));
            words
                .into_iter()
                .flatten()
                .filter(|word| *word == name)
                .count()
        });
        self.mentions.get(&hash(name)).copied().unwrap_or_default() as usize
            <= inside.sum::<usize>()
    }

    /// How often the names that `element`, an element of `subject`, depends on are mentioned.
    fn names(&self, subject: &Subject, element: &Element) -> u64 {
        let mut hasher = DefaultHasher::new();
        for edit in &element.edits {
            let file = subject.file(edit.file);
            let Some(tree) = file.tree() else { continue };
            for token in tree.tokens_in(&depends_on(file.source(), tree, &edit.range)) {
                let word = hash(&file.source()[token.range()]);
                word.hash(&mut hasher);
                self.mentions.get(&word).hash(&mut hasher);
            }
        }
        hasher.finish()
    }
}

/// Where the names stand that decide whether `range` can go. A whole definition waits for its users:
/// its own name counts, of an impl those of its header, and not what it is made of.
fn depends_on(source: &str, tree: &Tree, range: &Range<usize>) -> Range<usize> {
    let whole = tree
        .innermost(range)
        .map(|at| tree.node(at))
        .filter(|node| node.range == *range);
    match whole.map(|node| (node.kind, &node.name)) {
        Some((
            Kind::Item(_) | Kind::Member(_) | Kind::Variant | Kind::Field | Kind::GenericParam,
            Some(name),
        )) => name.clone(),
        Some((Kind::Item(_), None)) => range.start..brace(source, tree, range),
        Some((Kind::Body, _)) => range.start..range.start,
        _ => range.clone(),
    }
}

/// Where the first brace in `range` stands, its end if there is none.
fn brace(source: &str, tree: &Tree, range: &Range<usize>) -> usize {
    let tokens = tree.tokens_in(range).iter();
    let brace = tokens
        .map(Token::range)
        .find(|token| &source[token.clone()] == "{");
    brace.map_or(range.end, |brace| brace.start)
}

/// The smallest statement, parameter, field or the like around the element's first edit; of an item
/// or a member only what stands in front of its braces.
fn frame(subject: &Subject, element: &Element) -> Option<(FileId, Range<usize>)> {
    let edit = element.edits.first()?;
    let file = subject.file(edit.file);
    let tree = file.tree()?;
    let mut at = tree.innermost(&edit.range)?;
    if tree.node(at).range == edit.range && is_frame(tree.node(at).kind) {
        // A whole one: what is around it is others of its kind.
        return header_of_its_function(tree, at).map(|header| (edit.file, header));
    }
    while !is_frame(tree.node(at).kind) {
        at = tree.node(at).parent?;
    }
    let node = tree.node(at);
    let mut range = node.range.clone();
    if node.range == edit.range
        && let Some(header) = header_of_its_function(tree, at)
    {
        range = header;
    } else if matches!(node.kind, Kind::Item(_) | Kind::Member(_)) {
        range.end = brace(file.source(), tree, &range);
    }
    Some((edit.file, range))
}

/// What stands in front of the body of the function that ends with the statement `at`: it says what is given back.
fn header_of_its_function(tree: &Tree, at: NodeId) -> Option<Range<usize>> {
    let body = tree.parent(at).filter(|body| body.kind == Kind::Body)?;
    let is_last = body.children.last() == Some(&at);
    let function = tree.node(body.parent.filter(|_| is_last)?);
    Some(function.range.start..body.range.start)
}

fn is_frame(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Item(_)
            | Kind::Member(_)
            | Kind::Stmt(_)
            | Kind::Field
            | Kind::Variant
            | Kind::Arm
            | Kind::Param
            | Kind::Receiver
            | Kind::GenericParam
            | Kind::Predicate
            | Kind::ReturnType
            | Kind::UseTree
            | Kind::Attribute
            | Kind::Segment
    )
}

/// Refusals: elements that the oracle would not let go, as long as nothing around them has changed.
#[derive(Clone, Debug, Default)]
pub struct Refusals {
    /// With the size of the subject at that time, in tokens.
    standing: HashMap<(u64, u64), usize>,
    /// Where the same elements begin, in whatever surroundings.
    ever: HashSet<u64>,
}

impl Refusals {
    /// Whether `element` was refused in just these surroundings.
    pub fn stands(&self, subject: &Subject, contexts: &Contexts, element: &Element) -> bool {
        let known = (
            identity(subject, element),
            context(subject, contexts, element),
        );
        self.standing.contains_key(&known)
    }

    /// Whether `element` was ever refused alone, in whatever surroundings and whatever was in it.
    pub fn had(&self, subject: &Subject, element: &Element) -> bool {
        self.ever.contains(&beginning(subject, element))
    }

    /// Forgets what was refused when there were more than `tokens`; whether there was anything.
    pub fn forget_above(&mut self, tokens: usize) -> bool {
        let before = self.standing.len();
        self.standing.retain(|_, size| *size <= tokens);
        self.standing.len() < before
    }

    /// Notes that each of `elements`, of `base`, was refused alone.
    pub fn add_each(&mut self, base: &Subject, elements: Vec<Element>) {
        let kept = elements.clone();
        self.add(base, kept.iter(), base, elements);
    }

    /// Takes note that the elements `kept` of `base` were refused, with `now` around them; `again`
    /// is the same list made from `now`.
    pub fn add<'e>(
        &mut self,
        base: &Subject,
        kept: impl Iterator<Item = &'e Element>,
        now: &Subject,
        again: Vec<Element>,
    ) {
        let kept: Vec<&Element> = kept.collect();
        self.ever
            .extend(kept.iter().map(|element| beginning(base, element)));
        let kept: HashSet<u64> = kept.iter().map(|element| identity(base, element)).collect();
        let contexts = Contexts::of(now);
        let size = now.tokens();
        for element in &again {
            let identity = identity(now, element);
            if kept.contains(&identity) {
                let known = (identity, context(now, &contexts, element));
                self.standing.insert(known, size);
            }
        }
    }
}

/// Refusals of single elements while their list is searched: an element is not asked for again
/// after every success elsewhere, only after one that may have to do with it.
#[derive(Debug)]
pub struct Singles {
    frames: Vec<Option<(FileId, Range<usize>)>>,
    refused: HashMap<usize, u64>,
}

impl Singles {
    /// For a list of elements of `base`.
    pub fn new(base: &Subject, elements: &[Element]) -> Singles {
        Singles {
            frames: elements.iter().map(|one| frame(base, one)).collect(),
            refused: HashMap::new(),
        }
    }

    fn context(
        &self,
        base: &Subject,
        elements: &[Element],
        at: usize,
        gone: &[usize],
        contexts: &Contexts,
    ) -> u64 {
        let mut hasher = DefaultHasher::new();
        contexts.names(base, &elements[at]).hash(&mut hasher);
        if let Some((file, frame)) = &self.frames[at] {
            for other in gone {
                let inside = elements[*other].edits.iter().any(|edit| {
                    edit.file == *file
                        && frame.start <= edit.range.start
                        && edit.range.end <= frame.end
                });
                if inside {
                    other.hash(&mut hasher);
                }
            }
        }
        hasher.finish()
    }

    /// Whether the element `at` was refused, and what has gone since has nothing to do with it.
    /// `gone` are the elements that are gone now, `contexts` those of what is left.
    pub fn stands(
        &self,
        base: &Subject,
        elements: &[Element],
        at: usize,
        gone: &[usize],
        contexts: &Contexts,
    ) -> bool {
        self.refused.get(&at) == Some(&self.context(base, elements, at, gone, contexts))
    }

    /// Takes note that the element `at` was refused.
    pub fn add(
        &mut self,
        base: &Subject,
        elements: &[Element],
        at: usize,
        gone: &[usize],
        contexts: &Contexts,
    ) {
        let context = self.context(base, elements, at, gone, contexts);
        self.refused.insert(at, context);
    }
}

/// What an element is, whatever happened elsewhere: where its edits stood originally and what they put there.
fn identity(subject: &Subject, element: &Element) -> u64 {
    let mut hasher = DefaultHasher::new();
    beginning(subject, element).hash(&mut hasher);
    for edit in &element.edits {
        let text = subject.file(edit.file).text();
        let last = edit.range.end.saturating_sub(1);
        text.and_then(|text| text.origin(last)).hash(&mut hasher);
    }
    hasher.finish()
}

/// The same, whatever has gone from its end.
fn beginning(subject: &Subject, element: &Element) -> u64 {
    let mut hasher = DefaultHasher::new();
    element.kind.hash(&mut hasher);
    for edit in &element.edits {
        let text = subject.file(edit.file).text();
        let origin = |at: usize| text.and_then(|text| text.origin(at));
        // What was put in stands nowhere originally: it is known by what stands in front of it.
        let before = (0..=edit.range.start).rev().take(200).find_map(origin);
        before.hash(&mut hasher);
        edit.text.hash(&mut hasher);
    }
    element.drops.hash(&mut hasher);
    hasher.finish()
}

fn context(subject: &Subject, contexts: &Contexts, element: &Element) -> u64 {
    let mut hasher = DefaultHasher::new();
    contexts.names(subject, element).hash(&mut hasher);
    if let Some((file, range)) = frame(subject, element) {
        let file = subject.file(file);
        let words = file.tree().map(|tree| tree.tokens_in(&range));
        for token in words.into_iter().flatten() {
            file.source()[token.range()].hash(&mut hasher);
        }
    }
    hasher.finish()
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::ExprKind;

    #[test]
    fn a_prior_comes_from_the_table_and_moves_with_what_is_seen() {
        for (pass, kind, kept, all) in priors::KEPT {
            assert!(kept <= all);
            let share = f64::from(*kept) / f64::from(*all);
            let (low, high) = (share.min(guess(*kind)), share.max(guess(*kind)));
            let prior = Priors::default().of(pass, *kind);
            assert!(
                (low.min(0.95)..=high.max(0.02)).contains(&prior),
                "{pass} {kind:?}"
            );
        }
        let mut priors = Priors::default();
        let kind = Kind::Expr(ExprKind::Other);
        let before = priors.of("unheard of", kind);
        (0..5).for_each(|_| priors.learn("unheard of", kind, true));
        assert!(priors.of("unheard of", kind) > before);
        (0..50).for_each(|_| priors.learn("unheard of", kind, false));
        assert!(priors.of("unheard of", kind) < before);
    }

    #[test]
    fn a_traversal_starts_from_what_the_passes_know_of_a_kind() {
        let (_, kind, ..) = priors::KEPT
            .iter()
            .find(|(_, kind, kept, all)| {
                let others = priors::KEPT.iter().filter(|row| row.1 == *kind);
                others.count() == 1 && kept * 4 > all * 3
            })
            .expect("there is a kind that only one pass removes, and seldom");
        let prior = Priors::default().of("hdd", *kind);
        assert!((0.5..=0.95).contains(&prior), "{kind:?}: {prior}");
    }

    #[test]
    fn what_was_refused_is_known_whatever_went_from_its_end() {
        let source = "enum E { A(), B() }";
        let before = Subject::new([("a.rs".into(), source.as_bytes().to_vec())]);
        let all = |of: &'static str| {
            let passes = crate::passes::coarse().into_iter();
            let mut passes = passes.chain(crate::passes::fine());
            let pass = passes
                .find(|pass| pass.name() == of)
                .expect("there is such a pass");
            move |subject: &Subject| pass.list(subject, 0).expect("a list")
        };
        let (variants, units) = (all("variants"), all("structs-to-units"));
        let after = before.without(&units(&before)[..1]);
        let mut refusals = Refusals::default();
        let contexts = Contexts::of(&after);
        let (old, new) = (variants(&before), variants(&after));
        refusals.add(&before, old[..1].iter(), &before, variants(&before));
        assert!(refusals.stands(&before, &Contexts::of(&before), &old[0]));
        assert!(!refusals.stands(&after, &contexts, &new[0]));
        assert!(refusals.had(&after, &new[0]));
        assert!(!refusals.had(&after, &new[1]));
    }

    #[test]
    fn what_a_function_ends_with_is_asked_for_again_when_it_gives_back_something_else() {
        let source = "fn f() -> u8 { g(); todo!() }";
        let before = Subject::new([("a.rs".into(), source.as_bytes().to_vec())]);
        let cut = |subject: &Subject, of: &str| {
            let file = FileId(0);
            let start = subject.file(file).source().find(of).expect("it is there");
            let range = start..start + of.len();
            let kind = Kind::Stmt(StmtKind::Macro);
            Element::cut(subject, kind, file, range)
        };
        let after = before.without([&cut(&before, "-> u8")]);
        let mut refusals = Refusals::default();
        refusals.add_each(&before, vec![cut(&before, "todo!()"), cut(&before, "g();")]);
        let contexts = Contexts::of(&before);
        assert!(refusals.stands(&before, &contexts, &cut(&before, "todo!()")));
        let contexts = Contexts::of(&after);
        assert!(!refusals.stands(&after, &contexts, &cut(&after, "todo!()")));
        assert!(refusals.stands(&after, &contexts, &cut(&after, "g();")));
    }

    #[test]
    fn a_whole_list_is_tried_where_that_saves_more_than_it_costs() {
        let mut priors = Priors::default();
        assert!(priors.all_at_once("unheard of", 5));
        assert!(!priors.all_at_once("unheard of", 1));
        (0..4).for_each(|_| priors.learn_all_at_once("unheard of", false));
        assert!(!priors.all_at_once("unheard of", 5));
        // It costs one trial, and would save hundreds.
        assert!(priors.all_at_once("unheard of", 300));
        (0..4).for_each(|_| priors.learn_all_at_once("unheard of", true));
        assert!(priors.all_at_once("unheard of", 5));
    }
}
