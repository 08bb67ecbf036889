//! The version of the code under test in which the test passes: prepared before the search, and told
//! afterwards as what is left of the difference.

use std::path::Path;
use std::time::Instant;

use super::last::tidied;
use crate::engine::good;
use crate::engine::package::Package;
use crate::exec::Cancel;
use crate::minimize::Settings;
use crate::property::by_cargo::ByCargo;
use crate::property::guards::Guards;
use crate::property::test::Test;
use crate::property::twin::Passing;
use crate::report::{Event, Failure, Observer};
use crate::subject::Subject;
use crate::subject::difference::{Difference, patch};
use crate::subject::place::Place;
use crate::syntax::{self, FileId};

/// The other version, and who runs it.
pub(super) struct Versions {
    /// What makes it differ: as little as makes the test pass.
    pub difference: Difference,
    /// Runs it by replay.
    pub quick: Test,
    /// Runs it by cargo.
    pub cargo: ByCargo,
    /// The test itself, which has to pass.
    pub guards: Guards,
}

/// What a good version is looked for with.
pub(super) struct Looking<'a> {
    pub wanted: &'a str,
    pub package: &'a Package,
    /// Files that belong to the test.
    pub tests: &'a [FileId],
    pub settings: &'a Settings,
    /// When the difference has to be small enough.
    pub deadline: Option<Instant>,
    pub cancel: &'a Cancel,
}

impl Looking<'_> {
    /// Finds the good version, checks that the test passes in it, and drops what of the difference has
    /// nothing to do with that. Also the subject, with room for files that only that version has.
    pub(super) fn found(
        &self,
        subject: &Subject,
        mut quick: Test,
        cargo: ByCargo,
        guards: Guards,
        observer: &mut dyn Observer,
    ) -> Result<(Subject, Versions), Failure> {
        observer.event(&Event::Step {
            verb: "Comparing",
            what: &format!("with {}", self.wanted),
        });
        let (subject, all) =
            good::difference(subject, self.package, self.wanted, self.tests, self.cancel)?;
        let passed = quick.passes(&all.applied(&subject), &guards, None)?;
        if !passed.all {
            let errors = passed
                .errors
                .iter()
                .filter_map(|error| error.rendered.as_deref());
            return Err(Failure::GuardFails {
                what: format!("the test, against {},", self.wanted),
                output: errors.chain([passed.output.as_str()]).collect(),
            });
        }
        let count = all.hunks.len();
        let difference = good::fewest(
            all,
            &subject,
            &guards,
            &mut quick,
            self.settings,
            self.deadline,
        )?;
        observer.event(&Event::Note(&format!(
            "against {} the test passes; {} of {count} differences decide that",
            self.wanted,
            difference.hunks.len()
        )));
        let versions = Versions {
            difference,
            quick,
            cargo,
            guards,
        };
        Ok((subject, versions))
    }
}

impl Versions {
    /// Writes `good/` and `regression.patch` to `output`: the version of `reduced` in which the test
    /// passes, made by as few changes as can be, and what leads from it to `reduced`.
    pub(super) fn write(
        &mut self,
        reduced: &Subject,
        output: &Path,
        settings: &Settings,
        deadline: Option<Instant>,
        observer: &mut dyn Observer,
    ) -> Result<(), Failure> {
        let good = self.difference.applied(reduced);
        let nearest = match good::nearest(
            reduced,
            &good,
            &self.guards,
            &mut self.quick,
            settings,
            deadline,
        ) {
            Err(Failure::Interrupted) => good.clone(),
            other => other?,
        };
        let mut neat = nearest.clone();
        for (id, file, _) in nearest.sources() {
            let changed = !file.same_as(reduced.file(id));
            if let Some(text) = file.text().filter(|_| changed) {
                let formatted = syntax::formatted(text).unwrap_or_else(|| tidied(text));
                neat = neat.with_text(id, formatted);
            }
        }
        let mut chosen = None;
        for candidate in [neat, nearest, good] {
            if self.cargo.passes(&candidate, &self.guards, None)?.all {
                chosen = Some(candidate);
                break;
            }
        }
        let Some(chosen) = chosen else {
            observer.event(&Event::Note(
                "the test does not pass in the good version when that is built from scratch: there is no `good`",
            ));
            return Ok(());
        };
        let directory = output.join("good");
        if directory.exists() {
            std::fs::remove_dir_all(&directory).map_err(Failure::io("removing", &directory))?;
        }
        Place::new(&directory)
            .put(&chosen)
            .map_err(Failure::io("writing to", &directory))?;
        let path = output.join("regression.patch");
        let text = patch(["good", "reduced"], &chosen, reduced);
        std::fs::write(&path, &text).map_err(Failure::io("writing", &path))?;
        let changed = |sign: &str, header: &str| {
            let lines = text.lines().filter(|line| line.starts_with(sign));
            lines.filter(|line| !line.starts_with(header)).count()
        };
        observer.event(&Event::Note(&format!(
            "regression.patch: from `good` to `reduced` it removes {} and adds {} lines",
            changed("-", "--- "),
            changed("+", "+++ ")
        )));
        Ok(())
    }
}
