//! `cargo reduce`: shrinks what shows a failure to the smallest thing that still shows it.
//!
//! The data flows one way:
//!
//! ```text
//! cli ──► request ──► subject ──► property.baseline ──► engine ──► report
//! ```
//!
//! A [`passes`] module turns the subject into lists of elements and never runs a process; a
//! [`minimize`] algorithm decides which elements to try without and never sees text; the oracle in
//! [`property`] judges a candidate and never knows which pass asked.

pub mod build;
pub mod cli;
pub mod engine;
pub mod exec;
pub mod minimize;
pub mod passes;
pub mod paths;
pub mod property;
pub mod report;
pub mod request;
pub mod statistics;
pub mod subject;
pub mod syntax;
