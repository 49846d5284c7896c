use super::*;
use crate::units::OUTSIDE;
use crate::units::hash::{StateHasher, scramble};

const RAW_BYTES: usize = 4 * TILE_CELLS;

/// Words from a seed.
struct Dice(u64);

impl Dice {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        scramble(self.0)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.word() % end as u64).expect("below a usize")
    }

    #[expect(clippy::cast_possible_truncation, reason = "32 random bits")]
    fn int(&mut self) -> i32 {
        self.word() as i32
    }

    /// A plane of one of many kinds.
    fn plane(&mut self) -> TileIntegers {
        let (kind, bits, start) = (self.below(8), self.below(32), self.int());
        let [west, south] = [self.int() >> bits, self.int() >> bits];
        let hole = [OUTSIDE, i32::MIN, i32::MAX, 0][self.below(4)];
        let share = 1 << self.below(14);
        let mut cell = |i: usize| match kind {
            0 => self.int(),
            1 => start.wrapping_add(self.int() >> bits),
            2 => (start >> bits).wrapping_add(self.int() >> 31 >> bits) << bits,
            3 => [i32::MIN, i32::MAX][self.below(2)],
            4 => [i32::MIN, i32::MAX, OUTSIDE, OUTSIDE - 1, -1, 0, 1][self.below(7)],
            5 => self.int() >> self.below(32),
            6 => ramp(i, west, south),
            _ => start,
        };
        let mut plane = std::array::from_fn(&mut cell);
        for cell in &mut plane {
            if self.below(share) == 0 {
                *cell = hole;
            }
        }
        plane
    }
}

/// A slope that wraps around.
fn ramp(cell: usize, west: i32, south: i32) -> i32 {
    let [x, y] = [cell % 64, cell / 64].map(|i| i32::try_from(i).expect("below 64"));
    x.wrapping_mul(west).wrapping_add(y.wrapping_mul(south))
}

/// Rough ground in steps of 2^`shift`, seen through the hash.
fn ground(shift: u32) -> TileIntegers {
    let rough = |i: usize| i32::from(scramble(i as u64).to_le_bytes()[0]) / 8;
    std::array::from_fn(|i| (ramp(i, 40, -25) + rough(i)) << shift)
}

fn ints(plane: &TileIntegers) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode_ints(plane, &mut bytes);
    bytes
}

fn depths(depth: &TileIntegers, bed: &TileIntegers) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode_depth(depth, bed, &mut bytes);
    bytes
}

#[track_caller]
fn check_ints(plane: &TileIntegers, what: &str) -> usize {
    let (bytes, mut found) = (ints(plane), [1; TILE_CELLS]);
    assert!(bytes.len() <= ENCODED_BYTES_MAX, "{what}: {} bytes", bytes.len());
    assert_eq!(decode_ints(&bytes, &mut found), Ok(()), "{what}");
    assert!(found == *plane, "{what}: other integers");
    bytes.len()
}

#[track_caller]
fn check_depth(depth: &TileIntegers, bed: &TileIntegers, what: &str) -> usize {
    let (bytes, mut found) = (depths(depth, bed), [1; TILE_CELLS]);
    assert!(bytes.len() <= ints(depth).len(), "{what}: {} bytes", bytes.len());
    assert_eq!(decode_depth(&bytes, bed, &mut found), Ok(()), "{what}");
    assert!(found == *depth, "{what}: other depths");
    bytes.len()
}

#[track_caller]
fn check_floats(bits: &TileIntegers, what: &str) {
    let plane = bits.map(|bits| f32::from_bits(bits.cast_unsigned()));
    let (mut bytes, mut found) = (vec![7], [1.0; TILE_CELLS]);
    encode_floats(&plane, &mut bytes);
    assert!(bytes.len() <= 1 + ENCODED_BYTES_MAX, "{what}: {} bytes", bytes.len());
    assert_eq!((bytes[0], decode_floats(&bytes[1..], &mut found)), (7, Ok(())), "{what}");
    assert!(found.map(|float| float.to_bits().cast_signed()) == *bits, "{what}: other bits");
}

