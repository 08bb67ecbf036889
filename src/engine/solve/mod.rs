//! Solving a list by the compiler's errors: delete everything, and let each error say what has to
//! come back, or what has to go too.
//!
//! Rust refuses half-deleted programs and says precisely why. An error in code that did not run
//! deletes the smallest definition around it; an error elsewhere restores what it names. A few
//! compilations decide a list that would take a minimizer hundreds of trials.

mod calls;
mod index;
mod missed;
mod wanted;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use index::Index;
use wanted::Want;

use super::{Engine, Stop};
use crate::build::Diagnostic;
use crate::passes::definitions::{Definition, Header, Shape};
use crate::subject::{Element, Subject};
use crate::syntax::{Edit, FileId, ItemKind, Kind, NodeId, Origin};

/// Compilations for one list; most lists take fewer than twenty.
const ROUNDS: usize = 60;

/// Errors about what something is defined as: what is called like a function, a field that is named by a number.
const DEFINED: [&str; 3] = ["E0593", "E0609", "E0618"];

/// The numbers of those of `places` in `candidate` that `errors` point to.
pub(super) fn at_fault(
    candidate: &Subject,
    errors: &[Diagnostic],
    places: &[(FileId, Range<usize>)],
) -> BTreeSet<usize> {
    let spans = errors.iter().flat_map(|error| &error.spans);
    let spans = spans.map(|span| span.outermost()).filter_map(|span| {
        let file = candidate.find(&span.file)?;
        Some((file, span.byte_start))
    });
    spans
        .flat_map(|(file, at)| {
            let all = places.iter().enumerate();
            all.filter(move |(_, (own, range))| *own == file && range.contains(&at))
                .map(|(number, _)| number)
        })
        .collect()
}

/// What a round of errors says about the elements of a list.
#[derive(Debug, Default)]
struct Advice {
    restore: BTreeSet<usize>,
    delete: BTreeSet<usize>,
    /// What comes back since the errors say nothing of use.
    guessed: BTreeSet<usize>,
}

/// How far a list has come.
struct State<'l> {
    /// The elements that are removed.
    removed: &'l BTreeSet<usize>,
    /// Whether one cannot be removed, or not again.
    stays: &'l dyn Fn(usize) -> bool,
}

