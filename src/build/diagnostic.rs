//! What rustc says, as data; knows nothing of how it came to be said.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::paths::normal;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// An internal compiler error that the compiler reported itself (`error: internal compiler error: …`).
    #[serde(rename = "error: internal compiler error")]
    Bug,
    /// A compile error.
    Error,
    /// A warning, or a lint of that level.
    Warning,
    /// Further facts about another message.
    Note,
    /// Advice about another message.
    Help,
    /// A summary at the end of failed runs, or a level that this version does not know.
    #[serde(other)]
    Other,
}

/// A message of rustc, in the shape of its JSON output
/// (<https://doc.rust-lang.org/rustc/json.html>).
///
/// Written out, it lacks what is for people alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// How bad it is.
    pub level: Level,
    /// `E0425`, or a lint's name.
    pub code: Option<Code>,
    /// The first line, without level and code.
    pub message: String,
    /// Where.
    pub spans: Vec<Span>,
    /// Notes, help and suggestions that belong to it.
    pub children: Vec<Diagnostic>,
    /// The whole message as a person sees it, without colours.
    #[serde(skip_serializing)]
    pub rendered: Option<String>,
}

/// The code of what [`Diagnostic::reached`] makes.
const REACHED: &str = "reached";

impl Diagnostic {
    /// What a run says by ending at the byte `at` of `file`, where no run was to come.
    pub fn reached(file: PathBuf, at: usize) -> Diagnostic {
        let span = Span {
            file,
            byte_start: at,
            byte_end: at,
            line: 0,
            column: 0,
            is_primary: true,
            label: None,
            suggested_replacement: None,
            expansion: None,
        };
        let code = REACHED.to_string();
        Diagnostic {
            level: Level::Error,
            code: Some(Code { code }),
            message: "the program came here".to_string(),
            spans: vec![span],
            children: Vec::new(),
            rendered: None,
        }
    }

    /// Whether it is one of those, and not the compiler's.
    pub fn is_reached(&self) -> bool {
        self.code() == Some(REACHED)
    }

    /// The code as text, `E0425` or a lint's name.
    pub fn code(&self) -> Option<&str> {
        self.code.as_ref().map(|code| code.code.as_str())
    }

    /// The spans that the message is about, in the order that rustc gives them.
    pub fn primary_spans(&self) -> impl Iterator<Item = &Span> {
        self.spans.iter().filter(|span| span.is_primary)
    }

    /// Calls `change` on every span: its own, its children's, and those of expansions.
    pub(super) fn for_each_span(&mut self, change: &mut impl FnMut(&mut Span)) {
        for span in &mut self.spans {
            span.for_each(change);
        }
        for child in &mut self.children {
            child.for_each_span(change);
        }
    }
}

/// The code of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Code {
    /// `E0425`, or a lint's name.
    pub code: String,
}

/// A place in a source file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// Relative to the tree if it lies in the tree, else absolute, else a name in angle brackets for what is no file.
    #[serde(rename = "file_name")]
    pub file: PathBuf,
    /// First byte, from the beginning of the file.
    pub byte_start: usize,
    /// One past the last byte.
    pub byte_end: usize,
    /// Line of the first character, from 1.
    #[serde(rename = "line_start")]
    pub line: usize,
    /// Column of the first character, from 1, in characters.
    #[serde(rename = "column_start")]
    pub column: usize,
    /// The message is about this one; the others explain.
    pub is_primary: bool,
    /// What is written under it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// What to put in its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggested_replacement: Option<String>,
    /// Set if the span lies in what a macro expanded to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expansion: Option<Box<Expansion>>,
}

impl Span {
    /// The span in source that somebody wrote by hand: the outermost macro call, or itself outside macros.
    pub fn outermost(&self) -> &Span {
        let mut span = self;
        while let Some(expansion) = &span.expansion {
            span = &expansion.span;
        }
        span
    }

    /// Changes this span and those of the macro calls that it comes from.
    pub fn for_each(&mut self, change: &mut impl FnMut(&mut Span)) {
        change(self);
        if let Some(expansion) = &mut self.expansion {
            expansion.span.for_each(change);
            if let Some(definition) = &mut expansion.def_site_span {
                definition.for_each(change);
            }
        }
    }
}

/// How a span came out of a macro.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expansion {
    /// The macro call.
    pub span: Span,
    /// `vec!`, `#[derive(Debug)]`.
    pub macro_decl_name: String,
    /// Where the macro is defined, if that is known.
    pub def_site_span: Option<Span>,
}

