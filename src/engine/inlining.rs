//! Dependencies from a registry or a repository as part of the subject: a copy of a package in which each of them that is
//! compiled is a path dependency, whose sources lie beside the package.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::{CargoOpt, Dependency, DependencyKind, Metadata, Package, PackageId};
use toml_edit::{DocumentMut, InlineTable, Item, Value};

use super::package::metadata_command;
use super::store::lying;
use crate::report::Failure;
use crate::request::CargoSelection;
use crate::subject::place::Place;
use crate::subject::{Subject, copy};

/// In the copy: what was there before.
const TREE: &str = "tree";

/// In the copy: the dependencies.
const DEPENDENCIES: &str = "dependencies";

/// What says in a dependency's entry where it came from.
const ORIGINS: [&str; 6] = ["git", "branch", "tag", "rev", "registry", "registry-index"];

/// A copy of a package with its dependencies beside it.
#[derive(Debug)]
pub struct Beside {
    /// The package's manifest in it.
    pub manifest: PathBuf,
    /// Names and versions of the dependencies, sorted.
    pub dependencies: Vec<String>,
}

impl Beside {
    /// Makes the copy of `subject`, whose package has its manifest's directory at `package`, in `directory`, which is ours.
    /// `host` is the target that it is compiled for. `None` if nothing can be put beside it: there are no dependencies but
    /// procedural macros, or cargo does not say which.
    ///
    /// # Errors
    ///
    /// When the copy cannot be written.
    pub fn new(
        subject: &Subject,
        package: &Path,
        selection: &CargoSelection,
        host: Option<&str>,
        directory: &Path,
    ) -> Result<Option<Beside>, Failure> {
        let tree = directory.join(TREE);
        Place::new(&tree)
            .put(subject)
            .map_err(Failure::io("copying to", &tree))?;
        let manifest = tree.join(package).join("Cargo.toml");
        let Some(metadata) = metadata(selection, host, &manifest) else {
            return Ok(None);
        };
        let graph = Graph::of(&metadata);
        let wanted = graph.wanted();
        if wanted.is_empty() {
            return Ok(None);
        }
        let places: HashMap<&PackageId, PathBuf> = wanted
            .iter()
            .map(|package| {
                let name = format!("{}-{}", package.name, package.version);
                (&package.id, directory.join(DEPENDENCIES).join(name))
            })
            .collect();
        for package in &wanted {
            copied(package, &places[&package.id])?;
        }
        let mut of_workspace = BTreeMap::new();
        for package in &metadata.packages {
            let own = package.source.is_none();
            let manifest = match places.get(&package.id) {
                Some(place) => place.join("Cargo.toml"),
                None if own => package.manifest_path.clone().into_std_path_buf(),
                None => continue,
            };
            let keys = graph.keys(package, &places);
            if own {
                of_workspace.extend(keys.clone());
            }
            rewritten(&manifest, &keys, directory)?;
        }
        let workspace = metadata.workspace_root.as_std_path().join("Cargo.toml");
        rewritten(&workspace, &of_workspace, directory)?;
        let mut dependencies: Vec<String> = wanted
            .iter()
            .map(|package| format!("{} v{}", package.name, package.version))
            .collect();
        dependencies.sort();
        Ok(Some(Beside {
            manifest,
            dependencies,
        }))
    }

    /// What a reduction of the copy of `subject` came to, which lies at `reduced`, as a version of the subject itself: if nothing
    /// of what lay beside it is needed any more.
    pub fn taken_in(reduced: &Path, subject: &Subject) -> Option<Subject> {
        let paths = copy::list(reduced, &[]).ok()?;
        let known = |path: &PathBuf| {
            let path = path.strip_prefix(TREE).ok();
            path.is_some_and(|path| subject.find(path).is_some())
        };
        let all_known = paths.iter().all(known);
        all_known.then(|| lying(&reduced.join(TREE), subject))?
    }
}

