//! A package made ready: found, copied to the scratch directory, built once by cargo with every rustc
//! call taken down.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use cargo_metadata::{Metadata, MetadataCommand};

use super::scratch::Scratch;
use crate::build::{self, Captured, CargoCall, ExecutableKind, Unit};
use crate::exec::{self, Cancel, Ending, Invocation, Limits};
use crate::passes::{Conditions, Holds};
use crate::paths::{normal, parent};
use crate::property::replayed;
use crate::report::{Event, Failure, Observer};
use crate::request::{CargoSelection, Request, TestTarget};
use crate::subject::place::Place;
use crate::subject::{Joint, Subject, copy};

/// Time that cargo may take: it builds all dependencies in it.
const BUILD_TIME: Duration = Duration::from_secs(3600);

/// The user's package and a copy of it.
pub struct Package {
    /// All files of the copy.
    pub subject: Subject,
    /// The scratch directory.
    pub scratch: Scratch,
    /// Where the copy of the workspace's manifest lies, relative to the copy's root.
    pub workspace: PathBuf,
    /// Where the package's manifest lies, relative to the copy's root.
    pub package: PathBuf,
    /// The package's name and version.
    pub title: String,
    /// The package's name.
    pub name: String,
    /// What cargo knows of it.
    pub metadata: Metadata,
    /// What the copy is a copy of; only read.
    pub users_root: PathBuf,
    /// What cargo may use when a build is taken down.
    pub limits: Limits,
    users_target: PathBuf,
}

impl Package {
    /// Where the copy lies.
    pub fn tree(&self) -> PathBuf {
        self.scratch.path().join("tree")
    }

    /// Where cargo builds.
    pub fn target(&self) -> PathBuf {
        self.scratch.path().join("target")
    }

    /// The user's own target directory.
    pub fn users_target(&self) -> PathBuf {
        self.users_target.clone()
    }

    /// Finds and copies the package that `request` names.
    ///
    /// # Errors
    ///
    /// When there is none, or it cannot be read.
    pub fn copied(
        request: &Request,
        observer: &mut dyn Observer,
        cancel: &Cancel,
    ) -> Result<Package, Failure> {
        let selection = &request.cargo;
        let scratch = Scratch::new()?;
        let manifest = located(selection, false, cancel)?;
        let workspace_manifest = located(selection, true, cancel)?;
        let workspace = parent(&workspace_manifest);
        let (root, directories) = directories(&workspace);
        observer.event(&Event::Step {
            verb: "Copying",
            what: &workspace.display().to_string(),
        });
        let mut without: Vec<PathBuf> = request
            .output
            .iter()
            .filter_map(|output| std::path::absolute(output).ok())
            .collect();
        without.extend(
            std::env::var_os("CARGO_TARGET_DIR")
                .and_then(|target| std::path::absolute(target).ok()),
        );
        let unreadable = |(path, error)| Failure::io("reading", path)(error);
        let relative = |path: &Path| {
            path.strip_prefix(&root)
                .map(Path::to_path_buf)
                .unwrap_or_default()
        };
        let mut paths = Vec::new();
        for directory in &directories {
            let inside = relative(directory);
            let files = copy::list(directory, &without).map_err(unreadable)?;
            paths.extend(files.into_iter().map(|file| inside.join(file)));
        }
        paths.sort();
        let subject = copy::read(&root, &paths).map_err(unreadable)?;
        if let Some(broken) = subject
            .files()
            .iter()
            .find(|file| file.is_rust() && file.exists() && file.text().is_none())
        {
            let bytes = broken.bytes().unwrap_or_default();
            let offset = std::str::from_utf8(bytes)
                .err()
                .map_or(0, |error| error.valid_up_to());
            let keeps = super::Scope::new(&request.keep, &[])
                .is_ok_and(|scope| !scope.allows(&broken.path));
            if !keeps {
                return Err(Failure::NotUtf8 {
                    path: root.join(&broken.path),
                    offset,
                });
            }
        }
        let tree = scratch.path().join("tree");
        Place::new(&tree)
            .put(&subject)
            .map_err(Failure::io("copying to", &tree))?;
        let package_dir = relative(&parent(&manifest));
        let metadata = metadata(
            selection,
            &tree.join(&package_dir).join("Cargo.toml"),
            &manifest,
        )?;
        let package = chosen(&metadata, selection, &tree.join(&package_dir), &manifest)?;
        let package_dir = package
            .manifest_path
            .parent()
            .and_then(|parent| parent.as_std_path().strip_prefix(&tree).ok())
            .map(Path::to_path_buf)
            .unwrap_or(package_dir);
        let title = format!("{} v{}", package.name, package.version);
        let name = package.name.to_string();
        // The user's own target directory: where cargo would build in the user's tree.
        let target = metadata.target_directory.as_std_path();
        let users = target
            .strip_prefix(&tree)
            .map_or(target.to_path_buf(), |relative| root.join(relative));
        let of_the_workspace = metadata.packages.iter();
        let own = of_the_workspace
            .filter(|package| package.source.is_none())
            .map(|package| package.name.as_str())
            .collect();
        copy::built_dependencies(&users, &scratch.path().join("target"), &own);
        Ok(Package {
            workspace: relative(&workspace),
            package: package_dir,
            subject,
            scratch,
            title,
            name,
            metadata,
            users_root: root,
            limits: limits(BUILD_TIME),
            users_target: users,
        })
    }

