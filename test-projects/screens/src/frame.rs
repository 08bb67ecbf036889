/// Where widgets draw, and what they see of the program while they do.
pub trait Frame {
    /// What is lent to a widget for as long as it draws.
    type View<'f>
    where
        Self: 'f;

    /// Lends it.
    fn view(&self) -> Self::View<'_>;
}

/// A frame that shows nothing of the program.
impl Frame for () {
    type View<'f> = ();

    fn view(&self) -> Self::View<'_> {}
}