/// What cargo says of a package and of what it depends on.
fn metadata(selection: &CargoSelection, host: Option<&str>, manifest: &Path) -> Option<Metadata> {
    // The lock file has these packages from where they came.
    let unlocked = CargoSelection {
        locked: false,
        ..selection.clone()
    };
    let target = selection.target.as_deref().or(host);
    let platform = target.map(|target| ["--filter-platform", target]);
    let mut command = metadata_command(&unlocked, manifest, platform.as_ref().map_or(&[], |it| it));
    if let Some(directory) = manifest.parent() {
        // The package's own configuration may say where a registry is.
        command.current_dir(directory);
    }
    if selection.all_features {
        command.features(CargoOpt::AllFeatures);
    }
    if selection.no_default_features {
        command.features(CargoOpt::NoDefaultFeatures);
    }
    if !selection.features.is_empty() {
        command.features(CargoOpt::SomeFeatures(selection.features.clone()));
    }
    // Whatever is wrong with it, the package stays as it is then.
    command.exec().ok()
}

/// Which package depends on which.
struct Graph<'m> {
    packages: HashMap<&'m PackageId, &'m Package>,
    /// What is compiled for the target, by what needs it.
    edges: HashMap<&'m PackageId, Vec<&'m PackageId>>,
}

impl<'m> Graph<'m> {
    fn of(metadata: &'m Metadata) -> Graph<'m> {
        let packages: HashMap<_, _> = metadata
            .packages
            .iter()
            .map(|package| (&package.id, package))
            .collect();
        let own = |id| {
            packages
                .get(id)
                .is_some_and(|package| package.source.is_none())
        };
        let nodes = metadata.resolve.iter().flat_map(|resolve| &resolve.nodes);
        let edges = nodes
            .map(|node| {
                let compiled = |kind| match kind {
                    DependencyKind::Normal => true,
                    DependencyKind::Development => own(&node.id),
                    _ => false,
                };
                let needed = node
                    .deps
                    .iter()
                    .filter(|needed| needed.dep_kinds.iter().any(|info| compiled(info.kind)))
                    .map(|needed| &needed.pkg);
                (&node.id, needed.collect())
            })
            .collect();
        Graph { packages, edges }
    }

    /// The packages from elsewhere that can be compiled as part of a subject: all but procedural macros, which are run, and
    /// what these alone need.
    fn wanted(&self) -> Vec<&'m Package> {
        let own = self
            .packages
            .values()
            .filter(|package| package.source.is_none());
        let mut open: VecDeque<&PackageId> = own.map(|package| &package.id).collect();
        let mut found: BTreeMap<&PackageId, &Package> = BTreeMap::new();
        while let Some(id) = open.pop_front() {
            for needed in self.edges.get(id).into_iter().flatten() {
                let Some(package) = self.packages.get(needed) else {
                    continue;
                };
                let compiled = package.source.is_some()
                    && !package.targets.iter().any(|target| target.is_proc_macro());
                if compiled && found.insert(needed, package).is_none() {
                    open.push_back(needed);
                }
            }
        }
        found.into_values().collect()
    }

    /// The keys of `package`'s dependency tables that are to lead to `places`.
    fn keys(
        &self,
        package: &Package,
        places: &HashMap<&PackageId, PathBuf>,
    ) -> BTreeMap<String, PathBuf> {
        let needed: Vec<&Package> = self
            .edges
            .get(&package.id)
            .into_iter()
            .flatten()
            .filter_map(|id| self.packages.get(id).copied())
            .collect();
        let place = |dependency: &Dependency| {
            let package = needed.iter().find(|package| {
                package.name.as_str() == dependency.name && dependency.req.matches(&package.version)
            })?;
            places.get(&package.id).cloned()
        };
        package
            .dependencies
            .iter()
            .filter(|dependency| dependency.path.is_none())
            .filter_map(|dependency| {
                let key = dependency.rename.as_ref().unwrap_or(&dependency.name);
                Some((key.clone(), place(dependency)?))
            })
            .collect()
    }
}

/// Puts the sources of `package` at `place`.
fn copied(package: &Package, place: &Path) -> Result<(), Failure> {
    let unreadable = |(path, error)| Failure::io("reading", path)(error);
    let from = package
        .manifest_path
        .parent()
        .map_or(Path::new(""), |parent| parent.as_std_path());
    let files = copy::list(from, &[]).map_err(unreadable)?;
    let sources = copy::read(from, &files).map_err(unreadable)?;
    Place::new(place)
        .put(&sources)
        .map_err(Failure::io("copying to", place))
}

