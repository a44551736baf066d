//! Words that were mistyped, and what was probably meant.

/// The word of a list that somebody may have meant.
pub fn nearest<'w>(word: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let close = words.into_iter().map(|other| (edits(word, other), other));
    let (edits, other) = close.min_by_key(|(edits, _)| *edits)?;
    (edits <= 1 + word.chars().count() / 4).then_some(other)
}

/// How many letters must be inserted, removed, replaced or swapped with their neighbour (optimal string alignment).
pub fn edits(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.to_lowercase().chars().collect(), b.to_lowercase().chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_word_is_recognised_and_a_strange_one_is_not() {
        assert_eq!(nearest("bugdet", ["budget", "seed"]), Some("budget"));
        assert_eq!(nearest("paralel", ["parallel", "seed"]), Some("parallel"));
        assert_eq!(nearest("colour", ["budget", "seed"]), None);
    }

    #[test]
    fn edits_count_insertions_deletions_replacements_and_swaps() {
        assert_eq!(edits("levy", "Levy"), 0);
        assert_eq!(edits("ackley", "akley"), 1);
        assert_eq!(edits("auto", "atuo"), 1);
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("", "abc"), 3);
    }
}
