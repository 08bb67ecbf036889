//! Functions that come to an end with `Ok(…)` or `Some(…)` alone: they give back what is in it, and nobody asks whether there is
//! anything.
//!
//! By names alone, without types: a wrong guess costs a trial. Functions of one name are told apart by the types that they belong
//! to where every call names one: `new` is what half of all types have, `A::new` and `B::new` are two.

mod asked;
pub mod options;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use self::asked::{is_asked, without_asking};
use super::ends::{ends_of, returns};
use super::query::{At, all, counted, is_expr, is_fn, is_type, name_of_type, trait_name};
use crate::subject::{Element, Subject};
use crate::syntax::{Edit, ExprKind, FileId, ItemKind, Kind, TypeKind};

/// Macros that come to no end.
const DIVERGING: [&str; 4] = ["panic", "todo", "unimplemented", "unreachable"];

/// Methods that say what is wrong if something is, or forget it.
const EXPLAINING: [&str; 4] = ["map_err", "ok", "ok_or", "ok_or_else"];

/// Methods that give what is in it, or panic.
const UNWRAPPING: [&str; 2] = ["expect", "unwrap"];

/// What is around a value that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wrapper {
    Ok,
    Some,
}

impl Wrapper {
    fn name(self) -> &'static str {
        match self {
            Wrapper::Ok => "Ok",
            Wrapper::Some => "Some",
        }
    }
}

/// What a function gives back.
struct Given<'s> {
    wrapper: Wrapper,
    ty: At<'s>,
    arguments: Vec<At<'s>>,
}

impl<'s> Given<'s> {
    fn by(function: At<'s>) -> Option<Given<'s>> {
        let output = function.child(|kind| kind == Kind::ReturnType)?;
        let ty = output.child(is_type)?;
        let name = name_of_type(ty).filter(|_| ty.kind() == Kind::Type(TypeKind::Path))?;
        let wrapper = match name {
            "Option" => Wrapper::Some,
            _ if name.ends_with("Result") => Wrapper::Ok,
            _ => return None,
        };
        let list = ty.child(|kind| kind == Kind::GenericArgs);
        let arguments = list.map(|list| list.children(|kind| kind == Kind::GenericArg));
        Some(Given {
            wrapper,
            ty,
            arguments: arguments.unwrap_or_default(),
        })
    }

    /// The wrapper as it is called where nothing else says what is wrong if something is.
    fn constructor(&self) -> String {
        let error = self.arguments.get(1).map(|argument| argument.text());
        match error.filter(|text| !text.contains('\'') && !text.contains("Self")) {
            Some(error) if self.wrapper == Wrapper::Ok => format!("Ok::<_, {error}>"),
            _ => self.wrapper.name().to_string(),
        }
    }
}

/// How a function comes to an end.
enum End<'s> {
    /// With what the wrapper is around.
    Sure(At<'s>),
    /// It does not.
    Never,
    /// With what another function gives back.
    Call(At<'s>),
    Other,
}

/// The functions of one name that give back something in a wrapper.
#[derive(Default)]
struct Same<'s> {
    functions: Vec<At<'s>>,
    /// Others of that name give back something else.
    mixed: bool,
    /// Some are called by a dot.
    methods: bool,
}

impl Same<'_> {
    fn wrapper(&self) -> Option<Wrapper> {
        let mut all = self.functions.iter();
        let wrapper = Given::by(*all.next()?)?.wrapper;
        let is_it = |one: &At| Given::by(*one).is_some_and(|given| given.wrapper == wrapper);
        all.all(is_it).then_some(wrapper)
    }
}

/// All of them by name: `f`, or `A::f` where others are called `f`, too, and it is always called with its type.
type Functions<'s> = BTreeMap<String, Same<'s>>;

fn functions(subject: &Subject) -> Functions<'_> {
    let all = all(subject, is_fn);
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for name in all.iter().filter_map(|function| function.name()) {
        *times.entry(name).or_default() += 1;
    }
    let mut found = Functions::new();
    for function in all {
        let Some(name) = function.name() else {
            continue;
        };
        let qualified = qualified(function).filter(|_| times[name] > 1);
        let name = qualified.unwrap_or_else(|| name.to_string());
        let same = found.entry(name).or_default();
        match Given::by(function) {
            Some(_) => same.functions.push(function),
            None => same.mixed = true,
        }
        let receiver = function.child(|kind| kind == Kind::Receiver);
        same.methods |= receiver.is_some();
    }
    found
}

