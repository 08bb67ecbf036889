//! What the sources bring in from elsewhere, taken in among them. What a build script made stands in files that the package has
//! not got: it could not be made smaller, a failure in it not be found again, and the build script would have to stay. A text
//! that is included is an input like any other once it stands where it is used.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

use super::Scope;
use super::package::Package;
use crate::build::{Captured, Unit};
use crate::paths::{normal, parent, relative};
use crate::report::{Event, Failure, Observer};
use crate::request::Request;
use crate::subject::Subject;
use crate::syntax::brought::{self, Brings, Brought};
use crate::syntax::{Edit, FileId, Kind, Text, Tree, lexer};

/// What the directory is called that holds what was taken in, if the package has none of that name.
const DIRECTORY: &str = "generated";

/// Data of up to so many bytes is put where it is used.
const LITERAL: usize = 16_384;

/// What is taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// What build scripts made.
    Generated,
    /// That, and texts and bytes that are included.
    GeneratedAndData,
}

/// A subject with what was taken in.
struct TakenIn {
    /// The subject. Calls that bring in files name those in it, without lines being moved.
    subject: Subject,
    /// The new files.
    files: Vec<PathBuf>,
}

/// A package's build script, which has run.
struct Script {
    /// `OUT_DIR`.
    out: PathBuf,
    /// What the package's crates are compiled with.
    env: BTreeMap<String, String>,
    /// Where what it made goes, relative to the subject's root.
    directory: PathBuf,
}

/// Files to be copied: where each comes from, where it goes, and whether it is code.
#[derive(Default)]
struct Copies {
    places: BTreeMap<PathBuf, PathBuf>,
    open: VecDeque<(PathBuf, PathBuf, bool)>,
}

impl Package {
    /// Makes the copy hold `what` the sources that `units` read bring in from elsewhere (all, if there are none), and has it
    /// `built` again. `None`, with the copy as it was, if there is nothing of the kind, or it does not build like that.
    ///
    /// # Errors
    ///
    /// When the copy cannot be written, and when it was interrupted.
    pub fn taking_in<T>(
        &mut self,
        what: What,
        request: &Request,
        (captured, units): (&Captured, &[usize]),
        observer: &mut dyn Observer,
        built: impl FnOnce(&Package, &mut dyn Observer) -> Result<T, Failure>,
    ) -> Result<Option<T>, Failure> {
        let Ok(scope) = Scope::new(&request.keep, &request.only) else {
            return Ok(None);
        };
        let read = self.needed(captured, units);
        let changes = |path: &Path| (units.is_empty() || read.contains(path)) && scope.allows(path);
        let Some(taken) = taken_in(&self.subject, captured, what, changes) else {
            return Ok(None);
        };
        let before = self.subject.clone();
        self.change_to(taken.subject)?;
        match built(self, observer) {
            Ok(found) => {
                let names = taken.files.iter().map(|file| file.display().to_string());
                let names: Vec<String> = names.collect();
                if !names.is_empty() {
                    observer.event(&Event::Note(&format!(
                        "what build scripts made is taken for source: {}",
                        names.join(", ")
                    )));
                }
                Ok(Some(found))
            }
            Err(Failure::Interrupted) => Err(Failure::Interrupted),
            Err(_) => {
                self.change_to(before)?;
                Ok(None)
            }
        }
    }
}

