//! Any subset of the elements of any pass, applied to real Rust: what parsed still parses where the
//! pass promises it, and every byte that stays stands where it stood.

use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::*;

/// Passes that promise nothing, since the engine drops what does not parse before it runs anything:
/// some put one thing in the place of another that it need not fit or that another one cuts, some may take the last of what
/// must not be empty (the bounds of `dyn`, the cases of a pattern, the value in front of `else`), and
/// tokens are tokens.
const MAY_BREAK: [&str; 16] = [
    "concrete-parameters",
    "hoist-expressions",
    "hoist-types",
    "hoist-patterns",
    "lets-to-values",
    "simplify-values",
    "flatten-blocks",
    "bounds",
    "elements",
    "known-definitions",
    "inline-values",
    "macro-arguments",
    "parts",
    "segments",
    "groups",
    "tokens",
];

/// The files of `test-projects`, and of the directories in `CARGO_REDUCE_SOURCES` (with `:` between them) if that is set.
fn sources() -> Vec<String> {
    fn below(directory: &Path, found: &mut Vec<PathBuf>) {
        let entries = std::fs::read_dir(directory).expect("test-projects is there");
        for entry in entries {
            let path = entry.expect("an entry").path();
            if path.is_dir() && !path.ends_with("target") {
                below(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("test-projects");
    below(&root, &mut found);
    let more = std::env::var_os("CARGO_REDUCE_SOURCES").unwrap_or_default();
    let directories = std::env::split_paths(&more).filter(|path| !path.as_os_str().is_empty());
    for directory in directories {
        below(&directory, &mut found);
    }
    found.sort();
    found
        .iter()
        .filter_map(|path| std::fs::read_to_string(path).ok())
        .filter(|text| crate::syntax::parses(text))
        .collect()
}

/// Rust of all shapes that lists come in: separators at the end or not, one element or none.
fn generated() -> impl Strategy<Value = String> {
    let ty = prop_oneof![
        Just("u8".to_string()),
        Just("&'a T".to_string()),
        Just("(u8,)".to_string()),
        Just("[T; 2]".to_string()),
        Just("Vec<(T, u8)>".to_string()),
        Just("Box<dyn Fn(&T, u8) -> T + 'a>".to_string()),
        Just("impl for<'b> Fn(&'b T) + 'a".to_string()),
    ];
    let value = prop_oneof![
        Just("f(1, g(), S { a: 1, ..s })".to_string()),
        Just("match x { A | B if c => (), E::V(a, ..) => { 1; } S { a: p, .. } => 2, _ => {} }".to_string()),
        Just("if let Some(x) = a.b::<u8, T>(1)? { [1, 2,] } else if c { vec![1; 2] } else { loop { break 1 } }".to_string()),
        Just("'l: for (i, &j) in 0..=n { continue 'l; }".to_string()),
        Just("move |a: u8, (b, c)| -> u8 { return a + b * -c }".to_string()),
        Just("unsafe { (*p as *const u8, (1,), x.0.1) }".to_string()),
        Just("println!(\"{} {x}\", a, b = 1)".to_string()),
    ];
    let tys = prop::collection::vec(ty, 1..4);
    let values = prop::collection::vec(value, 1..4);
    (tys, values, any::<[bool; 4]>()).prop_map(|(tys, values, [a, b, c, d])| {
        let comma = |on: bool| if on { "," } else { "" };
        let fields: Vec<String> = tys.iter().enumerate().map(|(at, ty)| format!("pub f{at}: {ty}")).collect();
        let parameters: Vec<String> = tys.iter().enumerate().map(|(at, ty)| format!("mut p{at}: {ty}")).collect();
        let statements: Vec<String> = values.iter().enumerate().map(|(at, value)| format!("let v{at}: {} = {value};\n{value};", tys[0])).collect();
        format!(
            "#![allow(a, b{})]\nuse a::{{b, c as d, e::{{f, g}}{}}};\n#[derive(Clone, Debug{})]\npub struct S<'a, T: A + 'a = u8{}> where T: B<X = u8> + C, for<'c> &'c T: D{} {{ {}{} }}\nenum E<T> {{ A = 1, #[x] B({}), C {{ {} }}{} }}\nimpl<'a, T> Tr<T> for S<'a, T> where T: A {{ type X = {}; const N: usize = 1; fn f<U>(&'a mut self, {}{}) -> {} {{ {} {} }} }}\npub trait Tr<T>: A + B {{ type X: A where Self: Sized; fn f(self: Box<Self>) -> u8 {{ 1 }} }}\nmod m {{ pub(crate) async unsafe extern \"C\" fn g() {{ {} }} }}",
            comma(a), comma(b), comma(c), comma(d), comma(a), fields.join(", "), comma(b), tys.join(", "), fields.join(", ").replace("pub ", ""), comma(c), tys[0],
            parameters.join(", "), comma(d), tys[0], statements.join("\n"), values[0], statements.join("\n")
        )
    })
    .prop_filter("what is generated parses", |text| crate::syntax::parses(text))
}

/// Applies the elements of every pass that `chosen` takes, each pass and round for itself.
fn check(text: &str, mut chosen: impl FnMut() -> bool) {
    let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
    let passes = coarse().into_iter().chain(fine()).chain(inside());
    let shorter = types_in_fewer_words().into_iter().chain(in_fewer_words());
    let small = Box::new(SmallFunctions::default()) as Box<dyn Pass>;
    let shorter = shorter.chain([small]).chain(said_twice());
    for pass in passes.chain(shorter).chain(traits()).chain(hollow()) {
        for round in 0..3 {
            let Some(list) = pass.list(&subject, round) else {
                break;
            };
            let subset: Vec<&Element> = list.iter().filter(|_| chosen()).collect();
            let after = subject.without(subset);
            let after = after.file(FileId(0));
            let promised = !MAY_BREAK.contains(&pass.name());
            assert!(
                !promised || crate::syntax::parses(after.source()),
                "{} broke\n{text}\nto\n{}",
                pass.name(),
                after.source()
            );
            let now = after.text().expect("text");
            for (at, byte) in now.as_str().bytes().enumerate() {
                if let Some(origin) = now.origin(at) {
                    assert_eq!(text.as_bytes()[origin.offset as usize], byte);
                }
            }
        }
    }
}

#[test]
fn any_elements_of_any_pass_leave_the_test_projects_parsing() {
    for (seed, text) in sources().iter().enumerate() {
        for share in [1, 2, 5] {
            let mut random = fastrand::Rng::with_seed(seed as u64);
            check(text, || random.u8(..share) == 0);
        }
    }
}

#[test]
fn functions_in_the_place_of_their_only_call_leave_the_test_projects_parsing() {
    for text in sources() {
        let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        let limits = only_calls::Limits {
            left: &|_| false,
            may_go: &|_, _| true,
            fails_at: None,
        };
        for one in only_calls::only_calls(&subject, &limits) {
            let (after, places) = only_calls::in_place(&subject, &[&one]);
            let after = after.file(FileId(0)).source();
            assert!(crate::syntax::parses(after), "{} broke\n{after}", one.name);
            let (_, range) = &places[0];
            assert!(after.get(range.clone()).is_some());
        }
    }
}

#[test]
fn fields_in_the_place_of_structs_with_methods_leave_the_test_projects_parsing() {
    for text in sources() {
        let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        for name in unwrap::with_own_methods(&subject) {
            let Some(without) = methods::without_methods(&subject, name) else {
                continue;
            };
            let functions = subject.without([&without]);
            let element = unwrap::newtype(&functions, name);
            let unwrapped = element.map(|element| functions.without([&element]));
            for after in [Some(functions), unwrapped].into_iter().flatten() {
                let after = after.file(FileId(0)).source();
                assert!(crate::syntax::parses(after), "{name} broke\n{after}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_elements_of_any_pass_leave_generated_rust_parsing(text in generated(), seed: u64) {
        for share in [1, 2, 4] {
            let mut random = fastrand::Rng::with_seed(seed);
            check(&text, || random.u8(..share) == 0);
        }
    }
}
