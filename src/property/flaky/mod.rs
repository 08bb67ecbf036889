//! The oracle for a test that fails only sometimes: compile once, run often, and decide by how often it fails; must not
//! know how candidates come about.

mod by_cargo;
mod criterion;
mod groups;
mod measure;
mod repeat;
mod runs;
mod seed;
mod stress;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub use by_cargo::{ByCargo, Final, Target};
pub use criterion::Criterion;
pub use groups::{Group, Sought};
pub use measure::{Budget, Measured, patience};
pub use repeat::Repetition;
pub use seed::BySeed;
pub use stress::Stress;

use super::test::Test;
use super::{Judged, Oracle, Prepared, Setting, Stage, Switching, Traced, Verdict};
use crate::build::{Diagnostic, Executable};
use crate::exec::Cancel;
use crate::report::Failure;
use crate::statistics::Tally;
use crate::subject::Subject;
pub use runs::failing;
use runs::{Runs, Seen};

/// Runs with probes that have to fail, and as many that have to pass, before what ran is believed.
const TRACED: u32 = 3;

/// And time for that, and so many times the runs of a decision: where timing matters, probes may make it fail less often.
const TRACING: Duration = Duration::from_secs(20);
const TRACED_LONG: u32 = 8;

/// Runs alone that a test which fails in company only has to pass.
const ALONE: u32 = 3;

/// One flaky test of a package.
pub struct Flaky {
    test: Test,
    at_once: usize,
    stress: Stress,
    sought: Sought,
    repetition: Option<Repetition>,
    cancel: Cancel,
    criterion: Option<Criterion>,
    company: Option<Company>,
    /// All runs of each candidate that was accepted.
    tallies: HashMap<blake3::Hash, Tally>,
    runs: usize,
}

impl Flaky {
    /// An oracle that compiles by `test`, and runs what comes of it, so many at once. Measuring looks for what is `sought`.
    pub fn new(
        test: Test,
        at_once: usize,
        stress: Stress,
        sought: Sought,
        cancel: Cancel,
    ) -> Flaky {
        Flaky {
            test,
            at_once,
            stress,
            sought,
            repetition: None,
            cancel,
            criterion: None,
            company: None,
            tallies: HashMap::new(),
            runs: 0,
        }
    }

    /// What candidates have to show from now on.
    pub fn set_criterion(&mut self, criterion: Criterion) {
        self.criterion = Some(criterion);
    }

    /// Has the test called so often in one process from now on, or once.
    pub fn set_repetition(&mut self, repetition: Option<Repetition>) {
        self.repetition = repetition;
    }

    /// What is compiled and run for `subject`.
    fn run_for(&self, subject: &Subject) -> Subject {
        let repeated = self.repetition.as_ref();
        let repeated = repeated.and_then(|repetition| repetition.within(subject));
        // Where the test is gone there is nothing to repeat, and nothing that fails.
        repeated.unwrap_or_else(|| subject.clone())
    }

    /// Runs `probed` until some runs have failed and some have not: where all went the same way, what the other way needs would
    /// be taken for what does not run.
    fn traced(&mut self, probed: &Subject) -> Result<Traced<()>, Failure> {
        let criterion = self.criterion()?;
        let probed = &self.run_for(probed);
        let executable = self.test.build_probed(probed, None)?;
        let started = Instant::now();
        let most = criterion.most().saturating_mul(TRACED_LONG);
        let enough = |seen: &Seen| {
            let late = started.elapsed() >= TRACING;
            criterion.shows_both(seen, TRACED) || late
        };
        let seen =
            executable.try_map(|executable| self.run(&executable, probed, most, None, &enough))?;
        Ok(match seen {
            Traced::Ran(seen) if !criterion.shows_both(&seen, 1) => Traced::Nothing,
            other => other.map(|_| ()),
        })
    }

    /// Has the test run in company from now on, once, or alone again.
    pub fn set_company(&mut self, company: Option<Company>, args: Vec<String>) {
        self.repetition = None;
        self.test.set_args(args);
        self.company = company;
    }

    /// What makes it fail more often.
    pub fn set_stress(&mut self, stress: Stress) {
        self.stress = stress;
    }

