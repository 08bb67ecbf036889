//! Generic code as it ran: where a type parameter stood for one type alone, that type takes its place, and what bounded the
//! parameter goes. Only the program itself knows these types, so it is asked: each generic function that runs tells what its
//! parameters, and the types that it makes of them, are called.

mod naming;
mod traits;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::query::{At, all, arguments_of, is_fn, is_parameter, is_type, place_of};
use super::ran::{at_run_time, behind_inner_attributes, names_the_crate};
use crate::subject::{Element, PROBE_CRATE as CRATE, Subject};
use crate::syntax::lexer::TokenKind;
use crate::syntax::{Edit, FileId, ItemKind, Kind, Origin, TypeKind};
use naming::{Module, Names, Written};
use traits::{Trait, Traits};

/// What the functions of a subject can tell of their types.
pub struct Instances<'s> {
    subject: &'s Subject,
    generics: Vec<Generic<'s>>,
    /// What is asked, and where: one question for each type in each function.
    questions: Vec<Question<'s>>,
}

/// An item with type parameters: a function, or an impl with its methods.
struct Generic<'s> {
    item: At<'s>,
    parameters: Vec<Parameter<'s>>,
}

/// A type parameter.
struct Parameter<'s> {
    at: At<'s>,
    name: &'s str,
    /// The item or the method that declares it.
    owner: At<'s>,
}

/// A type that is made of parameters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Made {
    /// The place among all generic items.
    generic: usize,
    /// Where the method starts whose parameters it is made of, if they are not the item's own.
    method: Option<usize>,
    /// Its tokens, a space between any two.
    text: String,
}

/// What a function is asked.
struct Question<'s> {
    made: Made,
    function: At<'s>,
}

/// A subject in which functions tell their types.
pub struct Asking {
    /// The text to compile and run.
    pub subject: Subject,
    /// Where in it a question stands, by number.
    places: Vec<(FileId, Range<usize>, usize)>,
}

impl Asking {
    /// The question that stands at `offset` of `file`.
    pub fn question_at(&self, file: FileId, offset: usize) -> Option<usize> {
        let mut places = self.places.iter();
        let there = places.find(|(own, range, _)| *own == file && range.contains(&offset));
        there.map(|(_, _, question)| *question)
    }
}

impl<'s> Instances<'s> {
    /// What can be asked of `subject`; nothing about the items that stood originally where `known` says.
    pub fn of(subject: &'s Subject, known: impl Fn(Origin) -> bool) -> Instances<'s> {
        let items = |kind| matches!(kind, Kind::Item(ItemKind::Fn | ItemKind::Impl));
        let generics: Vec<Generic> = all(subject, items)
            .into_iter()
            .filter(|item| !origin(subject, *item).is_some_and(&known))
            .map(|item| Generic {
                item,
                parameters: parameters(item),
            })
            .filter(|generic| !generic.parameters.is_empty() && !generic.is_blanket())
            .collect();
        let mut questions = Vec::new();
        for (number, generic) in generics.iter().enumerate() {
            for function in functions(generic.item) {
                let Some(body) = function.child(|kind| kind == Kind::Body) else {
                    continue;
                };
                let inside = body.node.children.first();
                let runs = inside.is_some_and(|id| at_run_time(body.source, body.tree, *id));
                if !runs {
                    continue;
                }
                let all = generic.asked_in(number, function).into_iter();
                questions.extend(all.map(|made| Question { made, function }));
            }
        }
        Instances {
            subject,
            generics,
            questions,
        }
    }

    /// The numbers of all questions.
    pub fn questions(&self) -> BTreeSet<usize> {
        (0..self.questions.len()).collect()
    }

    /// Where the items that can tell something stood originally.
    pub fn origins(&self) -> impl Iterator<Item = Origin> + '_ {
        let items = self.generics.iter();
        items.filter_map(|generic| origin(self.subject, generic.item))
    }

