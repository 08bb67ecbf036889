//! One rustc command line of a build: what it compiles, from what, and what for; must not run anything.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use super::arguments::{self, Argument};
use super::wrapper::Record;
use crate::paths::normal;

/// One crate as rustc compiles it, once per target, profile and set of flags.
///
/// Units are known by their index in [`Captured::units`](super::Captured::units), where what is depended on comes first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// The package's name; without cargo, the crate's.
    pub package: String,
    /// The package's version; without cargo, empty.
    pub version: String,
    /// The directory of the package's `Cargo.toml`, absolute; without cargo, where rustc runs.
    pub manifest_dir: PathBuf,
    /// `--crate-name`.
    pub crate_name: String,
    /// `--crate-type`s; empty for a test, with a harness or without, which is an executable.
    pub crate_types: Vec<String>,
    /// `--edition`; rustc's default is 2015.
    pub edition: String,
    /// Compiled with `--test`.
    pub is_test: bool,
    /// The crate's root file, absolute.
    pub source: PathBuf,
    /// `--cfg`s, as they are written: `feature="std"`.
    pub cfgs: Vec<String>,
    /// `--extern`s.
    pub externs: Vec<Extern>,
    /// `--target`, if it was given.
    pub target: Option<String>,
    /// Where cargo had the outputs put.
    pub out_dir: PathBuf,
    /// `-C metadata`.
    pub metadata: Option<String>,
    /// `-C extra-filename`, empty if there is none.
    pub extra_filename: String,
    /// The name of the binary or example, if it is one.
    pub binary: Option<String>,
    /// What cargo added to our environment or changed in it.
    pub env: Vec<(String, String)>,
    /// The compiler that cargo called, possibly rustup's proxy.
    pub rustc: PathBuf,
    /// `RUSTC_WORKSPACE_WRAPPER`, for members of the workspace; what replayed calls go through.
    pub workspace_wrapper: Option<PathBuf>,
    /// All arguments.
    pub args: Vec<String>,
    /// Where rustc ran.
    pub cwd: PathBuf,
    /// The source is the subject's. A unit that is not is listed only because it depends on one that is.
    pub own: bool,
    /// A procedural macro, a build script, or only there for one of those: never replayed.
    pub host: bool,
    /// The units among these whose outputs it is given by `--extern`.
    pub dependencies: Vec<usize>,
}

/// A crate that a unit may name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extern {
    /// `priv`, `noprelude` and the like, as written before the name.
    pub options: Option<String>,
    /// What the unit calls it.
    pub name: String,
    /// The file; without one it is searched for.
    pub path: Option<PathBuf>,
}

impl Extern {
    pub(super) fn parse(value: &str) -> Self {
        let (left, path) = match value.split_once('=') {
            Some((left, path)) => (left, Some(PathBuf::from(path))),
            None => (value, None),
        };
        let (options, name) = match left.split_once(':') {
            Some((options, name)) => (Some(options.to_string()), name),
            None => (None, left),
        };
        Extern {
            options,
            name: name.to_string(),
            path,
        }
    }

    /// As the value of `--extern`.
    pub(super) fn render(&self) -> String {
        let options = self
            .options
            .iter()
            .flat_map(|options| [options.as_str(), ":"]);
        let left: String = options.chain([self.name.as_str()]).collect();
        match &self.path {
            Some(path) => format!("{left}={}", path.display()),
            None => left,
        }
    }
}

