//! A TIFF writer for tests: every variant the reader promises, independent of its code.

use std::io::Write;

use flate2::write::ZlibEncoder;
use half::f16;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

/// Kinds of samples, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sample {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F16,
    F32,
    F64,
}

pub const SAMPLES: [Sample; 11] = [
    Sample::U8,
    Sample::I8,
    Sample::U16,
    Sample::I16,
    Sample::U32,
    Sample::I32,
    Sample::U64,
    Sample::I64,
    Sample::F16,
    Sample::F32,
    Sample::F64,
];

impl Sample {
    pub fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::F32 | Self::F64)
    }

    /// Bytes of a sample.
    pub fn size(self) -> usize {
        self.bytes(0.0).len()
    }

    fn format(self) -> u16 {
        match self {
            Self::U8 | Self::U16 | Self::U32 | Self::U64 => 1,
            Self::I8 | Self::I16 | Self::I32 | Self::I64 => 2,
            Self::F16 | Self::F32 | Self::F64 => 3,
        }
    }

    /// Most significant byte first.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "tests choose values that the kind can hold"
    )]
    fn bytes(self, value: f64) -> Vec<u8> {
        match self {
            Self::U8 => (value as u8).to_be_bytes().to_vec(),
            Self::I8 => (value as i8).to_be_bytes().to_vec(),
            Self::U16 => (value as u16).to_be_bytes().to_vec(),
            Self::I16 => (value as i16).to_be_bytes().to_vec(),
            Self::U32 => (value as u32).to_be_bytes().to_vec(),
            Self::I32 => (value as i32).to_be_bytes().to_vec(),
            Self::U64 => (value as u64).to_be_bytes().to_vec(),
            Self::I64 => (value as i64).to_be_bytes().to_vec(),
            Self::F16 => f16::from_f64(value).to_be_bytes().to_vec(),
            Self::F32 => (value as f32).to_be_bytes().to_vec(),
            Self::F64 => value.to_be_bytes().to_vec(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    None,
    Lzw,
    Deflate,
    PackBits,
    Zstandard,
}

pub const PACKINGS: [Packing; 5] =
    [Packing::None, Packing::Lzw, Packing::Deflate, Packing::PackBits, Packing::Zstandard];

/// Content of an additional tag.
#[derive(Debug, Clone)]
pub enum Content {
    Shorts(Vec<u16>),
    Doubles(Vec<f64>),
    Text(String),
    Opaque(Vec<u8>),
}

/// File to write.
#[derive(Debug, Clone)]
pub struct TiffFile {
    pub width: usize,
    pub height: usize,
    pub sample: Sample,
    /// Values of a cell.
    pub channels: usize,
    /// Whether each channel has blocks of its own.
    pub planar: bool,
    pub packing: Packing,
    pub predictor: u16,
    pub big_endian: bool,
    pub big_tiff: bool,
    /// Columns and rows of a tile.
    pub tile: Option<(usize, usize)>,
    pub rows_per_strip: usize,
    /// Blocks that are left out.
    pub sparse: Vec<usize>,
    /// Cell by cell, whether planar or not.
    pub values: Vec<f64>,
    /// Packed blocks to write instead of the values.
    pub blocks: Option<Vec<Vec<u8>>>,
    pub tags: Vec<(u16, Content)>,
}

impl TiffFile {
    /// Little-endian, uncompressed, three rows a strip, 10 m cells at (500, 900).
    pub fn new(width: usize, height: usize, sample: Sample, values: Vec<f64>) -> Self {
        assert_eq!(values.len(), width * height);
        Self {
            width,
            height,
            sample,
            channels: 1,
            planar: false,
            packing: Packing::None,
            predictor: 1,
            big_endian: false,
            big_tiff: false,
            tile: None,
            rows_per_strip: 3,
            sparse: Vec::new(),
            values,
            blocks: None,
            tags: vec![
                (33_550, Content::Doubles(vec![10.0, 10.0, 0.0])),
                (33_922, Content::Doubles(vec![0.0, 0.0, 0.0, 500.0, 900.0, 0.0])),
            ],
        }
    }

    /// Copy with a tag more, or another value of one.
    pub fn with_tag(mut self, tag: u16, content: Content) -> Self {
        self.tags.retain(|(number, _)| *number != tag);
        self.tags.push((tag, content));
        self
    }

    fn number(&self, value: u64, size: usize) -> Vec<u8> {
        let mut bytes = value.to_be_bytes()[8 - size..].to_vec();
        if !self.big_endian {
            bytes.reverse();
        }
        bytes
    }

    /// One row of a block: predicted, in file order.
    fn row(&self, values: &[f64]) -> Vec<u8> {
        let step = if self.planar { 1 } else { self.channels };
        let mut samples: Vec<Vec<u8>> = values.iter().map(|&v| self.sample.bytes(v)).collect();
        if self.predictor == 3 {
            let size = samples[0].len();
            let mut bytes: Vec<u8> =
                (0..size).flat_map(|i| samples.iter().map(move |sample| sample[i])).collect();
            for i in (step..bytes.len()).rev() {
                bytes[i] = bytes[i].wrapping_sub(bytes[i - step]);
            }
            return bytes;
        }
        if self.predictor == 2 {
            let join = |bytes: &[u8]| bytes.iter().fold(0, |n: u64, &b| n << 8 | u64::from(b));
            let numbers: Vec<u64> = samples.iter().map(|sample| join(sample)).collect();
            for (i, sample) in samples.iter_mut().enumerate().skip(step) {
                let difference = numbers[i].wrapping_sub(numbers[i - step]);
                let start = 8 - sample.len();
                sample.copy_from_slice(&difference.to_be_bytes()[start..]);
            }
        }
        for sample in &mut samples {
            if !self.big_endian {
                sample.reverse();
            }
        }
        samples.concat()
    }

    /// Every block, packed.
    pub fn packed_blocks(&self) -> Vec<Vec<u8>> {
        if let Some(blocks) = &self.blocks {
            return blocks.clone();
        }
        let planes = if self.planar { self.channels } else { 1 };
        (0..planes).flat_map(|plane| self.blocks_of(plane)).collect()
    }

    /// The values of a cell that stand in the blocks of a plane; padding beyond the raster.
    fn cell(&self, (row, col): (usize, usize), plane: usize) -> Vec<f64> {
        if row >= self.height || col >= self.width {
            return vec![77.0; if self.planar { 1 } else { self.channels }];
        }
        let cell = &self.values[(row * self.width + col) * self.channels..][..self.channels];
        if self.planar { vec![cell[plane]] } else { cell.to_vec() }
    }

    fn blocks_of(&self, plane: usize) -> Vec<Vec<u8>> {
        let (block_width, block_height) = self.tile.unwrap_or((self.width, self.rows_per_strip));
        let mut blocks = Vec::new();
        for top in (0..self.height).step_by(block_height) {
            for left in (0..self.width).step_by(block_width) {
                let mut bytes = Vec::new();
                for row in top..top + block_height {
                    if row >= self.height && self.tile.is_none() {
                        break;
                    }
                    let values: Vec<f64> = (left..left + block_width)
                        .flat_map(|col| self.cell((row, col), plane))
                        .collect();
                    bytes.extend(self.row(&values));
                }
                blocks.push(self.pack(&bytes));
            }
        }
        blocks
    }

    fn pack(&self, bytes: &[u8]) -> Vec<u8> {
        match self.packing {
            Packing::None => bytes.to_vec(),
            Packing::Deflate => {
                let mut encoder = ZlibEncoder::new(Vec::new(), flate2::Compression::default());
                encoder.write_all(bytes).unwrap();
                encoder.finish().unwrap()
            }
            Packing::Lzw => weezl::encode::Encoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8)
                .encode(bytes)
                .unwrap(),
            Packing::PackBits => pack_bits(bytes),
            Packing::Zstandard => compress_to_vec(bytes, CompressionLevel::Fastest),
        }
    }

    /// Tags with their type, count and content.
    fn directory(&self, places: &[(u64, u64)]) -> Vec<(u16, u16, u64, Vec<u8>)> {
        let short = |tag: u16, value: u16| (tag, 3, 1, self.number(value.into(), 2));
        let shorts = |tag: u16, value: u16| {
            let numbers = self.number(value.into(), 2).repeat(self.channels);
            (tag, 3, self.channels as u64, numbers)
        };
        let long = |tag: u16, value: usize| (tag, 4, 1, self.number(value as u64, 4));
        let (kind, size) = if self.big_tiff { (16, 8) } else { (4, 4) };
        let list = |tag: u16, numbers: Vec<u64>| {
            let bytes = numbers.iter().flat_map(|&n| self.number(n, size)).collect();
            (tag, kind, numbers.len() as u64, bytes)
        };
        let (width_bits, packing) = (
            u16::try_from(self.sample.size() * 8).unwrap(),
            match self.packing {
                Packing::None => 1,
                Packing::Lzw => 5,
                Packing::Deflate => 8,
                Packing::PackBits => 32_773,
                Packing::Zstandard => 50_000,
            },
        );
        let (offsets, lengths) = places.iter().copied().unzip();
        let mut tags = vec![
            long(256, self.width),
            long(257, self.height),
            shorts(258, width_bits),
            short(259, packing),
            short(262, 1),
            long(277, self.channels),
            short(284, if self.planar { 2 } else { 1 }),
            short(317, self.predictor),
            shorts(339, self.sample.format()),
        ];
        match self.tile {
            Some((width, height)) => tags.extend([
                long(322, width),
                long(323, height),
                list(324, offsets),
                list(325, lengths),
            ]),
            None => tags.extend([
                list(273, offsets),
                long(278, self.rows_per_strip),
                list(279, lengths),
            ]),
        }
        tags.retain(|tag| self.tags.iter().all(|(said, _)| *said != tag.0));
        for (tag, content) in &self.tags {
            tags.push(match content {
                Content::Shorts(numbers) => {
                    let bytes = numbers.iter().flat_map(|&n| self.number(n.into(), 2)).collect();
                    (*tag, 3, numbers.len() as u64, bytes)
                }
                Content::Doubles(numbers) => {
                    let bytes = numbers.iter().flat_map(|n| self.number(n.to_bits(), 8)).collect();
                    (*tag, 12, numbers.len() as u64, bytes)
                }
                Content::Text(text) => {
                    let bytes = [text.as_bytes(), &[0]].concat();
                    (*tag, 2, bytes.len() as u64, bytes)
                }
                Content::Opaque(bytes) => (*tag, 7, bytes.len() as u64, bytes.clone()),
            });
        }
        tags.sort_by_key(|tag| tag.0);
        tags
    }

    /// The whole file: header, blocks, long values, directory.
    pub fn bytes(&self) -> Vec<u8> {
        let word = if self.big_tiff { 8 } else { 4 };
        let mut file = if self.big_endian { b"MM".to_vec() } else { b"II".to_vec() };
        if self.big_tiff {
            for part in [43, 8, 0] {
                file.extend(self.number(part, 2));
            }
        } else {
            file.extend(self.number(42, 2));
        }
        let start_at = file.len();
        file.extend(vec![0; word]);

        let mut places = Vec::new();
        for (index, block) in self.packed_blocks().into_iter().enumerate() {
            if self.sparse.contains(&index) {
                places.push((0, 0));
            } else {
                places.push((file.len() as u64, block.len() as u64));
                file.extend(block);
            }
        }
        let tags = self.directory(&places);
        let mut list = self.number(tags.len() as u64, if self.big_tiff { 8 } else { 2 });
        for (tag, kind, count, mut bytes) in tags {
            list.extend(self.number(tag.into(), 2));
            list.extend(self.number(kind.into(), 2));
            list.extend(self.number(count, word));
            if bytes.len() > word {
                let offset = self.number(file.len() as u64, word);
                file.extend(std::mem::replace(&mut bytes, offset));
            }
            bytes.resize(word, 0);
            list.extend(bytes);
        }
        list.extend(vec![0; word]);
        let start = self.number(file.len() as u64, word);
        file[start_at..start_at + word].copy_from_slice(&start);
        file.extend(list);
        file
    }
}

/// Runs of equal bytes, and the rest as literals of up to 100.
fn pack_bits(bytes: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut rest = bytes;
    while let Some(&first) = rest.first() {
        let run = rest.iter().take(128).take_while(|&&byte| byte == first).count();
        if run > 2 {
            packed.extend([u8::try_from(257 - run).unwrap(), first]);
            rest = &rest[run..];
        } else {
            let literal = rest.len().min(100);
            packed.push(u8::try_from(literal - 1).unwrap());
            packed.extend(&rest[..literal]);
            rest = &rest[literal..];
        }
    }
    packed
}