/// `A::f` for what is defined as `f` in an `impl A` and called without a value of it.
fn qualified(function: At) -> Option<String> {
    let around = function
        .parent()
        .filter(|around| around.kind() == Kind::Item(ItemKind::Impl))?;
    let of_a_trait = around.child(|kind| kind == Kind::TraitRef).is_some();
    let by_value = function.child(|kind| kind == Kind::Receiver).is_some();
    let owner = Some(around).filter(|_| !of_a_trait && !by_value)?;
    Some(format!("{}::{}", of_impl(owner)?, function.name()?))
}

fn of_impl(at: At<'_>) -> Option<&str> {
    name_of_type(at.child(is_type)?)
}

/// What a call, or a path, may mention: the function with its type first, then by its name alone.
fn mentioned(at: At) -> Vec<String> {
    let Some(name) = at.name() else {
        return Vec::new();
    };
    let path = match at.kind() {
        Kind::Expr(ExprKind::Call) => at.child(is_expr),
        Kind::Expr(ExprKind::Path) => Some(at),
        _ => None,
    };
    let path = path.filter(|path| path.kind() == Kind::Expr(ExprKind::Path));
    let with_type = path.and_then(|path| {
        let (outer, _) = path.text().rsplit_once("::")?;
        let outer = outer.split_once('<').map_or(outer, |(bare, _)| bare);
        let owner = outer.trim_end_matches("::").rsplit("::").next()?.trim();
        let owner = match owner {
            "Self" => {
                let mut around = at.ancestors();
                of_impl(around.find(|outer| outer.kind() == Kind::Item(ItemKind::Impl))?)?
            }
            _ => owner,
        };
        Some(format!("{owner}::{name}"))
    });
    with_type.into_iter().chain([name.to_string()]).collect()
}

/// The function that a call, or a path, mentions, as it is called in `functions`.
fn known<'f, T>(at: At, functions: &'f BTreeMap<String, T>) -> Option<(&'f String, &'f T)> {
    let names = mentioned(at);
    names.iter().find_map(|name| functions.get_key_value(name))
}

/// The name without its type.
pub fn bare(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}

fn is_call(kind: Kind) -> bool {
    matches!(kind, Kind::Expr(ExprKind::Call | ExprKind::MethodCall))
}

fn is_try(kind: Kind) -> bool {
    kind == Kind::Expr(ExprKind::Try)
}

/// The expressions whose value `function` gives back.
fn ends(function: At) -> Vec<At> {
    let Some(body) = function.child(|kind| kind == Kind::Body) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    ends_of(function.tree, function.source, body.id, &mut found);
    returns(function.tree, body.id, &mut found);
    let at = |id| At {
        id,
        node: function.tree.node(id),
        ..function
    };
    found.into_iter().map(at).collect()
}

/// What `call` is about behind what it says if something is wrong.
fn explained(call: At) -> At {
    let explains = |at: &At| {
        at.kind() == Kind::Expr(ExprKind::MethodCall)
            && at.name().is_some_and(|name| EXPLAINING.contains(&name))
    };
    Some(call)
        .filter(explains)
        .and_then(|call| call.child(is_expr))
        .unwrap_or(call)
}

