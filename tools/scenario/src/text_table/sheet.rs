//! Rows and columns of a text: separator, comments, quotes, heading.
//!
//! ```text
//! # a comment                      lines that begin with # and empty lines do not count
//! Station: mill                    lines above the heading are a preamble
//! time [h];q [m3/s];"Remark; or not"
//! 0;0;
//! ```
//!
//! Guarantees: every record has its line, counted from 1; no row is dropped without a note.
//! Limits:     a field in quotes reaches over four lines at most.

use csv::{ReaderBuilder, Trim};

use super::dates::DateStamp;
use super::numerals::{Decimal, Question};
use super::record::{Mistake, TableRecord};
use crate::units::is_known;

/// Lines that decide the separator.
const SAMPLE_LINES: usize = 200;

/// Most line ends within a field in quotes.
const FIELD_LINE_ENDS: usize = 3;

/// Rows of a table below their heading.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TableSheet {
    /// Separator of the columns.
    pub separator: char,
    /// Words above the columns.
    pub heading: Option<TableRecord>,
    /// Rows.
    pub records: Vec<TableRecord>,
    /// Comments, without `#`.
    pub comments: Vec<String>,
    /// Rows above the heading, which are not read, and rows of types of values.
    pub unread: Vec<TableRecord>,
    /// Assumptions.
    pub notes: Vec<String>,
}

impl TableSheet {
    /// Splits a text into rows and columns.
    pub fn read(text: &str) -> Result<Self, Mistake> {
        // Tabs at the ends of a line are empty cells.
        let lines: Vec<&str> = text.lines().map(|line| line.trim_matches(' ')).collect();
        let is_comment = |line: &str| line.trim_start().starts_with('#');
        let comments = lines.iter().filter(|line| is_comment(line));
        let comments = comments.map(|line| line.trim_start()[1..].trim().to_owned()).collect();
        let written = lines.iter().filter(|line| !line.trim().is_empty() && !is_comment(line));
        let separator = separator_of(&written.copied().take(SAMPLE_LINES).collect::<Vec<_>>());
        let kept = |line: &&str| if is_comment(line) { "" } else { *line }.to_owned();
        let kept: Vec<String> = lines.iter().map(kept).collect();
        let mut records = match separator {
            ' ' => words(&kept),
            _ => fields(&kept, separator)?,
        };
        let mut last = 0;
        for record in &mut records {
            // A comment between two rows is no gap.
            let between = lines.get(last..record.line.saturating_sub(1)).unwrap_or_default();
            record.after_gap = between.iter().any(|line| line.trim().is_empty());
            last = record.line;
        }
        let mut notes = Vec::new();
        let (mut heading, unread) = split_heading(&mut records, &mut notes);
        if let (Some(heading), Some(row)) = (&mut heading, records.first()) {
            split_again(heading, row.fields.len());
        }
        Ok(Self { separator, heading, records, comments, unread, notes })
    }
}

impl TableSheet {
    /// Decides the decimal sign of all cells of a table that is not over time, if it is not given.
    pub(crate) fn decimal(
        &self,
        given: Option<Decimal>,
        notes: &mut Vec<String>,
    ) -> Result<Decimal, Mistake> {
        let numbers = |text: &&str| !text.contains(char::is_alphabetic);
        let cells = self.records.iter().flat_map(|record| {
            record.fields.iter().map(String::as_str).filter(numbers).map(|text| (record.line, text))
        });
        let question = Question {
            cells: cells.collect(),
            values: Vec::new(),
            separator: self.separator,
            is_us: false,
            given,
        };
        question.decide(notes)
    }

    /// Returns the first column whose name is one of some, without regard to case and unit.
    pub(crate) fn column(&self, names: &[&str]) -> Option<usize> {
        self.columns(names).next()
    }

    /// Returns all columns whose name is one of some, without regard to case and unit.
    pub(crate) fn columns(&self, names: &[&str]) -> impl Iterator<Item = usize> {
        let headings = self.heading.iter().flat_map(|heading| heading.fields.iter().enumerate());
        headings.filter_map(|(column, field)| {
            let name = field.split(['[', '(']).next().unwrap_or(field).trim().to_lowercase();
            names.contains(&&*name).then_some(column)
        })
    }
}