    /// A cargo call on the copy, with the user's selection.
    pub fn cargo(&self, selection: &CargoSelection, subcommand: &str) -> CargoCall {
        let cwd = self.tree().join(&self.package);
        let mut call = CargoCall::new(
            subcommand,
            selection.toolchain.as_deref(),
            cwd,
            self.target(),
        );
        call.env
            .push(("TMPDIR".into(), Some(self.scratch.temporary().into())));
        call.flags(selection_flags(selection))
    }

    /// Makes the copy hold `subject` and takes the build down anew.
    ///
    /// # Errors
    ///
    /// As for [`capture`](Self::capture), and when the copy cannot be written.
    pub fn recapture(
        &self,
        subject: &Subject,
        call: &CargoCall,
        observer: &mut dyn Observer,
        cancel: &Cancel,
    ) -> Result<Captured, Failure> {
        let tree = self.tree();
        let mut place = Place::holding(&tree, self.subject.clone());
        place
            .put(subject)
            .map_err(Failure::io("writing to", &tree))?;
        self.capture(call, observer, cancel)
    }

    /// Makes the copy hold `subject` instead, for good.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn change_to(&mut self, subject: Subject) -> Result<(), Failure> {
        let tree = self.tree();
        Place::holding(&tree, self.subject.clone())
            .put(&subject)
            .map_err(Failure::io("writing to", &tree))?;
        self.subject = subject;
        Ok(())
    }

    /// Builds by cargo, taking down every rustc call on a crate of the package or its workspace.
    ///
    /// # Errors
    ///
    /// When cargo cannot be run. That the build fails is no error.
    pub fn capture(
        &self,
        call: &CargoCall,
        observer: &mut dyn Observer,
        cancel: &Cancel,
    ) -> Result<Captured, Failure> {
        observer.event(&Event::Step {
            verb: "Building",
            what: &self.title,
        });
        let own: Vec<PathBuf> = self
            .metadata
            .packages
            .iter()
            .filter(|package| package.source.is_none())
            .filter_map(|package| Some(package.manifest_path.parent()?.as_std_path().to_path_buf()))
            .collect();
        let subject = build::Subject {
            root: self.tree(),
            own,
        };
        let wrapper =
            std::env::current_exe().map_err(Failure::io("finding", "our own executable"))?;
        let captured = build::capture(call, &subject, &wrapper, &self.limits, cancel)
            .map_err(replayed::failure)?;
        if captured.outcome.ending == Ending::Cancelled {
            return Err(Failure::Interrupted);
        }
        Ok(captured)
    }

    /// What holds in the crates that `units` compile, by file.
    pub fn conditions(&self, captured: &Captured, units: &[usize]) -> Conditions {
        let mut conditions = Conditions::default();
        for at in units {
            let unit = &captured.units[*at];
            let known = captured
                .toolchain
                .as_ref()
                .and_then(|toolchain| toolchain.cfg(unit).ok());
            // A unit of which nothing is known makes nothing certain: its files get no entry from it,
            // and those of no other unit are read by it alone.
            let Some(known) = known else { continue };
            let holds: Holds = known.into_iter().map(|cfg| (cfg.name, cfg.value)).collect();
            let Ok(read) = build::dep_info(&unit.dep_info_path(), &unit.cwd) else {
                continue;
            };
            for file in read
                .files
                .iter()
                .filter_map(|file| file.strip_prefix(&captured.root).ok())
            {
                if let Some(id) = self.subject.find(&normal(file)) {
                    conditions.add(id, &holds);
                }
            }
        }
        conditions
    }

    /// The libraries among `units` that can go into the crate that is compiled last, those first that others
    /// do not use.
    pub fn joints(&self, captured: &Captured, units: &[usize]) -> Vec<Joint> {
        let Some((last, others)) = units.split_last() else {
            return Vec::new();
        };
        let root = |unit: &Unit| {
            let source = unit.source.strip_prefix(&captured.root).ok()?;
            self.subject.find(source)
        };
        let user = &captured.units[*last];
        let Some(into) = root(user) else {
            return Vec::new();
        };
        let joint = |at: &usize| {
            let unit = &captured.units[*at];
            let stem = format!("lib{}{}", unit.crate_name, unit.extra_filename);
            let mut names: Vec<String> = units
                .iter()
                .flat_map(|other| &captured.units[*other].externs)
                .filter(|given| {
                    let path = given.path.as_ref().and_then(|path| path.file_stem());
                    path.is_some_and(|path| path == &*stem)
                })
                .map(|given| given.name.clone())
                .collect();
            names.sort();
            names.dedup();
            // Its own name is what its macros and its author know it by.
            names.sort_by_key(|name| *name != unit.crate_name);
            let is_library = unit.crate_types.iter().any(|kind| kind.ends_with("lib"));
            Some(Joint {
                library: root(unit)?,
                names,
                from_root: unit.edition == "2015",
                into,
                into_from_root: user.edition == "2015",
                cfgs: unit.cfgs.clone(),
            })
            .filter(|joint| is_library && !joint.names.is_empty())
        };
        others.iter().rev().filter_map(joint).collect()
    }

    /// The files that `units` read, and what every build needs: manifests of the packages they
    /// belong to, the lock file, cargo's and rustup's configuration.
    pub fn needed(&self, captured: &Captured, units: &[usize]) -> BTreeSet<PathBuf> {
        let tree = &captured.root;
        let mut needed = BTreeSet::new();
        let mut directories: HashSet<PathBuf> =
            HashSet::from([self.workspace.clone(), self.package.clone()]);
        for at in units {
            let unit = &captured.units[*at];
            if let Ok(relative) = unit.manifest_dir.strip_prefix(tree) {
                directories.insert(relative.to_path_buf());
            }
            if let Ok(read) = build::dep_info(&unit.dep_info_path(), &unit.cwd) {
                let files = read
                    .files
                    .iter()
                    .filter_map(|file| file.strip_prefix(tree).ok());
                needed.extend(files.map(normal));
            }
            if let Ok(source) = unit.source.strip_prefix(tree) {
                needed.insert(source.to_path_buf());
            }
        }
        for directory in directories {
            needed.insert(directory.join("Cargo.toml"));
        }
        for name in [
            "Cargo.lock",
            ".cargo/config.toml",
            ".cargo/config",
            "rust-toolchain",
            "rust-toolchain.toml",
        ] {
            needed.insert(self.workspace.join(name));
            needed.insert(self.package.join(name));
        }
        needed
    }
}

