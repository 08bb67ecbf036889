//! Runs of a test with probes or switches in it.

use std::time::{Duration, Instant};

use super::Test;
use crate::build::{Addition, Executable, Unit};
use crate::exec::Outcome;
use crate::property::probe::{Probe, Setting};
use crate::property::{Traced, replayed};
use crate::report::Failure;
use crate::subject::Subject;

/// Probes make a run slower by less than this: what hangs is looked at for so many times the CPU time that tells it in a trial.
const SLOWER: u32 = 4;

/// One run with probes.
#[derive(Debug, Clone)]
pub struct Trace {
    /// How it ended.
    pub outcome: Outcome,
    /// The numbers of the probes that were hit, in this order, with marks between them.
    pub hits: Vec<u32>,
    /// The same numbers, in the order in which they were hit for the last time; none where that is not known.
    pub last: Vec<u32>,
    /// What questions about types were answered with.
    pub types: Vec<(u32, String)>,
}

/// All hits of `traces`, the failing run first; behind them, that run's once more, in the order of the last time.
pub fn all_hits<'t>(traces: impl IntoIterator<Item = &'t Trace>) -> Vec<u32> {
    let (mut all, mut last) = (Vec::new(), None);
    for trace in traces {
        all.extend(&trace.hits);
        last = last.or(Some(&trace.last));
    }
    all.extend(last.into_iter().flatten());
    all
}

impl Test {
    /// Compiles `probed` and runs it with each of `runs` – arguments for the harness, and the time for
    /// them – by itself, until `deadline`.
    ///
    /// # Errors
    ///
    /// As for [`observe`](Self::observe).
    pub fn traces(
        &mut self,
        probed: &Subject,
        runs: &[(Vec<String>, Duration)],
        deadline: Option<Instant>,
    ) -> Result<Traced<Vec<Trace>>, Failure> {
        let executable = match self.build_probed(probed, deadline)? {
            Traced::Ran(executable) => executable,
            Traced::Errors(errors) => return Ok(Traced::Errors(errors)),
            Traced::Nothing => return Ok(Traced::Nothing),
        };
        let mut traces = Vec::new();
        // Of several runs the first is the failing one: the others come to their end.
        let mut busy = self.busy.map(|busy| busy * SLOWER);
        for (args, timeout) in runs {
            self.clear_hits()?;
            let outcome = self.within(busy.take(), |test| {
                test.execute(&executable, args, *timeout, deadline)
            })?;
            traces.push(Trace {
                outcome,
                hits: self.hits()?,
                last: self.probe.as_ref().map_or(Ok(Vec::new()), Probe::last)?,
                types: self.types()?,
            });
        }
        Ok(Traced::Ran(traces))
    }

    /// The failing test and its guards, with the time for each: what only a guard runs is needed too.
    pub(super) fn all_runs(&self) -> Vec<(Vec<String>, Duration)> {
        let own = (self.run.args.clone(), self.limits.timeout);
        let guards = self.guards.iter();
        let guards = guards.map(|guards| (guards.arguments(), guards.timeout));
        std::iter::once(own).chain(guards).collect()
    }

    /// Compiles `probed`, and forgets what has been hit; what is to be run.
    pub(in crate::property) fn build_probed(
        &mut self,
        probed: &Subject,
        deadline: Option<Instant>,
    ) -> Result<Traced<Executable>, Failure> {
        let probe = match &self.probe {
            Some(probe) => probe,
            None => self
                .probe
                .insert(Probe::compiled(&self.replayed, &self.cancel)?),
        };
        probe.clear()?;
        let addition = probe.addition();
        let compiled = self
            .replayed
            .compile_with(probed, deadline, false, &|unit| uncritical(unit, &addition))?;
        if compiled.failed().is_some() {
            return Ok(Traced::Errors(replayed::errors(&compiled)));
        }
        Ok(match self.executable(&compiled) {
            Some(executable) => Traced::Ran(executable.clone()),
            None => Traced::Nothing,
        })
    }

    /// The probes that were hit in all runs since that was forgotten last.
    pub(in crate::property) fn hits(&self) -> Result<Vec<u32>, Failure> {
        self.probe.as_ref().map_or(Ok(Vec::new()), Probe::hits)
    }

    /// What questions about types were answered with since hits were forgotten last.
    pub(in crate::property) fn types(&self) -> Result<Vec<(u32, String)>, Failure> {
        self.probe.as_ref().map_or(Ok(Vec::new()), Probe::types)
    }

    /// Tells every run from now on this `setting`; forgets the steps taken so far.
    pub(in crate::property) fn set(&self, setting: Setting) -> Result<(), Failure> {
        self.clear_hits()?;
        let probe = self.probe.as_ref();
        probe.map_or(Ok(()), |probe| probe.set(setting))
    }

    /// The numbers of the conditions that were evaluated since switches were set, see [`Told`](crate::property::Evaluation::Told).
    pub(in crate::property) fn evaluated(&self) -> Result<Vec<usize>, Failure> {
        let probe = self.probe.as_ref();
        probe.map_or(Ok(Vec::new()), Probe::evaluated)
    }

    /// The steps of the longest run since switches were set, as the highest power of two.
    pub(in crate::property) fn steps(&self) -> Result<u64, Failure> {
        let powers = self.hits()?;
        Ok(powers.iter().max().map_or(0, |power| 1 << (power % 64)))
    }

    fn clear_hits(&self) -> Result<(), Failure> {
        self.probe.as_ref().map_or(Ok(()), Probe::clear)
    }
}

/// `addition`, and no lints for `unit`: what is put in for a probe is not what its author would have written.
fn uncritical(unit: &Unit, addition: &Addition) -> Addition {
    let mut addition = addition.clone();
    if !unit.caps_lints() {
        addition.args.push("--cap-lints=allow".into());
    }
    addition
}
