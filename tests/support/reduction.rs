//! One run of the program on a project, and what must be true after any.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use super::processes::{self, MARKER};
use super::tree::Tree;
use super::{Project, tokens};

/// How long processes that are being killed may take to be gone. Not a promise that is tested, only patience.
const PATIENCE: Duration = Duration::from_secs(20);

/// A run to be made.
#[derive(Debug)]
pub struct Reduction<'p> {
    project: &'p Project,
    toolchain: Option<String>,
    arguments: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    output: Option<PathBuf>,
    directory: PathBuf,
    marker: String,
}

impl<'p> Reduction<'p> {
    pub fn new(project: &'p Project) -> Self {
        static RUNS: AtomicU64 = AtomicU64::new(0);
        let run = RUNS.fetch_add(1, Ordering::Relaxed);
        Reduction {
            project,
            toolchain: None,
            arguments: Vec::new(),
            environment: Vec::new(),
            output: Some(project.output()),
            directory: project.around(),
            marker: format!("{}-{run}", std::process::id()),
        }
    }

    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    pub fn args<const N: usize>(mut self, arguments: [&str; N]) -> Self {
        self.arguments.extend(arguments.map(OsString::from));
        self
    }

    /// In front of all others: what follows a `--` belongs to somebody else.
    pub fn flag(mut self, flag: &str) -> Self {
        self.arguments.insert(0, flag.into());
        self
    }

    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.environment
            .push((name.into(), value.as_ref().to_owned()));
        self
    }

    /// As `cargo +NAME reduce` does it.
    pub fn toolchain(self, name: &str) -> Self {
        let mut with = self.env("RUSTUP_TOOLCHAIN", name);
        with.toolchain = Some(name.to_owned());
        with
    }

    /// Elsewhere, as it was named on the command line.
    pub fn output(mut self, output: impl Into<PathBuf>) -> Self {
        self.output = Some(output.into());
        self
    }

    /// Started in another directory than the one around the project.
    pub fn in_directory(mut self, directory: &Path) -> Self {
        self.directory = directory.to_path_buf();
        self
    }

    /// Where it goes without `--output`.
    pub fn default_output(mut self) -> Self {
        self.output = None;
        self
    }

    fn output_directory(&self) -> PathBuf {
        self.output.clone().unwrap_or_else(|| {
            // The name below is the program's choice.
            self.project.path().join("target/cargo-reduce")
        })
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-reduce"));
        without_our_cargo(&mut command);
        // As cargo starts its subcommands.
        command.arg("reduce");
        // What follows `--` belongs to others.
        let cut = self.arguments.iter().position(|argument| argument == "--");
        let (ours, theirs) = self.arguments.split_at(cut.unwrap_or(self.arguments.len()));
        command.args(ours);
        if let Some(output) = &self.output {
            command.arg("--output").arg(output);
        }
        command
            .args(theirs)
            .current_dir(&self.directory)
            .env("TMPDIR", self.project.tmp())
            .env(MARKER, &self.marker)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null());
        command
    }

    fn tree(&self) -> Tree {
        let output = self.output_directory();
        Tree::of(&self.project.around(), Some(&output))
    }

    /// Runs it to its end.
    pub fn run(self) -> Outcome {
        self.start().wait()
    }

    /// Starts it in a process group of its own, as a shell does.
    pub fn start(self) -> Running {
        let before = self.tree();
        let mut command = self.command();
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt;
            command.process_group(0);
            // A shell has what it starts in the background ignore Ctrl-C, these tests and all that they start included.
            let heed = || {
                // SAFETY: nothing is allocated or locked between fork and exec.
                unsafe { libc::signal(libc::SIGINT, libc::SIG_DFL) };
                Ok(())
            };
            // SAFETY: as above.
            unsafe { command.pre_exec(heed) };
        }
        let logs =
            tempfile::tempdir_in(self.project.around().parent().expect("it lies in scratch"))
                .expect("a directory can be made");
        let log = |name: &str| fs::File::create(logs.path().join(name)).expect("a log can be made");
        // Into files, so that a run that says much does not wait for somebody to read it.
        let child = command
            .stdout(log("stdout"))
            .stderr(log("stderr"))
            .spawn()
            .expect("the program can be started");
        Running {
            output: self.output_directory(),
            project: self.project.path().to_path_buf(),
            around: self.project.around(),
            tmp: self.project.tmp(),
            marker: self.marker,
            child,
            logs,
            before,
            scratch: self.project.scratch(),
        }
    }
}

/// Takes away what `cargo test` tells a test about the build that it is part of: the program under test is meant to meet
/// the environment of a shell.
pub fn without_our_cargo(command: &mut Command) {
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        let cargos = text.starts_with("CARGO_") && text != "CARGO_HOME";
        let names = [
            "CARGO",
            "RUSTC",
            "RUSTDOC",
            "RUSTFLAGS",
            "RUST_BACKTRACE",
            "RUSTC_ICE",
            "LD_LIBRARY_PATH",
            "DYLD_FALLBACK_LIBRARY_PATH",
        ];
        if cargos || text.starts_with("RUSTC_") || names.contains(&text.as_ref()) {
            command.env_remove(&name);
        }
    }
}

/// A run under way.
#[derive(Debug)]
pub struct Running {
    output: PathBuf,
    project: PathBuf,
    around: PathBuf,
    tmp: PathBuf,
    marker: String,
    child: Child,
    logs: TempDir,
    before: Tree,
    scratch: Arc<TempDir>,
}

