//! Compiles captured units again on changed source, as few of them as possible; knows nothing of cargo.
//!
//! Outputs are never reused on trust. A unit is up to date only if its command line, the contents of
//! every file that it read (by rustc's own dep-info) and the very compilations it was linked against are
//! those of its last success; and before rustc starts, the outputs of that last success are deleted.
//! So whatever failed, was cancelled or was edited in between, nothing stale can be linked.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::exec::{self, Invocation};

use super::BuildError;
use super::capture::Captured;
use super::command::{Addition, Emit, Fidelity, Plan};
use super::dep_info::{DepInfo, dep_info};
use super::diagnostic::{Messages, within};
use super::executable::Executable;
use super::job::{Compiled, Job, Step, Wanted};
use super::relocate::Relocation;
use super::unit::Unit;

/// Compiles captured units into a directory of its own. For another thread there is [`fork`](Self::fork).
#[derive(Debug)]
pub struct Replay {
    captured: Arc<Captured>,
    directory: PathBuf,
    fidelity: Fidelity,
    built: HashMap<Variant, Built>,
    compilations: u64,
}

/// One way to compile a unit: its index, and a digest of emit kind, additions and tree.
type Variant = (usize, String);

/// The last success of a variant.
#[derive(Debug, Clone)]
struct Built {
    /// Which compilation this was; no two have the same.
    number: u64,
    invocation: Invocation,
    /// Contents of what rustc read; `None` for what is not there.
    inputs: Vec<(PathBuf, Option<blake3::Hash>)>,
    /// The compilations of the units it depends on.
    linked: Vec<u64>,
    output: PathBuf,
    messages: Messages,
    read: Option<DepInfo>,
}

/// The units that a job is about, and where it is with them.
struct Progress {
    selected: BTreeSet<usize>,
    /// By unit: the number and the output of the compilation that counts.
    done: BTreeMap<usize, (u64, PathBuf)>,
}

impl Replay {
    /// Outputs and incremental directories go to `directory`, which is made if it does not exist.
    pub fn new(
        captured: Arc<Captured>,
        directory: &Path,
        fidelity: Fidelity,
    ) -> Result<Self, BuildError> {
        fs::create_dir_all(directory).map_err(BuildError::file("creating", directory))?;
        let directory = canonical(directory)?;
        Ok(Replay {
            captured,
            directory,
            fidelity,
            built: HashMap::new(),
            compilations: 0,
        })
    }

    /// The same units, with outputs elsewhere and nothing compiled yet, to work on at the same time.
    pub fn fork(&self, directory: &Path) -> Result<Self, BuildError> {
        Replay::new(self.captured.clone(), directory, self.fidelity)
    }

    /// What is replayed.
    pub fn captured(&self) -> &Captured {
        &self.captured
    }

    /// The same, for another replay.
    pub fn shared(&self) -> Arc<Captured> {
        Arc::clone(&self.captured)
    }

    /// Compiles what is not up to date, in dependency order, and stops at the first unit that fails.
    pub fn compile(&mut self, job: &Job<'_>) -> Result<Compiled, BuildError> {
        let tree = canonical(job.tree)?;
        let job = Job {
            tree: &tree,
            ..*job
        };
        let mut progress = Progress {
            selected: select(&self.captured.units, job.wanted),
            done: BTreeMap::new(),
        };
        let mut compiled = Compiled {
            steps: Vec::new(),
            executables: Vec::new(),
        };
        for at in progress.selected.clone() {
            compiled.steps.push(self.step(at, &job, &mut progress)?);
            if compiled.failed().is_some() {
                return Ok(compiled);
            }
        }
        if job.emit != Emit::Metadata {
            compiled.executables = self.executables(&job, &progress);
        }
        Ok(compiled)
    }