impl Engine<'_> {
    /// Deletes as much of `definitions` as the compiler lets go, starting with all of `first`;
    /// whether anything went. What had to come back is added to `needed`.
    pub(super) fn solve_definitions(
        &mut self,
        definitions: &[Definition],
        first: BTreeSet<usize>,
        needed: &mut HashSet<Option<Origin>>,
    ) -> Result<bool, Stop> {
        let base = self.best.clone();
        let elements: Vec<&Element> = definitions
            .iter()
            .map(|definition| &definition.element)
            .collect();
        let index = Index::of(&base, definitions);
        // Around what is needed nothing can go.
        let stays = (0..definitions.len())
            .filter(|at| !first.contains(at) && needed.contains(&definitions[*at].origin));
        let around: BTreeSet<usize> = stays.flat_map(|at| index.around(at)).collect();
        let first = first.difference(&around).copied().collect();
        let solved = self.solve(&base, &elements, first, |state, errors, edits| {
            let removed = state.removed;
            let mut advice = Advice::default();
            let mut words = Words::default();
            for error in errors {
                words.of(error);
                let places = places(&base, edits, error);
                let around = places
                    .iter()
                    .find_map(|(file, range)| index.smallest(*file, range));
                let mut wants = wanted::wants(error);
                if error.code() == Some("E0204") {
                    wants.extend(copies_of_fields(&base, edits, error));
                }
                let mut restored = index.wanted(removed, &wants, &places);
                if error.message.starts_with("cannot find attribute") {
                    restored.extend(index.derives_at(removed, &places));
                }
                if restored.is_empty() {
                    restored = index.named(removed, &words);
                }
                match around {
                    // What stands and did not run goes; unless it is refused for what it lacks and
                    // has been put back once already.
                    Some(at) if !removed.contains(&at) => {
                        // What live text mentions is not code that could as well go.
                        if needed_by_name(&definitions[at]) && !restored.is_empty() {
                            advice.restore.extend(restored);
                            continue;
                        }
                        advice.delete.insert(at);
                        // Put back what it names in case it cannot go.
                        if index.pinned(at) || (state.stays)(at) {
                            advice.delete.remove(&at);
                            advice.restore.extend(restored);
                        }
                    }
                    _ if !restored.is_empty() => advice.restore.extend(restored),
                    _ => {
                        words.widely(error);
                        let mut named = index.named(removed, &words);
                        if named.is_empty() {
                            words.at(&base, &places);
                            named = index.named(removed, &words);
                        }
                        if named.is_empty() {
                            named = inside(&base, definitions, removed, &places);
                        }
                        advice.restore.extend(named);
                    }
                }
            }
            // What comes back needs what it mentions, and whatever holds it comes back too.
            let restored: Vec<usize> = advice.restore.iter().copied().collect();
            advice
                .restore
                .extend(index.mentioned(&base, removed, &restored));
            let restored: Vec<usize> = advice.restore.iter().copied().collect();
            for at in restored {
                advice
                    .restore
                    .extend(index.around(at).filter(|outer| removed.contains(outer)));
            }
            if advice.restore.is_empty() && advice.delete.is_empty() {
                // No error says anything that helps. What it does not name is most often something that
                // brings a trait into scope, or an impl: in the same modules first.
                let at = |error| places(&base, edits, error);
                let all: Vec<(FileId, Range<usize>)> = errors.iter().flat_map(at).collect();
                let around = surroundings(&base, &all);
                let kinds: [fn(Kind) -> bool; 4] = [
                    |kind| matches!(kind, Kind::Item(ItemKind::Use) | Kind::UseTree),
                    Kind::is_macro_call,
                    |kind| matches!(kind, Kind::Item(ItemKind::Impl)),
                    |_| true,
                ];
                let of = |places: &[(FileId, Range<usize>)], wanted: fn(Kind) -> bool| {
                    let found = removed.iter().copied();
                    let found = found.filter(|at| wanted(definitions[*at].element.kind));
                    let there = found.filter(|at| touches(&definitions[*at].element, places));
                    there.collect::<BTreeSet<usize>>()
                };
                let everywhere: Vec<_> = base
                    .sources()
                    .map(|(file, ..)| whole(&base, file))
                    .collect();
                let found = around
                    .iter()
                    .chain([&everywhere])
                    .flat_map(|places| kinds.iter().map(move |kind| of(places, *kind)))
                    .find(|found| !found.is_empty());
                advice.restore = found.unwrap_or_default();
            }
            index.pin(&advice.restore);
            advice
        })?;
        let solved = matches!(solved, Solved::Yes { .. });
        if solved {
            needed.extend(
                index
                    .pinned
                    .borrow()
                    .iter()
                    .map(|at| definitions[*at].origin),
            );
        }
        Ok(solved)
    }

    /// Applies as many of `elements` – replacements that stand each for itself – as the compiler
    /// takes; whether any were applied.
    pub(super) fn solve_replacements(&mut self, elements: &[Element]) -> Result<bool, Stop> {
        let solved = self.solved_replacements(elements)?;
        Ok(matches!(solved, Solved::Yes { .. }))
    }

    /// As [`solve_replacements`](Self::solve_replacements), with what is known when they do not go.
    pub(super) fn solved_replacements(&mut self, elements: &[Element]) -> Result<Solved, Stop> {
        let all: BTreeSet<usize> = (0..elements.len()).collect();
        self.solved_replacements_of(&self.best.clone(), elements, all)
    }

    /// The same for those `elements` of `base` that `first` names.
    pub(super) fn solved_replacements_of(
        &mut self,
        base: &Subject,
        elements: &[Element],
        first: BTreeSet<usize>,
    ) -> Result<Solved, Stop> {
        let references: Vec<&Element> = elements.iter().collect();
        self.solve(base, &references, first, |state, errors, edits| {
            let removed = state.removed;
            let mut advice = Advice::default();
            let mut vague: Vec<usize> = Vec::new();
            for error in errors {
                let touching = |places: &[(FileId, Range<usize>)]| -> Vec<usize> {
                    let found = removed.iter().copied();
                    found.filter(|at| touches(&elements[*at], places)).collect()
                };
                // What stands at the error; else what stands around it, further and further out: a
                // type that nothing fixes any more is missed somewhere else in the same function.
                let at = places(base, edits, error);
                let mut found = touching(&at);
                if found.is_empty() {
                    found = missed::naming(base, elements, removed, error, &at);
                }
                if !found.is_empty() {
                    advice.restore.extend(found);
                    continue;
                }
                let is_definition = |kind| matches!(kind, Kind::Item(_) | Kind::Member(_));
                let mut around = vec![
                    every_place(base, edits, error),
                    enclosing(base, &at, |kind| matches!(kind, Kind::Stmt(_) | Kind::Arm)),
                    enclosing(base, &at, |kind| kind == Kind::Body),
                    enclosing(base, &at, |kind| matches!(kind, Kind::Item(_))),
                ];
                let explained = explaining(base, edits, error);
                let defined = [
                    enclosing(base, &explained, is_definition),
                    defining(base, &Words::in_message(error)),
                ];
                let is_of_definition = error.code().is_some_and(|code| DEFINED.contains(&code));
                let first = if is_of_definition { 1 } else { around.len() };
                around.splice(first..first, defined);
                match around
                    .iter()
                    .map(|places| touching(places))
                    .find(|found| !found.is_empty())
                {
                    Some(found) => advice.restore.extend(found),
                    None => {
                        let around = surroundings(base, &at);
                        let all = around.iter().map(|places| touching(places));
                        vague.extend(
                            all.into_iter()
                                .find(|all| !all.is_empty())
                                .unwrap_or_default(),
                        );
                    }
                }
            }
            // What says nothing of its own may come of what the others say. Where all of them say nothing, it is one half or the
            // other.
            if advice.restore.is_empty() {
                let vague: BTreeSet<usize> = vague.into_iter().collect();
                let half = vague.len().div_ceil(2);
                advice.guessed.extend(vague.into_iter().take(half));
            }
            advice
        })
    }

    fn solve(
        &mut self,
        base: &Subject,
        elements: &[&Element],
        first: BTreeSet<usize>,
        mut advise: impl FnMut(&State<'_>, &[Diagnostic], &HashMap<FileId, Vec<Edit>>) -> Advice,
    ) -> Result<Solved, Stop> {
        let allowed = |at: &usize| self.scope.allows_element(base, elements[*at]);
        let mut removed: BTreeSet<usize> = first.into_iter().filter(allowed).collect();
        let mut kept: BTreeSet<usize> = BTreeSet::new();
        let mut guessed: BTreeSet<usize> = BTreeSet::new();
        for _ in 0..ROUNDS {
            if removed.is_empty() {
                return Ok(Solved::No);
            }
            let chosen: Vec<&Element> = removed.iter().map(|at| elements[*at]).collect();
            let candidate = base.without(chosen.iter().copied());
            let edits: HashMap<FileId, Vec<Edit>> =
                base.edits(chosen.iter().copied()).into_iter().collect();
            let (interesting, errors) = self.trial_with_errors(candidate)?;
            if interesting {
                return Ok(Solved::Yes {
                    gone: removed,
                    guessed,
                });
            }
            // A summary (`aborting due to …`) stands nowhere and says nothing.
            let said = errors.into_iter().filter(|error| !error.spans.is_empty());
            let (reached, errors): (Vec<_>, Vec<_>) = said.partition(Diagnostic::is_reached);
            // What ran is not the same in every run, and something may have had no probe.
            let at = reached.iter().flat_map(|one| places(base, &edits, one));
            let at: Vec<(FileId, Range<usize>)> = at.collect();
            let ran = removed.iter().copied();
            let ran: BTreeSet<usize> = ran.filter(|one| touches(elements[*one], &at)).collect();
            if !ran.is_empty() {
                removed.retain(|one| !ran.contains(one));
                kept.extend(ran);
                continue;
            }
            if errors.is_empty() {
                // It compiles and shows something else. Whether what a macro call makes ran is not
                // known: without them among what goes it is another matter.
                let calls: BTreeSet<usize> = removed
                    .iter()
                    .copied()
                    .filter(|at| elements[*at].kind.is_macro_call())
                    .collect();
                if calls.is_empty() {
                    return Ok(Solved::CompilesWithout(removed));
                }
                kept.extend(&calls);
                removed.retain(|at| !calls.contains(at));
                continue;
            }
            let stays =
                |at: usize| kept.contains(&at) || !self.scope.allows_element(base, elements[at]);
            let state = State {
                removed: &removed,
                stays: &stays,
            };
            let mut advice = advise(&state, &errors, &edits);
            guessed.extend(&advice.guessed);
            advice.restore.append(&mut advice.guessed);
            let before = removed.clone();
            kept.extend(&advice.restore);
            removed.retain(|at| !advice.restore.contains(at));
            let new = advice.delete.iter().filter(|at| !kept.contains(at));
            removed.extend(new.filter(|at| self.scope.allows_element(base, elements[**at])));
            if removed == before {
                // What the errors say is no help: what stands beside them comes back.
                let at = |error| places(base, &edits, error);
                let all: Vec<(FileId, Range<usize>)> = errors.iter().flat_map(at).collect();
                let beside = surroundings(base, &all).into_iter().map(|places| {
                    let found = removed.iter().copied();
                    let found = found.filter(|at| touches(elements[*at], &places));
                    found.collect::<BTreeSet<usize>>()
                });
                let Some(beside) = beside.into_iter().find(|beside| !beside.is_empty()) else {
                    return Ok(Solved::No);
                };
                removed.retain(|at| !beside.contains(at));
                kept.extend(beside);
            }
        }
        Ok(Solved::No)
    }
}

