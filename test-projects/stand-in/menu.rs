//! Menus that are built at run time.

/// Something to choose.
pub trait Choice {
    fn title(&self) -> String;

    fn choose(&mut self) -> Outcome;
}

/// What choosing led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Stay,
    Back,
    Quit,
}

/// A list of choices.
#[derive(Default)]
pub struct Menu {
    choices: Vec<Box<dyn Choice>>,
}

impl Menu {
    pub fn with(mut self, choice: impl Choice + 'static) -> Self {
        self.choices.push(Box::new(choice));
        self
    }

    pub fn titles(&self) -> Vec<String> {
        self.choices.iter().map(|choice| choice.title()).collect()
    }
}

impl Choice for Menu {
    fn title(&self) -> String {
        self.titles().join(", ")
    }

    fn choose(&mut self) -> Outcome {
        match self.choices.first_mut() {
            Some(choice) => choice.choose(),
            None => Outcome::Back,
        }
    }
}

/// A number that is counted in boxes, for no good reason.
pub fn boxed(number: u32) -> Box<Box<Box<u32>>> {
    Box::new(Box::new(Box::new(number)))
}

/// Leaves the program.
pub struct Quit;

impl Choice for Quit {
    fn title(&self) -> String {
        format!("quit ({})", boxed(1))
    }

    fn choose(&mut self) -> Outcome {
        Outcome::Quit
    }
}
