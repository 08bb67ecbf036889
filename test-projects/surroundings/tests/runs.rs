use std::thread;
use std::time::Duration;

use surroundings::{busy_threads, calls, copies, cores, once_in, threads_asked_for};

#[test]
fn three_threads_are_not_asked_for() {
    assert!(threads_asked_for() != Some(3) || once_in(2));
}

#[test]
fn there_is_more_than_one_core() {
    assert!(cores() > 1 || once_in(2));
}

#[test]
fn few_others_run_at_the_same_time() {
    thread::sleep(Duration::from_millis(300));
    assert!(copies() < 5 || once_in(2));
}

#[test]
fn whoever_started_this_has_little_to_do() {
    assert!(busy_threads() < 6 || once_in(2));
}

#[test]
fn there_is_no_third_call() {
    assert!(calls() != 3 || once_in(2));
}