/// Takes the heading off the rows, and the lines above it, which are a preamble.
fn split_heading(
    records: &mut Vec<TableRecord>,
    notes: &mut Vec<String>,
) -> (Option<TableRecord>, Vec<TableRecord>) {
    let first = match is_rdb(records) {
        true => 1,
        false => {
            let first = (0..records.len()).find(|&index| is_row(records, index));
            first.unwrap_or(records.len().min(1))
        }
    };
    let rows = records.split_off(first);
    let types = records.pop_if(|record| is_types(record));
    let mut heading = records.pop();
    // A row of units alone belongs to the names above it.
    if let Some(names) = heading.as_ref().and_then(|units| with_units(records.last()?, units)) {
        records.pop();
        let is_labelled = heading.as_ref().is_some_and(|units| is_label(&units.fields[0]));
        let width = rows.first().map_or(0, |row| row.fields.len());
        heading = Some(if is_labelled { above_values(names, width) } else { names });
    }
    if let (Some(above), Some(heading)) = (records.first(), &heading) {
        notes.push(match heading.line - above.line {
            1 => format!("line {} above its heading is not read", above.line),
            _ => format!(
                "lines {} to {} above its heading are not read",
                above.line,
                heading.line - 1
            ),
        });
    }
    let mut unread = std::mem::replace(records, rows);
    unread.extend(types);
    if is_rdb(heading.as_slice()) {
        drop_rdb_formats(records);
    }
    (heading, unread)
}

/// True for rows that begin with the heading of a USGS export.
pub(super) fn is_rdb(records: &[TableRecord]) -> bool {
    records.first().is_some_and(|record| record.fields[0] == "agency_cd")
}

/// True for a type of values of HEC-DSSVue.
pub(super) fn is_type(text: &str) -> bool {
    let lower = text.to_lowercase();
    ["per-cum", "per-aver", "per-min", "per-max", "inst-val", "inst-cum"].contains(&&*lower)
}

/// True for a row that has types of HEC-DSSVue alone, with or without `Type` in front.
fn is_types(record: &TableRecord) -> bool {
    let written = || record.fields.iter().filter(|field| !field.is_empty());
    let mut types = written().filter(|field| !field.eq_ignore_ascii_case("type")).peekable();
    types.peek().is_some() && types.all(|field| is_type(field))
}

