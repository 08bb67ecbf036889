//! Definitions by place, by name and by what they implement: finds what an error asks for.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::Words;
use super::calls::Calls;
use super::wanted::Want;
use crate::passes::definitions::{Definition, Header, Shape};
use crate::subject::Subject;
use crate::syntax::{FileId, ItemKind, Kind};

/// As many definitions may come back for a single word.
const MOST_FOR_A_WORD: usize = 24;

/// What else has to be implemented where one of the traits is that can be derived.
const SUPERTRAITS: [(&str, &[&str]); 4] = [
    ("Copy", &["Clone"]),
    ("Eq", &["PartialEq"]),
    ("PartialOrd", &["PartialEq"]),
    ("Ord", &["Eq", "PartialOrd", "PartialEq"]),
];

/// Definitions by place and by name.
pub struct Index<'d> {
    definitions: &'d [Definition],
    by_file: HashMap<FileId, Vec<usize>>,
    by_key: HashMap<String, Vec<usize>>,
    /// Items by their own names, macro calls by those that they introduce.
    items: HashMap<&'d str, Vec<usize>>,
    members: HashMap<&'d str, Vec<usize>>,
    imports: HashMap<&'d str, Vec<usize>>,
    impls: HashMap<&'d str, Vec<usize>>,
    /// The traits that declare a member of this name.
    declaring: HashMap<&'d str, BTreeSet<&'d str>>,
    /// The `mod` items without which a file belongs to nothing.
    leading_to: HashMap<FileId, Vec<usize>>,
    calls: Calls<'d>,
    pub pinned: std::cell::RefCell<BTreeSet<usize>>,
}

