//! Arguments in, exit code out; nothing else.

fn main() -> std::process::ExitCode {
    cargo_reduce::cli::main()
}