/// Goal: stored values come back, whatever they are.
/// Method: planes of many kinds from seeds; each as integers, floats, depths and beds.
#[test]
fn every_plane_comes_back() {
    for seed in 0..600 {
        let mut dice = Dice(seed);
        let (plane, bed) = (dice.plane(), dice.plane());
        let what = format!("seed {seed}");
        check_ints(&plane, &what);
        check_floats(&plane, &what);
        check_depth(&plane, &bed, &what);
        let [small, low] = [plane, bed].map(|plane| plane.map(|cell| cell >> 1));
        check_depth(&small.map(|depth| depth.max(0)), &low, &what);
    }
}

#[test]
fn planes_of_one_value_take_five_bytes() {
    for value in [0, 1, -1, OUTSIDE, i32::MIN, i32::MAX] {
        assert_eq!(check_ints(&[value; TILE_CELLS], "constant"), 5);
        assert_eq!(check_depth(&[value; TILE_CELLS], &ground(0), "constant"), 5);
        check_floats(&[value; TILE_CELLS], "constant");
    }
}

#[test]
fn noise_is_kept_as_it_is() {
    let mut dice = Dice(1);
    let plane = std::array::from_fn(|_| dice.int());
    assert_eq!(check_ints(&plane, "noise"), ENCODED_BYTES_MAX);
}

#[test]
fn steps_of_a_power_of_two_cost_nothing() {
    let fine = check_ints(&ground(0), "steps of 1");
    assert!(fine < RAW_BYTES / 4, "{fine} bytes");
    assert_eq!(check_ints(&ground(11), "steps of 2^11"), fine);
}

/// Cells outside the world, also along a slanting outline, leave the others as small as they were.
#[test]
fn rims_cost_their_rows_alone() {
    let whole = check_ints(&ground(11), "ground");
    let with = |is_outside: &dyn Fn(usize) -> bool| {
        let mut bed = ground(11);
        (0..TILE_CELLS).filter(|&cell| is_outside(cell)).for_each(|cell| bed[cell] = OUTSIDE);
        check_ints(&bed, "ground with a rim")
    };
    for (what, found, most) in [
        ("a cell", with(&|cell| cell == 2000), whole + 100),
        ("a column", with(&|cell| cell % 64 == 63), whole + 600),
        ("a slant", with(&|cell| cell % 64 > cell / 64), whole + 600),
    ] {
        assert!(found <= most, "{what}: {found} bytes where all ground takes {whole}");
    }
}

/// A lake over rough ground is its level, whatever its shore.
#[test]
fn still_water_costs_little() {
    let bed = ground(11);
    let lake = |level: i32| bed.map(|bed| (level - bed).max(0));
    for level in [-2_000_000, 0, 500_000, 9_000_000] {
        let found = check_depth(&lake(level), &bed, "a lake");
        assert!(found <= 1 + 256 + 64, "level {level}: {found} bytes");
    }
}

