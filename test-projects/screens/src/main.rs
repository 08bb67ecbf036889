use screens::widgets::{Logged, Ticker};
use screens::{run, Grid};

fn main() {
    let grid = Grid::new(40, 4);
    run(&(), screens::screens::splash(), 2);
    run(&grid, screens::screens::failure("the disk is full"), 1);
    let ticks = run(&(), Logged::new(Ticker::default(), 4), 10);
    println!("{grid}{} events", ticks.len());
}