impl<'d> Index<'d> {
    pub fn of(base: &'d Subject, definitions: &'d [Definition]) -> Index<'d> {
        let mut by_file: HashMap<FileId, Vec<usize>> = HashMap::new();
        let mut by_key: HashMap<String, Vec<usize>> = HashMap::new();
        let mut items: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut members: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut imports: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut impls: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut leading_to: HashMap<FileId, Vec<usize>> = HashMap::new();
        for (at, definition) in definitions.iter().enumerate() {
            let kind = definition.element.kind;
            let by_name = match kind {
                Kind::Item(ItemKind::Use) | Kind::UseTree => &mut imports,
                Kind::Member(_) => &mut members,
                _ => &mut items,
            };
            for name in &definition.names {
                by_name.entry(name).or_default().push(at);
            }
            let implements = matches!(kind, Kind::Item(ItemKind::Impl) | Kind::AttributeArg);
            if let Some(of_trait) = definition.of_trait.as_deref().filter(|_| implements) {
                impls.entry(of_trait).or_default().push(at);
            }
            for file in &definition.element.drops {
                leading_to.entry(*file).or_default().push(at);
            }
            by_file.entry(definition.file).or_default().push(at);
            // Nobody misses a call for the name of its macro, and errors in what that makes say it.
            let version = base.file(definition.file);
            let called = version
                .tree()
                .filter(|_| kind.is_macro_call())
                .and_then(|tree| tree.macro_called(version.source(), &definition.range));
            for key in definition.keys.iter().filter(|key| called != Some(key)) {
                by_key.entry(key.clone()).or_default().push(at);
            }
        }
        Index {
            definitions,
            by_file,
            by_key,
            items,
            members,
            imports,
            impls,
            calls: Calls::of(base, definitions),
            leading_to,
            declaring: declaring(base),
            pinned: Default::default(),
        }
    }

    /// The smallest definition that holds `range`.
    pub fn smallest(&self, file: FileId, range: &Range<usize>) -> Option<usize> {
        let holds = |at: &&usize| {
            let own = &self.definitions[**at].range;
            own.start <= range.start && range.end <= own.end
        };
        let all = self.by_file.get(&file)?;
        all.iter()
            .filter(holds)
            .min_by_key(|at| self.definitions[**at].range.len())
            .copied()
    }

    /// The removed definitions that `wants` ask for, of an error at `places`.
    pub fn wanted(
        &self,
        removed: &BTreeSet<usize>,
        wants: &[Want],
        places: &[(FileId, Range<usize>)],
    ) -> Vec<usize> {
        let mut found = BTreeSet::new();
        for want in wants {
            match want {
                Want::Name { name, path } => found.extend(self.name(removed, name, path, places)),
                Want::Member { name, of } => found.extend(self.member(removed, name, of, places)),
                Want::Impl {
                    of_trait,
                    of_type,
                    shape,
                    header,
                } => {
                    let all = self.implementation(removed, of_trait, of_type, *shape);
                    found.extend(self.the_one_for(header, all));
                }
            }
        }
        found.into_iter().collect()
    }

    /// What brings `name` into the scope of `places`: an import or a definition in the same file, else
    /// whatever has that name; of several, those that stand where `path` says.
    fn name(
        &self,
        removed: &BTreeSet<usize>,
        name: &str,
        path: &[String],
        places: &[(FileId, Range<usize>)],
    ) -> Vec<usize> {
        let gone = |of: &HashMap<&str, Vec<usize>>| -> Vec<usize> {
            let all = of.get(name).into_iter().flatten().copied();
            all.filter(|at| removed.contains(at)).collect()
        };
        let (items, imports) = (gone(&self.items), gone(&self.imports));
        let here = |at: &usize| {
            let own = &self.definitions[*at];
            places.iter().any(|(file, range)| {
                // An import is no answer to an error in itself.
                own.file == *file && !(own.range.start <= range.start && range.end <= own.range.end)
            })
        };
        if path.is_empty() {
            let found: Vec<usize> = items.iter().chain(&imports).copied().filter(here).collect();
            if !found.is_empty() {
                return found;
            }
        }
        let leads_there = |at: &usize| {
            let names = &self.definitions[*at].module;
            path.last().is_some_and(|last| names.contains(last))
        };
        let all = || items.iter().chain(&imports).copied();
        let exact: Vec<usize> = all().filter(leads_there).collect();
        match (exact.is_empty(), items.is_empty()) {
            (false, _) => exact,
            (true, false) => items,
            (true, true) if imports.is_empty() => {
                // Nothing has that name any more: it came in through a `*`, or out of a macro call.
                let globs = self.imports.get("*").into_iter().flatten().copied();
                let globs: Vec<usize> = globs
                    .filter(|at| removed.contains(at) && here(at))
                    .collect();
                match globs.is_empty() {
                    true => self.calls.about(removed, [name].into_iter()),
                    false => globs,
                }
            }
            (true, true) => imports,
        }
    }

    /// The members `name`: of what `of` is about, if there are any; of the impl at `places`, if it says nothing.
    fn member(
        &self,
        removed: &BTreeSet<usize>,
        name: &str,
        of: &BTreeSet<String>,
        places: &[(FileId, Range<usize>)],
    ) -> Vec<usize> {
        let all = self.members.get(name).into_iter().flatten().copied();
        let gone: Vec<usize> = all.filter(|at| removed.contains(at)).collect();
        // Where it says nothing: those of the impl there. Else the trait's own before those of impls of it, and of what is
        // for a type those that are most about it.
        let fitting = |at: &usize| {
            let own = &self.definitions[*at];
            let there = |(file, range): &(FileId, Range<usize>)| {
                own.file == *file && own.outer.start <= range.start && range.end <= own.outer.end
            };
            let of_trait = || own.of_trait.as_ref().is_some_and(|name| of.contains(name));
            let common = own.of_type.intersection(of).count();
            match (of.is_empty(), common) {
                (true, _) if places.iter().any(there) => 1,
                (true, _) => 0,
                (false, 0) if own.of_type.is_empty() && of_trait() => 2,
                (false, 0) => usize::from(of_trait()),
                (false, common) => 1 + common,
            }
        };
        let best = gone.iter().map(fitting).max().unwrap_or(0);
        let exact = gone.iter().copied();
        let exact: Vec<usize> = exact.filter(|at| best > 0 && fitting(at) == best).collect();
        match (exact.is_empty(), gone.is_empty()) {
            (false, _) => exact,
            (true, false) => {
                // Of a type parameter or an unnamed type: what a trait declares.
                let declared = |at: &usize| {
                    let own = &self.definitions[*at];
                    own.of_trait.is_some() && own.of_type.is_empty()
                };
                let declared: Vec<usize> = gone.iter().copied().filter(declared).collect();
                match declared.is_empty() {
                    false => declared,
                    true if gone.len() <= MOST_FOR_A_WORD => gone,
                    true => Vec::new(),
                }
            }
            (true, true) => {
                // The member stands, and what it is a member of is not implemented.
                let traits = self.declaring.get(name).into_iter().flatten();
                let impls: Vec<usize> = traits
                    .flat_map(|of_trait| self.implementation(removed, of_trait, of, Shape::Named))
                    .collect();
                let words = [name].into_iter().chain(of.iter().map(String::as_str));
                match impls.is_empty() {
                    true => self.calls.about(removed, words),
                    false => impls,
                }
            }
        }
    }

    /// The impls of a trait for what most of `of_type` is about. Of what is in them, the compiler says what a trait asks for:
    /// the rest did not run.
    fn implementation(
        &self,
        removed: &BTreeSet<usize>,
        of_trait: &str,
        of_type: &BTreeSet<String>,
        shape: Shape,
    ) -> Vec<usize> {
        let all = self.impls.get(of_trait).into_iter().flatten().copied();
        let mut gone: Vec<usize> = all.filter(|at| removed.contains(at)).collect();
        let words = || {
            let of_type = of_type.iter().map(String::as_str);
            [of_trait].into_iter().chain(of_type)
        };
        let is = |shape: Shape| move |at: &usize| self.definitions[*at].shape == shape;
        // For every type, or for one made of nothing but a parameter.
        let is_blanket = |at: &usize| {
            let of_type = &self.definitions[*at].of_type;
            let is_made_of_one = of_type.len() == 1 && of_type.iter().all(|name| name.len() <= 2);
            is(Shape::Parameter)(at) || is_made_of_one
        };
        // What a tuple implements is neither said by the names in it nor implemented for one of those.
        if shape != Shape::Named {
            let same = is(shape);
            match gone.iter().any(same) {
                true => gone.retain(same),
                false if gone.iter().any(is(Shape::Parameter)) => gone.retain(is(Shape::Parameter)),
                false => {
                    let calls = self.calls.about(removed, words());
                    if !calls.is_empty() {
                        return calls;
                    }
                }
            }
        }
        // Of types that have the same name, rustc says where they are defined.
        let score = |at: &usize| {
            let own = &self.definitions[*at];
            let fitting = own.of_type.intersection(of_type).count();
            let there = own.module.intersection(of_type).count();
            (fitting, if fitting > 0 { there } else { 0 })
        };
        let best = gone.iter().map(score).max().unwrap_or((0, 0));
        // What fits no name in the type is for every type, or for another one.
        let fits = |at: &usize| {
            let own_shape = shape != Shape::Named && is(shape)(at);
            score(at) == best && (best.0 > 0 || own_shape || is_blanket(at))
        };
        let chosen: Vec<usize> = gone.into_iter().filter(fits).collect();
        if chosen.is_empty() {
            return self.calls.about(removed, words());
        }
        chosen
    }

    /// Of several impls of a trait, those whose header says what `header` does: where one is for exactly that, no other one can be.
    fn the_one_for(&self, header: &Header, mut impls: Vec<usize>) -> Vec<usize> {
        let of = |at: &usize| &self.definitions[*at].header;
        let tests: [fn(&Header, &Header) -> bool; 2] =
            [Header::is_for_the_type_of, Header::is_given_what];
        // Of some wants, nothing is known but names.
        let tests = tests.into_iter().filter(|_| !header.own.is_empty());
        for same in tests {
            if impls.iter().any(|at| same(of(at), header)) {
                impls.retain(|at| same(of(at), header));
            }
        }
        impls
    }

    /// `outer`, and what else of `removed` stands in it.
    fn with_what_is_in(&self, removed: &BTreeSet<usize>, outer: usize) -> Vec<usize> {
        let own = &self.definitions[outer];
        let same_file = self.by_file.get(&own.file).into_iter().flatten().copied();
        let inner = same_file.filter(|at| {
            let inner = &self.definitions[*at].range;
            removed.contains(at) && own.range.start <= inner.start && inner.end <= own.range.end
        });
        let mut found: Vec<usize> = inner.collect();
        found.push(outer);
        found
    }

    /// The derives of the items around `places`: an attribute may be one that a derive knows.
    pub fn derives_at(
        &self,
        removed: &BTreeSet<usize>,
        places: &[(FileId, Range<usize>)],
    ) -> Vec<usize> {
        let is_around = |at: &usize| {
            let own = &self.definitions[*at];
            own.element.kind == Kind::AttributeArg
                && places.iter().any(|(file, range)| {
                    own.file == *file
                        && own.outer.start <= range.start
                        && range.end <= own.outer.end
                })
        };
        removed.iter().copied().filter(is_around).collect()
    }

    /// The impls that what the derive `at` makes needs: the same of what the item is made of, and others of the item itself.
    fn needed_by_derive(&self, base: &Subject, removed: &BTreeSet<usize>, at: usize) -> Vec<usize> {
        let own = &self.definitions[at];
        let (Some(of_trait), Some(tree)) = (&own.of_trait, base.file(own.file).tree()) else {
            return Vec::new();
        };
        let source = base.file(own.file).source();
        let words: BTreeSet<&str> = tree.identifiers(source, &own.outer).collect();
        let of_parts = |at: &usize| {
            let mut names = self.definitions[*at].of_type.iter();
            names.all(|name| words.contains(name.as_str()))
        };
        let of_itself = |at: &usize| self.definitions[*at].of_type == own.of_type;
        let impls = |of_trait: &str| {
            let all = self.impls.get(of_trait).into_iter().flatten().copied();
            all.filter(|at| removed.contains(at))
        };
        let supertraits = SUPERTRAITS
            .iter()
            .filter(|(name, _)| name == of_trait)
            .flat_map(|(_, traits)| *traits);
        let of_supertraits = supertraits.flat_map(|name| impls(name).filter(of_itself));
        impls(of_trait)
            .filter(of_parts)
            .chain(of_supertraits)
            .flat_map(|at| self.with_what_is_in(removed, at))
            .collect()
    }

    /// What the definitions `from` cannot do without, as far as their text says: the imports and
    /// the items of the same file that it names, what those imports lead to, and so on.
    pub fn mentioned(
        &self,
        base: &Subject,
        removed: &BTreeSet<usize>,
        from: &[usize],
    ) -> BTreeSet<usize> {
        let mut found: BTreeSet<usize> = BTreeSet::new();
        let mut open = from.to_vec();
        while let Some(next) = open.pop() {
            let own = &self.definitions[next];
            let Some(tree) = base.file(own.file).tree() else {
                continue;
            };
            let source = base.file(own.file).source();
            let nested = |range: &Range<usize>| {
                let same_file = self.by_file.get(&own.file).into_iter().flatten();
                same_file
                    .map(|at| &self.definitions[*at].range)
                    .any(|inner| {
                        *inner != own.range
                            && own.range.start <= inner.start
                            && inner.end <= own.range.end
                            && inner.start <= range.start
                            && range.end <= inner.end
                    })
            };
            let new: Vec<usize> = match own.element.kind {
                Kind::AttributeArg => self.needed_by_derive(base, removed, next),
                Kind::Item(ItemKind::Use) | Kind::UseTree => {
                    let path: Vec<&str> = tree.identifiers(source, &own.range).collect();
                    let items = path.iter().flat_map(|word| self.items.get(*word)).flatten();
                    let leads_there = |at: &&usize| {
                        let names = &self.definitions[**at].module;
                        path.iter()
                            .any(|part| *part != "src" && names.contains(*part))
                    };
                    items.filter(leads_there).copied().collect()
                }
                _ => {
                    let tokens = tree.tokens_in(&own.range).iter();
                    let names = tokens
                        .map(|token| token.range())
                        .filter(|range| !nested(range));
                    let here = |at: &&usize| self.definitions[**at].file == own.file;
                    names
                        .flat_map(|range| {
                            let word = &source[range];
                            let items = self.items.get(word).into_iter().flatten();
                            items.chain(self.imports.get(word).into_iter().flatten())
                        })
                        .filter(here)
                        .copied()
                        .collect()
                }
            };
            for at in new {
                if removed.contains(&at) && found.insert(at) {
                    open.push(at);
                }
            }
        }
        found
    }

    /// The removed definitions that most of `words` are about.
    pub fn named(&self, removed: &BTreeSet<usize>, words: &Words) -> Vec<usize> {
        let mut scores: HashMap<usize, usize> = HashMap::new();
        // A generic parameter's name says nothing.
        for word in words.words.iter().filter(|word| word.len() > 1) {
            for at in self
                .by_key
                .get(word)
                .into_iter()
                .flatten()
                .filter(|at| removed.contains(at))
            {
                *scores.entry(*at).or_default() += 1;
            }
        }
        let best = scores.values().copied().max().unwrap_or(0);
        let mut found: Vec<usize> = scores
            .into_iter()
            .filter(|(_, score)| *score == best)
            .map(|(at, _)| at)
            .collect();
        // One word that half the subject is about names nothing.
        if best == 1 && found.len() > MOST_FOR_A_WORD {
            return Vec::new();
        }
        found.sort_unstable();
        found
    }

    /// The definitions around `at`: those that it stands in, and the modules whose files hold it.
    pub fn around(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let inner = &self.definitions[at];
        let same_file = self.by_file.get(&inner.file).into_iter().flatten().copied();
        let outer = same_file.filter(move |other| {
            let outer = &self.definitions[*other].range;
            *other != at && outer.start <= inner.range.start && inner.range.end <= outer.end
        });
        outer.chain(
            self.leading_to
                .get(&inner.file)
                .into_iter()
                .flatten()
                .copied(),
        )
    }

    pub fn pinned(&self, at: usize) -> bool {
        self.pinned.borrow().contains(&at)
    }

    pub fn pin(&self, restored: &BTreeSet<usize>) {
        self.pinned.borrow_mut().extend(restored);
    }
}

