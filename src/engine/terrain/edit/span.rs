//! Cells of an edit by row.

use std::ops::Range;

/// Neighbouring cells of one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Row, from the south.
    pub row: usize,
    /// Columns, from the west.
    pub columns: Range<usize>,
}

/// Sorts spans by row and column, and joins spans that overlap or touch.
pub(super) fn merged(mut spans: Vec<Span>) -> Vec<Span> {
    spans.retain(|span| !span.columns.is_empty());
    spans.sort_unstable_by_key(|span| (span.row, span.columns.start));
    spans.dedup_by(|next, last| {
        let is_one = next.row == last.row && next.columns.start <= last.columns.end;
        if is_one {
            last.columns.end = last.columns.end.max(next.columns.end);
        }
        is_one
    });
    spans
}

/// Returns the spans of the cells on a grid whose cells are 2^`shift` times as wide.
pub fn coarser(spans: &[Span], shift: u32) -> Vec<Span> {
    let wide = |span: &Span| Span {
        row: span.row >> shift,
        columns: span.columns.start >> shift..((span.columns.end - 1) >> shift) + 1,
    };
    merged(spans.iter().map(wide).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(list: &[(usize, Range<usize>)]) -> Vec<Span> {
        list.iter().map(|(row, columns)| Span { row: *row, columns: columns.clone() }).collect()
    }

    #[test]
    fn spans_join_where_they_touch_and_coarsen() {
        let fine = merged(spans(&[(1, 5..7), (0, 4..4), (1, 2..3), (1, 7..9), (0, 3..8)]));
        assert_eq!(fine, spans(&[(0, 3..8), (1, 2..3), (1, 5..9)]));
        assert_eq!(coarser(&fine, 1), spans(&[(0, 1..5)]));
        assert_eq!(coarser(&spans(&[(4, 8..9)]), 2), spans(&[(1, 2..3)]));
    }
}