/// `subject`, as it was built when `captured` was taken down, with the files that its sources include from outside of it, and
/// with the values of variables that build scripts set. Files that `changes` says no to stay as they are. `None` if there is
/// nothing of the kind.
fn taken_in(
    subject: &Subject,
    captured: &Captured,
    what: What,
    changes: impl Fn(&Path) -> bool,
) -> Option<TakenIn> {
    let packages = packages(subject, captured);
    let mut copies = Copies::default();
    let mut texts: Vec<(FileId, String)> = Vec::new();
    let mut made: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    for (id, file, tree) in subject.sources().filter(|(_, file, _)| changes(&file.path)) {
        let around = packages.iter();
        let around = around.filter(|(package, _)| file.path.starts_with(package));
        let own = around.max_by_key(|(package, _)| package.components().count());
        let there = parent(&file.path);
        let surroundings = Surroundings {
            script: own.and_then(|(_, script)| script.as_ref()),
            captured,
            data: (what == What::GeneratedAndData).then_some(subject),
            here: captured.root.join(&there),
            there,
        };
        let mut calls = brought::brought(file.source(), tree.tokens());
        calls.retain(|call| !is_in_an_attribute(tree, call));
        let text = surroundings.rewritten(file.source(), &calls, &mut copies);
        texts.extend(text.map(|text| (id, text)));
        // What is included may include more.
        while let Some((from, to, is_code)) = copies.open.pop_front() {
            let bytes = fs::read(&from).ok()?;
            let bytes = match String::from_utf8(bytes) {
                Ok(text) if is_code => {
                    let inner = Surroundings {
                        here: parent(&from),
                        there: parent(&to),
                        ..surroundings
                    };
                    let calls = brought::brought(&text, &lexer::tokens(&text));
                    let text = inner.rewritten(&text, &calls, &mut copies).unwrap_or(text);
                    text.into_bytes()
                }
                Ok(text) => text.into_bytes(),
                Err(error) => error.into_bytes(),
            };
            made.push((to, bytes));
        }
    }
    if texts.is_empty() {
        return None;
    }
    let files = made.iter().map(|(path, _)| path.clone()).collect();
    let mut result = subject.clone();
    for (path, bytes) in made {
        result = result.with_file(path, bytes);
    }
    for (id, text) in texts {
        // That is what failures are seen in from here on.
        result = result.with_bytes(id, text.into_bytes());
    }
    Some(TakenIn {
        subject: result,
        files,
    })
}

/// Whether the call is for documentation and the like.
fn is_in_an_attribute(tree: &Tree, call: &Brought) -> bool {
    let Some(inner) = tree.innermost(&call.range) else {
        return false;
    };
    let mut around = std::iter::once(inner).chain(tree.ancestors(inner));
    around.any(|id| matches!(tree.node(id).kind, Kind::Attribute | Kind::Doc))
}

/// The subject's packages by their directories, relative to its root, with their build scripts.
fn packages(subject: &Subject, captured: &Captured) -> BTreeMap<PathBuf, Option<Script>> {
    let script = |unit: &Unit, package: &Path| {
        let variable = |name: &str| unit.env.iter().find(|(known, _)| known == name);
        let taken = |directory: &PathBuf| {
            let mut files = subject.files().iter();
            files.any(|file| file.path.starts_with(directory))
        };
        let mut names = (1..).map(|number| match number {
            1 => package.join(DIRECTORY),
            _ => package.join(format!("{DIRECTORY}-{number}")),
        });
        Some(Script {
            out: PathBuf::from(&variable("OUT_DIR")?.1),
            env: unit.env.iter().cloned().collect(),
            directory: names.find(|name| !taken(name))?,
        })
    };
    let own = captured.units.iter().filter(|unit| unit.own && !unit.host);
    let packages = own.filter_map(|unit| {
        let package = unit.manifest_dir.strip_prefix(&captured.root).ok()?;
        Some((package.to_path_buf(), script(unit, package)))
    });
    packages.collect()
}

/// Where a text stands, and what is known there.
struct Surroundings<'a> {
    /// The script of its package.
    script: Option<&'a Script>,
    captured: &'a Captured,
    /// What data is taken from, if any is.
    data: Option<&'a Subject>,
    /// The directory that its relative names start from.
    here: PathBuf,
    /// The directory that it will stand in, relative to the subject's root.
    there: PathBuf,
}

