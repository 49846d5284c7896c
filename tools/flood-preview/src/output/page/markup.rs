//! Text and numbers as HTML.
//!
//! Guarantees: [`escaped`] text cannot become markup.

use std::fmt::Write;

/// Escapes text for an HTML element or attribute.
#[must_use]
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Returns a note with a capital and a full stop.
#[must_use]
pub fn sentence(note: &str) -> String {
    let note = note.trim();
    let mut letters = note.chars();
    // A note that begins with an option or a name keeps it as it is typed.
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let end = if note.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

/// Digits in groups of three, with a true minus: `−1 234 567.8`.
#[must_use]
pub fn grouped(number: &str) -> String {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let (sign, whole) = whole.strip_prefix('-').map_or(("", whole), |rest| ("−", rest));
    let mut text = sign.to_owned();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    if !fraction.is_empty() {
        let _ = write!(text, ".{fraction}");
    }
    text
}

/// Returns a number with its unit, or a dash.
#[must_use]
pub fn figure(value: Option<f64>, digits: usize, unit: &str) -> String {
    let value = value.filter(|value| value.is_finite());
    value.map_or_else(
        || "–".to_owned(),
        |value| format!("{} {unit}", grouped(&format!("{value:.digits$}"))),
    )
}

/// Returns a table with a heading for each column and for each row. The first cell of a row names
/// it.
#[must_use]
pub fn table(class: &str, headings: &[&str], rows: &[Vec<String>]) -> String {
    format!("<table class=\"{class}\">{}</table>", contents(headings, rows))
}

/// Returns the contents of a table: headings, if any, and rows.
#[must_use]
pub fn contents(headings: &[impl AsRef<str>], rows: &[Vec<String>]) -> String {
    let mut html = String::new();
    if !headings.is_empty() {
        html += "<thead><tr>";
        for heading in headings {
            let _ = write!(html, "<th scope=\"col\">{}</th>", escaped(heading.as_ref()));
        }
        html += "</tr></thead>";
    }
    html += "<tbody>";
    for row in rows {
        html += "<tr>";
        for (index, cell) in row.iter().enumerate() {
            let cell = escaped(cell);
            let _ = match index {
                0 => write!(html, "<th scope=\"row\">{cell}</th>"),
                _ => write!(html, "<td>{cell}</td>"),
            };
        }
        html += "</tr>";
    }
    html + "</tbody>"
}

/// Returns a table in a box of its own that scrolls sideways, by keyboard too.
#[must_use]
pub fn wide_table(name: &str, headings: &[&str], rows: &[Vec<String>]) -> String {
    let table = table("ledger", headings, rows);
    let role = format!("role=\"region\" aria-label=\"Table: {name}\" tabindex=\"0\"");
    format!("<div class=\"scroll\" {role}>{table}</div>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text() {
        assert_eq!(escaped("<a b=\"c\">&"), "&lt;a b=&quot;c&quot;&gt;&amp;");
        let table = table("x", &["<"], &[vec!["<b>".into(), "&".into()]]);
        assert!(!table.contains("<b>") && table.contains("<td>&amp;</td>"), "{table}");
    }

    #[test]
    fn notes_become_sentences() {
        assert_eq!(sentence("the map ends"), "The map ends.");
        assert_eq!(sentence("Stop!"), "Stop!");
        assert_eq!(sentence("--quality draft: few"), "--quality draft: few.");
    }

    #[test]
    fn digits_stand_in_groups() {
        for (number, expected) in [
            ("0", "0"),
            ("-1234", "−1\u{202f}234"),
            ("123456.75", "123\u{202f}456.75"),
            ("100", "100"),
        ] {
            assert_eq!(grouped(number), expected);
        }
        assert_eq!(figure(Some(f64::NAN), 2, "m"), "–");
    }
}
