//! Turns `currencies.txt` into a match.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=currencies.txt");
    println!("cargo::rustc-check-cfg=cfg(has_minor_units)");

    let list = fs::read_to_string("currencies.txt").expect("currencies.txt lies beside Cargo.toml");
    let mut arms = String::new();
    let mut minor_units = false;
    for line in list.lines().filter(|line| !line.starts_with('#')) {
        let (code, digits) = line.split_once(' ').expect("a line is a code and a number");
        minor_units |= digits != "0";
        writeln!(arms, "        \"{code}\" => Some({digits}),").expect("strings can be written to");
    }
    if minor_units {
        println!("cargo::rustc-cfg=has_minor_units");
    }

    let out = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    let code = format!(
        "/// Digits after the point.\npub fn minor_units(code: &str) -> Option<u8> {{\n    match code {{\n{arms}        _ => None,\n    }}\n}}\n"
    );
    fs::write(Path::new(&out).join("currencies.rs"), code).expect("OUT_DIR can be written to");
}
