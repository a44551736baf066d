//! The `hilltop` command.
fn main() {}
