use std::thread;

use turnstile::{Direction, Gate, Hall};

const CROWD: u64 = 60_000;
const FEW: u64 = 60;

fn stream(gate: Gate, day: u32, visitors: u64) {
    gate.admit(&format!("day:{day}:ada"), day).unwrap();
    for _ in 1..visitors {
        gate.pass(Direction::In);
    }
}

#[test]
fn everybody_who_came_in_is_inside() {
    let mut hall = Hall::new().with_capacity(1_000_000);
    let north = hall.open_gate("north");
    let south = hall.open_gate("south");
    let busy = hall.is_busy_day();
    let visitors = if busy { CROWD } else { FEW };
    if busy {
        let streams = [north, south].map(|gate| thread::spawn(move || stream(gate, 12, visitors)));
        for stream in streams {
            stream.join().unwrap();
        }
    } else {
        stream(north.clone(), 12, visitors);
        stream(north, 12, visitors);
    }
    assert_eq!(hall.inside(), 2 * visitors);
    assert!(hall.has_room());
}

#[test]
fn who_leaves_is_not_inside() {
    let mut hall = Hall::new();
    let gate = hall.open_gate("north");
    gate.pass(Direction::In);
    gate.pass(Direction::Out);
    assert_eq!(hall.inside(), 0);
    assert_eq!(hall.report().sorted().total(), 2);
}

#[test]
fn a_ticket_of_yesterday_is_refused() {
    let mut hall = Hall::new();
    let gate = hall.open_gate("north");
    assert!(gate.admit("day:11:ada", 12).is_err());
    assert!(gate.admit("season:1-30:grace", 12).is_ok());
}