    /// The subject with these questions in it.
    pub fn asking(&self, chosen: &BTreeSet<usize>) -> Asking {
        let mut by_file: BTreeMap<FileId, Vec<(usize, String, usize)>> = BTreeMap::new();
        for number in chosen {
            let Question { made, function } = &self.questions[*number];
            let Some(body) = function.child(|kind| kind == Kind::Body) else {
                continue;
            };
            let text = format!(" ::{CRATE}::is::<{}>({number}); ", made.text);
            let at = behind_inner_attributes(body.tree, body.node);
            let own = by_file.entry(function.file).or_default();
            own.push((at, text, *number));
        }
        let mut result = self.subject.clone();
        let mut places = Vec::new();
        for (file, version, tree) in self.subject.sources() {
            let Some(text) = version.text() else { continue };
            let mut own = by_file.remove(&file).unwrap_or_default();
            own.sort_by_key(|(at, _, number)| (*at, *number));
            let mut edits: Vec<Edit> = names_the_crate(self.subject, file, tree)
                .into_iter()
                .collect();
            let mut ahead: usize = edits.iter().map(|edit| edit.text.len()).sum();
            for (at, text, number) in own {
                places.push((file, at + ahead..at + ahead + text.len(), number));
                ahead += text.len();
                edits.push(Edit::replace(file, at..at, text));
            }
            if !edits.is_empty() {
                result = result.with_text(file, text.apply(&edits));
            }
        }
        Asking {
            subject: result,
            places,
        }
    }

    /// What each item becomes that stood for one type, by what was `told`: the number of a question and the name of a type.
    pub fn concrete(&self, told: &[(u32, String)]) -> Vec<Concrete> {
        let mut types: BTreeMap<Made, BTreeSet<&str>> = BTreeMap::new();
        for (number, name) in told {
            if let Some(question) = self.questions.get(*number as usize) {
                types.entry(question.made.clone()).or_default().insert(name);
            }
        }
        let told: BTreeSet<usize> = types.keys().map(|made| made.generic).collect();
        self.agree(&mut types);
        let only = types.into_iter().filter_map(|(made, names)| {
            let mut names = names.into_iter();
            let name = names.next()?;
            names.next().is_none().then_some((made, name))
        });
        let names = Names::of(self.subject);
        let known = Known {
            subject: self.subject,
            only: only.collect(),
            traits: Traits::of(self.subject, &names),
            names,
        };
        let all = self.generics.iter().enumerate();
        all.filter_map(|(number, generic)| {
            let edits = generic.concrete(number, &known);
            (!edits.is_empty()).then(|| Concrete {
                element: Element::new(self.subject, generic.item.kind(), edits),
                item: (generic.item.file, generic.item.range()),
                of_type: generic.self_type().map(|(name, _)| name.to_string()),
                guessed: !told.contains(&number),
            })
        })
        .collect()
    }

    /// What one impl says of a type's argument holds for all of them: in those of which nothing ran it is the same, and where it
    /// is another one somewhere, none can be for one alone, since traits lean on each other. Nor can then what the argument is
    /// handed on to.
    fn agree(&self, types: &mut BTreeMap<Made, BTreeSet<&str>>) {
        let all = self.generics.iter().enumerate();
        let all: Vec<(Made, Place)> = all
            .flat_map(|(number, generic)| {
                let own = generic.arguments_of_self().into_iter();
                own.filter_map(move |(parameter, place)| {
                    let made = generic.made(number, parameter.name, &[parameter])?;
                    Some((made, place))
                })
            })
            .collect();
        let mut by_place: BTreeMap<Place, BTreeSet<&str>> = BTreeMap::new();
        for (made, place) in &all {
            let told = types.get(made).into_iter().flatten();
            by_place.entry(*place).or_default().extend(told);
        }
        let several = |names: Option<&BTreeSet<&str>>| names.is_some_and(|names| names.len() > 1);
        let places = by_place.iter().filter(|(_, told)| several(Some(told)));
        let mut open: BTreeSet<Place> = places.map(|(place, _)| *place).collect();
        for (number, generic) in self.generics.iter().enumerate() {
            let own = generic.parameters.iter().filter(|parameter| {
                let made = generic.made(number, parameter.name, &[parameter]);
                made.is_some_and(|made| several(types.get(&made)))
            });
            open.extend(own.flat_map(|parameter| handed_on(parameter.owner, parameter.name)));
        }
        let links = self.links();
        let mut generic = BTreeSet::new();
        while let Some(place) = open.pop_first() {
            if generic.insert(place) {
                let on = links.iter().filter(|(from, _)| *from == place);
                open.extend(on.flat_map(|(_, to)| to));
            }
        }
        for (made, place) in all {
            if generic.contains(&place) {
                types.remove(&made);
            } else if let Some(told) = by_place.get(&place).filter(|told| !told.is_empty()) {
                types.insert(made, told.clone());
            }
        }
    }

