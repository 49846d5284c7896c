//! Facts of a raster that its samples do not state: units, direction, place, NoData, mask, band.
//!
//! Several sources can name one fact: an option of the user, a key in the file, a file beside it.
//! [`Claims`] collects the candidates of one fact and takes the most trusted one; the [`Fact`] that
//! it returns names the chosen value, its source, and every trusted source that contradicts it.
//!
//! ```text
//! option > .toml > key in the file > EPSG table > .prj > .aux.xml > world file > .msk > guess
//! ```
//!
//! Guarantees: an option wins over everything; a guess yields to everything, and contradicts
//!             nothing.

use std::fmt;

/// Keys of files in the order of trust: a VRT overrules its rasters, and a text of a system states
/// more than geo-keys. Keys that are missing here never state one fact together.
const KEYS: [&str; 6] = [
    "SRS of the VRT",
    "UnitType of the VRT",
    "NODATA of the VRT",
    "ESRI PE string",
    "geo-key 4099",
    "tag 42112",
];

/// Origin of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FactSource {
    /// An option on the command line, or a key of a scenario file: its name, like `--nodata`.
    Option(&'static str),
    /// The `.toml` file beside the raster.
    Sidecar,
    /// A key, tag or header line of the raster itself: its name, like `geo-key 3076`.
    File(&'static str),
    /// EPSG's registry: the unit or direction that the named system has there.
    Epsg(u16),
    /// The `.prj` file beside the raster.
    Prj,
    /// The `.aux.xml` file beside the raster, as GDAL and ArcGIS write it.
    AuxXml,
    /// The world file beside the raster (`.tfw`, `.pgw`, `.wld`).
    WorldFile,
    /// The `.msk` file beside the raster.
    MaskFile,
    /// The rule that is used if nothing else states the fact.
    Guess,
}

impl FactSource {
    /// The range over which the samples of a picture or RAW are spread, by option or `.toml`.
    pub(crate) const HEIGHT_RANGE: Self = Self::Option("--height-range");
    /// The cell size, by option or `.toml`.
    pub(crate) const CELL: Self = Self::Option("--map-cell");
    /// The order of bytes, by option or `.toml`.
    pub(crate) const BYTE_ORDER: Self = Self::Option("--byte-order");
    /// Columns and rows, by option or `.toml`.
    pub(crate) const SIZE: Self = Self::Option("--map-size");
    /// The meaning of colours, by option or `.toml`.
    pub(crate) const ENCODING: Self = Self::Option("--encoding");
    /// Values that mean NoData, by option or `.toml`.
    pub(crate) const NODATA: Self = Self::Option("--nodata");

    /// Returns the place in the order of trust, and among keys of the file: 0 is trusted most.
    fn rank(self) -> (u8, usize) {
        let of_key = |name| KEYS.iter().position(|key| *key == name).unwrap_or(KEYS.len());
        match self {
            Self::Option(_) => (0, 0),
            Self::Sidecar => (1, 0),
            Self::File(name) => (2, of_key(name)),
            Self::Epsg(_) => (3, 0),
            Self::Prj => (4, 0),
            Self::AuxXml => (5, 0),
            Self::WorldFile => (6, 0),
            Self::MaskFile => (7, 0),
            Self::Guess => (8, 0),
        }
    }
}

impl fmt::Display for FactSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Option(name) | Self::File(name) => f.write_str(name),
            Self::Sidecar => f.write_str(".toml"),
            Self::Epsg(code) => write!(f, "EPSG:{code}"),
            Self::Prj => f.write_str(".prj"),
            Self::AuxXml => f.write_str(".aux.xml"),
            Self::WorldFile => f.write_str("world file"),
            Self::MaskFile => f.write_str(".msk"),
            Self::Guess => f.write_str("assumed"),
        }
    }
}

/// A settled fact of a raster.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    /// Name of the fact, like `height unit`.
    pub name: &'static str,
    /// Chosen value, in words.
    pub value: String,
    /// Origin of the chosen value.
    pub source: FactSource,
    /// Values that trusted sources state differently.
    pub contradicted: Vec<(FactSource, String)>,
}

impl Fact {
    /// Makes a fact that one source alone states.
    pub(crate) fn of(name: &'static str, source: FactSource, value: impl fmt::Display) -> Self {
        Self { name, value: value.to_string(), source, contradicted: Vec::new() }
    }