    /// Time that a run may take from now on.
    pub fn set_timeout(&mut self, timeout: Duration) {
        self.test.set_timeout(timeout);
    }

    /// Gives each rustc that is run from now on this long.
    pub fn set_compile_timeout(&mut self, timeout: Duration) {
        self.test.set_compile_timeout(timeout);
    }

    /// Time that a run may take.
    pub fn timeout(&self) -> Duration {
        self.test.limits().timeout
    }

    /// As for [`Test::confine_to`].
    pub fn confine_to(&mut self, writable: Option<Vec<PathBuf>>) {
        self.test.confine_to(writable);
    }

    /// Runs of the test until now.
    pub fn runs(&self) -> usize {
        self.runs
    }

    /// Goes on with another build of the same test.
    pub fn replace(&mut self, test: Test) {
        self.test = test;
    }

    /// The test, as it is compiled.
    pub fn test(&self) -> &Test {
        &self.test
    }

    /// Runs `executable`, made of `subject`, until `enough`, but at most so often.
    fn run(
        &mut self,
        executable: &Executable,
        subject: &Subject,
        most: u32,
        deadline: Option<Instant>,
        enough: &dyn Fn(&Seen) -> bool,
    ) -> Result<Seen, Failure> {
        let invocation = self
            .test
            .invocation_as(executable, |args| match &self.repetition {
                Some(repetition) => repetition.args(args),
                None => args.to_vec(),
            })?;
        let base = self.test.base(executable);
        let runs = Runs {
            invocation: &invocation,
            limits: self.test.limits(),
            at_once: self.at_once,
            stress: &self.stress,
            cancel: &self.cancel,
        };
        let at = At {
            subject,
            root: self.test.root(),
            bases: &[&base],
            victim: self.company.as_ref().map(|company| &*company.victim),
        };
        let signature = self.criterion.as_ref().map(Criterion::signature);
        let seen = runs.until(most, deadline, &at, signature, enough)?;
        self.runs += seen.made;
        Ok(seen)
    }

    /// Whether a test that is to fail in company only fails without.
    fn fails_alone(
        &mut self,
        executable: &Executable,
        subject: &Subject,
        deadline: Option<Instant>,
    ) -> Result<bool, Failure> {
        let Some(company) = self.company.clone() else {
            return Ok(false);
        };
        let args = self.test.set_args(company.alone.clone());
        let one = |seen: &Seen| seen.tally.failures > 0 || seen.other.is_some();
        let seen = self.run(executable, subject, ALONE, deadline, &one);
        self.test.set_args(args);
        seen.map(|seen| one(&seen))
    }

    /// The verdict on `candidate`, of whose text `run` the executable was made, and what its runs showed.
    fn judge_runs(
        &mut self,
        executable: &Executable,
        run: &Subject,
        candidate: &Subject,
        deadline: Option<Instant>,
    ) -> Result<(Verdict, Seen), Failure> {
        let criterion = self.criterion()?;
        let enough = |seen: &Seen| criterion.is_decided(seen);
        let seen = self.run(executable, run, criterion.most(), deadline, &enough)?;
        let mut verdict = criterion.verdict(&seen, candidate);
        if verdict == Verdict::Interesting && self.fails_alone(executable, run, deadline)? {
            verdict = Verdict::Slipped("it fails alone, too".to_owned());
        }
        Ok((verdict, seen))
    }

    fn criterion(&self) -> Result<Criterion, Failure> {
        self.criterion.clone().ok_or_else(|| Failure::Bug {
            doing: "judging a candidate".into(),
            why: "it was not said how often it has to fail".into(),
        })
    }
}

/// A test that fails in the company of others only.
#[derive(Debug, Clone)]
pub struct Company {
    /// The one that fails.
    pub victim: String,
    /// Arguments with which it runs alone.
    pub alone: Vec<String>,
}

/// Where a subject lies while it is run.
struct At<'a> {
    subject: &'a Subject,
    root: &'a Path,
    /// What paths in panic messages may be relative to.
    bases: &'a [&'a Path],
    /// The test whose failure counts, where others run too.
    victim: Option<&'a str>,
}

