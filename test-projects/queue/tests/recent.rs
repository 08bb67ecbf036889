//! Measurements come and go.

use queue::{Recent, Stats};

#[test]
fn the_oldest_goes_first() {
    let mut recent: Recent<u32, 3> = Recent::new();
    assert_eq!(recent.push(1), None);
    recent.extend([2, 3]);
    assert!(recent.is_full());
    assert_eq!(recent.push(4), Some(1));
    assert_eq!(recent.first(), Some(&2));
    assert_eq!(recent.last(), Some(&4));
    assert_eq!(recent[1], 3);
    assert!(recent.iter().eq(&[2, 3, 4]));
}

#[test]
fn equal_is_what_remembers_the_same() {
    let late: Recent<u32, 2> = (0..10).collect();
    let early: Recent<u32, 2> = [8, 9].into_iter().collect();
    assert_eq!(late, early);
}

#[test]
fn steps_that_fit_reach_the_end() {
    let recent: Recent<u32, 7> = (0..6).collect();
    assert_eq!(recent.every(3).collect::<Vec<_>>(), [&0, &3]);
}

#[test]
fn a_sample_is_close_to_the_whole() {
    let mut temperatures: Recent<f64, 7> = Recent::new();
    for hour in 0..24 {
        temperatures.push(15.0 + f64::from(hour % 5));
    }
    assert_eq!(temperatures.len(), 7);
    assert_eq!(temperatures.median(), Some(17.0));
    let mean = temperatures.mean().unwrap();

    let sampled = temperatures.sampled_mean(2).unwrap();
    assert!((mean - sampled).abs() < 2.0);
}

#[test]
fn nothing_has_no_mean() {
    let mut recent: Recent<f64, 4> = [1.0, 2.0].into_iter().collect();
    assert_eq!(recent.sampled_mean(1), Some(1.5));
    recent.clear();
    assert_eq!(recent.mean(), None);
    assert_eq!(recent.median(), None);
}
