//! The rows of a map, read by a separate thread while the rows before them are written.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::Scope;

use kit::error::UserError;
use rasters::{RasterError, RowSource};

/// Rows that are sent together, if they are short enough: one row of tiles.
const ROWS: usize = 64;
/// Most cells that are sent together: 16 MiB.
const CELLS_MAX: usize = 1 << 21;
/// Number of pieces that may wait to be written.
const WAITING: usize = 2;

/// Consecutive rows.
pub type RowPiece = Result<Vec<f64>, RasterError>;

/// Reads rows `from` to `to` of a map, from the north; rows of tiles count from `to`, its end.
///
/// # Errors
///
/// Errors of passing over the earlier rows; errors of reading are sent in place of rows.
pub fn read<'scope>(
    scope: &'scope Scope<'scope, '_>,
    mut source: Box<dyn RowSource>,
    (from, to): (usize, usize),
) -> Result<Receiver<RowPiece>, UserError> {
    source.skip_rows(from)?;
    let (send, receive) = sync_channel(WAITING);
    scope.spawn(move || send_all(source.as_mut(), (from, to), &send));
    Ok(receive)
}

fn send_all(source: &mut dyn RowSource, (from, to): (usize, usize), send: &SyncSender<RowPiece>) {
    let width = source.grid().width;
    let most = (CELLS_MAX / width).clamp(1, ROWS);
    let mut next = from;
    while next < to {
        let left = to - next;
        let count = match left % ROWS {
            0 => left.min(most),
            rows => rows.min(most),
        };
        let mut piece = vec![f64::NAN; count * width];
        let read = piece.chunks_exact_mut(width).try_for_each(|row| source.next_row(row));
        let is_read = read.is_ok();
        // A receiver that takes no more has its own error.
        if send.send(read.map(|()| piece)).is_err() || !is_read {
            return;
        }
        next += count;
    }
}
