//! What can be said about something that happens in some runs and not in others: how often it happens, and whether
//! that is often enough. Knows nothing of tests or processes.

mod rate;
mod sequential;
mod table;

pub use rate::{Interval, Tally, runs_to_see};
pub use sequential::{Decision, Operation, Plan, PlanError, fixed};
pub use table::{RATES, runs_per_decision};
