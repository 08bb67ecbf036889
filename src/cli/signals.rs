//! Ctrl-C and SIGTERM: the first asks for an orderly end, the second ends at once; knows nothing of what is running.

/// Calls `first` on the first SIGINT or SIGTERM; on the second calls `second` and ends the process with exit code 130.
///
/// Both run on a thread of their own, so they may do what a signal handler may not. `second` has to be quick: it is for
/// what would outlive this process, such as children in process groups of their own.
///
/// # Errors
///
/// When the system refuses the handlers, or the thread.
pub(super) fn watch(
    first: impl Fn() + Send + 'static,
    second: impl Fn() + Send + 'static,
) -> std::io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};

    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            let mut received = signals.forever();
            if received.next().is_some() {
                first();
            }
            if received.next().is_some() {
                second();
                // Below the live line, so that the shell's prompt has a line of its own.
                eprintln!();
                signal_hook::low_level::exit(i32::from(super::Exit::Interrupted.code()));
            }
        })?;
    Ok(())
}