    /// What each argument of a type is handed on to, by the types themselves and by their impls.
    fn links(&self) -> Vec<(Place<'s>, BTreeSet<Place<'s>>)> {
        let of_impls = self.generics.iter().flat_map(|generic| {
            let own = generic.arguments_of_self().into_iter();
            own.map(|(parameter, place)| (place, handed_on(generic.item, parameter.name)))
        });
        let types = |kind| {
            use ItemKind::{Enum, Struct, TypeAlias, Union};
            matches!(kind, Kind::Item(Enum | Struct | TypeAlias | Union))
        };
        let of_types = all(self.subject, types).into_iter().flat_map(|item| {
            let own = item.children(is_parameter).into_iter();
            let own = own.filter(|at| !at.text().starts_with('\'')).enumerate();
            own.filter_map(move |(at, parameter)| {
                Some(((item.name()?, at), handed_on(item, parameter.name()?)))
            })
        });
        of_impls.chain(of_types).collect()
    }
}

/// The argument of a type: that type's name, and the place among its arguments, lifetimes left out.
type Place<'s> = (&'s str, usize);

/// The arguments that are nothing but a parameter of `item`.
fn handed_on<'s>(item: At<'s>, parameter: &str) -> BTreeSet<Place<'s>> {
    let lists = item.inside(|kind| kind == Kind::GenericArgs).into_iter();
    let own = lists.flat_map(|list| {
        let before = list.tree.tokens_in(&(0..list.node.range.start)).last();
        let name = before.map(|token| &list.source[token.range()]);
        let arguments = list.children(|kind| kind == Kind::GenericArg).into_iter();
        let arguments = arguments.filter(|at| !at.text().starts_with('\''));
        let places = arguments
            .enumerate()
            .filter(|(_, argument)| argument.text() == parameter);
        places
            .filter_map(|(at, _)| Some((name?, at)))
            .collect::<Vec<_>>()
    });
    own.collect()
}

/// An item without the parameters that stood for one type.
pub struct Concrete {
    /// What makes it that.
    pub element: Element,
    /// Where the item stands.
    pub item: (FileId, Range<usize>),
    /// Of an impl, the name of its type.
    pub of_type: Option<String>,
    /// Nothing of it ran: others for the same type say what it is for.
    pub guessed: bool,
}

/// What is known when types are put in.
struct Known<'s> {
    subject: &'s Subject,
    /// What stood for one type, and that type's name.
    only: BTreeMap<Made, &'s str>,
    names: Names,
    traits: Traits,
}

/// Where an item stood originally.
fn origin(subject: &Subject, item: At) -> Option<Origin> {
    subject.file(item.file).text()?.origin(item.range().start)
}

