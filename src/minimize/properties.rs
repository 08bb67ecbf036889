//! Property tests: what every algorithm promises for every property, monotone or not.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::splitmix::mix;
use super::trace::{self, Traced, trace};
use super::*;

/// A predicate on the elements kept, which holds when all are.
#[derive(Debug, Clone)]
enum Property {
    /// All of these are there: monotone and unambiguous, as in section 3.1.2 of the ProbDD paper.
    Needs(Vec<usize>),
    /// All of one of these sets are there: monotone, but not unambiguous.
    NeedsOneOf(Vec<Vec<usize>>),
    /// These are there, and with each element those that it uses, which stand before it: not
    /// monotone.
    Closed {
        needed: Vec<usize>,
        uses: Vec<Vec<usize>>,
    },
    /// One set in `one_in`, at random, and the whole list: as far from monotone as can be.
    Random { seed: u64, one_in: u64 },
}

impl Property {
    fn holds(&self, kept: &[usize], length: usize) -> bool {
        let has = |element: &usize| kept.binary_search(element).is_ok();
        match self {
            Self::Needs(needed) => needed.iter().all(has),
            Self::NeedsOneOf(sets) => sets.iter().any(|set| set.iter().all(has)),
            Self::Closed { needed, uses } => {
                needed.iter().all(has) && kept.iter().all(|&user| uses[user].iter().all(has))
            }
            Self::Random { seed, one_in } => {
                let hash = kept.iter().fold(*seed, |hash, &e| mix(hash ^ e as u64));
                kept.len() == length || hash % one_in == 0
            }
        }
    }

    fn is_monotone(&self) -> bool {
        matches!(self, Self::Needs(_) | Self::NeedsOneOf(_))
    }
}

/// A list with a property.
#[derive(Debug, Clone)]
struct Case {
    items: Vec<Item>,
    property: Property,
}

impl Case {
    fn run(&self, settings: &Settings) -> Traced {
        self.run_with(&mut *minimizer(&self.items, settings))
    }

    fn run_with(&self, minimizer: &mut dyn Minimizer) -> Traced {
        let length = self.items.len();
        trace(minimizer, length, |kept| self.property.holds(kept, length))
    }

    /// The first element without which the property would still hold.
    fn removable(&self, kept: &[usize]) -> Option<usize> {
        kept.iter().copied().find(|gone| {
            let without: Vec<usize> = kept.iter().copied().filter(|e| e != gone).collect();
            self.property.holds(&without, self.items.len())
        })
    }
}

fn subset(length: usize) -> impl Strategy<Value = Vec<usize>> {
    // From none needed to all, not always about half.
    (0.0..=1.0).prop_flat_map(move |share: f64| {
        vec(proptest::bool::weighted(share), length)
            .prop_map(|bits| (0..bits.len()).filter(|&bit| bits[bit]).collect())
    })
}

fn property(length: usize) -> BoxedStrategy<Property> {
    prop_oneof![
        subset(length).prop_map(Property::Needs),
        vec(subset(length), 1..4).prop_map(Property::NeedsOneOf),
        closed(length),
        (any::<u64>(), 1..20_u64).prop_map(|(seed, one_in)| Property::Random { seed, one_in }),
    ]
    .boxed()
}

fn closed(length: usize) -> BoxedStrategy<Property> {
    let uses = vec(vec(0..length.max(1), 0..3), length);
    (subset(length), uses)
        .prop_map(|(mut needed, mut uses)| {
            needed.truncate(4);
            for (user, used) in uses.iter_mut().enumerate() {
                used.retain(|&used| used < user);
            }
            Property::Closed { needed, uses }
        })
        .boxed()
}

fn case(
    longest: usize,
    property: fn(usize) -> BoxedStrategy<Property>,
) -> impl Strategy<Value = Case> {
    let weight = prop_oneof![Just(1), 1..10_u32, 1..5_000_u32];
    let prior = option::of(0.0..=1.0);
    let item = (weight, prior).prop_map(|(weight, prior)| Item { weight, prior });
    vec(item, 0..=longest).prop_flat_map(move |items| {
        property(items.len()).prop_map(move |property| Case {
            items: items.clone(),
            property,
        })
    })
}

