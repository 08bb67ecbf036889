//! Capturing and replaying builds of small packages, in directories with spaces in their names.

mod capture;
mod packages;
mod replay;
mod single_file;