    /// Returns whether it is the scale of samples that a range of heights spreads, by option or
    /// `.toml`.
    #[must_use]
    pub fn is_spread(&self) -> bool {
        self.name == "scale"
            && matches!(self.source, FactSource::HEIGHT_RANGE | FactSource::Sidecar)
    }

    /// Returns a sentence that names the contradictions; `None` if all sources agree.
    #[must_use]
    pub fn contradiction(&self) -> Option<String> {
        let others = self.contradicted.iter();
        let others: Vec<String> =
            others.map(|(source, value)| format!("{value} ({source})")).collect();
        let Self { name, value, source, .. } = self;
        (!others.is_empty())
            .then(|| format!("the {name} is {value} ({source}), and not {}", others.join(", ")))
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.value, self.source)?;
        for (source, value) in &self.contradicted {
            write!(f, ", not {value} ({source})")?;
        }
        Ok(())
    }
}

/// Candidates of one fact.
#[derive(Debug)]
pub(crate) struct Claims<T> {
    name: &'static str,
    claims: Vec<(FactSource, T)>,
}

impl<T: Clone + PartialEq + fmt::Display> Claims<T> {
    pub(crate) fn of(name: &'static str) -> Self {
        Self { name, claims: Vec::new() }
    }

    /// Adds a candidate, if the source states one.
    pub(crate) fn add(mut self, source: FactSource, value: Option<T>) -> Self {
        self.claims.extend(value.map(|value| (source, value)));
        self
    }

    /// Returns all candidates but guesses, the most trusted first: an option overrules them
    /// together.
    pub(crate) fn overruled(mut self) -> Vec<(FactSource, String)> {
        self.claims.sort_by_key(|(source, _)| source.rank());
        let claims = self.claims.into_iter().filter(|(source, _)| *source != FactSource::Guess);
        claims.map(|(source, value)| (source, value.to_string())).collect()
    }

    /// Takes the candidate of the most trusted source; `None` if there is no candidate.
    pub(crate) fn settle(mut self) -> Option<(T, Fact)> {
        self.claims.sort_by_key(|(source, _)| source.rank());
        let mut claims = self.claims.into_iter();
        let (source, value) = claims.next()?;
        let others = claims.filter(|(other, said)| *other != FactSource::Guess && *said != value);
        let contradicted = others.map(|(source, value)| (source, value.to_string())).collect();
        let fact = Fact { name: self.name, value: value.to_string(), source, contradicted };
        Some((value, fact))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: the order among keys of files is that of the list, in any spelling and any order in
    /// which they are added.
    #[test]
    fn keys_of_files_have_an_order() {
        let order = [
            "UnitType of the VRT",
            "NODATA of the VRT",
            "ESRI PE string",
            "geo-key 4099",
            "tag 42112",
            "GDAL_NODATA",
        ];
        for (place, first) in order.iter().enumerate() {
            for later in &order[place + 1..] {
                for pair in [[*first, *later], [*later, *first]] {
                    let claims = pair.iter().fold(Claims::of("a"), |claims, name| {
                        claims.add(FactSource::File(name), Some(*name))
                    });
                    assert_eq!(claims.settle().expect("claims").0, *first, "{pair:?}");
                }
            }
        }
    }

    #[test]
    fn the_most_trusted_source_wins_and_contradictions_are_named() {
        let claims = || {
            Claims::of("height unit")
                .add(FactSource::Guess, Some("metres"))
                .add(FactSource::AuxXml, Some("feet"))
                .add(FactSource::File("geo-key 4099"), Some("US survey feet"))
        };
        let (value, fact) = claims().settle().expect("claims");
        assert_eq!((value, fact.source), ("US survey feet", FactSource::File("geo-key 4099")));
        let sentence = "the height unit is US survey feet (geo-key 4099), and not feet (.aux.xml)";
        assert_eq!(fact.contradiction().as_deref(), Some(sentence));
        let (value, _) = claims()
            .add(FactSource::Option("--height-unit"), Some("feet"))
            .settle()
            .expect("claims");
        assert_eq!(value, "feet");
        let guess =
            Claims::of("band").add(FactSource::Guess, Some("1")).add(FactSource::Guess, Some("2"));
        assert_eq!(guess.settle().expect("a claim").1.contradiction(), None);
        assert!(Claims::<&str>::of("band").add(FactSource::Guess, None).settle().is_none());
    }
}
