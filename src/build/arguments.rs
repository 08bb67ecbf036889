//! rustc's command line as a list of options, however they were spelt; knows nothing of cargo.

/// One option with its value, one switch, or the source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Argument {
    /// `-C debuginfo=0`, `--cfg test`: an option under its usual name, and its value.
    Valued(&'static str, String),
    /// `--test`, and whatever else takes no value.
    Switch(String),
    /// What is compiled; `-` is standard input.
    Input(String),
}

/// Options that take a value, as an argument of its own or after `=`, and the name they go by here.
const LONG: [(&str, &str); 25] = [
    ("--allow", "-A"),
    ("--cap-lints", "--cap-lints"),
    ("--cfg", "--cfg"),
    ("--check-cfg", "--check-cfg"),
    ("--codegen", "-C"),
    ("--color", "--color"),
    ("--crate-name", "--crate-name"),
    ("--crate-type", "--crate-type"),
    ("--deny", "-D"),
    ("--diagnostic-width", "--diagnostic-width"),
    ("--edition", "--edition"),
    ("--emit", "--emit"),
    ("--env-set", "--env-set"),
    ("--error-format", "--error-format"),
    ("--explain", "--explain"),
    ("--extern", "--extern"),
    ("--forbid", "-F"),
    ("--force-warn", "--force-warn"),
    ("--json", "--json"),
    ("--out-dir", "--out-dir"),
    ("--print", "--print"),
    ("--remap-path-prefix", "--remap-path-prefix"),
    ("--sysroot", "--sysroot"),
    ("--target", "--target"),
    ("--warn", "-W"),
];

/// Options of one letter whose value follows at once or as an argument of its own.
const SHORT: [&str; 9] = ["-C", "-L", "-l", "-A", "-W", "-D", "-F", "-Z", "-o"];

/// An option that this list lacks counts as a switch, and its value as one more: they stay side by side.
pub(super) fn parse(args: &[String]) -> Vec<Argument> {
    let mut parsed = Vec::with_capacity(args.len());
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        parsed.push(match long_option(arg).or_else(|| short_option(arg)) {
            Some((name, Some(value))) => Argument::Valued(name, value.to_string()),
            Some((name, None)) => match rest.next() {
                Some(value) => Argument::Valued(name, value.clone()),
                None => Argument::Switch(arg.clone()),
            },
            None if arg == "-g" => Argument::Valued("-C", "debuginfo=2".into()),
            None if arg.len() > 1 && arg.starts_with('-') => Argument::Switch(arg.clone()),
            None => Argument::Input(arg.clone()),
        });
    }
    parsed
}

/// Whether `args` ask for any optimisation. What is said last counts.
pub(super) fn optimise(args: &[String]) -> bool {
    let mut said = parse(args).into_iter().filter_map(|argument| {
        let switch = (argument == Argument::Switch("-O".into())).then_some(true);
        switch.or_else(|| argument.codegen("opt-level").map(|level| level != "0"))
    });
    said.next_back().unwrap_or(false)
}

/// `args` in groups: each option with its value.
pub fn grouped(args: &[String]) -> Vec<Vec<String>> {
    let mut groups = Vec::new();
    for argument in parse(args) {
        let mut group = Vec::new();
        argument.push_to(&mut group);
        groups.push(group);
    }
    groups
}

fn long_option(arg: &str) -> Option<(&'static str, Option<&str>)> {
    let (name, value) = match arg.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (arg, None),
    };
    let (_, usual) = LONG.iter().find(|(long, _)| *long == name)?;
    Some((usual, value))
}

fn short_option(arg: &str) -> Option<(&'static str, Option<&str>)> {
    if arg.starts_with("--") {
        return None;
    }
    let name = SHORT.iter().find(|short| arg.starts_with(**short))?;
    Some((
        name,
        Some(&arg[name.len()..]).filter(|value| !value.is_empty()),
    ))
}

impl Argument {
    /// The value, if this is the option `name`.
    pub(super) fn value_of(&self, name: &str) -> Option<&str> {
        match self {
            Argument::Valued(own, value) if *own == name => Some(value),
            _ => None,
        }
    }

    /// The value after `=`, if this is the codegen option `name`.
    pub(super) fn codegen(&self, name: &str) -> Option<&str> {
        let (own, value) = self.value_of("-C")?.split_once('=')?;
        // rustc takes `-` and `_` as the same in these names.
        (own.replace('_', "-") == name).then_some(value)
    }

    /// Appends it the way rustc reads it.
    pub(super) fn push_to(&self, args: &mut Vec<String>) {
        match self {
            Argument::Valued(name, value) => args.extend([name.to_string(), value.clone()]),
            Argument::Switch(word) | Argument::Input(word) => args.push(word.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Argument, optimise, parse};

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(String::from).collect()
    }

    #[test]
    fn every_spelling_of_an_option_is_the_same_option() {
        let debuginfo = Argument::Valued("-C", "debuginfo=2".into());
        for spelling in [
            "-C debuginfo=2",
            "-Cdebuginfo=2",
            "--codegen debuginfo=2",
            "-g",
        ] {
            assert_eq!(
                parse(&words(spelling)),
                std::slice::from_ref(&debuginfo),
                "{spelling}"
            );
        }
        let allow = Argument::Valued("-A", "dead_code".into());
        for spelling in ["-Adead_code", "-A dead_code", "--allow=dead_code"] {
            assert_eq!(
                parse(&words(spelling)),
                std::slice::from_ref(&allow),
                "{spelling}"
            );
        }
    }

    #[test]
    fn the_source_file_is_told_from_values_and_switches() {
        let parsed = parse(&words(
            "--crate-name x --test src/lib.rs --cfg a --edition=2024",
        ));
        let inputs: Vec<_> = parsed
            .iter()
            .filter(|arg| matches!(arg, Argument::Input(_)))
            .collect();
        assert_eq!(inputs, [&Argument::Input("src/lib.rs".into())]);
        assert!(parsed.contains(&Argument::Switch("--test".into())));
    }

    #[test]
    fn optimisation_is_asked_for_in_several_ways() {
        for (args, optimised) in [
            ("--test a.rs", false),
            ("-O a.rs", true),
            ("-C opt-level=1", true),
            ("-Copt_level=s", true),
            ("--codegen opt-level=0", false),
            ("-C opt-level=3 -C opt-level=0", false),
        ] {
            assert_eq!(optimise(&words(args)), optimised, "{args}");
        }
    }

    #[test]
    fn values_keep_their_equals_signs_and_quotes() {
        let args = ["--cfg".to_string(), "feature=\"a\"".to_string()];
        assert_eq!(
            parse(&args),
            [Argument::Valued("--cfg", "feature=\"a\"".into())]
        );
        let [codegen] = &parse(&words("-Clink-arg=-Wl,--x=y"))[..] else {
            panic!("one argument expected");
        };
        assert_eq!(codegen.codegen("link-arg"), Some("-Wl,--x=y"));
    }
}
