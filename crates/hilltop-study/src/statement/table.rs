//! The file that a finite space comes from.

/// The CSV file of a finite space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The file as the study file names it.
    pub file: String,
    /// The columns that count, where they were chosen.
    pub features: Option<Vec<String>>,
    /// The array that the columns form, where that was stated.
    pub shape: Option<Vec<usize>>,
    /// The known constraints that its rows were left out by.
    pub known: Vec<String>,
    /// What tells the content from another.
    pub fingerprint: String,
}

impl Table {
    pub(crate) fn new(file: &str, features: Option<Vec<String>>, content: &[u8]) -> Self {
        Self {
            file: file.to_owned(),
            features,
            shape: None,
            known: Vec::new(),
            fingerprint: fingerprint(content),
        }
    }
}

/// Sixty-four bits of FNV-1a: enough to notice an edited file, on every platform the same.
fn fingerprint(content: &[u8]) -> String {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", content.iter().fold(0xcbf2_9ce4_8422_2325, step))
}
