//! What people and programs read, as snapshots.

mod afterwards;
mod failures;
mod watching;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use indicatif::{InMemoryTerm, ProgressDrawTarget};

use super::example::{ICE_OUTPUT, ice, summary};
use super::ice_output::IceOutput;
use super::{
    Event, Failure, Human, Kind, LiveLine, Observer, Screen, Slip, Status, Style, Summary,
    TrialOutcome, Verbosity, failure_text, markdown, summary_text, write_reports,
};

const PLAIN: Style = Style::new(false);