fn settings() -> impl Strategy<Value = Settings> {
    (
        proptest::sample::select(&Algorithm::ALL[..]),
        prop_oneof![
            (2..9_usize).prop_map(SplitFactor::Parts),
            Just(SplitFactor::Infinite)
        ],
        prop_oneof![
            Just(ComplementOrder::Forward),
            Just(ComplementOrder::Backward)
        ],
        prop_oneof![
            Just(InitialProbability::ByKind),
            (0.01..0.99).prop_map(InitialProbability::Same)
        ],
        any::<[bool; 3]>(),
        option::of(any::<u64>()),
    )
        .prop_map(
            |(algorithm, split_factor, complement_order, initial_probability, on, shuffle)| {
                Settings {
                    algorithm,
                    split_factor,
                    subset_tests: on[0],
                    complement_order,
                    initial_probability,
                    one_minimal: on[1],
                    try_all_first: on[2],
                    shuffle,
                }
            },
        )
}

/// The most trials that an algorithm may take for n elements, bare.
fn bound(settings: &Settings, n: usize) -> usize {
    let quadratic = |nu: usize| n * n + n * (nu + 1) / (nu - 1);
    match settings.algorithm {
        // Linear. Without successes, round r takes n·p(r) trials, where p(r) grows by 1/(1 − 1/e)
        // up to 1 (Zhang et al., Lemma III.2): e·n in all. In each round one subset may be shorter,
        // and p₀ ≥ 10⁻⁶ allows 30 rounds.
        Algorithm::WProbDd | Algorithm::ProbDd | Algorithm::Cdd => 3 * n + 30,
        // Kiss 2020, section III.
        Algorithm::Ddmin => match settings.split_factor {
            SplitFactor::Parts(nu) => quadratic(nu).max(1),
            SplitFactor::Infinite => n * n + n,
        },
        // Zhou et al. 2025, section IV-C: as ddmin, and then `ensureOneMinimal`.
        Algorithm::WDdmin => quadratic(2) + n * n,
        Algorithm::OneMin => n * n,
        // Until θ has gone from ln s to ln n by steps of γ/e, a success setting it back by γ(1 −
        // 1/e); then the scan.
        Algorithm::ActiveCoarsen => {
            let climb = 14.0 * (n as f64 + 1.0).ln() / 0.0367;
            n * n + 3 * n + climb as usize
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// `trace` checks every promise of [`Minimizer`] on the way; here is what holds at the end.
    #[test]
    fn every_result_is_interesting(case in case(24, property), settings in settings()) {
        let traced = case.run(&settings);
        prop_assert!(case.property.holds(&traced.kept, case.items.len()));
    }

    #[test]
    fn the_one_minimal_pass_leaves_nothing_that_can_go_alone(
        case in case(24, property),
        settings in settings(),
    ) {
        let traced = case.run(&Settings { one_minimal: true, ..settings });
        prop_assert_eq!(case.removable(&traced.kept), None);
    }

    #[test]
    fn the_one_minimal_pass_alone_leaves_nothing_that_can_go_alone(case in case(24, property)) {
        let traced = case.run_with(&mut OneMinimal::new(case.items.len()));
        prop_assert_eq!(case.removable(&traced.kept), None);
    }

    /// Kiss 2020, section III (ddmin^ν, onemin); Zhou et al. 2025, section IV-B (W_ddmin).
    #[test]
    fn what_promises_one_minimal_results_keeps_it_without_the_pass(
        case in case(24, property),
        settings in settings(),
        start_over in any::<bool>(),
    ) {
        let settings = Settings { one_minimal: false, ..settings };
        prop_assume!(!matches!(
            settings.algorithm,
            Algorithm::WProbDd | Algorithm::ProbDd | Algorithm::Cdd
        ));
        let after = if start_over { AfterSuccess::StartOver } else { AfterSuccess::GoOn };
        let traced = case.run_with(&mut *minimizer_with(&case.items, &settings, after));
        prop_assert_eq!(case.removable(&traced.kept), None);
    }

    /// Wang et al. 2021, theorems 4.3 and 4.4, and the same for every other algorithm.
    #[test]
    fn a_monotone_property_gives_a_minimal_result_without_the_pass(
        case in case(24, property),
        settings in settings(),
    ) {
        prop_assume!(case.property.is_monotone());
        let traced = case.run(&Settings { one_minimal: false, ..settings });
        prop_assert_eq!(case.removable(&traced.kept), None);
        if let Property::Needs(needed) = &case.property {
            prop_assert_eq!(&traced.kept, needed);
        }
    }

    #[test]
    fn no_algorithm_takes_more_trials_than_its_bound(case in case(60, property), settings in settings()) {
        let settings = Settings { one_minimal: false, try_all_first: false, ..settings };
        let trials = case.run(&settings).trials();
        prop_assert!(trials <= bound(&settings, case.items.len()), "{trials}");
    }

    #[test]
    fn the_trial_without_any_element_comes_first_and_ends_the_run_if_it_succeeds(
        case in case(24, property),
        settings in settings(),
    ) {
        let length = case.items.len();
        prop_assume!(length > 0);
        let traced = case.run(&Settings { try_all_first: true, ..settings });
        prop_assert_eq!(&traced.asked[0].0, &(0..length).collect::<Vec<_>>());
        prop_assert_eq!(traced.asked[0].1, case.property.holds(&[], length));
        if traced.asked[0].1 {
            prop_assert_eq!(traced.trials(), 1);
        }
    }

    /// Speculation: a copy is run ahead on a guess while the original waits for the verdict.
    #[test]
    fn a_copy_goes_its_own_way_and_ends_where_the_original_does_on_the_same_verdicts(
        case in case(24, property),
        settings in settings(),
        pause in 0..30_usize,
        guesses in vec(any::<bool>(), 0..10),
    ) {
        let length = case.items.len();
        let alone = case.run(&settings);
        let mut original = minimizer(&case.items, &settings);
        for (_, verdict) in alone.asked.iter().take(pause) {
            original.propose();
            original.record(*verdict);
        }
        let mut ahead = original.clone_box();
        for guess in guesses {
            if ahead.propose().is_some() {
                ahead.record(guess);
            }
        }
        for minimizer in [&mut original.clone_box(), &mut original] {
            for (remove, verdict) in alone.asked.iter().skip(pause) {
                let trial = minimizer.propose();
                prop_assert_eq!(trial.as_ref().map(|trial| &trial.remove), Some(remove));
                minimizer.record(*verdict);
            }
            prop_assert_eq!(minimizer.propose(), None);
            let removed: Vec<usize> = (0..length).filter(|e| !alone.kept.contains(e)).collect();
            prop_assert_eq!(minimizer.removed(), removed);
        }
    }

    /// Dependent elements: one round in reverse order takes everything that can go.
    #[test]
    fn with_uses_after_definitions_the_pass_finds_the_least_closed_list(case in case(24, closed)) {
        let Property::Closed { needed, uses } = &case.property else {
            unreachable!("`closed` makes nothing else");
        };
        let mut least = needed.clone();
        let mut place = 0;
        while place < least.len() {
            least.extend(&uses[least[place]]);
            place += 1;
        }
        least.sort_unstable();
        least.dedup();
        let traced = case.run_with(&mut OneMinimal::new(case.items.len()));
        prop_assert_eq!(&traced.kept, &least);
        // The second round only asks again for what was refused before the last success.
        prop_assert!(traced.trials() <= 2 * case.items.len());
    }
}

/// Design page, decision 4: why the pass follows every list.
#[test]
fn what_was_refused_while_its_user_stood_goes_in_the_one_minimal_pass_only() {
    let case = Case {
        items: trace::weights(&[1; 30]),
        // Each uses the one before it; the first three are needed.
        property: Property::Closed {
            needed: vec![2],
            uses: (0..30)
                .map(|user: usize| user.checked_sub(1).into_iter().collect())
                .collect(),
        },
    };
    for algorithm in [Algorithm::WProbDd, Algorithm::ProbDd, Algorithm::Cdd] {
        let settings = |one_minimal| Settings {
            algorithm,
            one_minimal,
            ..Settings::default()
        };
        assert!(case.run(&settings(false)).kept.len() > 10, "{algorithm}");
        assert_eq!(case.run(&settings(true)).kept, [0, 1, 2], "{algorithm}");
    }
}

#[test]
#[should_panic(expected = "no trial is open")]
fn a_verdict_without_a_trial_is_a_mistake_of_the_caller() {
    minimizer(&[], &Settings::default()).record(true);
}
