//! A copy of a test project in a directory of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use super::reduction::{Reduction, without_our_cargo};
use super::tree;

/// Where the projects lie.
pub fn test_projects() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("test-projects")
}

/// A copy of a test project, with room for temporary files and results beside it. There is a space in every path.
#[derive(Debug)]
pub struct Project {
    scratch: Arc<TempDir>,
    path: PathBuf,
}

impl Project {
    /// A copy of `test-projects/NAME`, a directory or a file.
    pub fn copy_of(name: &str) -> Project {
        let from = test_projects().join(name);
        let file_name = from.file_name().expect("a project has a name").to_owned();
        let project = Project::empty(&file_name.to_string_lossy());
        if from.is_dir() {
            tree::copy(&from, &project.path);
            // Copies of projects that are tried by hand have one, fresh clones do not.
            if !name.starts_with("ledger") {
                let _ = fs::remove_file(project.path.join("Cargo.lock"));
            }
        } else {
            fs::copy(&from, &project.path).expect("the file can be copied");
        }
        project
    }

    /// A package with nothing but this `src/lib.rs`.
    pub fn package(name: &str, lib: &str) -> Project {
        let project = Project::empty(name);
        project.write(
            "Cargo.toml",
            &format!("[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[workspace]\n"),
        );
        project.write("src/lib.rs", lib);
        project
    }

    /// A single file.
    pub fn file(name: &str, text: &str) -> Project {
        let project = Project::empty(name);
        fs::write(&project.path, text).expect("the file can be written");
        project
    }

    /// A name in an empty directory.
    pub fn empty(name: &str) -> Project {
        let base = Path::new(env!("CARGO_TARGET_TMPDIR"));
        remove_old(base);
        let scratch = tempfile::Builder::new()
            .prefix("reduce a copy ")
            .tempdir_in(base)
            .expect("a directory can be made in target");
        for folder in ["project", "tmp", "target"] {
            fs::create_dir(scratch.path().join(folder)).expect("a new directory is empty");
        }
        let path = scratch.path().join("project").join(name);
        Project {
            scratch: Arc::new(scratch),
            path,
        }
    }

    /// What keeps the project and its results on disk.
    pub fn scratch(&self) -> Arc<TempDir> {
        Arc::clone(&self.scratch)
    }

    /// The copied directory or file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its manifest.
    pub fn manifest(&self) -> PathBuf {
        self.path.join("Cargo.toml")
    }

    /// What temporary files of a run go to.
    pub fn tmp(&self) -> PathBuf {
        self.scratch.path().join("tmp")
    }

    /// Where results go if a test does not say otherwise.
    pub fn output(&self) -> PathBuf {
        self.scratch.path().join("result")
    }

    /// The directory that holds the project and nothing else.
    pub fn around(&self) -> PathBuf {
        self.scratch.path().join("project")
    }

    /// Writes a file of the project.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.path.join(name);
        let folder = path.parent().expect("a file lies in a directory");
        fs::create_dir_all(folder).expect("the directory can be made");
        fs::write(path, text).expect("the file can be written");
    }

    /// Replaces the one place in a file where `from` stands.
    pub fn replace(&self, name: &str, from: &str, to: &str) {
        let path = self.path.join(name);
        let text = fs::read_to_string(&path).expect("the file can be read");
        assert_eq!(text.matches(from).count(), 1, "`{from}` in {name}");
        fs::write(path, text.replace(from, to)).expect("the file can be written");
    }

    /// A reduction of the package, to be given arguments.
    pub fn reduce<const N: usize>(&self, arguments: [&str; N]) -> Reduction<'_> {
        Reduction::new(self)
            .arg("--manifest-path")
            .arg(self.manifest())
            .args(arguments)
    }

    /// A reduction of the file as a compiler crash.
    pub fn reduce_crash<const N: usize>(&self, arguments: [&str; N]) -> Reduction<'_> {
        Reduction::new(self)
            .arg("--ice")
            .arg(&self.path)
            .args(arguments)
    }

    /// What plain cargo prints about a copy of `package`, and whether it succeeds: the judge that the program cannot talk to.
    pub fn cargo(&self, package: &Path, arguments: &[&str]) -> (bool, String) {
        let copy = tempfile::tempdir_in(self.scratch.path()).expect("a directory can be made");
        tree::copy(package, copy.path());
        run(self.cargo_in(copy.path()).args(arguments))
    }

    /// Whether plain cargo, with a copy of `package` built, is not done after so long.
    #[track_caller]
    pub fn cargo_still_runs_after(
        &self,
        package: &Path,
        arguments: &[&str],
        time: Duration,
    ) -> bool {
        let copy = tempfile::tempdir_in(self.scratch.path()).expect("a directory can be made");
        tree::copy(package, copy.path());
        let mut build = self.cargo_in(copy.path());
        let (built, text) = run(build.args(arguments).arg("--no-run"));
        assert!(built, "{text}");

        let mut command = self.cargo_in(copy.path());
        command
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().expect("cargo can be started");
        std::thread::sleep(time);
        let runs = child
            .try_wait()
            .expect("a child can be waited for")
            .is_none();
        #[cfg(unix)]
        super::processes::kill_group(&child);
        #[cfg(not(unix))]
        child.kill().expect("a child can be killed");
        child.wait().expect("a child can be waited for");
        runs
    }

    fn cargo_in(&self, directory: &Path) -> Command {
        let mut command = Command::new("cargo");
        without_our_cargo(&mut command);
        command
            .current_dir(directory)
            .env("CARGO_TARGET_DIR", self.scratch.path().join("target"))
            .stdin(Stdio::null());
        command
    }
}

/// Both outputs of a command that is expected to end, and whether it succeeded.
pub fn run(command: &mut Command) -> (bool, String) {
    let output = command.output().expect("the command can be run");
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.success(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

/// What statics keep is not removed at the end of a test run, so the next one does it.
fn remove_old(base: &Path) {
    let Ok(entries) = fs::read_dir(base) else {
        return;
    };
    for entry in entries.flatten() {
        let age = entry
            .metadata()
            .and_then(|meta| meta.modified())
            .ok()
            .and_then(|time| SystemTime::now().duration_since(time).ok());
        let ours = entry
            .file_name()
            .to_string_lossy()
            .starts_with("reduce a copy ");
        if ours && age.is_some_and(|age| age > Duration::from_secs(3 * 3600)) {
            // Another test process may be at it too.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
