//! Bytes and time of planes of one kind.

use crate::suite::BenchError;
use std::hint::black_box;
use std::time::Instant;
use thalweg_engine::grid::TILE_CELLS;
use thalweg_engine::store::codec::Corrupt;

/// Number of times that every plane is encoded and decoded; the fastest time counts.
const REPETITIONS: usize = 25;
/// Bytes of a raw plane.
const RAW_BYTES: usize = 4 * TILE_CELLS;

/// Sums over planes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rates {
    planes: usize,
    bytes: usize,
    encode_s: f64,
    decode_s: f64,
}

impl Rates {
    /// Encodes and decodes a plane.
    ///
    /// # Errors
    ///
    /// If it cannot be decoded.
    pub fn add<P: Copy>(
        &mut self,
        plane: &P,
        encode: impl Fn(&P, &mut Vec<u8>),
        decode: impl Fn(&[u8], &mut P) -> Result<(), Corrupt>,
    ) -> Result<(), BenchError> {
        let (mut bytes, mut found) = (Vec::new(), *plane);
        self.encode_s += fastest_s(|| {
            bytes.clear();
            encode(black_box(plane), &mut bytes);
            Ok(())
        })?;
        self.decode_s += fastest_s(|| {
            decode(black_box(&bytes), &mut found)?;
            black_box(&found);
            Ok(())
        })?;
        (self.planes, self.bytes) = (self.planes + 1, self.bytes + bytes.len());
        Ok(())
    }

    /// Adds both sums together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            planes: self.planes + other.planes,
            bytes: self.bytes + other.bytes,
            encode_s: self.encode_s + other.encode_s,
            decode_s: self.decode_s + other.decode_s,
        }
    }

    /// Returns the bytes over the bytes of raw planes.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.bytes as f64 / (self.planes * RAW_BYTES) as f64
    }

    /// Returns the raw bytes encoded in a second.
    #[must_use]
    pub fn encoded_per_s(&self) -> f64 {
        (self.planes * RAW_BYTES) as f64 / self.encode_s
    }

    /// Returns the raw bytes decoded in a second.
    #[must_use]
    pub fn decoded_per_s(&self) -> f64 {
        (self.planes * RAW_BYTES) as f64 / self.decode_s
    }
}

impl std::fmt::Display for Rates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} planes, {:.0} bytes each, ratio {:.4}, decoded {:.2} GB/s, encoded {:.0} MB/s",
            self.planes,
            self.bytes as f64 / self.planes as f64,
            self.ratio(),
            1.0e-9 * self.decoded_per_s(),
            1.0e-6 * self.encoded_per_s()
        )
    }
}

fn fastest_s(mut work: impl FnMut() -> Result<(), BenchError>) -> Result<f64, BenchError> {
    let mut best = f64::INFINITY;
    for _ in 0..REPETITIONS {
        let start = Instant::now();
        work()?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(best)
}
