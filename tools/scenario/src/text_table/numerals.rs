//! Form of the numbers of a file, decided once for all of them: `1,200.5`, `1.200,5`, `1 200`.
//!
//! Guarantees: one decimal sign for a whole file; numbers that fit both signs alone, like `1,200`,
//!             are not guessed: the unit of a country decides, with a note, or the user.

use super::record::Mistake;

/// Sign between the whole and the parts of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decimal {
    /// `1,5`; points and spaces group thousands.
    Comma,
    /// `1.5`; commas and spaces group thousands.
    Point,
}

/// Decimal sign that a number shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Evidence {
    /// Only this sign fits.
    Sure(Decimal),
    /// One sign with three digits behind it: a decimal sign or thousands.
    Open(Decimal),
    /// No sign at all, or not a number.
    Absent,
}

/// Cells that decide, and facts beside them.
pub(super) struct Question<'a> {
    /// Line and text of every cell.
    pub cells: Vec<(usize, &'a str)>,
    /// Cells of the values alone.
    pub values: Vec<&'a str>,
    /// Separator of the columns.
    pub separator: char,
    /// Whether the values have a unit of the United States.
    pub is_us: bool,
    /// The sign that the user chose.
    pub given: Option<Decimal>,
}

impl Question<'_> {
    /// Decides the decimal sign; adds a note on an assumption.
    pub fn decide(&self, notes: &mut Vec<String>) -> Result<Decimal, Mistake> {
        if let Some(given) = self.given {
            return Ok(given);
        }
        let found = self.cells.iter().map(|&(line, text)| (line, text, evidence(text)));
        let find = |wanted: Evidence| found.clone().find(|(_, _, evidence)| *evidence == wanted);
        let comma = find(Evidence::Sure(Decimal::Comma));
        let point = find(Evidence::Sure(Decimal::Point));
        match (comma, point, find(Evidence::Open(Decimal::Comma))) {
            (Some((line, comma, _)), Some((other, point, _)), _) => Err((
                Some(line),
                format!(
                    "`{comma}` has a decimal comma, and `{point}` in line {other} a decimal \
                     point: write all numbers with a point"
                ),
            )),
            (Some((line, text, _)), None, _) => {
                notes.push(format!("its numbers have decimal commas, as `{text}` in line {line}"));
                Ok(Decimal::Comma)
            }
            (None, Some(_), _) => Ok(Decimal::Point),
            (None, None, Some((line, text, _))) if self.is_us => {
                notes.push(format!(
                    "`{text}` in line {line} counts as {}, commas group thousands as usual \
                     beside this unit (else add #decimal-comma to the file's name)",
                    text.replace(',', "")
                ));
                Ok(Decimal::Point)
            }
            (None, None, Some((line, text, _))) => Err((Some(line), open(text, ','))),
            (None, None, None) => self.points_alone(notes),
        }
    }

    /// Refuses points that may group thousands: `850` above `1.200`; between semicolons or tabs,
    /// which leave the comma free as a decimal sign, `1.200` without `850` as well.
    fn points_alone(&self, notes: &mut Vec<String>) -> Result<Decimal, Mistake> {
        let is_open = |text: &str| evidence(text) == Evidence::Open(Decimal::Point);
        let is_whole = |text: &str| text.len() == 3 && text.bytes().all(|b| b.is_ascii_digit());
        let values = || self.values.iter().copied();
        match values().find(|text| is_open(text)) {
            Some(text) if self.is_us => {
                notes.push(format!(
                    "`{text}` has a decimal point, as usual beside this unit (else add \
                     #decimal-comma to the file's name)"
                ));
                Ok(Decimal::Point)
            }
            Some(text) if matches!(self.separator, ';' | '\t') || values().any(is_whole) => {
                let line = self.cells.iter().find(|cell| cell.1 == text).map(|cell| cell.0);
                Err((line, open(text, '.')))
            }
            _ => Ok(Decimal::Point),
        }
    }
}

/// Returns the error on an ambiguous number, with the ways to choose.
fn open(text: &str, sign: char) -> String {
    let (whole, parts) = (text.replace(sign, ""), text.replace(sign, "."));
    let (thousands, decimal) = match sign {
        ',' => ("point", "comma"),
        _ => ("comma", "point"),
    };
    format!(
        "`{text}` may be {whole} or {parts}, and no number of the file decides: add \
         #decimal-{thousands} to the file's name for {whole}, or #decimal-{decimal} for {parts}"
    )
}

/// Returns the sign that a cell shows.
fn evidence(text: &str) -> Evidence {
    let number = text.trim().trim_start_matches(['+', '-']);
    let end = number.find(|c: char| !c.is_ascii_digit() && !",.'\u{a0}\u{202f}".contains(c));
    let number = &number[..end.unwrap_or(number.len())];
    let is_date = number.matches('.').count() > 1 && !is_grouped(number, '.');
    if !number.starts_with(|c: char| c.is_ascii_digit()) || is_date {
        return Evidence::Absent;
    }
    let sign = |decimal, group: char, number: &str| {
        let mut parts = number.splitn(2, group);
        let (before, after) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
        let is_open = after.len() == 3 && (1..=3).contains(&before.len());
        match is_open && !before.starts_with('0') {
            true => Evidence::Open(decimal),
            false => Evidence::Sure(decimal),
        }
    };
    match (number.matches(',').count(), number.matches('.').count()) {
        (0, 0) => Evidence::Absent,
        (1, 0) => sign(Decimal::Comma, ',', number),
        (0, 1) => sign(Decimal::Point, '.', number),
        (_, 0) => Evidence::Sure(Decimal::Point),
        (0, _) => Evidence::Sure(Decimal::Comma),
        _ if number.rfind(',') > number.rfind('.') => Evidence::Sure(Decimal::Comma),
        _ => Evidence::Sure(Decimal::Point),
    }
}

