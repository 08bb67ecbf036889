use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use super::{Cancel, Ending, ExecError, Invocation, Limits, Outcome, can_confine, run};

/// Long enough that a run which reaches it is stuck.
const NEVER: Duration = Duration::from_secs(600);

fn shell(script: &str, cwd: &Path) -> Invocation {
    Invocation {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), script.into()],
        env: Vec::new(),
        cwd: cwd.into(),
    }
}

fn limits() -> Limits {
    Limits {
        timeout: NEVER,
        busy: None,
        output_bytes: 1 << 20,
        memory_bytes: None,
        writable: None,
    }
}

fn run_shell(script: &str, limits: &Limits) -> Outcome {
    run(
        &shell(script, &std::env::temp_dir()),
        limits,
        &Cancel::new().unwrap(),
    )
    .unwrap()
}

/// Whether a process with this id exists, be it a zombie.
fn exists(pid: &str) -> bool {
    let pid = rustix::process::Pid::from_raw(pid.trim().parse().unwrap()).unwrap();
    rustix::process::test_kill_process(pid).is_ok()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn an_exit_code_and_both_streams_come_back() {
    let outcome = run_shell("echo out; echo err >&2; exit 7", &limits());
    assert_eq!(outcome.ending, Ending::Exited(7));
    assert_eq!(text(&outcome.stdout), "out\n");
    assert_eq!(text(&outcome.stderr), "err\n");
}

#[test]
fn a_death_by_signal_is_not_an_exit_code() {
    let outcome = run_shell("kill -ABRT $$", &limits());
    assert_eq!(outcome.ending, Ending::Signalled(libc::SIGABRT));
}

#[test]
fn standard_input_is_empty() {
    assert_eq!(run_shell("cat; echo end", &limits()).stdout, b"end\n");
}

#[test]
fn the_environment_is_ours_with_the_given_changes() {
    let mut invocation = shell("echo \"$ADDED ${HOME-none} ${PATH:+path}\"", Path::new("/"));
    invocation.env = vec![("ADDED".into(), Some("here".into())), ("HOME".into(), None)];
    let outcome = run(&invocation, &limits(), &Cancel::new().unwrap()).unwrap();
    assert_eq!(text(&outcome.stdout), "here none path\n");
}

#[test]
fn a_program_that_is_not_there_is_an_error_that_names_it() {
    let mut invocation = shell("", Path::new("/"));
    invocation.program = "/no/such/program".into();
    let error = run(&invocation, &limits(), &Cancel::new().unwrap()).unwrap_err();
    assert!(matches!(error, ExecError::Start { .. }));
    assert!(error.to_string().contains("/no/such/program"), "{error}");
}

#[test]
#[cfg(target_os = "linux")]
fn who_computes_for_too_long_is_not_waited_for() {
    let limits = Limits {
        busy: Some(Duration::from_millis(100)),
        ..limits()
    };
    let outcome = run_shell("while :; do :; done", &limits);
    assert_eq!(outcome.ending, Ending::TimedOut);
    assert!(outcome.cpu >= Duration::from_millis(100), "{outcome:?}");
    let outcome = run_shell("sleep 0.3; exit 7", &limits);
    assert_eq!(outcome.ending, Ending::Exited(7));
}

#[test]
fn a_time_out_kills_grandchildren_too() {
    let limits = Limits {
        timeout: Duration::from_millis(200),
        ..limits()
    };
    let outcome = run_shell("sleep 600 & echo $!; echo $$; wait", &limits);
    assert_eq!(outcome.ending, Ending::TimedOut);
    let pids: Vec<_> = text(&outcome.stdout).lines().collect();
    assert_eq!(pids.len(), 2);
    assert!(!pids.iter().any(|pid| exists(pid)), "{pids:?}");
}

#[test]
fn a_grandchild_left_behind_neither_hangs_the_run_nor_survives_it() {
    let started = Instant::now();
    let outcome = run_shell("sleep 600 & echo $!", &limits());
    assert_eq!(outcome.ending, Ending::Exited(0));
    assert!(started.elapsed() < NEVER);
    assert!(!exists(text(&outcome.stdout)));
}

#[test]
#[cfg(target_os = "linux")]
fn a_daemon_that_left_the_group_and_keeps_the_pipe_open_does_not_hang_the_run() {
    let outcome = run_shell("setsid sleep 600 & echo $!; sleep 0.2", &limits());
    assert_eq!(outcome.ending, Ending::Exited(0));
    let daemon = rustix::process::Pid::from_raw(text(&outcome.stdout).trim().parse().unwrap());
    rustix::process::kill_process(daemon.unwrap(), rustix::process::Signal::KILL).unwrap();
}

#[test]
fn cancelling_from_another_thread_ends_a_run() {
    let cancel = Cancel::new().unwrap();
    let other = cancel.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        other.set();
    });
    let outcome = run(&shell("sleep 600", Path::new("/")), &limits(), &cancel).unwrap();
    thread.join().unwrap();
    assert_eq!(outcome.ending, Ending::Cancelled);
}