/// The time of a run on average.
fn usual(ended: &[Duration]) -> Duration {
    let count = u32::try_from(ended.len()).unwrap_or(u32::MAX);
    ended
        .iter()
        .sum::<Duration>()
        .checked_div(count)
        .unwrap_or_default()
}

impl Oracle for Flaky {
    fn judge(&mut self, candidate: &Subject, deadline: Option<Instant>) -> Result<Judged, Failure> {
        let started = Instant::now();
        let run = self.run_for(candidate);
        let built = self.test.build(&run, deadline)?;
        let Some(executable) = &built.executable else {
            return Ok(Judged {
                verdict: Verdict::Uninteresting(Stage::Compile),
                cpu: built.cpu,
                wall: started.elapsed(),
                output: String::new(),
                errors: self.test.errors().to_vec(),
            });
        };
        let (verdict, seen) = self.judge_runs(executable, &run, candidate, deadline)?;
        if verdict == Verdict::Interesting {
            self.tallies.insert(candidate.key(), seen.tally);
        }
        Ok(Judged {
            output: match verdict {
                Verdict::Uninteresting(_) => String::new(),
                _ => seen.output,
            },
            verdict,
            cpu: built.cpu + seen.cpu,
            wall: started.elapsed(),
            errors: Vec::new(),
        })
    }

    /// What ran is what ran in any run: there have to be some that failed and some that did not.
    fn trace(&mut self, probed: &Subject) -> Result<Traced, Failure> {
        self.traced(probed)?.try_map(|()| self.test.hits())
    }

    fn types(&mut self, asking: &Subject) -> Result<Traced<Vec<(u32, String)>>, Failure> {
        self.traced(asking)?.try_map(|()| self.test.types())
    }

    fn prepare(
        &mut self,
        switched: &Subject,
        deadline: Option<Instant>,
    ) -> Result<Traced<Prepared>, Failure> {
        let run = self.run_for(switched);
        let executable = self.test.build_probed(&run, deadline)?;
        Ok(executable.map(|executable| Prepared {
            executable,
            subject: run,
        }))
    }

    fn judge_set(
        &mut self,
        prepared: &Prepared,
        setting: Setting,
        deadline: Option<Instant>,
    ) -> Result<Switching, Failure> {
        let started = Instant::now();
        self.test.set(setting)?;
        let (executable, subject) = (&prepared.executable, &prepared.subject);
        let (verdict, seen) = self.judge_runs(executable, subject, subject, deadline)?;
        let steps = self.test.steps()?;
        let verdict = match steps >= setting.most {
            true => Verdict::Uninteresting(Stage::Run),
            false => verdict,
        };
        let judged = Judged {
            output: String::new(),
            verdict,
            cpu: seen.cpu,
            wall: started.elapsed(),
            errors: Vec::new(),
        };
        Ok(Switching {
            judged,
            steps,
            // Each run has its own time, and few of them take all of it.
            timed_out: false,
        })
    }

    fn unused(&mut self, subject: &Subject) -> Result<Vec<Diagnostic>, Failure> {
        let run = self.run_for(subject);
        self.test.lints(&run)
    }

    fn expansions(&mut self, subject: &Subject) -> Result<Vec<Diagnostic>, Failure> {
        let run = self.run_for(subject);
        self.test.traced_macros(&run)
    }

    fn may_err(&self) -> bool {
        true
    }

    fn confirm(
        &mut self,
        best: &Subject,
        deadline: Option<Instant>,
    ) -> Result<Option<bool>, Failure> {
        let criterion = self.criterion()?;
        let run = self.run_for(best);
        let built = self.test.build(&run, deadline)?;
        let Some(executable) = &built.executable else {
            return Ok(Some(false));
        };
        // Too early a refusal would throw away what lies between the two rates.
        let enough = |seen: &Seen| criterion.is_confirmed(seen);
        let seen = self.run(executable, &run, criterion.most(), deadline, &enough)?;
        let all = self.tallies.entry(best.key()).or_default();
        *all = all.and(seen.tally);
        Ok(Some(criterion.holds(&seen)))
    }

    fn prefers(&self, candidate: &Subject, best: &Subject) -> bool {
        let rate = |subject: &Subject| self.tallies.get(&subject.key()).map(|tally| tally.rate());
        rate(candidate) > rate(best)
    }
}
