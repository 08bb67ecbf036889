//! Every algorithm under every traversal, on a small file with an oracle in memory.

use std::collections::BTreeSet;

use super::*;
use crate::minimize::{Algorithm, Settings};
use crate::passes::{Place, Traversal};
use crate::property::crash::Report;
use crate::property::{Judged, Stage, Verdict};
use crate::request::SearchRequest;
use crate::syntax::{self, FileId, Kind as Syntax};

const SOURCE: &str = "
mod outer {
    pub struct Pair<T> { first: T, second: u16 }
    pub fn helper(x: u8, y: u8) -> u8 { let z = x; if z > y { return y; } z }
    pub mod inner {
        pub fn deep() { super::helper(1, 2); }
        pub fn unused() { deep(); }
    }
}
#[derive(Clone, Debug)]
enum Choice { One, Two(u8), Three { field: u8 } }
impl Choice {
    const FIRST: Choice = Choice::One;
    fn name(&self) -> &str { match self { Choice::One => \"one\", _ => \"more\" } }
}
fn main() {
    let choice = Choice::Two(7);
    match choice {
        Choice::One => { outer::inner::deep(); }
        Choice::Two(number) => { let double = number * 2; needle(double, [1, 2, 3]); }
        _ => {}
    }
    outer::inner::unused();
}
fn needle(number: u8, list: [u8; 3]) { other(); }
fn other() { needle(3, []); }
";

/// Interesting is what calls `needle` on `Two`, as long as all that it mentions is defined.
struct InMemory {
    names: BTreeSet<String>,
    trials: usize,
}

fn defined(subject: &Subject) -> BTreeSet<String> {
    let (source, tree) = source(subject);
    let name = |node: &syntax::Node| match node.kind {
        Syntax::Item(_)
        | Syntax::Member(_)
        | Syntax::Variant
        | Syntax::Field
        | Syntax::GenericParam
        | Syntax::Pat(syntax::PatKind::Ident) => Some(source[node.name.clone()?].to_string()),
        _ => None,
    };
    tree.nodes().filter_map(|(_, node)| name(node)).collect()
}

fn source(subject: &Subject) -> (&str, &syntax::Tree) {
    let file = subject.file(FileId(0));
    (file.source(), file.tree().expect("a Rust file has a tree"))
}

impl InMemory {
    fn holds(&self, subject: &Subject) -> bool {
        let (source, tree) = source(subject);
        let words: Vec<&str> = tree.identifiers(source, &(0..source.len())).collect();
        let defined = defined(subject);
        let known = |word: &&str| !self.names.contains(*word) || defined.contains(*word);
        let mentioned = |name: &str| words.iter().filter(|word| **word == name).count() > 1;
        syntax::parses(source) && words.iter().all(known) && mentioned("needle") && mentioned("Two")
    }
}

impl Oracle for InMemory {
    fn judge(&mut self, candidate: &Subject, _: Option<Instant>) -> Result<Judged, Failure> {
        self.trials += 1;
        Ok(Judged {
            verdict: if self.holds(candidate) {
                Verdict::Interesting
            } else {
                Verdict::Uninteresting(Stage::Compile)
            },
            cpu: Duration::ZERO,
            wall: Duration::ZERO,
            output: String::new(),
            errors: Vec::new(),
        })
    }
}

struct Silent;

impl Observer for Silent {
    fn event(&mut self, _: &Event<'_>) {}
}

/// Reduces the file; the oracle, and what is left.
fn reduced(algorithm: Algorithm, traversal: Traversal) -> (InMemory, Subject) {
    let directory = tempfile::tempdir().expect("a directory can be made");
    let start = Subject::new([("main.rs".into(), SOURCE.into())]).with_roots([FileId(0)]);
    let mut oracle = InMemory {
        names: defined(&start),
        trials: 0,
    };
    assert!(oracle.holds(&start));
    let request = Request::of_an_ice(SearchRequest {
        minimizer: Settings {
            algorithm,
            ..Settings::default()
        },
        traversal,
        ..SearchRequest::default()
    });
    let report = Report::default();
    let ended = Search {
        request: &request,
        start,
        fixed: Default::default(),
        untouched: Vec::new(),
        conditions: Default::default(),
        joints: Vec::new(),
        manifest_trials: 0,
        pump: None,
        protected: Vec::new(),
        oracle: &mut oracle,
        last: None,
        cancel: &Cancel::new().expect("there are file descriptors left"),
        output: directory.path().join("output"),
        scratch: directory.path(),
        started: Instant::now(),
        schedule: &mut |engine| engine.reduce_crash(&report),
    }
    .run(&mut Silent)
    .expect("nothing fails in memory");
    assert!(ended.one_minimal);
    (oracle, ended.best)
}

#[test]
fn every_algorithm_under_every_traversal_ends_with_what_is_one_minimal() {
    for traversal in Traversal::ALL {
        for algorithm in Algorithm::ALL {
            let (oracle, best) = reduced(algorithm, traversal);
            let text = source(&best).0;
            assert!(oracle.holds(&best), "{algorithm} {traversal}:\n{text}");
            let elements = (0..20).flat_map(|level| Place::Level(level).list(&best));
            for element in elements {
                let without = best.without([&element]);
                assert!(
                    !oracle.holds(&without),
                    "{algorithm} {traversal}: {:?} can go from\n{text}\nwhich leaves {}",
                    element.kind,
                    source(&without).0
                );
            }
            assert!(best.tokens() <= 60, "{algorithm} {traversal}:\n{text}");
        }
    }
}
