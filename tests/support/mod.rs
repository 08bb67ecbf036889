//! What the behaviour tests share: copies of test projects, runs of the binary, and what must be true after every run.
//!
//! Every run, whatever it is for, is checked for two promises: that the project is byte for byte as it was, and that no
//! process and no temporary file is left.

// Each test target compiles this module for itself and uses its own part of it.
#![allow(dead_code, unused_imports)]

pub mod processes;
pub mod project;
pub mod reduced;
pub mod reduction;
pub mod tokens;
pub mod toolchain;
pub mod tree;

pub use project::Project;
pub use reduced::Reduced;
pub use reduction::{Outcome, Reduction, without_our_cargo};
