//! Rows of samples that are in the file one after the other, uncompressed.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use crate::error::RasterError;
use crate::hints::ByteOrder;
use crate::screen::StoredRows;

/// Type of a stored sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlainSample {
    /// 0 to 65535.
    Unsigned16,
    /// -32768 to 32767.
    Signed16,
    /// Single precision.
    Float32,
}

impl PlainSample {
    /// Bytes of one sample.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::Unsigned16 | Self::Signed16 => 2,
            Self::Float32 => 4,
        }
    }
}

/// The rows of a file that begins with its first sample.
pub(crate) struct PlainRows {
    file: BufReader<File>,
    path: PathBuf,
    sample: PlainSample,
    order: ByteOrder,
    bytes: Vec<u8>,
}

impl PlainRows {
    /// Rows of `width` samples; the caller checked the length of the file.
    pub(crate) fn new(
        path: &Path,
        file: File,
        (sample, order): (PlainSample, ByteOrder),
        width: usize,
    ) -> Self {
        Self {
            file: BufReader::with_capacity(1 << 16, file),
            path: path.into(),
            sample,
            order,
            bytes: vec![0; width * sample.bytes()],
        }
    }
}

impl StoredRows for PlainRows {
    fn read_row(&mut self, index: usize, row: &mut [f64]) -> Result<(), RasterError> {
        self.file
            .read_exact(&mut self.bytes)
            .map_err(|e| RasterError::reading(&self.path, &format!("row {index}"), e))?;
        if self.order == ByteOrder::Big {
            self.turn();
        }
        self.decode(row);
        Ok(())
    }

    fn last_in_both_orders(&mut self) -> Option<(ByteOrder, [Vec<f64>; 2])> {
        let mut rows = [(); 2].map(|()| vec![0.0; self.bytes.len() / self.sample.bytes()]);
        for row in &mut rows {
            self.decode(row);
            self.turn();
        }
        Some((self.order.other(), rows))
    }
}

impl PlainRows {
    /// Reverses the bytes of each sample of the row.
    fn turn(&mut self) {
        self.bytes.chunks_exact_mut(self.sample.bytes()).for_each(<[u8]>::reverse);
    }

    /// Fills `row` with the samples, whose lowest bytes are first.
    fn decode(&self, row: &mut [f64]) {
        let (pairs, _) = self.bytes.as_chunks();
        let (fours, _) = self.bytes.as_chunks();
        match self.sample {
            PlainSample::Unsigned16 => fill(row, pairs, |pair| f64::from(u16::from_le_bytes(pair))),
            PlainSample::Signed16 => fill(row, pairs, |pair| f64::from(i16::from_le_bytes(pair))),
            PlainSample::Float32 => fill(row, fours, |four| f64::from(f32::from_le_bytes(four))),
        }
    }
}

fn fill<const N: usize>(row: &mut [f64], samples: &[[u8; N]], value: impl Fn([u8; N]) -> f64) {
    for (cell, sample) in row.iter_mut().zip(samples) {
        *cell = value(*sample);
    }
}
