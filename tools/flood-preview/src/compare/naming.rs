//! Names of the files of a comparison; they contain the number of the run if several are compared.

/// The page of a comparison.
pub const PAGE: &str = "comparison.html";
/// Figures and settings of a comparison.
pub const JSON: &str = "comparison.json";
/// Figures of a comparison, as a table.
pub const CSV: &str = "comparison.csv";

/// Returns the name of a file, with the number of the run before its ending.
#[must_use]
pub fn numbered(stem: &str, number: Option<usize>, ending: &str) -> String {
    match number {
        Some(number) => format!("{stem}_{number}.{ending}"),
        None => format!("{stem}.{ending}"),
    }
}

/// True for the name of a file of this stem and ending, with a number or without.
#[must_use]
pub fn is_numbered(name: &str, stem: &str, ending: &str) -> bool {
    let rest = name.strip_prefix(stem).and_then(|rest| rest.strip_suffix(ending));
    let Some(middle) = rest.and_then(|rest| rest.strip_suffix('.')) else { return false };
    let is_number = |number: &str| number.parse::<usize>().is_ok();
    middle.is_empty() || middle.strip_prefix('_').is_some_and(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_comparison_are_known_by_their_names() {
        for (name, expected) in [
            ("difference_max_depth.tif", true),
            ("difference_max_depth_12.tif", true),
            ("difference_max_depth_2b.tif", false),
            ("difference_max_depth_.tif", false),
            ("difference_max_depth2.tif", false),
            ("difference_max_depth.png", false),
            ("max_depth.tif", false),
        ] {
            assert_eq!(is_numbered(name, "difference_max_depth", "tif"), expected, "{name}");
        }
        assert!(is_numbered(&numbered("a", Some(3), "png"), "a", "png"));
    }
}