/// Makes the dependencies `keys` of a manifest lead to the places there, all of them below `directory`.
fn rewritten(
    manifest: &Path,
    keys: &BTreeMap<String, PathBuf>,
    directory: &Path,
) -> Result<(), Failure> {
    // A manifest that cargo took and toml_edit does not is left alone: the build will tell.
    let text = fs::read_to_string(manifest).map_err(Failure::io("reading", manifest))?;
    let Ok(mut document) = text.parse::<DocumentMut>() else {
        return Ok(());
    };
    let below = manifest
        .parent()
        .and_then(|parent| parent.strip_prefix(directory).ok());
    let up: PathBuf = below
        .into_iter()
        .flat_map(Path::components)
        .map(|_| "..")
        .collect();
    let paths: BTreeMap<&str, String> = keys
        .iter()
        .filter_map(|(key, place)| {
            let path = up.join(place.strip_prefix(directory).ok()?);
            Some((key.as_str(), path.to_str()?.replace('\\', "/")))
        })
        .collect();
    lead(document.as_item_mut(), &paths);
    fs::write(manifest, document.to_string()).map_err(Failure::io("writing", manifest))
}

/// Makes the entries `paths` of the tables of dependencies in `item` lead to what they name there. `patch` and `replace` are about
/// what nobody asks for any more, and what a build script needs is run.
fn lead(item: &mut Item, paths: &BTreeMap<&str, String>) {
    let Some(table) = item.as_table_like_mut() else {
        return;
    };
    for (key, value) in table.iter_mut() {
        match key.get() {
            "dependencies" | "dev-dependencies" => {
                for (name, path) in paths {
                    if let Some(entry) = value.get_mut(name) {
                        lead_to(entry, path);
                    }
                }
            }
            "workspace" => lead(value, paths),
            "target" => {
                let platforms = value.as_table_like_mut().into_iter();
                for (_, platform) in platforms.flat_map(|table| table.iter_mut()) {
                    lead(platform, paths);
                }
            }
            _ => {}
        }
    }
}

/// Makes the dependency `entry` lead to `path`, unless it is inherited.
fn lead_to(entry: &mut Item, path: &str) {
    if entry.get("workspace").is_some() {
        return;
    }
    if let Some(version) = entry.as_str() {
        let mut table = InlineTable::new();
        table.insert("version", version.into());
        *entry = Item::Value(Value::InlineTable(table));
    }
    if let Some(table) = entry.as_table_like_mut() {
        for origin in ORIGINS {
            table.remove(origin);
        }
        table.insert("path", Item::Value(path.into()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn led(manifest: &str) -> String {
        let mut document: DocumentMut = manifest.parse().expect("it is a manifest");
        let paths = BTreeMap::from([("tray", "../tray-1.2.0".to_string())]);
        lead(document.as_item_mut(), &paths);
        document.to_string()
    }

    #[test]
    fn a_version_becomes_a_path() {
        assert_eq!(
            led("[dependencies]\ntray = \"1\"\nother = \"2\"\n"),
            "[dependencies]\ntray = { version = \"1\", path = \"../tray-1.2.0\" }\nother = \"2\"\n"
        );
    }

    #[test]
    fn features_and_names_stay_and_where_it_came_from_goes() {
        assert_eq!(
            led(
                "[dependencies.tray]\ngit = \"https://a.b/c\"\nrev = \"1f\"\npackage = \"trays\"\nfeatures = [\"wide\"]\n"
            ),
            "[dependencies.tray]\npackage = \"trays\"\nfeatures = [\"wide\"]\npath = \"../tray-1.2.0\"\n"
        );
    }

    #[test]
    fn platforms_and_workspaces_have_dependencies_too() {
        let text = led(
            "[target.'cfg(unix)'.dev-dependencies]\ntray = \"1\"\n[workspace.dependencies]\ntray = \"1\"\n[dependencies]\ntray.workspace = true\n",
        );
        assert_eq!(text.matches("path = ").count(), 2, "{text}");
        assert!(text.contains("tray.workspace = true"), "{text}");
    }

    #[test]
    fn what_runs_while_it_is_built_stays_where_it_is() {
        let manifest = "[build-dependencies]\ntray = \"1\"\n";
        assert_eq!(led(manifest), manifest);
    }
}
