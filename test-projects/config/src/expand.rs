use crate::{Config, Reason};

/// Puts values in place of `${key}`.
pub(crate) fn expand(text: &str, known: &Config) -> Result<String, Reason> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        out.push_str(before);
        let (key, behind) = after.split_once('}').ok_or(Reason::OpenVariable)?;
        let value = known
            .text(key)
            .ok_or_else(|| Reason::Missing(key.to_owned()))?;
        out.push_str(value);
        rest = behind;
    }
    out.push_str(rest);
    Ok(out)
}
