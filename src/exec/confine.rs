//! Which files a process may write to, by Landlock where the system has it; knows nothing of why.

use std::io;
#[cfg(target_os = "linux")]
use std::os::fd::OwnedFd;
use std::path::PathBuf;

/// Devices that programs open for writing and that keep nothing.
#[cfg(target_os = "linux")]
const DEVICES: [&str; 8] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
];

/// A prepared sandbox.
#[cfg(target_os = "linux")]
pub(super) struct Confinement(landlock::RulesetCreated);

#[cfg(target_os = "linux")]
impl Confinement {
    /// Has no effect on a kernel without Landlock, see [`is_enforced`](Self::is_enforced). Paths that do not
    /// exist are passed over: nothing can be written there.
    pub(super) fn new(writable: &[PathBuf]) -> Result<Self, String> {
        use landlock::{
            ABI, AccessFs, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr, Scope,
            path_beneath_rules,
        };
        // What the newest kernel adds beyond this (ioctl on devices, connecting to sockets) is not writing to the disk.
        let writing = AccessFs::from_write(ABI::V3);
        let build = || -> Result<_, landlock::RulesetError> {
            Ruleset::default()
                .set_compatibility(landlock::CompatLevel::BestEffort)
                .handle_access(writing)?
                .scope(Scope::Signal)?
                .create()?
                .add_rules(path_beneath_rules(writable, writing))?
                .add_rules(path_beneath_rules(DEVICES, AccessFs::WriteFile))
        };
        build().map(Confinement).map_err(|error| error.to_string())
    }

    /// Whether the kernel will hold a process to it, at least in part.
    pub(super) fn is_enforced(&self) -> bool {
        // Without Landlock there is no descriptor of a rule set.
        let descriptor = self.0.try_clone().map(Option::<OwnedFd>::from);
        matches!(descriptor, Ok(Some(_)))
    }

    /// Confines the calling thread and all it starts, for good.
    pub(super) fn enter(self) -> io::Result<()> {
        self.0.restrict_self().map(drop).map_err(io::Error::other)
    }
}

/// Elsewhere nothing is confined.
#[cfg(not(target_os = "linux"))]
pub(super) struct Confinement;

#[cfg(not(target_os = "linux"))]
impl Confinement {
    pub(super) fn new(_writable: &[PathBuf]) -> Result<Self, String> {
        Ok(Confinement)
    }

    pub(super) fn is_enforced(&self) -> bool {
        false
    }

    pub(super) fn enter(self) -> io::Result<()> {
        Ok(())
    }
}