/// Limits for a process whose output we read.
pub fn limits(timeout: Duration) -> Limits {
    Limits {
        timeout,
        busy: None,
        output_bytes: 1 << 22,
        memory_bytes: None,
        writable: None,
    }
}

/// Cargo's selection flags, as the user gave them.
pub fn selection_flags(selection: &CargoSelection) -> Vec<OsString> {
    let mut flags: Vec<OsString> = Vec::new();
    for feature in &selection.features {
        flags.extend(["--features".into(), feature.into()]);
    }
    let switches = [
        (selection.no_default_features, "--no-default-features"),
        (selection.all_features, "--all-features"),
        (selection.offline, "--offline"),
        (selection.locked, "--locked"),
    ];
    flags.extend(
        switches
            .iter()
            .filter(|(set, _)| *set)
            .map(|(_, flag)| OsString::from(flag)),
    );
    for (name, value) in [
        ("--profile", &selection.profile),
        ("--target", &selection.target),
    ] {
        if let Some(value) = value {
            flags.extend([name.into(), value.into()]);
        }
    }
    for package in &selection.packages {
        flags.extend(["-p".into(), package.into()]);
    }
    flags
}

/// The flags that choose `target`.
pub fn target_flags(target: &TestTarget) -> Vec<OsString> {
    match target {
        TestTarget::Test(name) => vec!["--test".into(), name.into()],
        TestTarget::Lib => vec!["--lib".into()],
        TestTarget::Bin(name) => vec!["--bin".into(), name.into()],
        TestTarget::Example(name) => vec!["--example".into(), name.into()],
        TestTarget::Bench(name) => vec!["--bench".into(), name.into()],
        TestTarget::Doc => vec!["--doc".into()],
        TestTarget::Any => Vec::new(),
    }
}

