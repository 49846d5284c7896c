//! Kinds of flood maps: which of them the leaves of a world keep.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::BitOr;

/// Names of the kinds, by their bits.
const NAMES: [&str; 8] =
    ["depth", "speed", "velocity", "hazard", "arrival", "last-wet", "deepest", "duration"];

/// A set of kinds of flood maps: each costs memory and time only if it is kept.
///
/// | kind | what each cell keeps | bytes a cell |
/// | --- | --- | --- |
/// | `DEPTH` | largest depth | 4 |
/// | `SPEED` | largest speed, m/s | 4 |
/// | `VELOCITY` | velocity over the last step, m/s, as surfaces and visual layers have it | 12 |
/// | `HAZARD` | largest hazard rating, m²/s | 4 |
/// | `ARRIVAL` | when water came first, s | 4 |
/// | `LAST_WET` | when water was there for the last time, s | 4 |
/// | `DEEPEST` | when the largest depth was seen first, s; with `DEPTH` | 8, with its `DEPTH` |
/// | `DURATION` | for how long water was there, s | 12 |
/// | `ALL` | all of that | 44 |
///
/// Four bytes of `VELOCITY` and of `DURATION` are the same four: whether the cell was wet.
///
/// # Examples
///
/// ```
/// use thalweg::world::MapKinds;
/// let kinds = MapKinds::DEPTH | MapKinds::SPEED;
/// assert!(kinds.has(MapKinds::SPEED) && !kinds.has(MapKinds::ARRIVAL));
/// assert_eq!((kinds.bytes_a_cell(), kinds.to_string()), (8, "depth, speed".to_owned()));
/// assert_eq!((MapKinds::ALL.bytes_a_cell(), MapKinds::NONE.bytes_a_cell()), (44, 0));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "Vec<String>", try_from = "Vec<String>")]
pub struct MapKinds(u8);

impl MapKinds {
    /// No flood map.
    pub const NONE: Self = Self(0);
    /// Largest depth of each cell.
    pub const DEPTH: Self = Self(1);
    /// Largest speed of each cell, m/s.
    pub const SPEED: Self = Self(1 << 1);
    /// Velocity of each cell over the last step, m/s.
    pub const VELOCITY: Self = Self(1 << 2);
    /// Largest hazard rating of each cell, m²/s.
    pub const HAZARD: Self = Self(1 << 3);
    /// Time at which each cell first became wet, s.
    pub const ARRIVAL: Self = Self(1 << 4);
    /// When water was in each cell for the last time, s.
    pub const LAST_WET: Self = Self(1 << 5);
    /// Time at which the largest depth of each cell was first seen, s; includes the largest depth.
    pub const DEEPEST: Self = Self(1 << 6 | Self::DEPTH.0);
    /// For how long water was in each cell, s.
    pub const DURATION: Self = Self(1 << 7);
    /// All flood maps.
    pub const ALL: Self = Self(u8::MAX);
    /// The kinds that `MapsView::footprint` of a world reads.
    pub const FOOTPRINT: Self = Self(
        Self::DEEPEST.0 | Self::HAZARD.0 | Self::ARRIVAL.0 | Self::LAST_WET.0 | Self::DURATION.0,
    );

    /// Each kind by itself.
    pub const EACH: [Self; 8] = [
        Self::DEPTH,
        Self::SPEED,
        Self::VELOCITY,
        Self::HAZARD,
        Self::ARRIVAL,
        Self::LAST_WET,
        Self::DEEPEST,
        Self::DURATION,
    ];

    /// True if all of these kinds are in the set.
    #[must_use]
    pub const fn has(self, kinds: Self) -> bool {
        self.0 & kinds.0 == kinds.0
    }

    /// True if one of these kinds is in the set.
    #[must_use]
    pub const fn has_any(self, kinds: Self) -> bool {
        self.0 & kinds.0 != 0
    }

    /// True if the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the bytes that flood maps of these kinds take for each cell.
    #[must_use]
    pub const fn bytes_a_cell(self) -> u64 {
        let wide = if self.has(Self::DURATION) { 8 } else { 0 };
        let largest_depth = if self.has(Self::DEPTH) { 4 } else { 0 };
        wide + largest_depth + 4 * self.float_planes()
    }

    /// Returns the count of `f32` planes that these kinds need.
    pub const fn float_planes(self) -> u64 {
        // `1 << 6`, because DEEPEST includes DEPTH, and the plane of largest depths is of `i32`.
        let counts = Self::SPEED.0 | Self::HAZARD.0 | Self::ARRIVAL.0 | Self::LAST_WET.0 | 1 << 6;
        let velocity = if self.has(Self::VELOCITY) { 2 } else { 0 };
        let was_wet = if self.keeps_wet() { 1 } else { 0 };
        (self.0 & counts).count_ones() as u64 + velocity + was_wet
    }