/// What came of asking for all elements at once.
pub(super) enum Solved {
    /// They went, but for those that the compiler wants.
    Yes {
        /// Those that went.
        gone: BTreeSet<usize>,
        /// Those of which nobody knows whether the compiler wants them.
        guessed: BTreeSet<usize>,
    },
    /// The compiler says nothing of use.
    No,
    /// It compiles without these, and does not show the failure.
    CompilesWithout(BTreeSet<usize>),
}

/// What is missing where a type is to be `Copy`: fields of it are not, and the message does not name their types.
fn copies_of_fields(
    base: &Subject,
    edits: &HashMap<FileId, Vec<Edit>>,
    error: &Diagnostic,
) -> Option<Want> {
    let mut fields = error.clone();
    fields.spans.retain(|span| !span.is_primary);
    let mut names = Words::default();
    names.at(base, &every_place(base, edits, &fields));
    (!names.words.is_empty()).then(|| Want::Impl {
        of_trait: "Copy".to_string(),
        of_type: names.words,
        shape: Shape::Named,
        header: Header::default(),
    })
}

/// Whether `definition` is of a kind that is needed where its name is.
fn needed_by_name(definition: &Definition) -> bool {
    let by_name = matches!(
        definition.element.kind,
        Kind::Item(
            ItemKind::Const
                | ItemKind::Enum
                | ItemKind::Static
                | ItemKind::Struct
                | ItemKind::Trait
                | ItemKind::TypeAlias
                | ItemKind::Union
        )
    );
    by_name && !definition.unneeded
}

