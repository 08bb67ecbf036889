//! A generic item: what its functions can tell, and what it is without the parameters that stood for one type.

use std::collections::BTreeSet;
use std::ops::Range;

use super::super::query::{At, arguments_of, is_fn, is_lifetime, is_parameter, is_type, place_of};
use super::super::ran::behind_inner_attributes;
use super::super::written::Written;
use super::naming::{Module, Names};
use super::traits::Trait;
use super::{Known, Made};
use crate::subject::Subject;
use crate::syntax::lexer::TokenKind;
use crate::syntax::{Edit, ExprKind, ItemKind, Kind, TypeKind};

/// An item with type parameters: a function, or an impl with its methods.
pub(super) struct Generic<'s> {
    pub item: At<'s>,
    pub parameters: Vec<Parameter<'s>>,
}

/// A type parameter.
pub(super) struct Parameter<'s> {
    at: At<'s>,
    pub name: &'s str,
    /// The item or the method that declares it.
    pub owner: At<'s>,
}

/// The type parameters of an item, and of the methods of an inherent impl: those of a trait's method are not the impl's to choose.
fn parameters<'s>(item: At<'s>) -> Vec<Parameter<'s>> {
    let mut owners = vec![item];
    if item.child(|kind| kind == Kind::TraitRef).is_none() {
        owners.extend(item.children(is_fn));
    }
    let own = owners.into_iter().flat_map(|owner| {
        let all = owner.children(is_parameter).into_iter();
        let is_value = |at: &At| {
            at.words(&at.range())
                .iter()
                .any(|(word, _)| *word == "const")
        };
        let types = all.filter(move |at| !is_lifetime(at) && !is_value(at));
        types.filter_map(move |at| {
            let name = at.name()?;
            Some(Parameter { at, name, owner })
        })
    });
    own.collect()
}

/// The functions of an item: itself, or an impl's methods.
pub(super) fn functions(item: At) -> Vec<At> {
    match is_fn(item.kind()) {
        true => vec![item],
        false => item.children(is_fn),
    }
}

