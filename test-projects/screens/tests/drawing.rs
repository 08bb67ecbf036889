//! What is to be seen.

use screens::widgets::Label;
use screens::{run, Grid};

#[test]
fn a_label_is_cut_at_the_edge() {
    let grid = Grid::new(8, 2);
    run(&grid, Label("not too long".to_owned()), 1);
    assert_eq!(grid.to_string(), "not too\n\n");
}
