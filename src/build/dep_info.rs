//! Which files and variables a compilation read, from the dep-info file that rustc writes; knows nothing of units.

use std::path::{Path, PathBuf};

use super::BuildError;

/// What a compilation read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DepInfo {
    /// The files, modules and `include!`s alike: absolute, or as rustc wrote them below its working directory. The source file is the first.
    pub files: Vec<PathBuf>,
    /// Variables asked for by `env!` and `option_env!`, with the value they had.
    pub env: Vec<(String, Option<String>)>,
}

/// Reads a `.d` file. `cwd` is where rustc ran: relative names are made absolute by it.
pub fn dep_info(path: &Path, cwd: &Path) -> Result<DepInfo, BuildError> {
    let text = std::fs::read_to_string(path).map_err(BuildError::file("reading", path))?;
    let mut dep_info = parse(&text);
    for file in &mut dep_info.files {
        *file = cwd.join(&*file);
    }
    Ok(dep_info)
}

/// The format is that of a makefile, with a rule per output that names all inputs, an empty rule per
/// input, and comments for what make does not know.
fn parse(text: &str) -> DepInfo {
    let mut dep_info = DepInfo::default();
    let mut rule_seen = false;
    for line in text.lines() {
        if let Some(variable) = line.strip_prefix("# env-dep:") {
            dep_info.env.push(match variable.split_once('=') {
                Some((name, value)) => (unescape_env(name), Some(unescape_env(value))),
                None => (unescape_env(variable), None),
            });
        } else if !rule_seen && let Some((_, inputs)) = line.split_once(": ") {
            // The rules differ in their outputs alone.
            rule_seen = true;
            dep_info.files = split_names(inputs);
        }
    }
    dep_info
}

/// Names are separated by spaces; a space in a name is escaped by a backslash, and nothing else is.
fn split_names(inputs: &str) -> Vec<PathBuf> {
    let mut names = Vec::new();
    let mut name = String::new();
    for word in inputs.split(' ') {
        match word.strip_suffix('\\') {
            Some(start) => {
                name.push_str(start);
                name.push(' ');
            }
            None => {
                name.push_str(word);
                if !name.is_empty() {
                    names.push(PathBuf::from(std::mem::take(&mut name)));
                }
            }
        }
    }
    names
}

/// rustc writes line breaks and backslashes in variables as escapes.
fn unescape_env(text: &str) -> String {
    let mut unescaped = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c == '\\').then(|| chars.next()).flatten() {
            Some('n') => unescaped.push('\n'),
            Some('r') => unescaped.push('\r'),
            Some(other) => unescaped.push(other),
            None => unescaped.push(c),
        }
    }
    unescaped
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::parse;

    #[test]
    fn names_with_spaces_and_variables_are_read() {
        let text = "/out/my\\ dir/a.d: src/lib.rs /t/my\\ dir/b.rs src/two\\ \\ spaces.txt\n\n\
                    /out/my\\ dir/liba.rmeta: src/lib.rs\n\nsrc/lib.rs:\n\n\
                    # env-dep:UNSET\n# env-dep:SET=a=b\\nc\\\\d\n# env-dep:EMPTY=\n";
        let dep_info = parse(text);
        let files = ["src/lib.rs", "/t/my dir/b.rs", "src/two  spaces.txt"];
        assert_eq!(dep_info.files, files.map(PathBuf::from));
        let env = [
            ("UNSET", None),
            ("SET", Some("a=b\nc\\d")),
            ("EMPTY", Some("")),
        ];
        assert_eq!(
            dep_info.env,
            env.map(|(name, value)| (name.to_string(), value.map(String::from)))
        );
    }

    #[test]
    fn a_unit_that_read_nothing_has_no_files() {
        assert_eq!(parse("a.d:\n").files, Vec::<PathBuf>::new());
    }
}
