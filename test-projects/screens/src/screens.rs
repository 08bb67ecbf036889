//! The screens of the program.

use crate::widgets::{lazy, Column, Label};
use crate::{Grid, Widget};

/// The screen that is shown while the program starts.
pub fn splash() -> impl Widget<(), Event = ()> {
    lazy(|()| lazy(|()| ()))
}

/// The screen that is shown when something went wrong.
pub fn failure(message: &str) -> impl Widget<Grid, Event = ()> {
    let title = Label("Something went wrong".to_owned());
    Column(title, Label(format!("  {message}")))
}
