//! Rows of a raster and its mask, an image of its own that marks the cells without a value.

use crate::error::RasterError;
use crate::hints::ByteOrder;
use crate::screen::StoredRows;

/// Rows of stored values; NaN if their mask is 0.
pub(crate) struct Masked<S> {
    stored: S,
    mask: Option<Box<dyn StoredRows>>,
    scratch: Vec<f64>,
}

impl<S> Masked<S> {
    pub(crate) fn new(stored: S, mask: Option<Box<dyn StoredRows>>) -> Self {
        Self { stored, mask, scratch: Vec::new() }
    }
}

impl<S: StoredRows> StoredRows for Masked<S> {
    fn read_row(&mut self, index: usize, row: &mut [f64]) -> Result<(), RasterError> {
        self.stored.read_row(index, row)?;
        if let Some(mask) = &mut self.mask {
            self.scratch.resize(row.len(), 0.0);
            mask.read_row(index, &mut self.scratch)?;
            let cells = row.iter_mut().zip(&self.scratch);
            cells.filter(|(_, mask)| **mask == 0.0).for_each(|(cell, _)| *cell = f64::NAN);
        }
        Ok(())
    }

    fn skip(&mut self, from: usize, to: usize, row: &mut [f64]) -> Result<(), RasterError> {
        self.stored.skip(from, to, row)?;
        self.mask.as_mut().map_or(Ok(()), |mask| mask.skip(from, to, row))
    }

    fn last_in_both_orders(&mut self) -> Option<(ByteOrder, [Vec<f64>; 2])> {
        self.stored.last_in_both_orders()
    }
}
