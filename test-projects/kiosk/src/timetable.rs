//! When trains leave.

/// One train.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Departure {
    pub minute: u32,
    pub platform: u32,
}

/// All trains of a day, in order.
#[derive(Debug, Default)]
pub struct Timetable {
    departures: Vec<Departure>,
}

impl Timetable {
    /// One train every `step` minutes, on two platforms in turn.
    pub fn every(step: u32) -> Timetable {
        let times = (5 * 60..24 * 60).step_by(step as usize).enumerate();
        Timetable {
            departures: times
                .map(|(at, minute)| Departure {
                    minute,
                    platform: at as u32 % 2 + 1,
                })
                .collect(),
        }
    }

    /// The next train.
    pub fn after(&self, minute: u32) -> Option<&Departure> {
        self.departures
            .iter()
            .find(|departure| departure.minute >= minute)
    }
}

/// A time of the day, as it is shown.
pub fn clock(minute: u32) -> String {
    format!("{:02}:{:02}", minute / 60, minute % 60)
}