impl<'s> Generic<'s> {
    /// Of an item.
    pub fn of(item: At<'s>) -> Generic<'s> {
        Generic {
            item,
            parameters: parameters(item),
        }
    }

    /// Whether there is a parameter.
    pub fn is_any(&self) -> bool {
        !self.parameters.is_empty()
    }

    /// The types that a function of it can tell.
    pub fn asked_in(&self, number: usize, function: At<'s>) -> BTreeSet<Made> {
        let elsewhere = |at: &At| {
            let mut methods = functions(self.item).into_iter();
            methods.any(|other| other.id != function.id && other.holds(&at.range()))
        };
        let mut found = BTreeSet::new();
        for parameter in &self.parameters {
            if parameter.owner.holds(&function.range()) {
                found.insert(self.made(number, parameter.name, &[parameter]));
            }
        }
        for ty in self.types() {
            let of = self.parameters_of(ty);
            if of.is_empty() || elsewhere(&ty) {
                continue;
            }
            found.insert(self.made(number, &joined(ty), &of));
        }
        found
    }

    /// A type made of parameters of it, by its text.
    pub fn made(&self, number: usize, text: &str, of: &[&Parameter<'s>]) -> Made {
        let method = of.iter().map(|parameter| parameter.owner);
        let method = method.filter(|owner| owner.id != self.item.id);
        Made {
            generic: number,
            method: method.map(|owner| owner.range().start).next(),
            text: text.to_string(),
        }
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
    pub fn self_type(&self) -> Option<(&'s str, Vec<At<'s>>)> {
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
        arguments.retain(|at| !is_lifetime(at));
        Some((ty.words(&before).pop()?.0, arguments))
    }

    /// Whether it is an impl for what may be any type: others lean on it that do not name it.
    pub fn is_blanket(&self) -> bool {
        let is_impl = self.item.kind() == Kind::Item(ItemKind::Impl);
        let is_parameter = |name| self.parameters.iter().any(|own| own.name == name);
        is_impl && self.self_type().is_none_or(|(name, _)| is_parameter(name))
    }

    /// The parameters that its type is given, each with that type's name and the place among its arguments.
    pub fn arguments_of_self(&self) -> Vec<(&Parameter<'s>, &'s str, usize)> {
        let Some((name, arguments)) = self.self_type() else {
            return Vec::new();
        };
        let places = arguments.iter().enumerate().filter_map(|(at, argument)| {
            let mut all = self.parameters.iter();
            let own = all.find(|own| own.owner.id == self.item.id && own.name == argument.text());
            Some((own?, name, at))
        });
        places.collect()
    }

    /// Whether a parameter is all that is said of the type of what a function takes: another generic function may hand on what its
    /// own parameter stands for.
    pub fn is_handed_in(&self, parameter: &Parameter<'s>) -> bool {
        let takes = parameter.owner.children(|kind| kind == Kind::Param);
        let types = takes.into_iter().filter_map(|at| at.child(is_type));
        types.into_iter().any(|ty| ty.text() == parameter.name)
    }

    /// What makes the parameters go of which the only type is `known` and that `may` go, with all that is said of them.
    pub fn concrete(
        &self,
        number: usize,
        known: &Known<'s>,
        may: impl Fn(&Parameter<'s>) -> bool,
    ) -> Vec<Edit> {
        let module = known.names.module(self.item);
        let written = |text: &str, of: &[&Parameter<'s>]| {
            let only = known.only.get(&self.made(number, text, of))?;
            known.names.written(only, &module)
        };
        let all = self.parameters.iter().filter(|parameter| may(parameter));
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
            // With a parameter that stays it may be anything.
            let stays = gone.len() < of.len();
            if gone.is_empty() || stays || is_covered(&edits, &ty.range()) {
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
        edits.extend(self.named_conversions(&edits, |ty| {
            Some(written(&joined(ty), &self.parameters_of(ty))?.with(None))
        }));
        for gone in &gone {
            edits.extend(arguments_for(known.subject, gone.parameter));
        }
        self.declare_lifetimes(&gone, &mut edits);
        edits
    }

    /// What has the bounds of its parameters say what their projections are of which the only type is `known`; what else is said of
    /// these goes.
    pub fn with_known_projections(&self, number: usize, known: &Known<'s>) -> Vec<Edit> {
        let module = known.names.module(self.item);
        let written = |ty: At<'s>| {
            let text = joined(ty);
            let only = known
                .only
                .get(&self.made(number, &text, &self.parameters_of(ty)))?;
            known.names.written(only, &module)
        };
        let mut edits = Vec::new();
        for parameter in &self.parameters {
            edits.extend(self.known_projections(parameter, written));
        }
        if !edits.is_empty() {
            let bounds = self.bounds();
            let traits = known.traits.meant(bounds.iter().copied());
            edits.extend(self.imports(&traits, &known.names, &module));
            edits.extend(self.named_conversions(&edits, |ty| Some(written(ty)?.with(None))));
        }
        edits
    }

    /// Whether more is said of what is made of parameters than their bounds say.
    pub fn speaks_of_projections(&self) -> bool {
        self.parameters.iter().any(|parameter| {
            let predicates = parameter.owner.inside(|kind| kind == Kind::Predicate);
            let mut about = predicates.into_iter().filter_map(|at| at.child(is_type));
            about.any(|ty| projection(ty, parameter.name).is_some())
                && self.bound_with(parameter).is_some()
        })
    }

    fn known_projections(
        &self,
        parameter: &Parameter<'s>,
        written: impl Fn(At<'s>) -> Option<Written>,
    ) -> Vec<Edit> {
        let alone = |ty: &At<'s>| matches!(&self.parameters_of(*ty)[..], [own] if own.at.id == parameter.at.id);
        let types: Vec<At> = self.types().into_iter().filter(alone).collect();
        let names: BTreeSet<&str> = types
            .iter()
            .filter_map(|ty| projection(*ty, parameter.name))
            .collect();
        let mut found = Vec::new();
        for name in names {
            let of_it = |ty: &At| {
                let words = joined(*ty);
                let own = format!("{} :: {name}", parameter.name);
                words == own || words.starts_with(&format!("< {own} as "))
            };
            let predicates = parameter
                .owner
                .inside(|kind| kind == Kind::Predicate)
                .into_iter();
            let said: Vec<At> = predicates
                .filter(|at| at.child(is_type).is_some_and(|ty| of_it(&ty)))
                .collect();
            let own: Vec<At> = types.iter().copied().filter(of_it).collect();
            let all = own.iter().map(|ty| {
                let ty = written(*ty).filter(|ty| !ty.has_lifetimes());
                ty.map(|ty| ty.with(None))
            });
            let Some(all) = all.collect::<Option<Vec<String>>>() else {
                continue;
            };
            let is_whole = |ty: &&At| projection(**ty, parameter.name).is_some();
            let Some(place) = own.iter().position(|ty| is_whole(&ty)) else {
                continue;
            };
            let Some(bound) = self.bound_with(parameter).filter(|_| !said.is_empty()) else {
                continue;
            };
            let is = format!("{name} = {}", all[place]);
            found.push(match bound.child(|kind| kind == Kind::GenericArgs) {
                Some(list) => bound.edit(
                    list.range().end - 1..list.range().end - 1,
                    format!(", {is}"),
                ),
                None => bound.edit(bound.range().end..bound.range().end, format!("<{is}>")),
            });
            found.extend(said.iter().map(|at| at.cut()));
            for (ty, text) in own.iter().zip(all) {
                if !is_covered(&found, &ty.range()) {
                    found.push(ty.by(text));
                }
            }
        }
        found
    }

    /// The only trait that bounds a parameter.
    fn bound_with(&self, parameter: &Parameter<'s>) -> Option<At<'s>> {
        let is_bound = |kind| kind == Kind::Bound;
        let mut bounds = parameter.at.children(is_bound);
        for predicate in parameter.owner.inside(|kind| kind == Kind::Predicate) {
            let about = predicate.child(is_type);
            if about.is_some_and(|ty| ty.text() == parameter.name) {
                bounds.extend(predicate.children(is_bound));
            }
        }
        bounds.retain(|at| !is_lifetime(at) && !at.text().starts_with('?'));
        match bounds[..] {
            [only] if !only.text().contains(['=', '(']) => Some(only),
            _ => None,
        }
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

    /// Calls of `into` by a path with the type that nothing but a bound told, where that goes with `edits`: there may be one such
    /// type. What a type made of parameters is instead, is `written`.
    fn named_conversions(
        &self,
        edits: &[Edit],
        written: impl Fn(At<'s>) -> Option<String>,
    ) -> Vec<Edit> {
        let said = |kind| matches!(kind, Kind::GenericParam | Kind::Predicate);
        let said = self.item.inside(said).into_iter();
        let mut types = BTreeSet::new();
        for bound in said.filter(|at| is_covered(edits, &at.range())) {
            let words = bound.words(&bound.range());
            let starts = words.windows(3).filter(|three| three[0].0 == "Into");
            for start in starts.map(|three| three[2].1.start) {
                let mut inside = bound.inside(is_type).into_iter();
                let Some(to) = inside.find(|ty| ty.range().start == start) else {
                    continue;
                };
                types.insert(self.text_of(to, &written));
            }
        }
        let mut types = types.into_iter();
        let (Some(Some(ty)), None) = (types.next(), types.next()) else {
            return Vec::new();
        };
        let calls = self
            .item
            .inside(|kind| kind == Kind::Expr(ExprKind::MethodCall));
        let calls = calls.into_iter().filter_map(|call| {
            let words = call.words(&call.range());
            let [.., dot, (name, _), (open, _), (close, _)] = &words[..] else {
                return None;
            };
            ((*name, *open, *close) == ("into", "(", ")")).then(|| {
                let (start, end) = (call.range().start, call.range().end);
                [
                    call.edit(start..start, format!("Into::<{ty}>::into(")),
                    call.edit(dot.1.start..end, ")"),
                ]
            })
        });
        calls.flatten().collect()
    }

    /// The text of a type with what is `written` in the place of what is made of parameters.
    fn text_of(&self, ty: At<'s>, written: impl Fn(At<'s>) -> Option<String>) -> Option<String> {
        let mut text = String::new();
        let mut from = ty.range().start;
        for part in self.types() {
            let range = part.range();
            if !ty.holds(&range) || range.start < from || self.parameters_of(part).is_empty() {
                continue;
            }
            text.push_str(&ty.source[from..range.start]);
            text.push_str(&written(part)?);
            from = range.end;
        }
        text.push_str(&ty.source[from..ty.range().end]);
        Some(text)
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

/// The name of the projection that a type is, of the parameter `name` itself.
fn projection<'s>(ty: At<'s>, name: &str) -> Option<&'s str> {
    match ty.words(&ty.range())[..] {
        [(own, _), ("::", _), (projected, _)] if own == name => Some(projected),
        _ => None,
    }
}

/// The tokens of a type.
fn joined(at: At) -> String {
    let words = at.words(&at.range());
    let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    words.join(" ")
}