impl Running {
    /// Waits until the journal has so many lines, or the run is over; `false` if it is over.
    pub fn until_journal_has(&mut self, lines: usize) -> bool {
        loop {
            let journal = fs::read_to_string(self.output.join("journal.jsonl"));
            if journal.is_ok_and(|text| text.lines().count() >= lines) {
                return true;
            }
            if self
                .child
                .try_wait()
                .expect("a child can be waited for")
                .is_some()
            {
                return false;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Ctrl-C.
    #[cfg(unix)]
    pub fn interrupt(&self) {
        processes::interrupt(&self.child);
    }

    /// `kill -9`, and what is left of the run a moment later. Temporary files may be: nobody was there to remove them.
    #[cfg(unix)]
    pub fn kill(mut self) {
        processes::kill(&self.child);
        self.child.wait().expect("a child can be waited for");
        self.check_processes();
        self.check_project();
    }

    /// Waits for the end, and checks what must be true after every run.
    pub fn wait(mut self) -> Outcome {
        let status = self.child.wait().expect("a child can be waited for");
        let read = |name: &str| {
            let bytes = fs::read(self.logs.path().join(name)).expect("a log can be read");
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let outcome = Outcome {
            code: status.code(),
            stdout: read("stdout"),
            stderr: read("stderr"),
            output: self.output.clone(),
            scratch: Arc::clone(&self.scratch),
        };
        self.check_processes();
        self.check_project();
        let left: Vec<_> = fs::read_dir(&self.tmp)
            .expect("it can be read")
            .map(|entry| entry.expect("its entries can be read").file_name())
            .collect();
        assert!(left.is_empty(), "temporary files are left: {left:?}");
        outcome
    }

    fn check_processes(&self) {
        let left = processes::left_behind(&self.marker, PATIENCE);
        assert!(left.is_empty(), "processes are left: {left:#?}");
    }

    fn check_project(&self) {
        let after = Tree::of(&self.around, Some(&self.output));
        // The default output directory lies in the project, and the way to it with it.
        let below_target = self.output.starts_with(&self.project);
        let changes: Vec<String> = self
            .before
            .differences(&after)
            .into_iter()
            .filter(|line| !(below_target && line.ends_with("target is new")))
            .collect();
        assert!(
            changes.is_empty(),
            "the project was written to: {changes:#?}"
        );
    }
}

/// What a run left and said.
#[derive(Debug)]
pub struct Outcome {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub output: PathBuf,
    /// The results may be looked at when the project is gone.
    scratch: Arc<TempDir>,
}

impl Outcome {
    /// Itself, if the run ended well.
    #[track_caller]
    pub fn ok(self) -> Self {
        self.ended_with(0)
    }

    /// Itself, if the run ended with this code.
    #[track_caller]
    pub fn ended_with(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}{}", self.stdout, self.stderr);
        self
    }

    /// `report.json`
    #[track_caller]
    pub fn report(&self) -> Value {
        let path = self.output.join("report.json");
        let text = fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}\n{}", path.display(), self.stderr));
        serde_json::from_str(&text).expect("the report is JSON")
    }

    /// A number of the report.
    #[track_caller]
    pub fn number(&self, key: &str) -> usize {
        let report = self.report();
        let number = report[key]
            .as_u64()
            .unwrap_or_else(|| panic!("{key} in {report:#}"));
        usize::try_from(number).expect("it fits")
    }

    /// A text of the report.
    #[track_caller]
    pub fn text(&self, key: &str) -> String {
        let report = self.report();
        let text = report[key].as_str();
        text.unwrap_or_else(|| panic!("{key} in {report:#}"))
            .to_owned()
    }

    /// The reduced package, or the directory with the reduced file.
    pub fn reduced(&self) -> PathBuf {
        self.output.join("reduced")
    }

    /// The one `.rs` file of the result.
    #[track_caller]
    pub fn only_file(&self) -> PathBuf {
        let root = self.reduced();
        let tree = Tree::of(&root, None);
        let is_rust = |path: &&Path| path.extension().is_some_and(|end| end == "rs");
        let files: Vec<_> = tree.files().filter(is_rust).collect();
        assert_eq!(files.len(), 1, "{files:?}");
        root.join(files[0])
    }

    /// All of the result's code.
    pub fn code_text(&self) -> String {
        let root = self.reduced();
        let tree = Tree::of(&root, None);
        let is_rust = |path: &&Path| path.extension().is_some_and(|end| end == "rs");
        tree.files()
            .filter(is_rust)
            .map(|path| fs::read_to_string(root.join(path)).expect("code is text"))
            .collect()
    }

    /// Tokens of the result, counted here.
    pub fn tokens(&self) -> usize {
        tokens::count_path(&self.reduced())
    }

    /// Names of the result's files.
    pub fn files(&self) -> Vec<String> {
        let tree = Tree::of(&self.reduced(), None);
        tree.files()
            .map(|path| path.to_string_lossy().into_owned())
            .collect()
    }

    /// The text of the result's `Cargo.toml`.
    #[track_caller]
    pub fn manifest(&self) -> String {
        fs::read_to_string(self.reduced().join("Cargo.toml")).expect("a package has a manifest")
    }

    /// Says what is there, when a message was to be printed and was not.
    #[track_caller]
    pub fn says(&self, text: &str) {
        assert!(
            self.stderr.contains(text),
            "`{text}` is not in:\n{}",
            self.stderr
        );
    }
}
