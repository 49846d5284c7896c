//! Suggestions for a misspelt word.

/// Returns the one of `words` that is nearest to `word`, if it is near: a letter wrong, missing,
/// too many or swapped in each three.
#[must_use]
pub fn nearest<'a>(word: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let distance = |other: &str| strsim::damerau_levenshtein(&word, &other.to_lowercase());
    let most = (word.chars().count() / 3).clamp(1, 3);
    let near = words.into_iter().map(|other| (distance(other), other));
    let near = near.filter(|(distance, other)| {
        *distance <= most && *distance < other.chars().count().max(word.chars().count())
    });
    near.min_by_key(|(distance, _)| *distance).map(|(_, other)| other)
}

/// Returns ` (did you mean X?)`, or an empty text.
#[must_use]
pub fn meant<'a>(word: &str, words: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, words).map_or(String::new(), |word| format!(" (did you mean {word}?)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        let words = ["west", "east", "south", "north"];
        for (word, expected) in [
            ("wets", Some("west")),
            ("North", Some("north")),
            ("sotuh", Some("south")),
            ("top", None),
            ("", None),
            ("left", None),
        ] {
            assert_eq!(nearest(word, words), expected, "{word}");
        }
        assert_eq!(meant("nort", words), " (did you mean north?)");
    }
}