impl Surroundings<'_> {
    /// `source` with what it brings in; `None` if nothing changes.
    fn rewritten(&self, source: &str, calls: &[Brought], copies: &mut Copies) -> Option<String> {
        let mut edits = Vec::new();
        for call in calls {
            let (range, with) = match call.what {
                Brings::Text | Brings::Bytes if let Some(data) = self.data(source, call) => {
                    (call.range.clone(), Some(data))
                }
                Brings::Code | Brings::Text | Brings::Bytes => {
                    let arguments = call.arguments.clone();
                    (arguments, self.file(source, call, copies))
                }
                Brings::Variable | Brings::VariableOrNone => {
                    (call.range.clone(), self.variable(source, call))
                }
            };
            if let Some(mut with) = with.filter(|with| *with != source[range.clone()]) {
                let lines = source[range.clone()].matches('\n').count();
                with.extend(std::iter::repeat_n('\n', lines));
                edits.push(Edit::replace(FileId(0), range, with));
            }
        }
        let changed = !edits.is_empty();
        changed.then(|| {
            let text = Text::original(FileId(0), source);
            text.apply(&edits).as_str().to_string()
        })
    }

    /// The name of the copy of the file that `call` brings in.
    fn file(&self, source: &str, call: &Brought, copies: &mut Copies) -> Option<String> {
        let from = self.named(source, call)?;
        if from.starts_with(&self.captured.root) || !from.is_file() {
            return None;
        }
        let is_code = call.what == Brings::Code;
        let to = copies.place(&from, is_code, self.script?);
        Some(format!("{:?}", relative(&self.there, &to)))
    }

    /// The data that `call` brings in as a literal, if it is little.
    fn data(&self, source: &str, call: &Brought) -> Option<String> {
        let named = self.named(source, call)?;
        let file = self
            .data?
            .find(named.strip_prefix(&self.captured.root).ok()?)?;
        self.data?.as_literal(file, call.what, LITERAL)
    }

    /// The file that `call` is about.
    fn named(&self, source: &str, call: &Brought) -> Option<PathBuf> {
        let env = self.script.map(|script| &script.env);
        let variable = |name: &str| env?.get(name).cloned();
        let named = brought::first_value(&source[call.arguments.clone()], &variable)?;
        Some(normal(&self.here.join(named)))
    }

    /// The value of the variable that `call` brings in, if cargo does not set it by itself and it names nothing that is built.
    fn variable(&self, source: &str, call: &Brought) -> Option<String> {
        let name = brought::first_value(&source[call.arguments.clone()], &|_| None)?;
        let is_cargos = name.starts_with("CARGO") || name == "OUT_DIR";
        let script = self.script.filter(|_| !is_cargos)?;
        let value = script.env.get(&name)?;
        let places = [&script.out, &self.captured.root, &self.captured.target_dir];
        let is_place = |place: &&PathBuf| value.contains(&*place.to_string_lossy());
        if places.iter().any(is_place) {
            return None;
        }
        Some(match call.what {
            Brings::VariableOrNone => format!("Some({value:?})"),
            _ => format!("{value:?}"),
        })
    }
}

impl Copies {
    /// Where the file `from` goes.
    fn place(&mut self, from: &Path, is_code: bool, script: &Script) -> PathBuf {
        if let Some(known) = self.places.get(from) {
            return known.clone();
        }
        let name = match from.strip_prefix(&script.out) {
            Ok(inside) => inside.to_path_buf(),
            Err(_) => PathBuf::from(from.file_name().unwrap_or_default()),
        };
        // What is code is to be read as such.
        let mut name = name.into_os_string();
        if is_code && !name.to_string_lossy().ends_with(".rs") {
            name.push(".rs");
        }
        let mut to = script.directory.join(&name);
        while self.places.values().any(|taken| *taken == to) {
            let mut other = std::ffi::OsString::from("other-");
            other.push(to.file_name().unwrap_or_default());
            to.set_file_name(other);
        }
        self.places.insert(from.to_path_buf(), to.clone());
        self.open
            .push_back((from.to_path_buf(), to.clone(), is_code));
        to
    }
}
