//! One row of a table.

/// Fault of a table, and its line, unless the table as a whole is at fault.
pub(crate) type Mistake = (Option<usize>, String);

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TableRecord {
    /// Line of the file, from 1.
    pub line: usize,
    /// Fields without quotes and spaces around them.
    pub fields: Vec<String>,
    /// Whether an empty line is between this row and the one above.
    pub after_gap: bool,
}
