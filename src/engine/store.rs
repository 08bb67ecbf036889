//! What must survive us: the best so far, every verdict, and what was met on the way.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use super::origins::Origins;
use super::scratch;
use crate::build::Diagnostic;
use crate::property::{Stage, Verdict};
use crate::report::Failure;
use crate::subject::Subject;
use crate::subject::place::Place;
use crate::syntax::{FileId, Text};

/// The output directory of one reduction.
pub struct Store {
    output: PathBuf,
    journal: File,
    /// What lies under `reduced/`, and the directory that the next best is written to.
    shown: Place,
    next: Place,
    /// What an earlier run left under `reduced/`, until there is something at least as small.
    earlier: Option<Subject>,
    /// What fresh runs have confirmed.
    confirmed: HashSet<blake3::Hash>,
    slips: Vec<String>,
}

/// The verdicts of an earlier run.
#[derive(Debug, Default)]
pub struct Verdicts {
    /// Whether each candidate is interesting.
    pub interesting: HashMap<blake3::Hash, bool>,
    /// Those that are not, though they compile.
    pub compile: HashSet<blake3::Hash>,
    /// The compile errors of those of which they were wanted.
    pub errors: HashMap<blake3::Hash, Vec<Diagnostic>>,
    /// What fresh runs have confirmed.
    confirmed: HashSet<blake3::Hash>,
}

/// The journal's first line: what the verdicts are about.
#[derive(serde::Serialize, serde::Deserialize)]
struct Heading {
    /// A digest of the property and of what the search starts from.
    reduction: String,
}

/// A line of the index of slips.
#[derive(serde::Serialize, serde::Deserialize)]
struct Listed {
    /// The directory, in that of the index.
    kept_in: String,
    signature: String,
}

#[derive(serde::Serialize, serde::Deserialize)]
struct Line {
    candidate: String,
    verdict: String,
    /// What the search learned from, besides the verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    errors: Option<Vec<Diagnostic>>,
}

/// What a line says of a candidate that fresh runs have confirmed.
const CONFIRMED: &str = "confirmed";

/// What a line says of one that is interesting.
const INTERESTING: &str = "interesting";

const JOURNAL: &str = "journal.jsonl";
const REDUCED: &str = "reduced";
const NEXT: &str = ".reduced.next";
/// Where the bytes of what lies under `reduced/` stood.
const ORIGINS: &str = "origins.json";
const SLIPS: &str = "slips";
/// In the directory of slips: a line for each of them.
const INDEX: &str = "index.jsonl";
/// The smallest candidate, where cargo did not see what the search saw.
const UNSHOWN: &str = "unshown";
/// In it: what cargo printed.
const PRINTED: &str = "output.txt";
/// Names the scratch directory, for whoever resumes after a kill.
const SCRATCH: &str = ".scratch";

impl Store {
    /// Whether there can be a store at `output`, which can be told before anything is built.
    ///
    /// # Errors
    ///
    /// When the directory is not empty and not resumed, or there is nothing in it to be resumed.
    pub fn check(output: &Path, resume: bool) -> Result<(), Failure> {
        let journal = output.join(JOURNAL);
        let used = output
            .read_dir()
            .is_ok_and(|mut entries| entries.next().is_some());
        if used && !resume {
            return Err(Failure::OutputNotEmpty {
                path: output.to_path_buf(),
                resumable: journal.exists(),
            });
        }
        if resume && !journal.exists() {
            return Err(Failure::CannotResume {
                path: output.to_path_buf(),
                why: format!("there is no {JOURNAL}"),
            });
        }
        Ok(())
    }