    fn step(
        &mut self,
        at: usize,
        job: &Job<'_>,
        progress: &mut Progress,
    ) -> Result<Step, BuildError> {
        let captured = self.captured.clone();
        let unit = &captured.units[at];
        let addition = (job.addition)(unit);
        let variant = (at, key(job, &addition));
        let out_dir = self.out_dir(&variant);
        let invocation = self.invocation(unit, &variant, &addition, job, progress);
        let linked = progress.linked(unit);

        if !(job.changed)(unit)
            && let Some(built) = self.built.get(&variant)
            && built.holds(&invocation, &linked)
        {
            progress
                .done
                .insert(at, (built.number, built.output.clone()));
            return Ok(Step {
                unit: at,
                invocation,
                outcome: None,
                messages: built.messages.clone(),
                read: built.read.clone(),
            });
        }

        self.built.remove(&variant);
        empty(&out_dir)?;
        let mut outcome = exec::run(&invocation, job.limits, job.cancel)?;
        let stderr = std::mem::take(&mut outcome.stderr);
        let messages = Messages::parse(&stderr, &invocation.cwd, job.tree);
        let read = read_files(unit, &out_dir, &invocation.cwd);
        if outcome.success() {
            self.compilations += 1;
            let output = output(unit, &out_dir, job.emit);
            progress
                .done
                .insert(at, (self.compilations, output.clone()));
            let built = Built {
                number: self.compilations,
                invocation: invocation.clone(),
                inputs: inputs(read.as_ref(), &addition),
                linked,
                output,
                messages: messages.clone(),
                read: read.as_ref().map(|read| read.within(job.tree)),
            };
            self.built.insert(variant, built);
        }
        Ok(Step {
            unit: at,
            invocation,
            outcome: Some(outcome),
            messages,
            read: read.map(|read| read.within(job.tree)),
        })
    }

    fn invocation(
        &self,
        unit: &Unit,
        variant: &Variant,
        addition: &Addition,
        job: &Job<'_>,
        progress: &Progress,
    ) -> Invocation {
        let units = &self.captured.units;
        let depended: BTreeSet<usize> = transitive(units, unit)
            .into_iter()
            .filter(|on| progress.done.contains_key(on))
            .collect();
        let output = |on: &usize| progress.done[on].1.clone();
        let dependencies: Vec<_> = depended
            .iter()
            .map(|on| (units[*on].captured_output(), output(on)))
            .collect();
        let search: Vec<_> = depended
            .iter()
            .filter_map(|on| Some(output(on).parent()?.to_path_buf()))
            .collect();
        let incremental = job.incremental.then(|| self.place("incremental", variant));
        let plan = Plan {
            relocation: self.relocation(job),
            rustc: self.captured.rustc(unit),
            emit: job.emit,
            fidelity: self.fidelity,
            addition,
            out_dir: &self.out_dir(variant),
            incremental: incremental.as_deref(),
            dependencies: &dependencies,
            search: &search,
            binaries: &self.binaries(unit, job, progress),
        };
        plan.invocation(unit)
    }

    /// The binaries that a test of the same package may start, by the variable that names them.
    fn binaries(&self, unit: &Unit, job: &Job<'_>, progress: &Progress) -> Vec<(String, PathBuf)> {
        if job.emit == Emit::Metadata {
            return Vec::new();
        }
        let selected = progress
            .selected
            .iter()
            .map(|&at| (at, &self.captured.units[at]));
        selected
            .filter(|(_, other)| other.manifest_dir == unit.manifest_dir && !other.is_test)
            .filter_map(|(at, other)| {
                let variable = format!("CARGO_BIN_EXE_{}", other.binary.as_ref()?);
                unit.env.iter().find(|(name, _)| *name == variable)?;
                let out_dir = self.out_dir(&(at, key(job, &(job.addition)(other))));
                Some((variable, output(other, &out_dir, job.emit)))
            })
            .collect()
    }

    fn executables(&self, job: &Job<'_>, progress: &Progress) -> Vec<Executable> {
        let captured = &self.captured;
        let made = captured.executables.iter().filter_map(|executable| {
            let (_, path) = progress.done.get(&executable.unit)?;
            let unit = &captured.units[executable.unit];
            if !job.emit.links(unit) {
                return None;
            }
            let libraries = transitive(&captured.units, unit)
                .into_iter()
                .filter(|&on| captured.units[on].is_dynamic())
                .filter_map(|on| Some(progress.done.get(&on)?.1.parent()?.to_path_buf()));
            Some(executable.replayed(
                path.clone(),
                &self.relocation(job),
                self.binaries(unit, job, progress),
                libraries.collect(),
            ))
        });
        made.collect()
    }

    fn relocation<'a>(&'a self, job: &Job<'a>) -> Relocation<'a> {
        Relocation {
            from: &self.captured.root,
            to: job.tree,
            fixed: &self.captured.target_dir,
        }
    }

    fn out_dir(&self, variant: &Variant) -> PathBuf {
        self.place("out", variant)
    }

    fn place(&self, what: &str, (at, key): &Variant) -> PathBuf {
        let name = &self.captured.units[*at].crate_name;
        self.directory.join(what).join(format!("{at}-{name}-{key}"))
    }
}

