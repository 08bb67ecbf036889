//! Whether the seed of hash maps decides over a failure: runs with a `getrandom` of our own, which always gives the same; must
//! not be used to judge candidates.

use super::runs::Seen;
use super::{Criterion, Flaky};
use crate::property::preload::Preload;
use crate::report::Failure;
use crate::statistics::{Tally, runs_to_see};
use crate::subject::Subject;

/// The standard library looks `getrandom` up by name, and finds what was loaded first.
const SOURCE: &str = r#"
use std::ffi::{CStr, c_char};

unsafe extern "C" {
    fn getenv(name: *const c_char) -> *const c_char;
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn getrandom(buffer: *mut u8, length: usize, _flags: u32) -> isize {
    let mut state: u64 = 0;
    unsafe {
        let seed = getenv(c"CARGO_REDUCE_SEED".as_ptr());
        if !seed.is_null() {
            for byte in CStr::from_ptr(seed).to_bytes() {
                state = state.wrapping_mul(10).wrapping_add(u64::from(*byte));
            }
        }
        for at in 0..length {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut mixed = state;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            *buffer.add(at) = (mixed ^ (mixed >> 31)) as u8;
        }
    }
    length as isize
}
"#;

/// The library made of it.
const LIBRARY: &str = "seed";

/// Seeds that are tried to find one that fails.
const SEEDS: u32 = 300;

/// How likely chance alone may look like a seed that decides.
const CHANCE: f64 = 0.001;

/// What fixed seeds showed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BySeed {
    /// A seed with which it failed once makes it fail in every run.
    Decides {
        /// Runs with that seed.
        runs: u32,
    },
    /// It does not.
    DoesNot,
    /// Nothing can be said.
    Unknown,
}

impl Flaky {
    /// Whether the random seed of a process decides whether `subject`, which fails at `rate` as `criterion` says, fails.
    ///
    /// # Errors
    ///
    /// When it cannot be compiled or run.
    pub fn by_seed(
        &mut self,
        subject: &Subject,
        criterion: &Criterion,
        rate: Tally,
    ) -> Result<BySeed, Failure> {
        let replayed = self.test.replayed();
        let library = Preload::compiled(replayed, LIBRARY, SOURCE, &self.cancel)?;
        let Some(library) = library else {
            return Ok(BySeed::Unknown);
        };
        let run = self.run_for(subject);
        let built = self.test.build(&run, None)?;
        let Some(executable) = &built.executable else {
            return Ok(BySeed::Unknown);
        };
        let before = self.criterion.replace(criterion.clone());
        // By the upper limit: the more often it fails anyway, the more runs it takes to be surprised.
        let again = runs_to_see(1.0 - rate.at_most(0.95), 1.0 - CHANCE).max(3);
        let mut result = Ok(BySeed::Unknown);
        for seed in 0..SEEDS.min(runs_to_see(rate.rate(), 0.999)) {
            let mut seeded = library.loaded_by(executable);
            seeded
                .env
                .push(("CARGO_REDUCE_SEED".into(), seed.to_string()));
            let passed = |seen: &Seen| seen.tally.failures < seen.tally.runs;
            match self.run(&seeded, &run, again, None, &passed) {
                Ok(seen) if seen.tally.failures == 0 => {}
                Ok(seen) if seen.tally.failures == again => {
                    result = Ok(BySeed::Decides { runs: again });
                    break;
                }
                Ok(_) => {
                    result = Ok(BySeed::DoesNot);
                    break;
                }
                Err(failure) => {
                    result = Err(failure);
                    break;
                }
            }
        }
        self.criterion = before;
        result
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn with_our_getrandom_a_hash_depends_on_the_seed_alone() {
        if !cfg!(all(target_os = "linux", target_env = "gnu")) {
            return;
        }
        let directory = tempfile::tempdir().unwrap();
        let compile = |name: &str, text: &str, kind: &str| {
            let source = directory.path().join(format!("{name}.rs"));
            fs::write(&source, text).unwrap();
            let out = directory.path().join(name);
            let done = std::process::Command::new("rustc")
                .args([
                    "--edition",
                    "2021",
                    "--crate-type",
                    kind,
                    "--crate-name",
                    name,
                    "-o",
                ])
                .args([&out, &source])
                .status()
                .unwrap();
            assert!(done.success());
            out
        };
        let library = compile("seed", SOURCE, "cdylib");
        let program = compile(
            "hash",
            "use std::hash::*; fn main() { println!(\"{}\", std::collections::hash_map::RandomState::new().hash_one(1)) }",
            "bin",
        );
        let run = |seed: &str| {
            let mut command = std::process::Command::new(&program);
            command
                .env("LD_PRELOAD", &library)
                .env("CARGO_REDUCE_SEED", seed);
            command.output().unwrap().stdout
        };
        assert_eq!(run("1"), run("1"));
        assert_ne!(run("1"), run("2"));
    }
}