/// Where the primary spans of `error` stood before `edits`.
pub(super) fn places(
    base: &Subject,
    edits: &HashMap<FileId, Vec<Edit>>,
    error: &Diagnostic,
) -> Vec<(FileId, Range<usize>)> {
    let mut found = Vec::new();
    for span in error.primary_spans() {
        let span = span.outermost();
        let Some(file) = base.find(&span.file) else {
            continue;
        };
        let Some(text) = base.file(file).text() else {
            continue;
        };
        let own = edits.get(&file).map_or(&[][..], Vec::as_slice);
        let start = text.before(own, span.byte_start).start;
        let end = text
            .before(own, span.byte_end.saturating_sub(1).max(span.byte_start))
            .end;
        found.push((file, start..end.max(start)));
    }
    found
}

/// The same for the spans that only explain.
pub(super) fn every_place(
    base: &Subject,
    edits: &HashMap<FileId, Vec<Edit>>,
    error: &Diagnostic,
) -> Vec<(FileId, Range<usize>)> {
    let mut all = error.clone();
    all.spans.iter_mut().for_each(|span| span.is_primary = true);
    places(base, edits, &all)
}

/// Where that stood which only explains `error`, its notes included.
fn explaining(
    base: &Subject,
    edits: &HashMap<FileId, Vec<Edit>>,
    error: &Diagnostic,
) -> Vec<(FileId, Range<usize>)> {
    let mut explained = error.clone();
    explained.spans.retain(|span| !span.is_primary);
    let notes = error.children.iter().flat_map(|note| &note.spans);
    explained.spans.extend(notes.cloned());
    every_place(base, edits, &explained)
}

/// Whether an edit of `element` is at one of `places`.
pub(super) fn touches(element: &Element, places: &[(FileId, Range<usize>)]) -> bool {
    element.edits.iter().any(|edit| {
        places.iter().any(|(file, range)| {
            edit.file == *file && edit.range.start <= range.end && range.start <= edit.range.end
        })
    })
}

/// What is around `places`: their modules, and their files.
fn surroundings(
    base: &Subject,
    places: &[(FileId, Range<usize>)],
) -> [Vec<(FileId, Range<usize>)>; 2] {
    let module = |kind| matches!(kind, Kind::File | Kind::Item(ItemKind::Mod));
    let files: BTreeSet<FileId> = places.iter().map(|(file, _)| *file).collect();
    let files = files.into_iter().map(|file| whole(base, file));
    [enclosing(base, places, module), files.collect()]
}

