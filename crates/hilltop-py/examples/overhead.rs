//! The time of sixty asks and tells of `auto` in Rust, to compare with `python/benchmarks/overhead.py`.
//!
//! `cargo run -p hilltop-py --example overhead`

use std::time::Instant;

use hilltop_core::{MemoryJournal, Outcome};
use hilltop_py::statement::stated;
use hilltop_study::{Result, Study};
use serde_json::json;

fn main() -> Result<()> {
    let mut best = f64::INFINITY;
    for _ in 0..7 {
        let bounds: serde_json::Map<_, _> = (1..=6).map(|k| (format!("x{k}"), json!({ "float": [0, 1] }))).collect();
        let description = json!({ "parameters": bounds, "outputs": { "value": { "minimize": true } }, "seed": 1 });
        let study = Study::open(stated(&description)?, MemoryJournal::default())?;
        let start = Instant::now();
        for _ in 0..60 {
            for asked in study.ask(1)? {
                let numbers = asked.parameters.iter().filter_map(|(_, value)| value.number());
                let value: f64 = numbers.map(|x| (x - 0.3).powi(2)).sum();
                let outputs = [("value".to_owned(), value)].into();
                study.tell(asked.trial, &Outcome::Outputs(outputs))?;
            }
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!("sixty asks and tells of auto in Rust: {best:.3} s, the best of seven");
    Ok(())
}