impl Built {
    fn holds(&self, invocation: &Invocation, linked: &[u64]) -> bool {
        // Without dep-info there is no telling what has changed.
        self.read.is_some()
            && self.invocation == *invocation
            && self.linked == linked
            && self.inputs.iter().all(|(path, hash)| digest(path) == *hash)
    }
}

impl Progress {
    fn linked(&self, unit: &Unit) -> Vec<u64> {
        let dependencies = unit.dependencies.iter();
        dependencies
            .filter_map(|on| Some(self.done.get(on)?.0))
            .collect()
    }
}

/// What is wanted, and what that depends on, except for host units nobody asked for.
fn select(units: &[Unit], wanted: Wanted<'_>) -> BTreeSet<usize> {
    let (mut open, named): (Vec<usize>, BTreeSet<usize>) = match wanted {
        Wanted::All => (
            (0..units.len()).filter(|&at| !units[at].host).collect(),
            BTreeSet::new(),
        ),
        Wanted::Units(wanted) => (wanted.to_vec(), wanted.iter().copied().collect()),
    };
    let mut selected = BTreeSet::new();
    while let Some(at) = open.pop() {
        if selected.insert(at) {
            let dependencies = units[at].dependencies.iter().copied();
            open.extend(dependencies.filter(|on| named.contains(on) || !units[*on].host));
        }
    }
    selected
}

/// All that a unit depends on, at any distance.
fn transitive(units: &[Unit], unit: &Unit) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut open = unit.dependencies.clone();
    while let Some(on) = open.pop() {
        if found.insert(on) {
            open.extend(&units[on].dependencies);
        }
    }
    found
}

/// Tells variants apart, in few enough characters for a file name.
///
/// The emit kind is in it because rustc throws an incremental cache away whose outputs were of another kind.
fn key(job: &Job<'_>, addition: &Addition) -> String {
    let all = format!(
        "{:?} {} {addition:?} {:?}",
        job.emit, job.incremental, job.tree
    );
    blake3::hash(all.as_bytes()).to_hex()[..16].to_string()
}

/// Where rustc puts what a unit is compiled to.
fn output(unit: &Unit, out_dir: &Path, emit: Emit) -> PathBuf {
    let is = |kinds: &[&str]| {
        let mut own = unit.crate_types.iter();
        own.any(|kind| kinds.contains(&kind.as_str()))
    };
    let library = format!("lib{}{}", unit.crate_name, unit.extra_filename);
    out_dir.join(if !emit.links(unit) {
        format!("{library}.rmeta")
    } else if unit.is_executable() {
        format!("{}{}", unit.output_stem(), std::env::consts::EXE_SUFFIX)
    } else if is(&["lib", "rlib"]) {
        format!("{library}.rlib")
    } else if is(&["dylib", "proc-macro", "cdylib"]) {
        format!("{library}{}", std::env::consts::DLL_SUFFIX)
    } else {
        format!("{library}.a")
    })
}

fn read_files(unit: &Unit, out_dir: &Path, cwd: &Path) -> Option<DepInfo> {
    let name = format!("{}{}.d", unit.crate_name, unit.extra_filename);
    dep_info(&out_dir.join(name), cwd).ok()
}

/// What would make a compilation come out differently, besides its command line and its dependencies.
fn inputs(read: Option<&DepInfo>, addition: &Addition) -> Vec<(PathBuf, Option<blake3::Hash>)> {
    let read = read.into_iter().flat_map(|read| &read.files);
    let given = addition
        .externs
        .iter()
        .filter_map(|external| external.path.as_ref());
    let paths = read.chain(given);
    paths.map(|path| (path.clone(), digest(path))).collect()
}

fn digest(path: &Path) -> Option<blake3::Hash> {
    fs::read(path).ok().map(|contents| blake3::hash(&contents))
}

/// Makes the directory if it is not there, and removes all that is in it.
fn empty(directory: &Path) -> Result<(), BuildError> {
    match fs::remove_dir_all(directory) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(BuildError::file("emptying", directory)(error));
        }
        _ => {}
    }
    fs::create_dir_all(directory).map_err(BuildError::file("creating", directory))
}

fn canonical(path: &Path) -> Result<PathBuf, BuildError> {
    path.canonicalize()
        .map_err(BuildError::file("finding", path))
}

impl DepInfo {
    fn within(&self, tree: &Path) -> DepInfo {
        let files = self.files.iter();
        DepInfo {
            files: files.map(|file| within(file, tree, tree)).collect(),
            env: self.env.clone(),
        }
    }
}