/// The type parameters of an item, and of the methods of an inherent impl: those of a trait's method are not the impl's to choose.
fn parameters<'s>(item: At<'s>) -> Vec<Parameter<'s>> {
    let mut owners = vec![item];
    if item.child(|kind| kind == Kind::TraitRef).is_none() {
        owners.extend(item.children(is_fn));
    }
    let own = owners.into_iter().flat_map(|owner| {
        let all = owner.children(is_parameter).into_iter();
        let types =
            all.filter(|at| !at.text().starts_with('\'') && !at.text().starts_with("const"));
        types.filter_map(move |at| {
            let name = at.name()?;
            Some(Parameter { at, name, owner })
        })
    });
    own.collect()
}

/// The functions of an item: itself, or an impl's methods.
fn functions(item: At) -> Vec<At> {
    match is_fn(item.kind()) {
        true => vec![item],
        false => item.children(is_fn),
    }
}

impl<'s> Generic<'s> {
    /// The types that a function of it can tell.
    fn asked_in(&self, number: usize, function: At<'s>) -> BTreeSet<Made> {
        let elsewhere = |at: &At| {
            let mut methods = functions(self.item).into_iter();
            methods.any(|other| other.id != function.id && other.holds(&at.range()))
        };
        let mut found = BTreeSet::new();
        for parameter in &self.parameters {
            if parameter.owner.holds(&function.range()) {
                found.extend(self.made(number, parameter.name, &[parameter]));
            }
        }
        for ty in self.types() {
            let of = self.parameters_of(ty);
            if of.is_empty() || elsewhere(&ty) {
                continue;
            }
            found.extend(self.made(number, &joined(ty), &of));
        }
        found
    }

    fn made(&self, number: usize, text: &str, of: &[&Parameter<'s>]) -> Option<Made> {
        let method = of.iter().map(|parameter| parameter.owner);
        let method = method.filter(|owner| owner.id != self.item.id);
        Some(Made {
            generic: number,
            method: method.map(|owner| owner.range().start).next(),
            text: text.to_string(),
        })
    }

    /// The types in it that begin with a parameter or are a projection, those of items inside it left out.
    fn types(&self) -> Vec<At<'s>> {
        let nested = self.item.inside(|kind| matches!(kind, Kind::Item(_)));
        let all = self.item.inside(|kind| kind == Kind::Type(TypeKind::Path));
        let own = all.into_iter().filter(|at| {
            let first = at.words(&at.range()).first().map(|(word, _)| *word);
            let known = |word: &str| self.parameters.iter().any(|own| own.name == word);
            first.is_some_and(|word| word == "<" || known(word))
                && !nested.iter().any(|item| item.holds(&at.range()))
        });
        own.collect()
    }