#[test]
fn nothing_starts_once_cancelled() {
    let directory = tempfile::tempdir().unwrap();
    let cancel = Cancel::new().unwrap();
    cancel.set();
    let outcome = run(
        &shell("touch started", directory.path()),
        &limits(),
        &cancel,
    )
    .unwrap();
    assert_eq!(outcome.ending, Ending::Cancelled);
    assert!(!directory.path().join("started").exists());
}

#[test]
fn a_child_cancellation_follows_its_parent_but_not_the_other_way_round() {
    let parent = Cancel::new().unwrap();
    let (first, second) = (parent.child().unwrap(), parent.child().unwrap());
    first.set();
    assert!(first.is_set() && !parent.is_set() && !second.is_set());
    let thread = std::thread::spawn({
        let parent = parent.clone();
        move || {
            std::thread::sleep(Duration::from_millis(100));
            parent.set();
        }
    });
    let outcome = run(&shell("sleep 600", Path::new("/")), &limits(), &second).unwrap();
    thread.join().unwrap();
    assert_eq!(outcome.ending, Ending::Cancelled);
}

#[test]
fn of_long_output_the_beginning_and_the_end_are_kept() {
    let limits = Limits {
        output_bytes: 100,
        ..limits()
    };
    let outcome = run_shell("echo begin; yes | head -c 1000000; echo end", &limits);
    let stdout = text(&outcome.stdout);
    assert!(
        stdout.starts_with("begin\n") && stdout.ends_with("end\n"),
        "{stdout}"
    );
    assert!(stdout.contains("[999910 bytes left out]"), "{stdout}");
}

#[test]
fn output_written_right_before_the_exit_is_complete() {
    for _ in 0..20 {
        let outcome = run_shell("head -c 60000 /dev/zero", &limits());
        assert_eq!(outcome.stdout.len(), 60_000);
    }
}

#[test]
fn cpu_time_counts_descendants_and_not_waiting() {
    let busy = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
    let outcome = run_shell(&format!("sleep 0.3; ({busy})"), &limits());
    assert!(outcome.cpu > Duration::from_millis(20), "{:?}", outcome.cpu);
    assert!(
        outcome.cpu + Duration::from_millis(250) < outcome.wall,
        "{:?}",
        outcome
    );
}

#[test]
#[cfg(target_os = "linux")]
fn memory_is_limited() {
    let limits = Limits {
        memory_bytes: Some(64 << 20),
        ..limits()
    };
    let outcome = run_shell("head -c 200000000 /dev/zero | tail -n 1 | wc -c", &limits);
    assert_ne!(text(&outcome.stdout).trim(), "200000000");
    assert!(!outcome.stderr.is_empty());
}

