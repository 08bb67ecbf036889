//! Menus in menus, as types.

use std::fmt;
use std::marker::PhantomData;

/// What can stand in a menu.
pub trait Entry {
    /// What choosing it leads to.
    type Next;

    const TITLE: &'static str;
}

/// The end of the line.
pub struct Quit;

impl Entry for () {
    type Next = ();
    const TITLE: &'static str = "quit";
}

impl Entry for Quit {
    type Next = ();
    const TITLE: &'static str = "quit";
}

/// A menu with one entry.
pub struct Menu<E>(PhantomData<E>);

impl<E: Entry> Entry for Menu<E> {
    type Next = E;
    const TITLE: &'static str = "more";
}

impl<E: Entry> fmt::Display for Menu<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}]", E::TITLE)
    }
}

/// Writes out a function that returns menus nested to a power of two: every `+` doubles the depth.
macro_rules! tower {
    ($name:ident [+ $($plus:tt)*] [$($open:tt)*] [$($close:tt)*]) => {
        tower! { $name [$($plus)*] [$($open)* $($open)*] [$($close)* $($close)*] }
    };
    ($name:ident [] [$($open:tt)*] [$($close:tt)*]) => {
        /// The outermost menu.
        pub fn $name() -> $($open)* () $($close)* {}
    };
}

tower! { main_menu [+++++++++++] [impl Entry<Next =] [>] }