    /// True if a leaf keeps which of its cells were wet: to count how long, and because the
    /// velocity of a coarse cell is the mean over its wet quarters.
    pub const fn keeps_wet(self) -> bool {
        self.has_any(Self(Self::VELOCITY.0 | Self::DURATION.0))
    }

    /// True if a look needs velocities.
    pub const fn needs_velocities(self) -> bool {
        self.has_any(Self(Self::SPEED.0 | Self::VELOCITY.0 | Self::HAZARD.0))
    }

    /// True if a look needs to find out which cells are wet.
    pub const fn needs_wet(self) -> bool {
        // The largest depth and its moment follow from depths alone.
        self.0 & !Self::DEEPEST.0 != 0
    }

    /// Returns the number that the file writes: a bit for each kind, in the order of
    /// [`MapKinds::EACH`].
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Checks that the kinds are kept.
    ///
    /// # Errors
    ///
    /// [`NotKept`] names the kinds that are not kept.
    pub fn check(self, needed: Self) -> Result<(), NotKept> {
        let missing = Self(needed.0 & !self.0);
        if missing.is_empty() { Ok(()) } else { Err(NotKept(missing)) }
    }

    /// Names of the kinds.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        (0..).zip(NAMES).filter(move |(bit, _)| self.0 >> bit & 1 == 1).map(|(_, name)| name)
    }
}

impl BitOr for MapKinds {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl FromIterator<MapKinds> for MapKinds {
    fn from_iter<I: IntoIterator<Item = Self>>(kinds: I) -> Self {
        kinds.into_iter().fold(Self::NONE, Self::bitor)
    }
}

impl fmt::Display for MapKinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("none");
        }
        f.write_str(&self.names().collect::<Vec<_>>().join(", "))
    }
}

impl fmt::Debug for MapKinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MapKinds({self})")
    }
}

impl From<MapKinds> for Vec<String> {
    fn from(kinds: MapKinds) -> Self {
        kinds.names().map(str::to_owned).collect()
    }
}

impl TryFrom<Vec<String>> for MapKinds {
    type Error = String;

    fn try_from(names: Vec<String>) -> Result<Self, String> {
        names.iter().try_fold(Self::NONE, |kinds, name| {
            let kind = Self::EACH.iter().zip(NAMES).find(|(_, own)| own == name);
            let kind = kind.ok_or_else(|| format!("there is no flood map of kind {name:?}"))?;
            Ok(kinds | *kind.0)
        })
    }
}

/// Error of a request for flood maps that the world does not keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotKept(MapKinds);

impl NotKept {
    /// Returns the error for a kind that is not kept.
    pub const fn of(kind: MapKinds) -> Self {
        Self(kind)
    }

    /// Returns the kinds that are not kept.
    #[must_use]
    pub const fn kinds(self) -> MapKinds {
        self.0
    }
}

impl fmt::Display for NotKept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the world keeps no flood map of this kind: {}; name the kind in `WorldBuilder::maps` \
             when the world is built",
            self.0
        )
    }
}

impl std::error::Error for NotKept {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Returns all sets of kinds, some of them more than once.
    fn sets() -> impl Iterator<Item = MapKinds> {
        let of = |bits: u8| {
            (0..8).filter(move |bit| bits >> bit & 1 == 1).map(|bit| MapKinds::EACH[bit])
        };
        (0..=u8::MAX).map(move |bits| of(bits).collect())
    }

    #[test]
    fn names_come_back_and_others_are_refused() {
        for kinds in sets() {
            assert_eq!(MapKinds::try_from(Vec::from(kinds)), Ok(kinds));
        }
        // The moment of the largest depth includes the largest depth.
        let different: BTreeSet<u8> = sets().map(MapKinds::bits).collect();
        assert_eq!(different.len(), 192);
        assert!(MapKinds::DEEPEST.has(MapKinds::DEPTH) && !MapKinds::DEPTH.has(MapKinds::DEEPEST));
        let error = MapKinds::try_from(vec!["depth".to_owned(), "colour".to_owned()]);
        assert!(error.is_err_and(|error| error.contains("colour")));
    }

    #[test]
    fn what_is_missing_is_named() {
        let kept = MapKinds::DEPTH | MapKinds::ARRIVAL;
        assert_eq!(kept.check(MapKinds::DEPTH), Ok(()));
        let missing = kept.check(MapKinds::DEEPEST | MapKinds::HAZARD).expect_err("two are");
        assert!(missing.to_string().contains("kind: hazard, deepest; name"), "{missing}");
    }
}