#[test]
fn no_core_is_dumped() {
    assert_eq!(run_shell("ulimit -c", &limits()).stdout, b"0\n");
}

#[test]
fn only_writable_directories_can_be_written_to() {
    if !can_confine() {
        return;
    }
    let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(outside.path().join("kept"), "before").unwrap();
    let limits = Limits {
        writable: Some(vec![inside.path().into()]),
        ..limits()
    };
    let script = format!(
        "cd '{}'; echo x > new; echo x > kept; rm -f kept; mkdir d; mv kept '{}'; echo quiet > /dev/null && echo ok",
        outside.path().display(),
        inside.path().display(),
    );
    let outcome = run_shell(&script, &limits);
    assert_eq!(text(&outcome.stdout), "ok\n");
    assert_eq!(
        fs::read_to_string(outside.path().join("kept")).unwrap(),
        "before"
    );
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);

    let script = "echo x > a && mkdir d && mv a d/b && cat d/b && rm -r d && echo ok";
    let outcome = run(
        &shell(script, inside.path()),
        &limits,
        &Cancel::new().unwrap(),
    )
    .unwrap();
    assert_eq!(text(&outcome.stdout), "x\nok\n");
}

#[test]
fn a_confined_process_cannot_signal_others() {
    if !can_confine() {
        return;
    }
    let limits = Limits {
        writable: Some(Vec::new()),
        ..limits()
    };
    let script = format!("kill -0 {} && echo reached", std::process::id());
    let outcome = run_shell(&script, &limits);
    // Kernels before 6.12 confine writing, but not signals.
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    if at_least(&release, 6, 12) {
        assert_eq!(text(&outcome.stdout), "");
    }
}

fn at_least(release: &str, major: u32, minor: u32) -> bool {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit());
    let mut next = || numbers.next().and_then(|n| n.parse().ok()).unwrap_or(0);
    (next(), next()) >= (major, minor)
}

/// Not a test of its own: what the next one runs in a process that it can kill.
#[test]
#[ignore = "run by another test"]
fn run_something_long() {
    assert!(std::env::var_os("PIDS").is_some());
    let script = "sleep 600 & echo \"$$ $!\" > \"$PIDS.new\"; mv \"$PIDS.new\" \"$PIDS\"; wait";
    run_shell(script, &limits());
}

#[test]
fn the_whole_group_dies_when_we_are_killed() {
    let directory = tempfile::tempdir().unwrap();
    let pids = directory.path().join("pids");
    let mut us = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "exec::tests::run_something_long"])
        .env("PIDS", &pids)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    while !pids.exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    let pids = fs::read_to_string(&pids).unwrap();
    let pids: Vec<&str> = pids.split_whitespace().collect();
    assert_eq!(pids.len(), 2);
    assert!(pids.iter().all(|pid| is_running(pid)));
    us.kill().unwrap();
    us.wait().unwrap();
    // They are killed by another process, in its own time.
    while pids.iter().any(|pid| is_running(pid)) {
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Whether the process exists and is more than a zombie, which whoever inherits it may leave alone.
fn is_running(pid: &str) -> bool {
    let state = std::process::Command::new("ps")
        .args(["-o", "stat=", "-p", pid])
        .output()
        .unwrap();
    let state = text(&state.stdout).trim();
    !state.is_empty() && !state.starts_with('Z')
}

#[test]
fn ending_a_cancellation_does_not_end_what_is_not_under_it() {
    let (first, second) = (Cancel::new().unwrap(), Cancel::new().unwrap());
    let outcome = run(&shell("exit 3", Path::new("/")), &limits(), &first).unwrap();
    assert_eq!(outcome.ending, Ending::Exited(3));
    let thread = std::thread::spawn(move || {
        run(
            &shell("sleep 0.3; exit 4", Path::new("/")),
            &limits(),
            &second,
        )
        .unwrap()
    });
    drop(first);
    assert_eq!(thread.join().unwrap().ending, Ending::Exited(4));
}
