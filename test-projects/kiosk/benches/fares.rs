//! How long a fare takes. Without `--bench` each case runs once, to see that it works.

use kiosk::{Ticket, Zone};

fn main() {
    let rounds = match std::env::args().any(|word| word == "--bench") {
        true => 100_000,
        false => 1,
    };
    for (from, to) in [(1, 5), (2, 2), (5, 1)] {
        let start = std::time::Instant::now();
        for _ in 0..rounds {
            std::hint::black_box(Ticket::between(Zone(from), Zone(to)).price());
        }
        println!("{from} to {to}: {:?} a fare", start.elapsed() / rounds);
    }
}
