//! Numbers as headers and tags spell them, with the infinities and NaNs of C libraries.

/// Reads a number; `None` if the text is not a number.
///
/// The numbers are decimal, `nan`, `inf` and `infinity` in any case and with either sign, and the
/// same as the C library of Windows prints them: `1.#INF`, `-1.#QNAN`, `1.#IND`, `nan(ind)`.
pub(crate) fn spelled(text: &str) -> Option<f64> {
    let text = text.trim();
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let lower = text.to_ascii_lowercase();
    let (sign, rest) = match lower.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, lower.strip_prefix('+').unwrap_or(&lower)),
    };
    // Windows pads the word with zeros to the requested precision: `1.#INF00`.
    match rest.strip_prefix("1.#").map_or(rest, |word| word.trim_end_matches('0')) {
        "inf" => Some(sign * f64::INFINITY),
        "qnan" | "snan" | "ind" | "nan" => Some(f64::NAN),
        word if word.starts_with("nan(") && word.ends_with(')') => Some(f64::NAN),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn infinities_and_nans_are_read_in_every_spelling() {
        for text in ["inf", "+Inf", "INFINITY", "1.#INF", "1.#inf00", " +1.#INF "] {
            assert_eq!(spelled(text), Some(f64::INFINITY), "{text}");
        }
        for text in ["-inf", "-Infinity", "-1.#INF", "-1.#INF000000"] {
            assert_eq!(spelled(text), Some(f64::NEG_INFINITY), "{text}");
        }
        for text in [
            "nan",
            "NaN",
            "-nan",
            "+NAN",
            "1.#QNAN",
            "-1.#QNAN",
            "1.#IND",
            "-1.#IND0",
            "1.#SNAN",
            "nan(ind)",
            "-nan(ind)",
            "-nan(0x8000000000000)",
        ] {
            assert!(spelled(text).is_some_and(f64::is_nan), "{text}");
        }
        for (text, number) in [("-9999", -9999.0), (" 1e3 ", 1000.0), ("-3.4e+38", -3.4e38)] {
            assert_eq!(spelled(text), Some(number), "{text}");
        }
        for text in ["", "none", "1.#", "1,5", "n/a", "1.#nano", "nan(", "--1"] {
            assert_eq!(spelled(text), None, "{text}");
        }
    }
}