    /// The store at `output` of a run that works in `scratch`. If an earlier run is to be resumed, with
    /// its verdicts; its scratch directory is removed, its result stays.
    ///
    /// # Errors
    ///
    /// When the directory is not empty and not resumed, or cannot be written.
    pub fn open(output: &Path, scratch: &Path, resume: bool) -> Result<(Store, Verdicts), Failure> {
        Self::check(output, resume)?;
        let journal = output.join(JOURNAL);
        fs::create_dir_all(output).map_err(Failure::io("creating", output))?;
        let mut verdicts = if resume {
            verdicts(&journal)?
        } else {
            Verdicts::default()
        };
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&journal)
            .map_err(Failure::io("opening", &journal))?;
        let next = output.join(NEXT);
        remove(&next).map_err(Failure::io("clearing", &next))?;
        let note = output.join(SCRATCH);
        if let Ok(left) = fs::read_to_string(&note) {
            scratch::remove_abandoned(Path::new(left.trim_end_matches('\n')));
        }
        fs::write(&note, format!("{}\n", scratch.display()))
            .map_err(Failure::io("writing", &note))?;
        let store = Store {
            journal: file,
            shown: Place::new(output.join(REDUCED)),
            next: Place::new(next),
            earlier: None,
            confirmed: std::mem::take(&mut verdicts.confirmed),
            output: output.to_path_buf(),
            slips: listed(&output.join(SLIPS).join(INDEX)),
        };
        Ok((store, verdicts))
    }

    /// Where everything lies.
    pub fn output(&self) -> &Path {
        &self.output
    }

    /// Where the best lies.
    pub fn reduced(&self) -> PathBuf {
        self.output.join(REDUCED)
    }

    /// Makes `start` what lies under `reduced/`, unless an earlier run left something smaller there that
    /// was made of `start` and that `verdicts` have as interesting. `property` says what the verdicts are on.
    ///
    /// # Errors
    ///
    /// As for [`keep`](Self::keep), and when the journal is that of another reduction.
    pub fn begin(
        &mut self,
        start: &Subject,
        property: &str,
        verdicts: &HashMap<blake3::Hash, bool>,
    ) -> Result<(), Failure> {
        let heading = Heading {
            reduction: blake3::hash(format!("{property}\n{}", start.key()).as_bytes())
                .to_hex()
                .to_string(),
        };
        let path = self.output.join(JOURNAL);
        // A kill may have cut the last line short, in the middle of a character even.
        let bytes = fs::read(&path).map_err(Failure::io("reading", &path))?;
        let first = bytes.split(|byte| *byte == b'\n').next();
        let first = first.filter(|line| !line.is_empty());
        let same = |line: &[u8]| {
            serde_json::from_slice::<Heading>(line)
                .is_ok_and(|found| found.reduction == heading.reduction)
        };
        if first.is_some_and(|line| !same(line)) {
            self.close();
            return Err(Failure::CannotResume {
                path: self.output.clone(),
                why: format!(
                    "its {JOURNAL} is about another failure, or the source has changed since"
                ),
            });
        }
        let reduced = self.reduced();
        self.earlier =
            lying(&reduced, start).filter(|earlier| verdicts.get(&earlier.key()) == Some(&true));
        if let Some(origins) = Origins::read(&self.output.join(ORIGINS)) {
            self.earlier = self.earlier.take().map(|earlier| origins.given_to(earlier));
        }
        if let Some(earlier) = &self.earlier {
            self.shown = Place::holding(reduced, earlier.clone());
        }
        self.keep(start)?;
        if !bytes.is_empty() && !bytes.ends_with(b"\n") {
            // What is cut short is not to take the next line with it.
            self.journal
                .write_all(b"\n")
                .map_err(Failure::io("appending to", &path))?;
        }
        // Once there is something on disk to go on from.
        match first {
            None => self.append(&heading),
            Some(_) => Ok(()),
        }
    }

    fn append(&mut self, line: &impl serde::Serialize) -> Result<(), Failure> {
        let mut text = serde_json::to_string(line).unwrap_or_default();
        text.push('\n');
        let path = self.output.join(JOURNAL);
        self.journal
            .write_all(text.as_bytes())
            .map_err(Failure::io("appending to", path))
    }

    /// What an earlier run left, if it is smaller than all that was kept since.
    pub fn earlier(&self) -> Option<&Subject> {
        self.earlier.as_ref()
    }

    /// Makes `best` what lies under `reduced/`, unless an earlier run left something smaller there.
    ///
    /// # Errors
    ///
    /// When it cannot be written; what was there before still is.
    pub fn keep(&mut self, best: &Subject) -> Result<(), Failure> {
        match &self.earlier {
            Some(earlier) if earlier.tokens() < best.tokens() => Ok(()),
            _ => self.settle(best),
        }
    }

    /// Makes `best` what lies under `reduced/`, from one moment to the next, whatever was there.
    ///
    /// # Errors
    ///
    /// When it cannot be written; what was there before still is.
    pub fn settle(&mut self, best: &Subject) -> Result<(), Failure> {
        self.earlier = None;
        let (shown, next) = (self.output.join(REDUCED), self.output.join(NEXT));
        self.next
            .put(best)
            .map_err(Failure::io("writing the best so far to", &next))?;
        remove_empty_directories(&next).map_err(Failure::io("tidying", &next))?;
        let origins = self.output.join(ORIGINS);
        Origins::of(best)
            .write(&origins)
            .map_err(Failure::io("writing", &origins))?;
        if shown.exists() {
            exchange(&next, &shown).map_err(Failure::io("replacing", &shown))?;
        } else {
            fs::rename(&next, &shown).map_err(Failure::io("creating", &shown))?;
        }
        std::mem::swap(&mut self.shown, &mut self.next);
        self.shown.moved_to(shown);
        self.next.moved_to(next.clone());
        if self.next.present().is_none() {
            // Files of which nothing is known would stay among those of the next best.
            remove(&next).map_err(Failure::io("clearing", &next))?;
        }
        Ok(())
    }

    /// Appends a verdict to the journal.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn record(&mut self, key: blake3::Hash, verdict: &Verdict) -> Result<(), Failure> {
        self.record_with_errors(key, verdict, None)
    }

    /// The same, with the compile `errors` that came with it, so that a resumed search can learn from them too.
    ///
    /// # Errors
    ///
    /// As for [`record`](Self::record).
    pub fn record_with_errors(
        &mut self,
        key: blake3::Hash,
        verdict: &Verdict,
        errors: Option<&[Diagnostic]>,
    ) -> Result<(), Failure> {
        let line = Line {
            candidate: key.to_hex().to_string(),
            verdict: match verdict {
                Verdict::Interesting => INTERESTING.to_string(),
                Verdict::Uninteresting(stage) => format!("{stage:?}").to_lowercase(),
                Verdict::Slipped(signature) => format!("slipped: {signature}"),
            },
            errors: errors.map(<[Diagnostic]>::to_vec),
        };
        self.append(&line)
    }

    /// Takes note that fresh runs have confirmed a candidate.
    ///
    /// # Errors
    ///
    /// When that cannot be written.
    pub fn confirm(&mut self, key: blake3::Hash) -> Result<(), Failure> {
        self.confirmed.insert(key);
        self.append(&Line {
            candidate: key.to_hex().to_string(),
            verdict: CONFIRMED.to_string(),
            errors: None,
        })
    }

    /// Whether fresh runs have confirmed the candidate, in this run or an earlier one.
    pub fn is_confirmed(&self, key: &blake3::Hash) -> bool {
        self.confirmed.contains(key)
    }

    /// Keeps a candidate that fails in another way, once for every way; where it lies if it is new.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn slip(
        &mut self,
        signature: &str,
        candidate: &Subject,
    ) -> Result<Option<PathBuf>, Failure> {
        if self.slips.iter().any(|known| known == signature) {
            return Ok(None);
        }
        self.slips.push(signature.to_string());
        let listed = Listed {
            kept_in: slip_directory(self.slips.len()),
            signature: signature.to_string(),
        };
        let slips = self.output.join(SLIPS);
        let directory = slips.join(&listed.kept_in);
        let fail = Failure::io("keeping another failure in", &directory);
        let write = || -> io::Result<()> {
            // A run that was killed may have left a part of another one there.
            remove(&directory)?;
            Place::new(&directory).put(candidate)?;
            fs::write(directory.join("signature.txt"), format!("{signature}\n"))?;
            let mut line = serde_json::to_string(&listed)?;
            line.push('\n');
            OpenOptions::new()
                .create(true)
                .append(true)
                .open(slips.join(INDEX))?
                .write_all(line.as_bytes())
        };
        write().map_err(fail)?;
        Ok(Some(directory))
    }

    /// Keeps a candidate that was interesting and does not show the failure when it is built from scratch, with what was `printed`
    /// then; where it lies.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn unshown(&mut self, candidate: &Subject, printed: &str) -> Result<PathBuf, Failure> {
        let directory = self.output.join(UNSHOWN);
        let fail = Failure::io("keeping what does not show the failure in", &directory);
        let write = || -> io::Result<()> {
            // That of an earlier run.
            remove(&directory)?;
            Place::new(&directory).put(candidate)?;
            fs::write(directory.join(PRINTED), printed)
        };
        write().map_err(fail)?;
        Ok(directory)
    }

    /// The other failures met, in the order met, earlier runs included: signature, and directory in the output directory.
    pub fn slips(&self) -> impl Iterator<Item = (&str, PathBuf)> {
        let numbered = self.slips.iter().zip(1..);
        numbered.map(|(signature, number)| {
            let directory = Path::new(SLIPS).join(slip_directory(number));
            (signature.as_str(), directory)
        })
    }

    /// Takes away what is of no use once the reduction is over.
    pub fn close(&mut self) {
        // Left-overs are untidy and nothing worse: the result stands.
        let _ = remove(&self.output.join(NEXT));
        let _ = fs::remove_file(self.output.join(SCRATCH));
    }
}