impl Unit {
    /// Reads a record. `None` if it compiles no file (but standard input), or says too little of what it makes.
    pub(super) fn of(record: &Record, base_env: &BTreeMap<String, String>) -> Option<Self> {
        let arguments = arguments::parse(&record.args);
        let values =
            |name: &'static str| arguments.iter().filter_map(move |arg| arg.value_of(name));
        let value = |name| values(name).next_back();
        let codegen = |name| {
            arguments
                .iter()
                .filter_map(|arg| arg.codegen(name))
                .next_back()
        };
        let input = arguments.iter().find_map(|arg| match arg {
            Argument::Input(input) if input != "-" => Some(normal(&record.cwd.join(input))),
            _ => None,
        })?;
        let (rustc, wrappers) = record.programs.split_last()?;
        let variable = |name: &str| {
            let found = record.env.iter().find(|(variable, _)| variable == name);
            found.map(|(_, value)| value.clone())
        };
        let crate_name = value("--crate-name")?.to_string();
        let crate_types: Vec<String> = values("--crate-type")
            .flat_map(|list| list.split(','))
            .map(String::from)
            .collect();
        let binary = variable("CARGO_BIN_NAME");
        let build_script = crate_name.starts_with("build_script_") && binary.is_none();
        let host = build_script || crate_types.iter().any(|kind| kind == "proc-macro");
        Some(Unit {
            package: variable("CARGO_PKG_NAME").unwrap_or_else(|| crate_name.clone()),
            version: variable("CARGO_PKG_VERSION").unwrap_or_default(),
            manifest_dir: variable("CARGO_MANIFEST_DIR")
                .map_or_else(|| record.cwd.clone(), PathBuf::from),
            crate_types,
            edition: value("--edition").unwrap_or("2015").to_string(),
            is_test: arguments.contains(&Argument::Switch("--test".into())),
            source: input,
            cfgs: values("--cfg").map(String::from).collect(),
            externs: values("--extern").map(Extern::parse).collect(),
            target: value("--target").map(String::from),
            out_dir: record.cwd.join(value("--out-dir")?),
            metadata: codegen("metadata").map(String::from),
            extra_filename: codegen("extra-filename").unwrap_or_default().to_string(),
            binary,
            env: added_env(&record.env, base_env),
            rustc: rustc.into(),
            workspace_wrapper: wrappers.last().map(PathBuf::from),
            args: record.args.clone(),
            cwd: record.cwd.clone(),
            own: false,
            host,
            dependencies: Vec::new(),
            crate_name,
        })
    }

    /// The flags that a single file may need as well, each with its value: none that name files, other crates or
    /// where things are put, or that only change what is printed.
    pub fn flags(&self) -> Vec<Vec<String>> {
        let of_cargo = ["metadata", "extra-filename", "incremental"];
        let mut found = Vec::new();
        for argument in arguments::parse(&self.args) {
            let taken = match &argument {
                Argument::Valued("-C", _) => {
                    !of_cargo.iter().any(|name| argument.codegen(name).is_some())
                }
                Argument::Valued(name, _) => matches!(
                    *name,
                    "--edition"
                        | "--crate-type"
                        | "--cfg"
                        | "--target"
                        | "-Z"
                        | "-A"
                        | "-W"
                        | "-D"
                        | "-F"
                ),
                Argument::Switch(_) => true,
                Argument::Input(_) => false,
            };
            let mut group = Vec::new();
            if taken {
                argument.push_to(&mut group);
            } else if let Some(kinds) = argument.value_of("--emit") {
                // What is linked is so without being asked for.
                let mut kinds: Vec<&str> = kinds.split(',').collect();
                kinds.retain(|kind| *kind != "dep-info" && !kind.contains('='));
                if !kinds.is_empty() && !kinds.contains(&"link") {
                    group.push(format!("--emit={}", kinds.join(",")));
                }
            }
            if !group.is_empty() {
                found.push(group);
            }
        }
        found
    }

    /// Whether it is compiled with any optimisation.
    pub fn is_optimised(&self) -> bool {
        arguments::optimise(&self.args)
    }

    /// Whether its command line says how far lints may go.
    pub fn caps_lints(&self) -> bool {
        let arguments = arguments::parse(&self.args);
        arguments
            .iter()
            .any(|argument| matches!(argument, Argument::Valued("--cap-lints", _)))
    }

    /// Whether it is compiled to be run as a test, with a test harness or (`harness = false`) without.
    pub fn is_for_tests(&self) -> bool {
        self.is_test || self.cfgs.iter().any(|cfg| cfg == "test")
    }

    /// Whether it is compiled to something that can be run.
    pub fn is_executable(&self) -> bool {
        // What is not said is "bin"; cargo does not say it of test targets without a harness.
        self.is_test
            || self.crate_types.is_empty()
            || self.crate_types.iter().any(|kind| kind == "bin")
    }

    /// Whether it is, or may be, linked to when the program starts.
    pub(super) fn is_dynamic(&self) -> bool {
        let dynamic = |kind: &String| kind == "dylib" || kind == "cdylib";
        self.crate_types.iter().any(dynamic)
    }

    /// Where cargo had its output put, without extension.
    pub(super) fn captured_output(&self) -> PathBuf {
        self.out_dir.join(self.output_stem())
    }

    /// The file name, without extension, of what is linked: `libfoo-0123456789abcdef` or `foo-0123456789abcdef`.
    pub(super) fn output_stem(&self) -> String {
        let prefix = if self.is_executable() { "" } else { "lib" };
        format!("{prefix}{}{}", self.crate_name, self.extra_filename)
    }