/// True for digits in groups of three.
fn is_grouped(number: &str, sign: char) -> bool {
    let mut groups = number.split(sign);
    let is_first = groups.next().is_some_and(|first| (1..=3).contains(&first.len()));
    is_first && groups.all(|group| group.len() == 3)
}

impl Decimal {
    /// Rewrites a cell that begins with a number so that the number has a decimal point and no
    /// groups; `None` if its groups are not of three digits.
    pub fn plain(self, text: &str) -> Option<String> {
        let text = text.trim();
        let is_part = |c: char| c.is_ascii_digit() || "+-.,'\u{a0}\u{202f} ".contains(c);
        let end = text.find(|c: char| !is_part(c)).unwrap_or(text.len());
        let (number, unit) = text.split_at(end);
        let number = number.trim_end();
        let (decimal, groups) = match self {
            Self::Comma => (',', ['.', '\'', '\u{a0}', '\u{202f}', ' ']),
            Self::Point => ('.', [',', '\'', '\u{a0}', '\u{202f}', ' ']),
        };
        let (whole, parts) = match number.split_once(decimal) {
            Some((whole, parts)) => (whole, Some(parts)),
            None => (number, None),
        };
        let digits = whole.trim_start_matches(['+', '-']);
        let group = groups.into_iter().find(|&group| digits.contains(group));
        if group.is_some_and(|group| !is_grouped(digits, group)) {
            return None;
        }
        let whole: String = whole.chars().filter(|c| !groups.contains(c)).collect();
        let parts = parts.map_or(String::new(), |parts| format!(".{parts}"));
        Some(format!("{whole}{parts}{unit}"))
    }

    /// Reads a plain number.
    ///
    /// # Errors
    ///
    /// If it is too large for a number of 64 bits.
    pub fn number(self, text: &str) -> Result<Option<f64>, String> {
        let Some(plain) = self.plain(text) else { return Ok(None) };
        let is_word = plain.trim_start_matches(['+', '-']).starts_with(char::is_alphabetic);
        match plain.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Some(number)),
            Ok(_) if !is_word => Err(format!("`{text}` is not finite: write a number")),
            _ => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decide(texts: &[&str], separator: char, is_us: bool) -> Result<Decimal, String> {
        let cells: Vec<(usize, &str)> = texts.iter().map(|text| (1, *text)).collect();
        let values = texts.to_vec();
        let question = Question { cells, values, separator, is_us, given: None };
        question.decide(&mut Vec::new()).map_err(|(_, what)| what)
    }

    #[test]
    fn the_decimal_sign_is_decided_once_a_file() {
        for (texts, separator, is_us, expected) in [
            (&["0", "5"][..], ';', false, Decimal::Point),
            (&["0,00", "5,12"], ',', false, Decimal::Comma),
            (&["0,125"], ';', false, Decimal::Comma),
            (&["1,200", "0,5"], ';', false, Decimal::Comma),
            (&["1,200", "0.5"], ',', false, Decimal::Point),
            (&["1.200,5", "1.200"], ';', false, Decimal::Comma),
            (&["1,200.5", "1,200"], ';', false, Decimal::Point),
            (&["1,200,000"], ',', false, Decimal::Point),
            (&["1.200.000"], ';', false, Decimal::Comma),
            (&["1,200"], ',', true, Decimal::Point),
            (&["1.125", "2.250"], ',', false, Decimal::Point),
            (&["1.125", "0.250"], ';', false, Decimal::Point),
            (&["850", "1.200"], '\t', true, Decimal::Point),
            (&["05.01.2024 13:00", "5,5"], ';', false, Decimal::Comma),
            (&["05.01.2024", "5"], ';', false, Decimal::Point),
            (&["1,5m3/s"], ';', false, Decimal::Comma),
        ] {
            assert_eq!(decide(texts, separator, is_us), Ok(expected), "{texts:?}");
        }
        for (texts, separator, what) in [
            (&["1,200"][..], ',', "#decimal-comma"),
            (&["1,5", "1.5"], ';', "decimal point"),
            (&["850", "1.200"], ';', "#decimal-comma"),
            (&["850", "1.200", "2.350"], '\t', "#decimal-comma"),
            (&["850", "1.200"], ',', "#decimal-comma"),
            (&["1.200", "1.850", "2.400"], ';', "#decimal-comma"),
            (&["0", "1.200"], '\t', "#decimal-comma"),
        ] {
            let wrong = decide(texts, separator, false).expect_err("undecided");
            assert!(wrong.contains(what), "{texts:?}: {wrong}");
        }
    }

    #[test]
    fn numbers_are_read_by_their_sign() {
        for (decimal, text, expected) in [
            (Decimal::Point, "1,200", Some(1200.0)),
            (Decimal::Point, "-1,234,567.5", Some(-1_234_567.5)),
            (Decimal::Point, "1'200", Some(1200.0)),
            (Decimal::Point, "1 200.5", Some(1200.5)),
            (Decimal::Comma, "1.200,5", Some(1200.5)),
            (Decimal::Comma, "0,02", Some(0.02)),
            (Decimal::Comma, "1,5e-3", Some(1.5e-3)),
            (Decimal::Point, "12,5", None),
            (Decimal::Point, "1 2", None),
            (Decimal::Point, "nan", None),
            (Decimal::Point, "5 m", None),
            (Decimal::Point, "2024-01-05", None),
        ] {
            assert_eq!(decimal.number(text), Ok(expected), "{text}");
        }
        assert!(Decimal::Point.number("1e999").is_err());
        assert_eq!(Decimal::Comma.plain("1,5 m3/s").as_deref(), Some("1.5m3/s"));
    }
}