/// The kind of executable that `target` is built to by `cargo test`; `None`: any.
pub fn executable_kind(target: &TestTarget) -> Option<ExecutableKind> {
    match target {
        TestTarget::Test(_) => Some(ExecutableKind::Test),
        TestTarget::Lib => Some(ExecutableKind::LibTest),
        TestTarget::Bin(_) => Some(ExecutableKind::BinTest),
        TestTarget::Example(_) | TestTarget::Bench(_) => Some(ExecutableKind::OtherTest),
        TestTarget::Doc | TestTarget::Any => None,
    }
}

/// The manifest that cargo would use, or that of its workspace, without cargo writing anything.
fn located(
    selection: &CargoSelection,
    workspace: bool,
    cancel: &Cancel,
) -> Result<PathBuf, Failure> {
    let here = std::env::current_dir().map_err(Failure::io("finding", "."))?;
    let mut args: Vec<OsString> = Vec::new();
    args.extend(
        selection
            .toolchain
            .iter()
            .map(|toolchain| format!("+{toolchain}").into()),
    );
    args.extend([
        "locate-project".into(),
        "--message-format".into(),
        "plain".into(),
    ]);
    if workspace {
        args.push("--workspace".into());
    }
    if let Some(manifest) = &selection.manifest_path {
        if !manifest.exists() {
            return Err(Failure::NoSuchFile {
                path: manifest.clone(),
            });
        }
        args.extend(["--manifest-path".into(), manifest.into()]);
    }
    let running = std::env::var_os("CARGO").filter(|_| selection.toolchain.is_none());
    let invocation = Invocation {
        program: running.map_or_else(|| "cargo".into(), PathBuf::from),
        args,
        env: Vec::new(),
        cwd: here.clone(),
    };
    let outcome =
        exec::run(&invocation, &limits(Duration::from_secs(60)), cancel).map_err(|error| {
            Failure::NoToolchain {
                command: "cargo locate-project".into(),
                why: error.to_string(),
            }
        })?;
    let stderr = String::from_utf8_lossy(&outcome.stderr).into_owned();
    if !outcome.success() {
        if stderr.contains("could not find `Cargo.toml`") {
            return Err(Failure::NoManifest { searched: here });
        }
        if stderr.contains("is not installed")
            || stderr.contains("toolchain") && stderr.contains("rustup")
        {
            return Err(Failure::NoToolchain {
                command: "cargo".into(),
                why: stderr.trim().to_string(),
            });
        }
        let manifest = selection
            .manifest_path
            .clone()
            .unwrap_or_else(|| here.join("Cargo.toml"));
        return Err(Failure::BrokenManifest {
            manifest,
            output: stderr,
        });
    }
    let path = PathBuf::from(String::from_utf8_lossy(&outcome.stdout).trim());
    Ok(path.canonicalize().unwrap_or(path))
}

/// The innermost directory that holds the workspace and all path dependencies outside of it, and
/// which of the directories below it are theirs.
fn directories(workspace: &Path) -> (PathBuf, Vec<PathBuf>) {
    let mut root = workspace.to_path_buf();
    let mut found = vec![workspace.to_path_buf()];
    let mut open = found.clone();
    let mut seen: HashSet<PathBuf> = HashSet::new();
    while let Some(directory) = open.pop() {
        if !seen.insert(directory.clone()) {
            continue;
        }
        for dependency in path_dependencies(&directory.join("Cargo.toml")) {
            let Ok(dependency) = directory.join(dependency).canonicalize() else {
                continue;
            };
            while !dependency.starts_with(&root) && root.pop() {}
            if !found.iter().any(|known| dependency.starts_with(known)) {
                found.retain(|known| !known.starts_with(&dependency));
                found.push(dependency.clone());
            }
            open.push(dependency);
        }
    }
    (root, found)
}