    /// The parameters that a type mentions; none if something else in it is to be inferred.
    fn parameters_of(&self, ty: At<'s>) -> Vec<&Parameter<'s>> {
        if ty.words(&ty.range()).iter().any(|(word, _)| *word == "_") {
            return Vec::new();
        }
        self.named_in(ty)
    }

    fn named_in(&self, at: At<'s>) -> Vec<&Parameter<'s>> {
        let all = self.parameters.iter();
        all.filter(|own| own.owner.holds(&at.range()))
            .filter(|own| !at.mentions(own.name, &at.range()).is_empty())
            .collect()
    }

    /// Of an impl, the name of its type, and what that is given, lifetimes left out.
    fn self_type(&self) -> Option<(&'s str, Vec<At<'s>>)> {
        let is_impl = self.item.kind() == Kind::Item(ItemKind::Impl);
        let mut ty = self.item.child(is_type).filter(|_| is_impl);
        while let Some(reference) = ty.filter(|ty| ty.kind() == Kind::Type(TypeKind::Reference)) {
            ty = reference.child(is_type);
        }
        let ty = ty.filter(|ty| ty.kind() == Kind::Type(TypeKind::Path))?;
        let Some(list) = ty.child(|kind| kind == Kind::GenericArgs) else {
            return Some((ty.words(&ty.range()).pop()?.0, Vec::new()));
        };
        let before = ty.range().start..list.range().start;
        let mut arguments = list.children(|kind| kind == Kind::GenericArg);
        arguments.retain(|at| !at.text().starts_with('\''));
        Some((ty.words(&before).pop()?.0, arguments))
    }

    /// Whether it is an impl for what may be any type: others lean on it that do not name it.
    fn is_blanket(&self) -> bool {
        let is_impl = self.item.kind() == Kind::Item(ItemKind::Impl);
        let is_parameter = |name| self.parameters.iter().any(|own| own.name == name);
        is_impl && self.self_type().is_none_or(|(name, _)| is_parameter(name))
    }

    /// The parameters that its type is given, each with where.
    fn arguments_of_self(&self) -> Vec<(&Parameter<'s>, Place<'s>)> {
        let Some((name, arguments)) = self.self_type() else {
            return Vec::new();
        };
        let places = arguments.iter().enumerate().filter_map(|(at, argument)| {
            let mut all = self.parameters.iter();
            let own = all.find(|own| own.owner.id == self.item.id && own.name == argument.text());
            Some((own?, (name, at)))
        });
        places.collect()
    }

    /// What makes the parameters go of which the only type is `known`, with all that is said of them.
    fn concrete(&self, number: usize, known: &Known<'s>) -> Vec<Edit> {
        let module = known.names.module(self.item);
        let written = |text: &str, of: &[&Parameter<'s>]| {
            let made = self.made(number, text, of)?;
            known.names.written(known.only.get(&made)?, &module)
        };
        let all = self.parameters.iter();
        let gone = all.filter_map(|parameter| {
            let ty = written(parameter.name, &[parameter])?;
            let lifetime =
                (ty.has_lifetimes() && parameter.names_lifetimes()).then_some(self.lifetime());
            Some(Gone {
                parameter,
                ty,
                lifetime,
            })
        });
        let gone: Vec<Gone> = gone.collect();
        let goes = |own: &Parameter| gone.iter().find(|other| other.parameter.at.id == own.at.id);
        let mut edits: Vec<Edit> = gone.iter().map(|gone| gone.parameter.at.cut()).collect();
        for predicate in self.item.inside(|kind| kind == Kind::Predicate) {
            let about = predicate.child(is_type).map(|ty| self.named_in(ty));
            let about = about.unwrap_or_default();
            if !about.is_empty() && about.into_iter().all(|own| goes(own).is_some()) {
                edits.push(predicate.cut());
            }
        }
        for ty in self.types() {
            let of = self.parameters_of(ty);
            let gone: Vec<&Gone> = of.iter().filter_map(|own| goes(own)).collect();
            if gone.is_empty() || is_covered(&edits, &ty.range()) {
                continue;
            }
            let lifetime = gone.iter().find_map(|gone| gone.lifetime.as_deref());
            let text = written(&joined(ty), &of);
            edits.extend(text.map(|text| ty.by(text.with(lifetime))));
        }
        let bounds = self.bounds();
        let traits = known.traits.meant(bounds.iter().copied());
        for gone in &gone {
            edits.extend(gone.mentions(&edits, |member| {
                let mut own = traits.iter().filter(|one| one.has(member));
                let one = own.next().filter(|_| own.next().is_none())?;
                Some(one.written(&known.names, &module).0)
            }));
        }
        if !gone.is_empty() {
            edits.extend(self.imports(&traits, &known.names, &module));
        }
        for gone in &gone {
            edits.extend(arguments_for(known.subject, gone.parameter));
        }
        self.declare_lifetimes(&gone, &mut edits);
        edits
    }

    /// A lifetime that nothing in it is called.
    fn lifetime(&self) -> String {
        let taken = |name: &String| !self.item.mentions(name, &self.item.range()).is_empty();
        let mut all = (0..).map(|number| match number {
            0 => "'g".to_string(),
            number => format!("'g{number}"),
        });
        all.find(|name| !taken(name)).unwrap_or_default()
    }

    /// Declares the lifetimes that have a name in the place of parameters.
    fn declare_lifetimes(&self, gone: &[Gone], edits: &mut Vec<Edit>) {
        let named = gone.iter().filter(|gone| gone.lifetime.is_some());
        let mut owners = BTreeSet::new();
        for gone in named {
            let owner = gone.parameter.owner;
            let (Some(first), Some(lifetime)) = (owner.child(is_parameter), &gone.lifetime) else {
                continue;
            };
            if !owners.insert(owner.id) {
                continue;
            }
            // Lifetimes come first, and something may stand there still.
            match edits.iter().position(|edit| edit.range == first.range()) {
                Some(at) => edits[at] = first.by(lifetime.clone()),
                None => {
                    let start = first.range().start;
                    edits.push(first.edit(start..start, format!("{lifetime}, ")));
                }
            }
        }
    }

    /// All words in what is said of its parameters.
    fn bounds(&self) -> BTreeSet<&'s str> {
        let said = |kind| matches!(kind, Kind::GenericParam | Kind::Predicate);
        let said = self.item.inside(said).into_iter();
        said.flat_map(|at| at.words(&at.range()))
            .map(|(word, _)| word)
            .collect()
    }

    /// The imports of the traits whose methods its functions call: bounds made them known.
    fn imports(&self, traits: &[&Trait], names: &Names, module: &Module) -> Vec<Edit> {
        let mut edits = Vec::new();
        for function in functions(self.item) {
            let Some(body) = function.child(|kind| kind == Kind::Body) else {
                continue;
            };
            let words = body.words(&body.range());
            let called = words.windows(2).filter(|pair| pair[0].0 == ".");
            let called: BTreeSet<&str> = called.map(|pair| pair[1].0).collect();
            let wanted = traits
                .iter()
                .filter(|one| called.iter().any(|name| one.has(name)));
            let imports: BTreeSet<String> = wanted
                .map(|one| one.written(names, module))
                .filter(|(_, in_scope)| !in_scope)
                .map(|(path, _)| format!(" use {path}; "))
                .collect();
            if !imports.is_empty() {
                let at = behind_inner_attributes(body.tree, body.node);
                edits.push(body.edit(at..at, imports.into_iter().collect::<String>()));
            }
        }
        edits
    }
}

/// A parameter that goes.
struct Gone<'p, 's> {
    parameter: &'p Parameter<'s>,
    /// What takes its place.
    ty: Written,
    /// What the lifetimes in that are called, if they need a name.
    lifetime: Option<String>,
}

impl<'s> Parameter<'s> {
    /// Whether lifetimes in its type would stand where they need a name.
    fn names_lifetimes(&self) -> bool {
        let result = self.owner.child(|kind| kind == Kind::ReturnType);
        let in_result = result.is_some_and(|at| !at.mentions(self.name, &at.range()).is_empty());
        // Without a name they would be any, where a function is bounded by its parameters.
        let said = |kind| matches!(kind, Kind::GenericParam | Kind::Predicate);
        let said = self.owner.inside(said).into_iter();
        let mut behind = said.map(|at| {
            let words = at.words(&at.range());
            let bounds = words.into_iter().skip_while(|(word, _)| *word != ":");
            bounds.filter(|(word, _)| *word == self.name).count()
        });
        in_result || !is_fn(self.owner.kind()) || behind.any(|mentions| mentions > 0)
    }
}

impl Gone<'_, '_> {
    /// It is mentioned outside `edits`, in an expression or in a macro call: its type there. `of_trait` knows the trait of a member.
    fn mentions(&self, edits: &[Edit], of_trait: impl Fn(&str) -> Option<String>) -> Vec<Edit> {
        let (owner, name) = (self.parameter.owner, self.parameter.name);
        let nested = owner.inside(|kind| matches!(kind, Kind::Item(_)));
        let tokens = owner.tree.tokens_in(&owner.node.range);
        let word = |at: Option<usize>| {
            let token = at.and_then(|at| tokens.get(at));
            token.map_or("", |token| &owner.source[token.range()])
        };
        let mut found = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            let range = token.range();
            let before = word(at.checked_sub(1));
            let is_mention = token.kind == TokenKind::Ident
                && word(Some(at)) == name
                && !matches!(before, "." | "::" | "fn" | "$")
                && !is_covered(edits, &range)
                && !nested.iter().any(|item| item.holds(&range));
            if !is_mention {
                continue;
            }
            let text = self.ty.with(self.lifetime.as_deref());
            let text = match word(Some(at + 1)) {
                "::" => match of_trait(word(Some(at + 2))) {
                    Some(path) => format!("<{text} as {path}>"),
                    None => format!("<{text}>"),
                },
                _ => text,
            };
            found.push(owner.edit(range, text));
        }
        found
    }
}