fn whole(base: &Subject, file: FileId) -> (FileId, Range<usize>) {
    (file, 0..base.file(file).source().len())
}

/// The innermost nodes around `places` that `wanted` takes.
pub(super) fn enclosing(
    base: &Subject,
    places: &[(FileId, Range<usize>)],
    wanted: fn(Kind) -> bool,
) -> Vec<(FileId, Range<usize>)> {
    let mut found = Vec::new();
    for (file, range) in places {
        let Some(tree) = base.file(*file).tree() else {
            continue;
        };
        let innermost = tree.innermost(range);
        let mut around = innermost
            .into_iter()
            .flat_map(|id| std::iter::once(id).chain(tree.ancestors(id)));
        if let Some(id) = around.find(|id| wanted(tree.node(*id).kind)) {
            found.push((*file, tree.node(id).range.clone()));
        }
    }
    found
}

/// The definitions of types and functions that are called one of `names`.
fn defining(base: &Subject, names: &BTreeSet<String>) -> Vec<(FileId, Range<usize>)> {
    let mut found = Vec::new();
    for (file, version, tree) in base.sources() {
        for (_, node) in tree.nodes() {
            let is_definition = matches!(
                node.kind,
                Kind::Item(
                    ItemKind::Enum
                        | ItemKind::Fn
                        | ItemKind::Struct
                        | ItemKind::Trait
                        | ItemKind::TypeAlias
                        | ItemKind::Union
                )
            );
            let name = node.name.clone().filter(|_| is_definition);
            if name.is_some_and(|name| names.contains(&version.source()[name])) {
                found.push((file, node.range.clone()));
            }
        }
    }
    found
}

/// The removed definitions inside the innermost item around `places`: what an impl lacks may come
/// from a macro call that does not name it.
fn inside(
    base: &Subject,
    definitions: &[Definition],
    removed: &BTreeSet<usize>,
    places: &[(FileId, Range<usize>)],
) -> Vec<usize> {
    let mut found = Vec::new();
    for (file, range) in places {
        let Some(tree) = base.file(*file).tree() else {
            continue;
        };
        let is_item = |id: &NodeId| matches!(tree.node(*id).kind, Kind::Item(_) | Kind::Member(_));
        let innermost = tree.innermost(range);
        let around =
            innermost.and_then(|id| std::iter::once(id).chain(tree.ancestors(id)).find(is_item));
        let Some(outer) = around.map(|id| &tree.node(id).range) else {
            continue;
        };
        found.extend(removed.iter().copied().filter(|at| {
            let inner = &definitions[*at];
            inner.file == *file && outer.start <= inner.range.start && inner.range.end <= outer.end
        }));
    }
    found
}

/// The names that an error is about.
#[derive(Debug, Default)]
pub(super) struct Words {
    words: BTreeSet<String>,
}

impl Words {
    /// Those that a message quotes.
    pub fn in_message(error: &Diagnostic) -> BTreeSet<String> {
        let mut words = Words::default();
        words.quoted(&error.message);
        words.words
    }

    /// Those in its message.
    fn of(&mut self, error: &Diagnostic) {
        self.words.clear();
        self.quoted(&error.message);
        // `not all trait items implemented, missing: …` names them in the message, others in labels.
        if self.words.is_empty() {
            self.widely(error);
        }
    }

    /// Those in its labels, notes and suggestions too.
    fn widely(&mut self, error: &Diagnostic) {
        self.quoted(&error.message);
        for span in &error.spans {
            if let Some(label) = &span.label {
                self.quoted(label);
            }
        }
        for child in &error.children {
            self.quoted(&child.message);
        }
    }

    /// Those that stand where it is, as they stood before anything was removed.
    fn at(&mut self, base: &Subject, places: &[(FileId, Range<usize>)]) {
        for (file, range) in places {
            if let Some(tree) = base.file(*file).tree() {
                let source = base.file(*file).source();
                self.words
                    .extend(tree.identifiers(source, range).map(str::to_string));
            }
        }
    }

    fn quoted(&mut self, text: &str) {
        for (at, part) in text.split('`').enumerate() {
            if at % 2 == 1 {
                let words = part.split(|c: char| !(c.is_alphanumeric() || c == '_'));
                self.words
                    .extend(words.filter(|word| !word.is_empty()).map(str::to_string));
            }
        }
    }
}
