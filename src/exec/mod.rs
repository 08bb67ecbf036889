//! Runs one process under limits and says how it ended; knows nothing of cargo or Rust.