/// The values of all `path = "…"` in dependency tables, members of the workspace too.
fn path_dependencies(manifest: &Path) -> Vec<String> {
    let Ok(text) = std::fs::read_to_string(manifest) else {
        return Vec::new();
    };
    let Ok(document) = text.parse::<toml_edit::DocumentMut>() else {
        return Vec::new();
    };
    fn collect(item: &toml_edit::Item, dependencies: bool, found: &mut Vec<String>) {
        let Some(table) = item.as_table_like() else {
            return;
        };
        for (key, value) in table.iter() {
            if dependencies && let Some(path) = value.get("path").and_then(|path| path.as_str()) {
                found.push(path.to_string());
            }
            let below = key.ends_with("dependencies") || key == "patch" || key == "replace";
            collect(
                value,
                below || dependencies && value.get("path").is_none(),
                found,
            );
        }
    }
    let mut found = Vec::new();
    collect(document.as_item(), false, &mut found);
    let members = document
        .get("workspace")
        .and_then(|table| table.get("members"))
        .and_then(|list| list.as_array());
    found.extend(
        members
            .into_iter()
            .flatten()
            .filter_map(|member| member.as_str())
            .filter(|m| !m.contains('*'))
            .map(String::from),
    );
    found
}

/// `cargo metadata` on `manifest` with the toolchain that `selection` names, and `more` options.
pub(super) fn metadata_command(
    selection: &CargoSelection,
    manifest: &Path,
    more: &[&str],
) -> MetadataCommand {
    let mut command = MetadataCommand::new();
    command.manifest_path(manifest);
    if let Some(toolchain) = &selection.toolchain {
        command.env("RUSTUP_TOOLCHAIN", toolchain);
        command.cargo_path("cargo");
    }
    let switches = [
        (selection.offline, "--offline"),
        (selection.locked, "--locked"),
    ];
    let given = switches.iter().filter(|(set, _)| *set);
    let options = given.map(|(_, flag)| *flag).chain(more.iter().copied());
    command.other_options(options.map(String::from).collect::<Vec<_>>());
    command
}

fn metadata(
    selection: &CargoSelection,
    manifest: &Path,
    users: &Path,
) -> Result<Metadata, Failure> {
    let mut command = metadata_command(selection, manifest, &[]);
    let broken = |output: String| Failure::BrokenManifest {
        manifest: users.to_path_buf(),
        output,
    };
    match command.exec() {
        Ok(metadata) => Ok(metadata),
        Err(cargo_metadata::Error::CargoMetadata { stderr }) => {
            // What the workspace's own configuration says of registries counts where the workspace is.
            let there = manifest.parent().and_then(|directory| {
                let mut there = command.clone();
                there.current_dir(directory).exec().ok()
            });
            // Without a network the packages alone will do.
            there
                .or_else(|| command.no_deps().exec().ok())
                .ok_or_else(|| broken(stderr))
        }
        Err(cargo_metadata::Error::Io(error)) => Err(Failure::NoToolchain {
            command: "cargo metadata".into(),
            why: error.to_string(),
        }),
        Err(error) => Err(broken(error.to_string())),
    }
}

/// The package that the selection names.
fn chosen<'m>(
    metadata: &'m Metadata,
    selection: &CargoSelection,
    directory: &Path,
    manifest: &Path,
) -> Result<&'m cargo_metadata::Package, Failure> {
    let members = metadata.workspace_packages();
    let available = || {
        members
            .iter()
            .map(|package| package.name.to_string())
            .collect()
    };
    match &selection.packages[..] {
        [] => {
            let here = directory.join("Cargo.toml");
            let own = members
                .iter()
                .find(|package| package.manifest_path.as_std_path() == here);
            match (own, &members[..]) {
                (Some(package), _) => Ok(package),
                (None, [only]) => Ok(only),
                (None, _) => Err(Failure::NoPackageNamed {
                    manifest: manifest.to_path_buf(),
                    available: available(),
                }),
            }
        }
        [wanted, ..] => members
            .iter()
            .find(|package| package.name.as_str() == wanted)
            .copied()
            .ok_or_else(|| Failure::NoSuchPackage {
                wanted: wanted.clone(),
                manifest: manifest.to_path_buf(),
                available: available(),
            }),
    }
}