/// What is given for a function's parameter where it is called, goes.
fn arguments_for(subject: &Subject, parameter: &Parameter) -> Vec<Edit> {
    let owner = parameter.owner;
    let Some(name) = owner.name().filter(|_| is_fn(owner.kind())) else {
        return Vec::new();
    };
    let all = owner.children(is_parameter);
    let place = all.iter().position(|at| at.id == parameter.at.id);
    let given = arguments_of(subject, name).into_iter();
    given
        .filter_map(|(_, given)| {
            let at = place_of(&all, place?, &given)?;
            Some(given[at].cut())
        })
        .collect()
}

fn is_covered(edits: &[Edit], range: &Range<usize>) -> bool {
    let mut edits = edits.iter();
    edits.any(|edit| edit.range.start <= range.start && range.end <= edit.range.end)
}

/// The tokens of a type.
fn joined(at: At) -> String {
    let words = at.words(&at.range());
    let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(text: &str) -> Subject {
        Subject::new([("a.rs".into(), text.as_bytes().to_vec())]).with_roots([FileId(0)])
    }

    /// `text` with all types concrete that are told: of a question that has this text, and this name.
    fn concrete(text: &str, told: &[(&str, &str)]) -> String {
        let subject = subject(text);
        let instances = Instances::of(&subject, |_| false);
        let mut answers = Vec::new();
        for (number, question) in instances.questions.iter().enumerate() {
            let own = told.iter().filter(|(text, _)| *text == question.made.text);
            answers.extend(own.map(|(_, name)| (number as u32, name.to_string())));
        }
        let concrete = instances.concrete(&answers);
        let elements: Vec<Element> = concrete.into_iter().map(|one| one.element).collect();
        let after = subject.without(&elements);
        let source = after.file(FileId(0)).source();
        source.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn each_function_is_asked_for_its_parameters_and_what_is_made_of_them() {
        let subject = subject(
            "impl<G: A> X<G> { fn f<I: Iterator>(g: G::Id, i: I::Item) { let x: <G as A>::Id; } } fn h<T>() { fn k() {} } fn l() {}",
        );
        let instances = Instances::of(&subject, |_| false);
        let texts = instances.questions.iter();
        let texts: Vec<&str> = texts.map(|question| &question.made.text[..]).collect();
        assert_eq!(
            texts,
            ["< G as A > :: Id", "G", "G :: Id", "I", "I :: Item", "T"]
        );
    }

    #[test]
    fn a_parameter_gives_way_to_its_type() {
        let text = "fn f<K, F: Fn(K)>(f: F) -> K where K: Copy, F: Copy { let x = K::new(); f::<K, _>(vec![K::max(); 2]) }";
        let told = [("K", "u32"), ("F", "b::f::{{closure}}")];
        assert_eq!(
            concrete(text, &told),
            "fn f< F: Fn(u32)>(f: F) -> u32 where F: Copy { let x = <u32>::new(); f::< _>(vec![<u32>::max(); 2]) }"
        );
    }

    #[test]
    fn what_is_made_of_a_parameter_is_written_as_it_is() {
        let text = "fn f<G>(g: G::Id, h: <G as A>::Id) where G: A, G::Id: Copy {}";
        let told = [
            ("G", "u8"),
            ("G :: Id", "(u8, alloc::vec::Vec<u8>)"),
            ("< G as A > :: Id", "[&str; 2]"),
        ];
        let after = concrete(&text.replace("{}", "{ g }"), &told);
        assert_eq!(after, "fn f(g: (u8, Vec<u8>), h: [&str; 2]) { g }");
    }

    #[test]
    fn a_parameter_that_stood_for_two_types_stays() {
        let text = "fn f<A, B>(a: A, b: B) { g(a) }";
        let told = [("A", "u8"), ("A", "u16"), ("B", "u8")];
        assert_eq!(concrete(text, &told), "fn f<A >(a: A, b: u8) { g(a) }");
    }

    #[test]
    fn lifetimes_have_a_name_where_they_need_one() {
        let text = "struct S<'a>(&'a u8); impl<T: A> I for X<T> { type Item = T; fn f(&self) -> T { self.0 } } fn g<T>(x: T) -> T { x } fn h<T>(x: T) { x } fn i<T, F: Fn(T)>(x: T) { x }";
        assert_eq!(
            concrete(text, &[("T", "&b::S<'_>")]),
            "struct S<'a>(&'a u8); impl<'g> I for X<&'g S<'g>> { type Item = &'g S<'g>; fn f(&self) -> &'g S<'g> { self.0 } } \
             fn g<'g>(x: &'g S<'g>) -> &'g S<'g> { x } fn h(x: &S<'_>) { x } fn i<'g, F: Fn(&'g S<'g>)>(x: &'g S<'g>) { x }"
        );
    }

    #[test]
    fn what_bounds_made_known_is_named() {
        let text = "mod a { pub trait A { fn max(); fn len(&self); } pub trait B: A {} make! { pub trait C { fn run(&self); } } } use a::B; use a::C; \
                    fn f<T: B + C>(x: T) { T::max(); x.len(); x.run() }";
        let after = concrete(text, &[("T", "u8")]);
        let (_, function) = after.split_once("use a::C; ").unwrap();
        assert_eq!(
            function,
            "fn f(x: u8) { use crate::a::A; <u8 as crate::a::A>::max(); x.len(); x.run() }"
        );
    }

    #[test]
    fn impls_for_one_type_agree() {
        let told = [("N", "u8")];
        let text =
            "impl<N> S<N> { fn f() { g() } } impl<M: Copy> Clone for S<M> {} struct S<N>(N);";
        assert_eq!(
            concrete(text, &told),
            "impl S<u8> { fn f() { g() } } impl Clone for S<u8> {} struct S<N>(N);"
        );
        // What is handed on to a type that is for two stays for two as well.
        let text = "impl<N> S<N> { fn f() { g() } } impl<N> T<N> { fn f() { g() } fn h() -> S<N> { g() } }";
        let subject = subject(text);
        let instances = Instances::of(&subject, |_| false);
        let of = |at: usize| instances.questions[at].made.generic;
        let names = (0..instances.questions.len()).map(|at| (at as u32, "u8".to_string()));
        let mut told: Vec<(u32, String)> = names.collect();
        assert_eq!(instances.concrete(&told).len(), 2);
        let second = (0..instances.questions.len()).find(|at| of(*at) == 1);
        told.push((second.unwrap() as u32, "u16".to_string()));
        assert_eq!(instances.concrete(&told).len(), 0);
    }

    #[test]
    fn an_impl_for_any_type_stays() {
        let text =
            "impl<T> A for T { fn f(&self) { g() } } impl<T> A for (T, u8) { fn f(&self) { g() } }";
        assert_eq!(concrete(text, &[("T", "u8")]), text);
    }
}