fn slip_directory(number: usize) -> String {
    format!("{number:02}")
}

/// The signatures in an index of slips, in its order; those before the first line that makes no sense.
fn listed(index: &Path) -> Vec<String> {
    let text = fs::read_to_string(index).unwrap_or_default();
    let lines = text.lines().zip(1..);
    lines
        .map_while(|(line, number)| {
            let listed: Listed = serde_json::from_str(line).ok()?;
            (listed.kept_in == slip_directory(number)).then_some(listed.signature)
        })
        .collect()
}

/// What the file `journal` says.
fn verdicts(journal: &Path) -> Result<Verdicts, Failure> {
    let file = File::open(journal).map_err(Failure::io("reading", journal))?;
    let mut known = Verdicts::default();
    let word = |stage: Stage| format!("{stage:?}").to_lowercase();
    let broken = [Stage::Parse, Stage::Compile].map(word);
    for line in BufReader::new(file).split(b'\n') {
        let line = line.map_err(Failure::io("reading", journal))?;
        // A line may have been cut short by a kill: that trial is run again.
        let Ok(line) = serde_json::from_slice::<Line>(&line) else {
            continue;
        };
        let Ok(key) = blake3::Hash::from_hex(&line.candidate) else {
            continue;
        };
        if line.verdict == CONFIRMED {
            known.confirmed.insert(key);
            continue;
        }
        let interesting = line.verdict == INTERESTING;
        known.interesting.insert(key, interesting);
        if !interesting && !broken.contains(&line.verdict) {
            known.compile.insert(key);
        }
        if let Some(errors) = line.errors {
            known.errors.insert(key, errors);
        }
    }
    Ok(known)
}