fn end(at: At<'_>, wrapper: Wrapper) -> End<'_> {
    match at.kind() {
        Kind::Expr(ExprKind::Call) if at.name() == Some(wrapper.name()) => {
            let parts = at.children(is_expr);
            match parts[..] {
                [_, inner] => End::Sure(inner),
                _ => End::Other,
            }
        }
        Kind::Expr(ExprKind::Macro) if at.name().is_some_and(|name| DIVERGING.contains(&name)) => {
            End::Never
        }
        Kind::Expr(ExprKind::Loop) => {
            let breaks = at.inside(|kind| kind == Kind::Expr(ExprKind::Break));
            match breaks.is_empty() {
                true => End::Never,
                false => End::Other,
            }
        }
        _ => {
            let call = explained(at);
            match is_call(call.kind()) && call.name().is_some() {
                true => End::Call(call),
                false => End::Other,
            }
        }
    }
}

/// Whether how many values there are is for others to say, or who calls it is not to be seen.
fn is_bound(function: At, traits: &BTreeSet<&str>) -> bool {
    let attributes = function.children(|kind| kind == Kind::Attribute);
    let is_test = attributes.iter().any(|one| one.text().contains("test"));
    let of_others = function.parent().and_then(|around| {
        let reference = around.child(|kind| kind == Kind::TraitRef)?;
        Some(trait_name(reference).is_none_or(|name| !traits.contains(name)))
    });
    is_test || function.name() == Some("main") || of_others == Some(true)
}

/// The names of the functions that are sure to give back a value, but for the `tests` and those that `stay`, and those of which a test
/// asks whether there is one: it would ask what nobody would.
pub fn certain(
    subject: &Subject,
    tests: &[String],
    stay: impl Fn(&str) -> bool,
) -> BTreeSet<String> {
    let traits = all(subject, |kind| kind == Kind::Item(ItemKind::Trait));
    let traits: BTreeSet<&str> = traits.into_iter().filter_map(At::name).collect();
    let mut functions = functions(subject);
    functions.retain(|name, same| {
        let bound = |same: &Same| same.functions.iter().any(|one| is_bound(*one, &traits));
        let stays = stay(name) || tests.iter().any(|test| test == bare(name));
        same.wrapper().is_some() && !stays && !bound(same)
    });
    // Who hands on a function hands on what it gives back.
    for path in all(subject, |kind| kind == Kind::Expr(ExprKind::Path)) {
        let around = path.parent().filter(|around| is_call(around.kind()));
        let callee = around.and_then(|around| around.child(is_expr));
        let is_called = callee.is_some_and(|callee| callee.id == path.id);
        if !is_called && path.text().contains("::") {
            for name in mentioned(path) {
                functions.remove(&name);
            }
        }
    }
    for call in all(subject, is_call) {
        let mut around = call.ancestors().filter(|outer| is_fn(outer.kind()));
        let in_a_test = around.any(|outer| tests.iter().any(|test| outer.name() == Some(test)));
        let same = known(call, &functions).filter(|_| in_a_test);
        let asked = same.filter(|(_, same)| {
            let first = same.functions.first();
            let given = first.and_then(|first| Given::by(*first));
            given.is_some_and(|given| is_asked(call, &given))
        });
        if let Some(name) = asked.map(|(name, _)| name.clone()) {
            functions.remove(&name);
        }
    }
    loop {
        let names: BTreeMap<String, ()> = functions.keys().map(|name| (name.clone(), ())).collect();
        let is_sure = |function: &At| {
            let Some(given) = Given::by(*function) else {
                return false;
            };
            ends(*function)
                .into_iter()
                .all(|at| match end(at, given.wrapper) {
                    End::Sure(_) | End::Never => true,
                    End::Call(call) => known(call, &names).is_some(),
                    End::Other => false,
                })
        };
        functions.retain(|_, same| same.functions.iter().all(is_sure));
        if functions.len() == names.len() {
            return functions.into_keys().collect();
        }
    }
}

/// The functions called one of `names` give back what is in what they gave back, whether that saves anything or not; `None` where it
/// is not known how.
pub fn unwrapped(subject: &Subject, names: &BTreeSet<String>) -> Option<Element> {
    let functions = functions(subject);
    let is_named = |name: &str| names.contains(name);
    let is_sure = |at: At| {
        let same = known(at, &functions).filter(|(name, _)| is_named(name));
        same.is_some_and(|(_, same)| match at.kind() {
            Kind::Expr(ExprKind::MethodCall) => same.methods,
            kind => is_call(kind),
        })
    };
    let mut edits = Vec::new();
    // What is handed on as it is.
    let mut handed_on = BTreeSet::new();
    for (_, same) in functions.iter().filter(|(name, _)| is_named(name)) {
        let wrapper = same.wrapper()?;
        for function in &same.functions {
            let given = Given::by(*function)?;
            edits.extend(output(*function, &given));
            for at in ends(*function) {
                match end(at, wrapper) {
                    End::Sure(inner) => {
                        edits.push(at.edit(at.node.range.start..inner.node.range.start, ""));
                        edits.push(at.edit(inner.node.range.end..at.node.range.end, ""));
                    }
                    _ => {
                        let call = explained(at);
                        handed_on.insert((call.file, call.id));
                        if call.id != at.id {
                            edits.push(at.edit(call.node.range.end..at.node.range.end, ""));
                        }
                    }
                }
            }
            for asked in own_tries(*function) {
                let operand = asked.child(is_expr)?;
                if !is_sure(explained(operand)) {
                    let mark = operand.node.range.end..asked.node.range.end;
                    // What is wrong then need not be anything that can be shown.
                    let unwrap = match wrapper {
                        Wrapper::Ok => ".ok().unwrap()",
                        Wrapper::Some => ".unwrap()",
                    };
                    edits.push(asked.edit(mark, unwrap));
                }
            }
        }
    }
    for call in all(subject, is_call) {
        if is_sure(call) && !handed_on.contains(&(call.file, call.id)) {
            let (_, same) = known(call, &functions)?;
            let given = Given::by(*same.functions.first()?)?;
            edits.extend(without_asking(call, &given, same.mixed));
        }
    }
    counted(subject, Kind::ReturnType, edits)
}

/// The type that `function` gives back, without what is around it.
fn output(function: At, given: &Given) -> Option<Edit> {
    match given.arguments.first().map(|argument| argument.text()) {
        None | Some("()") => function.child(|kind| kind == Kind::ReturnType).map(At::cut),
        Some(ty) => Some(given.ty.by(ty)),
    }
}

/// The `?` of `function` itself, not those of closures in it.
fn own_tries(function: At) -> Vec<At> {
    let is_own = |at: &At| {
        let mut around = at.ancestors().take_while(|outer| outer.id != function.id);
        around.all(|outer| {
            !matches!(
                outer.kind(),
                Kind::Item(_) | Kind::Expr(ExprKind::Closure | ExprKind::Async)
            )
        })
    };
    let all = function.inside(is_try).into_iter();
    all.filter(is_own).collect()
}

/// Those of `names` that something at `range` of `file` is about: what stands around it mentions them, or it is in one.
pub fn concerned(
    subject: &Subject,
    names: &BTreeSet<String>,
    file: FileId,
    range: &Range<usize>,
) -> BTreeSet<String> {
    let version = subject.file(file);
    let Some(tree) = version.tree() else {
        return BTreeSet::new();
    };
    let innermost = tree.innermost(range);
    let around = innermost
        .into_iter()
        .flat_map(|id| std::iter::once(id).chain(tree.ancestors(id)));
    for id in around {
        let node = tree.node(id);
        if is_fn(node.kind) {
            let function = At::new(subject, file, id);
            let own = function.and_then(qualified).into_iter();
            let name = node
                .name
                .clone()
                .map(|name| version.source()[name].to_string());
            let mut own = own.chain(name);
            return own.find(|name| names.contains(name)).into_iter().collect();
        }
        let words = tree.identifiers(version.source(), &node.range);
        let words: BTreeSet<&str> = words.collect();
        let named = names.iter().filter(|name| words.contains(bare(name)));
        let found: BTreeSet<String> = named.cloned().collect();
        if !found.is_empty() {
            return found;
        }
    }
    BTreeSet::new()
}

/// Those of `names` whose functions ask others whether there is a value, which they panic without then.
pub fn asking(subject: &Subject, names: &BTreeSet<String>) -> BTreeSet<String> {
    let functions = functions(subject);
    let asks = |function: &At| {
        own_tries(*function).into_iter().any(|asked| {
            let operand = asked.child(is_expr).map(explained);
            operand.is_none_or(|operand| {
                let called = known(operand, &functions).filter(|_| is_call(operand.kind()));
                called.is_none_or(|(name, _)| !names.contains(name))
            })
        })
    };
    let asking = functions.iter();
    let asking =
        asking.filter(|(name, same)| names.contains(*name) && same.functions.iter().any(asks));
    asking.map(|(name, _)| name.clone()).collect()
}

#[cfg(test)]
mod tests;