/// The form on the page above, byte by byte.
#[test]
fn bytes_are_those_of_the_page() {
    let mut plane = [0; TILE_CELLS];
    (plane[0], plane[1], plane[4095]) = (-8, -4, OUTSIDE);
    // In steps of 4: −2, then 1 more, then 1 more; the row above takes all of that back.
    let mut expected = vec![PACKED, 2];
    expected.extend([0, 0, 0, 0, 0, 0, 0, 0x80]);
    expected.extend([0, 0, 0, 0, 0, 0, 0, 0x80]);
    let mut widths = [0; 256];
    (widths[0], widths[4]) = (2, 3);
    expected.extend(widths);
    // Folded: 3, 2, 2 and 4, 1, 1.
    expected.extend([0b10_10_11, 0, 0, 0]);
    expected.extend([0b01_001_100, 0, 0, 0, 0, 0]);
    assert_eq!(ints(&plane), expected);

    let bed = std::array::from_fn(|cell| if cell == 9 { -3 } else { 5 });
    let depth = bed.map(|bed| 6 - bed);
    let mut expected = vec![OVER_BED];
    let mut widths = [0; 256];
    widths[0] = 4;
    expected.extend(widths);
    expected.extend([12, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(depths(&depth, &bed), expected);
    assert_eq!(decode_ints(&expected, &mut [0; TILE_CELLS]), Err(Corrupt::NeedsBed));
    assert_eq!(ints(&[258; TILE_CELLS]), [CONSTANT, 2, 1, 0, 0]);
}

/// Goal: the same bytes on every machine.
/// Method: a hash of many, written down.
#[test]
fn bytes_are_the_same_everywhere() {
    let mut hasher = StateHasher::new();
    for seed in 0..40 {
        let mut dice = Dice(seed);
        let (plane, bed) = (dice.plane(), dice.plane().map(|bed| bed >> 2));
        let depth = plane.map(|cell| (cell >> 8).max(0));
        let bytes = [ints(&plane), depths(&depth, &bed)].concat();
        bytes.iter().for_each(|&byte| hasher.add(u64::from(byte)));
    }
    assert_eq!(hasher.finish(), 0xa48c_2a78_85d1_546c, "{:#x}", hasher.finish());
}

#[test]
fn damage_is_named() {
    let (whole, mut plane) = (ints(&ground(3)), [0; TILE_CELLS]);
    let with = |at: usize, byte: u8| {
        let mut bytes = whole.clone();
        bytes[at] = byte;
        bytes
    };
    let longer = [whole.as_slice(), &[0; 3]].concat();
    for (bytes, expected) in [
        (&[][..], Corrupt::TooShort),
        (&whole[..whole.len() - 1], Corrupt::TooShort),
        (&longer, Corrupt::TooLong { left: 3 }),
        (&with(0, 4), Corrupt::Form(4)),
        (&with(0, OVER_BED), Corrupt::NeedsBed),
        (&with(1, 32), Corrupt::Shift(32)),
        (&with(10 + 7, 33), Corrupt::Width { group: 7, width: 33 }),
        (&[CONSTANT, 1, 2, 3], Corrupt::TooShort),
        (&[CONSTANT, 1, 2, 3, 4, 5], Corrupt::TooLong { left: 1 }),
        (&[RAW; 16_384], Corrupt::TooShort),
        (&[RAW; 16_386], Corrupt::TooLong { left: 1 }),
    ] {
        assert_eq!(decode_ints(bytes, &mut plane), Err(expected), "{expected}");
    }
}

/// Goal: any bytes are a plane or a reason.
/// Method: bytes of planes, cut, lengthened and changed, and bytes of no plane at all.
#[test]
fn no_bytes_break_the_reader() {
    let bed = ground(11);
    let (mut plane, mut floats) = ([0; TILE_CELLS], [0.0; TILE_CELLS]);
    let mut whole = Vec::new();
    for seed in 0..20_000_u64 {
        let mut dice = Dice(seed);
        if seed % 100 == 0 {
            let depth = bed.map(|bed| 500_000_i32.saturating_sub(bed).max(0));
            let choices = [ints(&dice.plane()), depths(&depth, &bed), ints(&bed)];
            whole = choices[dice.below(3)].clone();
        }
        let mut bytes = whole.clone();
        if dice.below(8) == 0 {
            let byte = |_| dice.word().to_le_bytes()[0] % 48;
            bytes = (0..=usize::try_from(seed % 9000).expect("small")).map(byte).collect();
            bytes[0] %= 4;
        }
        for _ in 0..dice.below(4) {
            let head = [bytes.len(), bytes.len().min(300)][dice.below(2)];
            let (at, byte) = (dice.below(head), dice.word().to_le_bytes());
            bytes[at] = if byte[1] < 128 { byte[0] } else { bytes[at] ^ (1 << (byte[0] % 8)) };
        }
        match dice.below(4) {
            0 => bytes.truncate(dice.below(bytes.len() + 1)),
            1 => bytes.resize(bytes.len() + dice.below(80), 0),
            _ => {}
        }
        let found = decode_depth(&bytes, &bed, &mut plane);
        if bytes.first() != Some(&OVER_BED) {
            assert_eq!(decode_ints(&bytes, &mut plane), found, "seed {seed}");
            assert_eq!(decode_floats(&bytes, &mut floats), found, "seed {seed}");
        }
    }
}