    /// The directories that `-L native` (or no kind) adds to the search for libraries.
    pub(super) fn native_directories(&self) -> Vec<PathBuf> {
        arguments::parse(&self.args)
            .iter()
            .filter_map(|arg| arg.value_of("-L"))
            .filter_map(|value| match value.split_once('=') {
                Some(("native" | "all", directory)) => Some(directory),
                Some(("dependency" | "crate" | "framework", _)) => None,
                _ => Some(value),
            })
            .map(|directory| self.cwd.join(directory))
            .collect()
    }

    /// The dep-info file that the captured run wrote, unless it failed before that.
    pub fn dep_info_path(&self) -> PathBuf {
        let name = format!("{}{}.d", self.crate_name, self.extra_filename);
        self.out_dir.join(name)
    }

    /// Where it stands among the units; the same in every run, whatever order cargo chose.
    fn rank(&self) -> (bool, &Path, &Path, &str, bool, &Option<String>) {
        let name = self.crate_name.as_str();
        let metadata = &self.metadata;
        (
            !self.own,
            &self.manifest_dir,
            &self.source,
            name,
            self.is_test,
            metadata,
        )
    }
}

/// What cargo changed in the environment. `CARGO_*` is kept even where it has the same value, because
/// it then is cargo's by intention and ours by chance.
fn added_env(env: &[(String, String)], base: &BTreeMap<String, String>) -> Vec<(String, String)> {
    // The first two are about pipes and a directory that are gone when the command is replayed.
    const NOT: [&str; 5] = [
        "CARGO_MAKEFLAGS",
        super::wrapper::RECORDS,
        super::wrapper::CHAIN,
        "RUSTC_WRAPPER",
        "RUST_RECURSION_COUNT",
    ];
    let mut added: Vec<_> = env
        .iter()
        .filter(|(name, value)| name.starts_with("CARGO_") || base.get(name) != Some(value))
        .filter(|(name, _)| !NOT.contains(&name.as_str()))
        .cloned()
        .collect();
    added.sort();
    added
}

/// Keeps the own units and what depends on them, links them up, marks host units, and puts them in order.
pub(super) fn arrange(mut units: Vec<Unit>) -> Vec<Unit> {
    units.sort_by(|a, b| a.rank().cmp(&b.rank()));
    link(&mut units);
    let order = dependency_order(&units);

    // What depends on something of the subject's has to be compiled again with it.
    let mut kept = vec![false; units.len()];
    for &at in &order {
        kept[at] = units[at].own || units[at].dependencies.iter().any(|&on| kept[on]);
    }
    let order: Vec<usize> = order.into_iter().filter(|&at| kept[at]).collect();
    let place: HashMap<usize, usize> = order.iter().enumerate().map(|(to, &at)| (at, to)).collect();
    let mut arranged: Vec<Unit> = order.iter().map(|&at| units[at].clone()).collect();
    for unit in &mut arranged {
        let kept = unit
            .dependencies
            .iter()
            .filter_map(|on| place.get(on).copied());
        unit.dependencies = kept.collect();
    }
    mark_host(&mut arranged);
    arranged
}

/// Finds the units behind `--extern` paths.
fn link(units: &mut [Unit]) {
    let by_output: HashMap<PathBuf, usize> = units
        .iter()
        .enumerate()
        .map(|(at, unit)| (unit.captured_output(), at))
        .collect();
    for unit in units.iter_mut() {
        let found: BTreeSet<usize> = unit
            .externs
            .iter()
            .filter_map(|external| external.path.as_ref())
            .filter_map(|path| {
                by_output
                    .get(&unit.cwd.join(path).with_extension(""))
                    .copied()
            })
            .collect();
        unit.dependencies = found.into_iter().collect();
    }
}

/// Depth first, so that a unit comes right after the last of what it needs.
fn dependency_order(units: &[Unit]) -> Vec<usize> {
    fn visit(at: usize, units: &[Unit], seen: &mut [bool], order: &mut Vec<usize>) {
        if !std::mem::replace(&mut seen[at], true) {
            for &on in &units[at].dependencies {
                visit(on, units, seen, order);
            }
            order.push(at);
        }
    }
    let mut seen = vec![false; units.len()];
    let mut order = Vec::with_capacity(units.len());
    for at in 0..units.len() {
        visit(at, units, &mut seen, &mut order);
    }
    order
}

/// A library that nothing but host units uses is a host unit as well.
fn mark_host(units: &mut [Unit]) {
    for at in (0..units.len()).rev() {
        let mut users = (0..units.len())
            .filter(|&user| units[user].dependencies.contains(&at))
            .peekable();
        if users.peek().is_some() && users.all(|user| units[user].host) {
            units[at].host = true;
        }
    }
}