/// What lies in `directory`, as a version of `start`; `None` if there is nothing or it is not one.
pub(super) fn lying(directory: &Path, start: &Subject) -> Option<Subject> {
    if !directory.is_dir() {
        return None;
    }
    let mut found = start.clone();
    for (at, file) in start.files().iter().enumerate() {
        let id = FileId(u32::try_from(at).ok()?);
        match fs::read(directory.join(&file.path)) {
            Ok(bytes) if file.bytes() == Some(&bytes[..]) => {}
            Ok(bytes) => {
                found = found.with_text(id, Text::inserted(String::from_utf8(bytes).ok()?));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if file.exists() {
                    found = found.without_file(id);
                }
            }
            Err(_) => return None,
        }
    }
    Some(found)
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn remove_empty_directories(root: &Path) -> io::Result<()> {
    for entry in fs::read_dir(root)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            remove_empty_directories(&entry.path())?;
            if entry.path().read_dir()?.next().is_none() {
                fs::remove_dir(entry.path())?;
            }
        }
    }
    Ok(())
}

/// Exchanges two directories: in one step where the system can, in three where it cannot.
fn exchange(a: &Path, b: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        match renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE) {
            Ok(()) => return Ok(()),
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let aside = b.with_extension("previous");
    fs::rename(b, &aside)?;
    fs::rename(a, b)?;
    fs::rename(&aside, a)
}