/// A stream of rustc's standard error under `--error-format=json`, taken apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Messages {
    /// The messages, in order.
    pub diagnostics: Vec<Diagnostic>,
    /// All that is not JSON: a panic's report, the linker's words.
    pub text: String,
}

impl Messages {
    /// `cwd` is where rustc ran, `tree` the root of the source: file names become relative to it.
    pub fn parse(stderr: &[u8], cwd: &Path, tree: &Path) -> Self {
        let mut messages = Messages::default();
        for line in String::from_utf8_lossy(stderr).lines() {
            let value = line
                .starts_with('{')
                .then(|| serde_json::from_str::<serde_json::Value>(line).ok())
                .flatten();
            let Some(value) = value else {
                messages.text.push_str(line);
                messages.text.push('\n');
                continue;
            };
            // Other kinds of messages announce files or count unused crates.
            let kind = value.get("$message_type").and_then(|kind| kind.as_str());
            if kind.is_none_or(|kind| kind == "diagnostic")
                && let Some(diagnostic) = diagnostic(value, cwd, tree)
            {
                messages.diagnostics.push(diagnostic);
            }
        }
        messages
    }
}

/// One message. `None` if it does not have the shape of one.
pub(super) fn diagnostic(value: serde_json::Value, cwd: &Path, tree: &Path) -> Option<Diagnostic> {
    let mut diagnostic: Diagnostic = serde_json::from_value(value).ok()?;
    diagnostic.for_each_span(&mut |span| span.file = within(&span.file, cwd, tree));
    Some(diagnostic)
}

/// A path as rustc wrote it: relative to the tree if it lies there, else absolute.
pub(super) fn within(path: &Path, cwd: &Path, tree: &Path) -> PathBuf {
    // `<anon>`, `<quote expansion>`: not a file.
    if path.to_str().is_some_and(|name| name.starts_with('<')) {
        return path.to_path_buf();
    }
    let path = normal(&cwd.join(path));
    match path.strip_prefix(tree) {
        Ok(inside) => inside.to_path_buf(),
        Err(_) => path,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Diagnostic, Level, Messages, within};

    #[test]
    fn messages_and_other_text_are_told_apart() {
        let stderr = concat!(
            r#"{"$message_type":"diagnostic","message":"bad","code":{"code":"E0425","explanation":null},"level":"error","spans":[{"file_name":"src/lib.rs","byte_start":3,"byte_end":5,"line_start":1,"line_end":1,"column_start":4,"column_end":6,"is_primary":true,"text":[],"label":null,"suggested_replacement":null,"suggestion_applicability":null,"expansion":null}],"children":[],"rendered":"error: bad"}"#,
            "\nthread 'rustc' panicked at compiler/x.rs:1:2:\n{not json}\n",
            r#"{"$message_type":"artifact","artifact":"/x","emit":"link"}"#,
            "\n",
            r#"{"$message_type":"diagnostic","message":"broken","code":null,"level":"error: internal compiler error","spans":[],"children":[],"rendered":""}"#,
            "\n",
        );
        let messages = Messages::parse(stderr.as_bytes(), Path::new("/t/pkg"), Path::new("/t"));
        let [error, bug] = &messages.diagnostics[..] else {
            panic!("{messages:?}");
        };
        assert_eq!((error.level, error.code()), (Level::Error, Some("E0425")));
        assert_eq!(error.spans[0].file, Path::new("pkg/src/lib.rs"));
        assert_eq!((error.spans[0].byte_start, error.spans[0].column), (3, 4));
        assert_eq!((bug.level, bug.code()), (Level::Bug, None));
        let written = serde_json::to_string(error).unwrap();
        let read: Diagnostic = serde_json::from_str(&written).unwrap();
        assert_eq!(
            read,
            Diagnostic {
                rendered: None,
                ..error.clone()
            }
        );
        assert_eq!(
            messages.text,
            "thread 'rustc' panicked at compiler/x.rs:1:2:\n{not json}\n"
        );
    }

    #[test]
    fn files_outside_the_tree_keep_their_absolute_names() {
        let within = |path| within(Path::new(path), Path::new("/t/a"), Path::new("/t"));
        assert_eq!(within("../b/x.rs"), Path::new("b/x.rs"));
        assert_eq!(within("/rustc/lib.rs"), Path::new("/rustc/lib.rs"));
        assert_eq!(within("<anon>"), Path::new("<anon>"));
    }
}