/// Drops the row of formats below the heading of a USGS export, like `5s 15s 20d`.
fn drop_rdb_formats(records: &mut Vec<TableRecord>) {
    let is_format = |field: &String| {
        let width = field.trim_end_matches(['s', 'd', 'n']);
        width.len() + 1 == field.len() && width.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_formats = |record: &TableRecord| record.fields.iter().all(is_format);
    if records.first().is_some_and(is_formats) {
        records.remove(0);
    }
}

/// Splits a heading of a single column at its own separator, if that gives as many as a row has.
fn split_again(heading: &mut TableRecord, width: usize) {
    let [whole] = &*heading.fields else { return };
    let parts =
        [',', ';', '\t', '|'].map(|c| whole.split(c).map(|f| f.trim().to_owned()).collect());
    let fitting = parts.into_iter().find(|parts: &Vec<String>| width > 1 && parts.len() == width);
    if let Some(fields) = fitting {
        heading.fields = fields;
    }
}

/// Returns a row of names with the units of the row below in brackets, if that has units alone,
/// with or without `Units` in front.
fn with_units(names: &TableRecord, units: &TableRecord) -> Option<TableRecord> {
    let written = || units.fields.iter().filter(|unit| !unit.is_empty() && !is_label(unit));
    let is_units = written().count() > 0 && written().all(|unit| is_known(unit));
    let join = |(name, unit): (&String, &String)| match unit.is_empty() || is_label(unit) {
        true => name.clone(),
        false => format!("{name} [{unit}]"),
    };
    (is_units && names.fields.len() == units.fields.len()).then(|| TableRecord {
        fields: names.fields.iter().zip(&units.fields).map(join).collect(),
        ..names.clone()
    })
}

/// True for the label in front of the units of HEC-DSSVue.
fn is_label(unit: &str) -> bool {
    unit.eq_ignore_ascii_case("units")
}

/// Returns a labelled row of names above the last columns of its rows: `C, FLOW` is the heading of
/// a number, a date, a time of day and a value.
fn above_values(mut names: TableRecord, width: usize) -> TableRecord {
    let missing = width.saturating_sub(names.fields.len());
    names.fields.splice(1..1, std::iter::repeat_n(String::new(), missing));
    names
}

/// True for a row of numbers or dates; a heading begins with a word.
fn is_row(records: &[TableRecord], index: usize) -> bool {
    let is_dated =
        |record: &TableRecord| record.fields.iter().any(|field| DateStamp::read(field).is_some());
    let record = &records[index];
    if begins_with_number(&record.fields[0]) || DateStamp::read(&record.fields[0]).is_some() {
        return true;
    }
    // Agencies repeat a name in front of the date; a date in a preamble has no row below.
    record.fields.len() > 2 && is_dated(record) && records.get(index + 1).is_none_or(is_dated)
}

/// True for a text that begins as a number does.
pub(super) fn begins_with_number(text: &str) -> bool {
    let text = text.trim().trim_start_matches(['+', '-', '.', '\u{2212}']);
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns the separator that most lines contain outside quotes; spaces if decimal commas take the
/// commas.
fn separator_of(lines: &[&str]) -> char {
    let share = |separator: char| {
        let contains = |line: &&&str| outside_quotes(line).any(|c| c == separator);
        lines.iter().filter(contains).count() * 2
    };
    let common = ['\t', ';', '|'].into_iter().find(|&separator| share(separator) > lines.len());
    if let Some(common) = common {
        return common;
    }
    if let Some(first) = lines.first()
        && let Some(common) = ['\t', ';', '|'].into_iter().find(|&c| first.contains(c))
    {
        return common;
    }
    let is_number = |word: &str| {
        let is_part = |c: char| c.is_ascii_digit() || "+-.,".contains(c);
        begins_with_number(word) && word.chars().all(is_part) && word.ends_with(is_digit)
    };
    let is_spaced = |line: &&&str| {
        let first = line.split(',').next().unwrap_or_default();
        line.contains(',')
            && DateStamp::read(first).is_none()
            && line.split_whitespace().count() > 1
            && line.split_whitespace().all(|word| is_number(word) && word.matches(',').count() < 2)
    };
    let spaced = lines.iter().filter(is_spaced).count();
    match share(',') >= lines.len() && spaced * 2 <= lines.len() {
        true => ',',
        false => ' ',
    }
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// Returns the characters of a line that are not in quotes.
fn outside_quotes(line: &str) -> impl Iterator<Item = char> {
    let mut is_quoted = false;
    line.chars().filter(move |c| {
        is_quoted ^= *c == '"';
        !is_quoted
    })
}

/// Splits lines at a separator, quotes respected.
fn fields(lines: &[String], separator: char) -> Result<Vec<TableRecord>, Mistake> {
    let separator_byte = u8::try_from(separator).unwrap_or(b',');
    // A space before a quote would make the quote a part of the field.
    let mut text = lines.join("\n") + "\n";
    for _ in 0..3 {
        text = text.replace(&format!("{separator} \""), &format!("{separator}\""));
    }
    let mut reader = ReaderBuilder::new()
        .delimiter(separator_byte)
        .has_headers(false)
        .flexible(true)
        .trim(Trim::All)
        .from_reader(text.as_bytes());
    let (mut records, mut row) = (Vec::new(), csv::StringRecord::new());
    loop {
        let is_read = reader
            .read_record(&mut row)
            .map_err(|error| (None, format!("is no table ({error}): save it as CSV")))?;
        if !is_read {
            return Ok(records);
        }
        let fields: Vec<String> = row.iter().map(str::to_owned).collect();
        let ends: usize = fields.iter().map(|field| field.matches('\n').count()).sum();
        // The reader is at the line below the record.
        let below = usize::try_from(reader.position().line()).unwrap_or(usize::MAX);
        let line = below.saturating_sub(1 + ends).max(1);
        if ends > FIELD_LINE_ENDS {
            return Err((
                Some(line),
                "opens a quote that is not closed: close or remove it".into(),
            ));
        }
        if fields.iter().any(|field| !field.is_empty()) {
            records.push(TableRecord { line, fields, after_gap: false });
        }
    }
}

/// Splits lines at spaces; units in brackets, clocks, AM, PM and zones stay with their column.
///
/// A date and the number behind it are joined to a time like `2024-01-05 1300` only while the
/// heading has fewer columns: below `date flow temp`, 1300 is a flow.
fn words(lines: &[String]) -> Vec<TableRecord> {
    let mut records: Vec<TableRecord> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let mut fields: Vec<String> = Vec::new();
        for word in line.split_whitespace().map(|word| word.trim_matches('"')) {
            match fields.last_mut().filter(|_| word.starts_with(['[', '('])) {
                Some(last) => *last = format!("{last} {word}"),
                None => fields.push(word.to_owned()),
            }
        }
        if !fields.is_empty() {
            records.push(TableRecord { line: index + 1, fields, after_gap: false });
        }
    }
    let is_begun = |record: &TableRecord| begins_with_number(&record.fields[0]);
    let is_dated =
        |record: &TableRecord| record.fields.iter().any(|field| DateStamp::read(field).is_some());
    let first = records.iter().position(|record| is_begun(record) || is_dated(record));
    let heading = first.and_then(|first| records[..first].last());
    let width = heading.map_or(1, |heading| heading.fields.len());
    for record in &mut records[first.unwrap_or(0)..] {
        join_times(&mut record.fields, width);
    }
    records
}

/// Joins the words of dates and times until a row has `width` columns.
fn join_times(fields: &mut Vec<String>, width: usize) {
    let mut from = 0;
    while from < fields.len() && fields.len() > width {
        let whole = |to: usize| fields[from..=to].join(" ");
        let is_stamp = |to: &usize| DateStamp::read(&whole(*to)).is_some();
        let last = (from..fields.len()).take_while(is_stamp).last().unwrap_or(from);
        // AM, PM and zones belong to the clock, and the clock to the date.
        let begin = from.max((last + width).saturating_sub(fields.len()));
        let joined = fields[begin..=last].join(" ");
        fields.splice(begin..=last, [joined]);
        from = begin + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_their_lines_and_columns() {
        for (text, separator, heading, rows) in [
            ("t,q\n0,1\n", ',', Some(1), vec![(2, vec!["0", "1"])]),
            (
                "# a\n\nt;q\n\n0;1,5\n# b\n1;2",
                ';',
                Some(3),
                vec![(5, vec!["0", "1,5"]), (7, vec!["1", "2"])],
            ),
            ("\"0\",\"1,200\"\n", ',', None, vec![(1, vec!["0", "1,200"])]),
            (
                "0, \"1,200\",\"a\nb\"\n1,2\n",
                ',',
                None,
                vec![(1, vec!["0", "1,200", "a\nb"]), (3, vec!["1", "2"])],
            ),
            (
                "0,5 1,2\n1,5 2,2\n",
                ' ',
                None,
                vec![(1, vec!["0,5", "1,2"]), (2, vec!["1,5", "2,2"])],
            ),
            ("time [h] q [m3/s]\n0 5\n", ' ', Some(1), vec![(2, vec!["0", "5"])]),
            ("2024-01-05 13:00 5 9\n", ' ', None, vec![(1, vec!["2024-01-05 13:00", "5", "9"])]),
            (
                "date flow[cfs] temp[C]\n2024-01-05 1200 15\n",
                ' ',
                Some(1),
                vec![(2, vec!["2024-01-05", "1200", "15"])],
            ),
            (
                "date flow [cfs]\n2024-01-05 1200 15\n",
                ' ',
                Some(1),
                vec![(2, vec!["2024-01-05 1200", "15"])],
            ),
            (
                "date time flow\n1/5/2024 1:00 PM 15\n",
                ' ',
                Some(1),
                vec![(2, vec!["1/5/2024", "1:00 PM", "15"])],
            ),
            ("a|b\n0|5\n", '|', Some(1), vec![(2, vec!["0", "5"])]),
            ("Station: mill\n\nt;q\n0;5\n", ';', Some(3), vec![(4, vec!["0", "5"])]),
            (
                "m,d,v\nx,2024-01-02,1\nx,2024-01-03,2\n",
                ',',
                Some(1),
                vec![(2, vec!["x", "2024-01-02", "1"]), (3, vec!["x", "2024-01-03", "2"])],
            ),
        ] {
            let sheet = TableSheet::read(text).expect(text);
            let got = sheet.records.iter().map(|record| (record.line, record.fields.clone()));
            let got: Vec<(usize, Vec<String>)> = got.collect();
            let rows = rows.into_iter().map(|(line, fields)| {
                (line, fields.into_iter().map(str::to_owned).collect::<Vec<_>>())
            });
            assert_eq!(got, rows.collect::<Vec<_>>(), "{text}");
            assert_eq!(sheet.separator, separator, "{text}");
            assert_eq!(sheet.heading.map(|heading| heading.line), heading, "{text}");
        }
        let open = TableSheet::read("0,\"1\n2,2\n3,3\n4,4\n5,5\n6,7\n").expect_err("an open quote");
        assert_eq!(open.0, Some(1), "{}", open.1);
    }
}
