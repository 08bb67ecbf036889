//! Every exit code of the program, and what ends with which; knows nothing of how it is said.

use std::process::ExitCode;

use crate::report::{Failure, Status};

/// How the program ends. The numbers are part of the command line's contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Reduced, already minimal, or the best so far at the end of the time that was given.
    Success = 0,
    /// An error of this program or of its environment.
    Error = 1,
    /// The command line makes no sense (clap's code too).
    Usage = 2,
    /// The property does not hold on the original.
    DoesNotHold = 3,
    /// The property holds on the original, but not in every run.
    HoldsSometimes = 4,
    /// Stopped by a signal; what was found is written (128 + SIGINT, as shells have it).
    Interrupted = 130,
}

impl Exit {
    /// The number a shell sees.
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.code())
    }
}

impl From<Status> for Exit {
    fn from(status: Status) -> Self {
        match status {
            Status::Reduced | Status::AlreadyMinimal | Status::TimeLimit => Exit::Success,
            Status::Interrupted => Exit::Interrupted,
        }
    }
}

impl From<&Failure> for Exit {
    fn from(failure: &Failure) -> Self {
        match failure {
            Failure::TestPasses { .. }
            | Failure::ProgramPasses { .. }
            | Failure::GuardFails { .. }
            | Failure::NeverFailed { .. }
            | Failure::NoSuchFailure { .. }
            | Failure::FailsTooRarely { .. }
            | Failure::NoCrash { .. }
            | Failure::NoContrast { .. }
            | Failure::NotInteresting { .. }
            | Failure::DoesNotCompile { .. } => Exit::DoesNotHold,
            Failure::FailsSometimes { .. } | Failure::FailsDifferently { .. } => {
                Exit::HoldsSometimes
            }
            Failure::SeveralFilters { .. } => Exit::Usage,
            Failure::Interrupted | Failure::InterruptedTwice => Exit::Interrupted,
            // What could not be looked at neither holds nor fails to: a script that bisects has to be
            // able to tell the two apart.
            Failure::NoSuchTest { .. }
            | Failure::DocTest { .. }
            | Failure::SeveralTestsFail { .. }
            | Failure::NoSuchPackage { .. }
            | Failure::NoPackageNamed { .. }
            | Failure::NoSuchTarget { .. }
            | Failure::NoSuchFile { .. }
            | Failure::NoGoodVersion { .. }
            | Failure::NoManifest { .. }
            | Failure::BrokenManifest { .. }
            | Failure::NotUtf8 { .. }
            | Failure::Io { .. }
            | Failure::NoToolchain { .. }
            | Failure::CargoFailed { .. }
            | Failure::OutputNotEmpty { .. }
            | Failure::CannotResume { .. }
            | Failure::LimitTooLow { .. }
            | Failure::BrokenScript { .. }
            | Failure::TooCostly { .. }
            | Failure::Bug { .. } => Exit::Error,
        }
    }
}