/// The traits of `base` by the names of what they declare.
fn declaring(base: &Subject) -> HashMap<&str, BTreeSet<&str>> {
    let mut found: HashMap<&str, BTreeSet<&str>> = HashMap::new();
    for (_, version, tree) in base.sources() {
        let source = version.source();
        for (id, node) in tree.nodes() {
            let (Kind::Member(_), Some(name), Some(outer)) =
                (node.kind, &node.name, tree.parent(id))
            else {
                continue;
            };
            if let (Kind::Item(ItemKind::Trait), Some(of)) = (outer.kind, &outer.name) {
                found
                    .entry(&source[name.clone()])
                    .or_default()
                    .insert(&source[of.clone()]);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::Index;
    use crate::engine::solve::wanted::Want;
    use crate::passes::definitions::{Definition, definitions};
    use crate::subject::Subject;
    use crate::syntax::FileId;

    fn subject(files: &[(&str, &str)]) -> Subject {
        let files = files
            .iter()
            .map(|(path, text)| (path.into(), text.as_bytes().to_vec()));
        Subject::new(files).with_roots([FileId(0)])
    }

    /// All that is no function, and what of it answers `want`, by its first words.
    fn answers(subject: &Subject, want: Want) -> Vec<String> {
        let all = definitions(subject, None, &|_, _| false);
        let index = Index::of(subject, &all);
        let removed: BTreeSet<usize> = (0..all.len()).collect();
        let found = index.wanted(&removed, &[want], &[(FileId(0), 0..0)]);
        found.iter().map(|at| words(subject, &all[*at])).collect()
    }

    fn words(subject: &Subject, definition: &Definition) -> String {
        let text = &subject.file(definition.file).source()[definition.range.clone()];
        text.split_whitespace()
            .take(4)
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn the_module_item_of_another_file_comes_back_with_what_that_holds() {
        let subject = subject(&[
            ("main.rs", "mod macros; fn main() {}"),
            ("macros.rs", "macro_rules! m { () => {} }"),
        ]);
        let all = definitions(&subject, None, &|_, _| false);
        let index = Index::of(&subject, &all);
        let inner = all
            .iter()
            .position(|one| one.names == ["m"])
            .expect("it is a definition");
        let around: Vec<String> = index
            .around(inner)
            .map(|at| words(&subject, &all[at]))
            .collect();
        assert_eq!(around, ["mod macros;"]);
    }

    #[test]
    fn a_missing_impl_is_that_of_the_type_and_not_of_another() {
        let subject = subject(&[(
            "main.rs",
            "struct A; struct B; trait Tr {} impl Tr for A {} impl Tr for B {}",
        )]);
        assert_eq!(answers(&subject, implementation("B")), ["impl Tr for B"]);
    }

    /// `Tr` for the type `text`.
    fn implementation(text: &str) -> Want {
        Want::implementation("Tr", text).expect("a trait")
    }

    #[test]
    fn of_many_impls_of_an_operator_the_one_between_the_two_types_is_missing() {
        let text = "struct A; impl Sub for A {} impl Sub<u8> for A {} impl<'a> Sub<&'a A> for A {} impl Sub<u8> for &A {}
            impl Sub<A> for u8 {} impl Add<Self> for A {} impl Add<u8> for A {}";
        let all = subject(&[("main.rs", text)]);
        for (of_trait, of_type, answer) in [
            ("Sub", "A", "impl Sub for A"),
            ("Sub<A>", "A", "impl Sub for A"),
            ("Sub<u8>", "A", "impl Sub<u8> for A"),
            ("Sub<&x::A>", "A", "impl<'a> Sub<&'a A> for"),
            ("Sub<u8>", "&A", "impl Sub<u8> for &A"),
            ("Sub<A>", "u8", "impl Sub<A> for u8"),
            ("Add", "A", "impl Add<Self> for A"),
        ] {
            let want = Want::implementation(of_trait, of_type).expect("a trait");
            assert_eq!(answers(&all, want), [answer], "{of_trait} {of_type}");
        }
    }

    #[test]
    fn a_missing_impl_is_that_of_a_type_of_the_same_shape() {
        let text = "struct A; trait Tr {} impl Tr for A {} impl Tr for Vec<A> {} impl<'a> Tr for &'a [A] { fn f() {} }
            impl<X, Y> Tr for (X, Y) {} impl<Func: Fn()> Tr for Func {}";
        let all = subject(&[("main.rs", text)]);
        assert_eq!(
            answers(&all, implementation("(A, u8)")),
            ["impl<X, Y> Tr for"]
        );
        assert_eq!(
            answers(&all, implementation("&[u8]")),
            ["impl<'a> Tr for &'a"]
        );
        assert_eq!(
            answers(&all, implementation("{closure@main.rs:1:2: 3:4}")),
            ["impl<Func: Fn()> Tr for"]
        );
        // What a macro makes of its rules.
        let text = "struct A; trait Tr {} impl Tr for A {} macro_rules! inner { ($($x:ident)*) => { impl<$($x),*> Tr for ($($x),*) {} } }
            macro_rules! outer { ($($x:tt)*) => { inner!($($x)*); } } outer!(X Y); inner!(V W);";
        let all = subject(&[("main.rs", text)]);
        assert_eq!(
            answers(&all, implementation("(A, u8)")),
            ["outer!(X Y);", "inner!(V W);"]
        );
    }

    #[test]
    fn calls_are_not_missed_for_the_name_of_their_macro() {
        let text = "macro_rules! cases { ($name:ident $n:expr) => {} } #[cfg(test)] self::cases!(one LIMIT);";
        let all = subject(&[("main.rs", text)]);
        let definitions = definitions(&all, None, &|_, _| false);
        let index = Index::of(&all, &definitions);
        let of = |word: &str| -> Vec<String> {
            let found = index.by_key.get(word).into_iter().flatten();
            found.map(|at| words(&all, &definitions[*at])).collect()
        };
        assert_eq!(of("LIMIT").len(), 1);
        assert_eq!(of("cases"), ["macro_rules! cases { ($name:ident"]);
    }

    #[test]
    fn a_missing_member_is_the_traits_own_or_of_the_type_that_is_most_alike() {
        let subject = subject(&[(
            "main.rs",
            "trait T { fn go(); } impl<X, Y> T for A<X, Y> { fn go() { 1 } } impl<X, Y> T for B<X, Y> { fn go() { 2 } }",
        )]);
        let asked = |of: &[&str]| {
            let want = Want::Member {
                name: "go".into(),
                of: of.iter().map(ToString::to_string).collect(),
            };
            answers(&subject, want)
        };
        assert_eq!(asked(&["T"]), ["fn go();"]);
        assert_eq!(asked(&["B", "X", "Y"]), ["fn go() { 2"]);
    }

    #[test]
    fn a_derive_that_is_missed_comes_back_with_those_of_the_parts_and_of_supertraits() {
        let subject = subject(&[(
            "main.rs",
            "#[derive(PartialEq, Eq)] struct A(B); #[derive(PartialEq, Eq)] struct B; #[derive(Eq)] struct C;",
        )]);
        let all = definitions(&subject, None, &|_, _| false);
        let index = Index::of(&subject, &all);
        let removed: BTreeSet<usize> = (0..all.len()).collect();
        let derive = |of_type: &str, of_trait: &str| {
            let found = all.iter().position(|one| {
                one.of_trait.as_deref() == Some(of_trait)
                    && one.of_type.iter().eq([of_type])
                    && words(&subject, one) == of_trait
            });
            found.expect("it is a definition")
        };
        let asked = derive("A", "Eq");
        let back = index.mentioned(&subject, &removed, &[asked]);
        for needed in [derive("A", "PartialEq"), derive("B", "Eq")] {
            assert!(back.contains(&needed), "{back:?}");
        }
        assert!(!back.contains(&derive("C", "Eq")));
        let source = subject.file(FileId(0)).source();
        let field = source.find("B)").expect("it is there");
        let around = index.derives_at(&removed, &[(FileId(0), field..field + 1)]);
        assert_eq!(around, [derive("A", "PartialEq"), asked]);
    }

    #[test]
    fn a_method_that_stands_in_a_trait_asks_for_the_impl_for_every_type() {
        let subject = subject(&[(
            "main.rs",
            "trait T { fn go(&self); } impl<X> T for X { } fn main() { 1.go() }",
        )]);
        let all = definitions(&subject, None, &|_, _| false);
        let index = Index::of(&subject, &all);
        let of_impl = |at: &usize| words(&subject, &all[*at]).starts_with("impl");
        let removed: BTreeSet<usize> = (0..all.len()).filter(of_impl).collect();
        let want = Want::Member {
            name: "go".into(),
            of: ["integer".to_string()].into(),
        };
        let found = index.wanted(&removed, &[want], &[(FileId(0), 0..0)]);
        assert_eq!(found, removed.into_iter().collect::<Vec<_>>());
    }
}
