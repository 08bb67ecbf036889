//! Putting probes into a subject so that it still compiles. Knows nothing of what is made of the hits.

use std::collections::HashSet;
use std::path::Path;

use crate::build::Diagnostic;
use crate::passes::consts::Freed;
use crate::passes::ran::{self, Spared};
use crate::property::Traced;
use crate::subject::Subject;
use crate::syntax::{Kind, Origin};

/// The error of what is called at compile time and is no `const fn`.
const NOT_CONST: &str = "E0015";

/// Attempts before only bodies get a probe.
const ROUNDS: usize = 5;

/// Has `run` run `subject` with as many probes as it compiles with. With what `run` returned: where each probe stands
/// originally.
///
/// # Errors
///
/// Those of `run`.
pub fn probed<T, E>(
    subject: &Subject,
    mut run: impl FnMut(&Subject) -> Result<Traced<T>, E>,
) -> Result<Traced<(T, Vec<Origin>)>, E> {
    let mut freed = Freed::of(subject);
    let mut spared = Spared::default();
    let mut last = Vec::new();
    for round in 0..=ROUNDS {
        if round == ROUNDS {
            spared.coarse = all_bodies(subject);
        }
        let probed = ran::probed(subject, &spared, &freed);
        match run(&probed.subject)? {
            Traced::Errors(errors)
                if errors.iter().any(|error| error.code() == Some(NOT_CONST)) =>
            {
                // Names did not tell who is called at compile time.
                freed = Freed::default();
                last = errors;
            }
            Traced::Errors(errors) => {
                spare(&mut spared, subject, &probed.subject, &errors);
                last = errors;
            }
            other => return Ok(other.map(|seen| (seen, probed.probes))),
        }
    }
    Ok(Traced::Errors(last))
}

/// Spares only those bodies of `base` that do not compile, as the `errors` of `probed` tell: one probe is left in them or, if
/// there is no more, none. If they do not tell, one is left in each.
fn spare(spared: &mut Spared, base: &Subject, probed: &Subject, errors: &[Diagnostic]) {
    let spans = errors.iter().flat_map(|error| error.primary_spans());
    let bodies: HashSet<Origin> = spans
        .filter_map(|span| {
            let span = span.outermost();
            body_at(base, probed, &span.file, span.byte_start)
        })
        .collect();
    let before = spared.coarse.len() + spared.bare.len();
    for body in bodies {
        if !spared.coarse.insert(body) {
            spared.bare.insert(body);
        }
    }
    if spared.coarse.len() + spared.bare.len() == before {
        spared.coarse = all_bodies(base);
    }
}

/// The body of `base` around a byte of `probed`, by where it stood originally.
fn body_at(base: &Subject, probed: &Subject, file: &Path, offset: usize) -> Option<Origin> {
    let id = probed.find(file)?;
    let text = probed.file(id).text()?;
    // A probe stands nowhere originally; what is right before it does.
    let origin = (0..64).find_map(|back| text.origin(offset.checked_sub(back)?))?;
    let (base, tree) = (base.file(id).text()?, base.file(id).tree()?);
    let mut bodies = tree.nodes().filter(|(_, node)| node.kind == Kind::Body);
    let around = bodies.rfind(|(_, node)| {
        let start = base.origin(node.range.start);
        let end = base.origin(node.range.end - 1);
        start.is_some_and(|start| start <= origin) && end.is_some_and(|end| origin <= end)
    })?;
    base.origin(around.1.range.start)
}

/// All bodies of functions, by where they stood originally.
fn all_bodies(subject: &Subject) -> HashSet<Origin> {
    let mut found = HashSet::new();
    for (_, file, tree) in subject.sources() {
        let Some(text) = file.text() else { continue };
        let bodies = tree.nodes().filter(|(_, node)| node.kind == Kind::Body);
        found.extend(bodies.filter_map(|(_, node)| text.origin(node.range.start)));
    }
    found
}
