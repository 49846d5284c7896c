//! Random maps whose facts contradict each other, against the order of trust written anew.
//!
//! Goal: whatever a map, the files beside it and the options say together, the cells and the
//!       heights are those of the most trusted source, each fact is shown with its source, and
//!       each contradiction is in a note; or the line ends with exit code 2.
//! Method: [`MAPS`] maps by a fixed random sequence: grids of text, GeoTIFFs with and without a
//!         place and bare samples, with keys, `.prj`, `.aux.xml`, world file, `.toml` and options.
//!         Each fact is a list of statements in the documented order; the first one counts.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::kit::FLOOD;

const MAPS: u64 = 100;
const SIZE: (usize, usize) = (5, 4);
const CORNER: [f64; 2] = [500_000.0, 5_200_000.0];
const STEP: f64 = 10.0;
const FOOT: f64 = 0.3048;
const SURVEY_FOOT: f64 = 1200.0 / 3937.0;
/// Numbers in the cells that may mean NoData.
const MARKS: [f64; 3] = [-88.0, -50.0, -70.0];

/// A sequence of random numbers.
struct Random(u64);

impl Random {
    /// One of the choices, by the generator of Steele, Lea and Flood (2014), `SplitMix64`.
    fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let index = (mixed ^ (mixed >> 31)) % choices.len() as u64;
        choices[usize::try_from(index).expect("few choices")]
    }
}

/// Unit of coordinates or heights; 0 m stands for degrees.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Unit(f64);

const DEGREES: Unit = Unit(0.0);

impl Unit {
    fn name(self) -> String {
        let known = [
            (1.0, "metres"),
            (0.01, "centimetres"),
            (FOOT, "feet"),
            (SURVEY_FOOT, "US survey feet"),
            (0.0, "degrees"),
        ];
        let found = known.iter().find(|(metres, _)| self == Self(*metres));
        found.map_or_else(|| format!("units of {} m", self.0), |(_, name)| (*name).to_owned())
    }

    /// EPSG's code of the unit.
    fn code(self) -> u16 {
        match self {
            Self(1.0) => 9001,
            Self(FOOT) => 9002,
            _ => 9003,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Text,
    Tiff,
    /// A TIFF that does not state its place.
    BareTiff,
    /// Floats without a header.
    Samples,
}

/// A text of a reference system: unit of its coordinates, and its heights.
#[derive(Debug, Clone, Copy)]
struct Text {
    unit: Unit,
    /// Unit of heights, and whether they are depths.
    heights: Option<(Unit, bool)>,
}

impl Text {
    fn text(self) -> String {
        let degrees = "GEOGCS[\"Own\",UNIT[\"Degree\",0.0174532925199433]]";
        let Unit(metres) = self.unit;
        let plane = match self.unit {
            DEGREES => degrees.to_owned(),
            _ => format!("PROJCS[\"Own_Grid\",{degrees},UNIT[\"Own\",{metres}]]"),
        };
        let heights = self.heights.map(|(Unit(metres), is_depth)| {
            let sign = if is_depth { "-1.0" } else { "1.0" };
            format!(
                ",VERTCS[\"Own\",VDATUM[\"Own\"],PARAMETER[\"Direction\",{sign}],\
                 UNIT[\"Own\",{metres}]]"
            )
        });
        plane + &heights.unwrap_or_default()
    }
}

/// All that a map, the files beside it and the options state.
#[derive(Debug)]
struct Case {
    kind: Kind,
    key_unit: Option<Unit>,
    key_system: Option<(u16, Unit)>,
    key_height_unit: Option<Unit>,
    /// Code of a vertical system, its unit, and whether it has depths.
    key_heights: Option<(u16, Unit, bool)>,
    own_nodata: Option<f64>,
    prj: Option<Text>,
    aux_system: Option<Text>,
    aux_place: Option<[f64; 2]>,
    aux_nodata: Option<f64>,
    aux_unit: Option<(&'static str, Unit)>,
    world: Option<[f64; 2]>,
    toml_cell: Option<f64>,
    toml_nodata: Option<f64>,
    toml_unit: Option<(&'static str, Unit)>,
    toml_order: Option<&'static str>,
    toml_size: Option<(usize, usize)>,
    said_cell: Option<f64>,
    said_nodata: Option<(&'static str, bool, Option<f64>)>,
    said_unit: Option<(&'static str, Unit)>,
    said_direction: Option<&'static str>,
    said_order: Option<&'static str>,
    said_size: Option<(usize, usize)>,
}

impl Case {
    fn random(random: &mut Random) -> Self {
        let kinds = [Kind::Text, Kind::Tiff, Kind::Tiff, Kind::BareTiff, Kind::Samples];
        let kind = random.pick(&kinds);
        let (is_tiff, is_placed) =
            (matches!(kind, Kind::Tiff | Kind::BareTiff), matches!(kind, Kind::Text | Kind::Tiff));
        let (metre, foot, survey) = (Unit(1.0), Unit(FOOT), Unit(SURVEY_FOOT));
        let texts: Vec<Option<Text>> = [metre, metre, foot, survey, Unit(2.5), DEGREES]
            .into_iter()
            .flat_map(|unit| {
                [None, Some((survey, true)), Some((metre, false))]
                    .map(|heights| Some(Text { unit, heights }))
            })
            .chain([None; 18])
            .collect();
        let places = [None, None, Some(CORNER), Some([500_030.0, 5_200_010.0])];
        let nodata = [None, Some(MARKS[0]), Some(MARKS[1])];
        let units = [None, Some(("m", metre)), Some(("ft", foot)), Some(("us-ft", survey))];
        let sizes = [None, Some(SIZE), Some((SIZE.1, SIZE.0))];
        let orders = [None, Some("little"), Some("big")];
        let cells = [None, Some(10.0), Some(7.0)];
        let is_samples = kind == Kind::Samples;
        Self {
            kind,
            key_unit: random.pick(&[None, None, Some(metre), Some(foot)]).filter(|_| is_tiff),
            key_system: random
                .pick(&[None, Some((32_632, metre)), Some((2263, survey))])
                .filter(|_| is_tiff),
            key_height_unit: random.pick(&[None, None, Some(foot)]).filter(|_| is_tiff),
            key_heights: random
                .pick(&[None, Some((6360, survey, false)), Some((5715, metre, true))])
                .filter(|_| is_tiff),
            own_nodata: random.pick(&nodata).filter(|_| !is_samples),
            prj: random.pick(&texts),
            aux_system: random.pick(&texts),
            aux_place: random.pick(&places).filter(|_| kind != Kind::Text),
            aux_nodata: random.pick(&[None, Some(MARKS[1]), Some(MARKS[2])]),
            aux_unit: random.pick(&units),
            world: random.pick(&places).filter(|_| kind != Kind::Text),
            toml_cell: random.pick(&cells).filter(|_| !is_placed),
            toml_nodata: random.pick(&nodata).filter(|_| !is_placed),
            toml_unit: random.pick(&units).filter(|_| !is_placed),
            toml_order: random.pick(&orders).filter(|_| is_samples),
            toml_size: random.pick(&sizes).filter(|_| is_samples),
            said_cell: random.pick(&[None, None, Some(10.0), Some(7.0), Some(30.0)]),
            said_nodata: random.pick(&[
                None,
                None,
                Some(("none", true, None)),
                Some(("-88", false, Some(-88.0))),
                Some(("none,-70", true, Some(-70.0))),
            ]),
            said_unit: random.pick(&[
                None,
                None,
                None,
                Some(("cm", Unit(0.01))),
                Some(("m", metre)),
            ]),
            said_direction: random.pick(&[None, None, None, Some("heights"), Some("depths")]),
            said_order: random.pick(&orders).filter(|_| is_samples),
            said_size: random.pick(&sizes).filter(|_| is_samples),
        }
    }

    /// Numbers of the cells, from the north-west on.
    fn stored() -> Vec<f64> {
        let ground = (0..SIZE.0 * SIZE.1).map(|index| 11.0 + (index * 7 % 20) as f64 * 0.5);
        let marks = MARKS.map(Some).into_iter().chain([None; SIZE.0 * SIZE.1]);
        ground.zip(marks).map(|(height, mark)| mark.unwrap_or(height)).collect()
    }

    fn byte_order(&self) -> &'static str {
        self.said_order.or(self.toml_order).unwrap_or("little")
    }

    /// Writes the map and the files beside it; returns the name of the map.
    fn write(&self, folder: &Path) -> &'static str {
        let name = match self.kind {
            Kind::Text => "m.asc",
            Kind::Tiff | Kind::BareTiff => "m.tif",
            Kind::Samples => "m.r32",
        };
        let put = |name: &str, content: Vec<u8>| {
            fs::write(folder.join(name), content).expect("writable");
        };
        put(
            name,
            match self.kind {
                Kind::Text => self.grid_of_text().into_bytes(),
                Kind::Tiff | Kind::BareTiff => self.tiff(),
                Kind::Samples => {
                    let bytes = |value: f64| match self.byte_order() {
                        "big" => single(value).to_be_bytes(),
                        _ => single(value).to_le_bytes(),
                    };
                    Self::stored().into_iter().flat_map(bytes).collect()
                }
            },
        );
        if let Some(text) = self.prj {
            put("m.prj", text.text().into_bytes());
        }
        put(&format!("{name}.aux.xml"), self.aux().into_bytes());
        if let Some([west, north]) = self.world {
            let centre = (west + 0.5 * STEP, north - 0.5 * STEP);
            let text = format!("{STEP}\n0\n0\n-{STEP}\n{}\n{}\n", centre.0, centre.1);
            put("m.wld", text.into_bytes());
        }
        // A map with a place of its own has no such file.
        if matches!(self.kind, Kind::BareTiff | Kind::Samples) {
            put("m.toml", self.toml().into_bytes());
        }
        name
    }

    fn grid_of_text(&self) -> String {
        let south = CORNER[1] - STEP * SIZE.1 as f64;
        let mut text = format!(
            "ncols {}\nnrows {}\nxllcorner {}\nyllcorner {south}\ncellsize {STEP}\n",
            SIZE.0, SIZE.1, CORNER[0]
        );
        if let Some(nodata) = self.own_nodata {
            writeln!(text, "NODATA_value {nodata}").expect("a text");
        }
        Self::stored().iter().for_each(|value| write!(text, "{value} ").expect("a text"));
        text
    }

    fn aux(&self) -> String {
        let mut text = "<PAMDataset>".to_owned();
        if let Some(system) = self.aux_system {
            text += &format!("<SRS>{}</SRS>", system.text());
        }
        if let Some([west, north]) = self.aux_place {
            text += &format!("<GeoTransform>{west}, {STEP}, 0, {north}, 0, -{STEP}</GeoTransform>");
        }
        text += "<PAMRasterBand band=\"1\">";
        if let Some(nodata) = self.aux_nodata {
            text += &format!("<NoDataValue>{nodata}</NoDataValue>");
        }
        if let Some((name, _)) = self.aux_unit {
            text += &format!("<UnitType>{name}</UnitType>");
        }
        text + "</PAMRasterBand></PAMDataset>"
    }

    fn toml(&self) -> String {
        let mut text = String::new();
        let mut add = |key: &str, value: Option<String>| {
            text += &value.map_or_else(String::new, |value| format!("{key} = {value}\n"));
        };
        add("cell_m", self.toml_cell.map(|cell| format!("{cell:.1}")));
        add("nodata", self.toml_nodata.map(|value| value.to_string()));
        add("height_unit", self.toml_unit.map(|(name, _)| format!("\"{name}\"")));
        add("byte_order", self.toml_order.map(|order| format!("\"{order}\"")));
        add("width", self.toml_size.map(|(width, _)| width.to_string()));
        add("height", self.toml_size.map(|(_, height)| height.to_string()));
        text
    }

    /// A TIFF of one strip of floats, little-endian.
    fn tiff(&self) -> Vec<u8> {
        let mut keys: Vec<u16> = Vec::new();
        if self.key_unit.is_some() || self.key_system.is_some() {
            keys.extend([1024, 0, 1, 1]);
            keys.extend([3072, 0, 1, self.key_system.map_or(32_767, |(code, _)| code)]);
        }
        self.key_unit.iter().for_each(|unit| keys.extend([3076, 0, 1, unit.code()]));
        self.key_heights.iter().for_each(|(code, ..)| keys.extend([4096, 0, 1, *code]));
        self.key_height_unit.iter().for_each(|unit| keys.extend([4099, 0, 1, unit.code()]));
        let count = u16::try_from(keys.len() / 4).expect("few");
        let keys = if keys.is_empty() { keys } else { [vec![1, 1, 0, count], keys].concat() };
        let shorts = |values: &[u16]| values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let longs = |values: &[u32]| values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let doubles =
            |values: &[f64]| -> Vec<u8> { values.iter().flat_map(|v| v.to_le_bytes()).collect() };
        let samples: Vec<u8> =
            Self::stored().iter().flat_map(|value| single(*value).to_le_bytes()).collect();
        let length = u32::try_from(samples.len()).expect("small");
        let [width, height] = [SIZE.0, SIZE.1].map(|side| u16::try_from(side).expect("small"));
        let is_placed = self.kind == Kind::Tiff;
        let placed = |values: &[f64]| if is_placed { doubles(values) } else { Vec::new() };
        let nodata = self.own_nodata.map(|nodata| format!("{nodata}\0").into_bytes());
        let entries: [(u16, u16, usize, Vec<u8>); 14] = [
            (256, 3, 2, shorts(&[width])),
            (257, 3, 2, shorts(&[height])),
            (258, 3, 2, shorts(&[32])),
            (259, 3, 2, shorts(&[1])),
            (262, 3, 2, shorts(&[1])),
            (273, 4, 4, longs(&[8])),
            (277, 3, 2, shorts(&[1])),
            (278, 3, 2, shorts(&[height])),
            (279, 4, 4, longs(&[length])),
            (339, 3, 2, shorts(&[3])),
            (33_550, 12, 8, placed(&[STEP, STEP, 0.0])),
            (33_922, 12, 8, placed(&[0.0, 0.0, 0.0, CORNER[0], CORNER[1], 0.0])),
            (34_735, 3, 2, shorts(&keys)),
            (42_113, 2, 1, nodata.unwrap_or_default()),
        ];
        let entries: Vec<_> = entries.into_iter().filter(|entry| !entry.3.is_empty()).collect();
        let mut file = [b"II*\0".to_vec(), (8 + length).to_le_bytes().to_vec(), samples].concat();
        let mut outside = Vec::new();
        let after = file.len() + 2 + 12 * entries.len() + 4;
        file.extend(u16::try_from(entries.len()).expect("few").to_le_bytes());
        for (tag, kind, size, mut bytes) in entries {
            let count = u32::try_from(bytes.len() / size).expect("small");
            file.extend([tag.to_le_bytes(), kind.to_le_bytes()].concat());
            file.extend(count.to_le_bytes());
            if bytes.len() > 4 {
                let at = u32::try_from(after + outside.len()).expect("small");
                outside.extend(bytes);
                outside.resize(outside.len().next_multiple_of(2), 0);
                bytes = at.to_le_bytes().to_vec();
            }
            bytes.resize(4, 0);
            file.extend(bytes);
        }
        [file, vec![0; 4], outside].concat()
    }

    fn options(&self) -> String {
        let mut line = String::new();
        let mut add = |name: &str, value: Option<String>| {
            line += &value.map_or_else(String::new, |value| format!(" {name} {value}"));
        };
        add("--map-cell", self.said_cell.map(|cell| cell.to_string()));
        add("--nodata", self.said_nodata.map(|(text, ..)| text.to_owned()));
        add("--height-unit", self.said_unit.map(|(name, _)| name.to_owned()));
        add("--heights-are", self.said_direction.map(str::to_owned));
        add("--byte-order", self.said_order.map(str::to_owned));
        add("--map-size", self.said_size.map(|(width, height)| format!("{width}x{height}")));
        line
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the numbers are exact in it")]
fn single(value: f64) -> f32 {
    value as f32
}

/// Statements of one fact, the most trusted first: source, value in words.
type Statements = Vec<(String, String)>;

/// A fact as it is to be shown, and the sources that contradict it.
#[derive(Debug)]
struct Expected {
    name: &'static str,
    value: String,
    source: String,
    others: Statements,
}

impl Expected {
    /// The first statement counts; those that say something else are contradictions.
    fn of(name: &'static str, statements: Statements) -> Option<Self> {
        let mut statements = statements.into_iter();
        let (source, value) = statements.next()?;
        let others = statements.filter(|(_, other)| *other != value).collect();
        Some(Self { name, value, source, others })
    }

    fn line(&self) -> String {
        let others = self.others.iter().map(|(source, value)| format!(", not {value} ({source})"));
        format!("{} ({}){}", self.value, self.source, others.collect::<String>())
    }

    fn note(&self) -> Option<String> {
        let others = self.others.iter().map(|(source, value)| format!("{value} ({source})"));
        let others: Vec<String> = others.collect();
        let Self { name, value, source, .. } = self;
        (!others.is_empty())
            .then(|| format!("the {name} is {value} ({source}), and not {}", others.join(", ")))
    }
}

/// Facts and figures that the program has to print.
#[derive(Debug)]
struct Outcome {
    facts: Vec<Expected>,
    /// Names of facts that nothing states.
    absent: Vec<&'static str>,
    range_m: [f64; 2],
    cells: usize,
    size: (usize, usize),
}

fn stated<T>(
    source: &str,
    value: Option<T>,
    words: impl Fn(T) -> String,
) -> Option<(String, String)> {
    value.map(|value| (source.to_owned(), words(value)))
}

/// The documented order of trust: option, `.toml`, key, EPSG, `.prj`, `.aux.xml`, world file,
/// guess. `None` if the line is to be refused.
fn outcome(case: &Case) -> Option<Outcome> {
    let size = match case.kind {
        Kind::Samples => case.said_size.or(case.toml_size)?,
        _ => SIZE,
    };
    let place = place(case);
    let (units, cell) = cells(case, place.is_some())?;
    let (height_unit, unit_m) = height_unit(case);
    let (direction, is_down) = direction(case);
    let (nodata, empty) = nodata(case);
    let sign = if is_down { -1.0 } else { 1.0 };
    let heights = Case::stored().into_iter().filter(|value| !empty.contains(value));
    let heights: Vec<f64> = heights.map(|value| sign * unit_m * value).collect();
    let ends = heights.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], height| {
        [low.min(*height), high.max(*height)]
    });
    let [orders, sizes] = storage(case);
    let nowhere = || ("assumed".to_owned(), "from its own south-west corner".to_owned());
    let found = [
        ("place", place.or_else(|| Expected::of("place", vec![nowhere()]))),
        ("unit of coordinates", units),
        ("cell size", cell),
        ("height unit", height_unit),
        ("direction", direction),
        ("NoData", nodata),
        ("byte order", orders),
        ("size", sizes),
    ];
    let absent = found.iter().filter(|(_, fact)| fact.is_none()).map(|(name, _)| *name).collect();
    let facts = found.into_iter().filter_map(|(_, fact)| fact).collect();
    Some(Outcome { facts, absent, range_m: ends, cells: heights.len(), size })
}

/// The place, if something states one.
fn place(case: &Case) -> Option<Expected> {
    let words = |[west, north]: [f64; 2]| {
        format!("{west}, {north} (first corner), steps of {STEP} x -{STEP}")
    };
    let own = match case.kind {
        Kind::Text => Some("header"),
        Kind::Tiff => Some("tag 33922"),
        Kind::BareTiff | Kind::Samples => None,
    };
    let places = [
        own.map(|name| (name.to_owned(), words(CORNER))),
        stated(".aux.xml", case.aux_place, words),
        stated("world file", case.world, words),
    ];
    Expected::of("place", places.into_iter().flatten().collect())
}

/// Unit of coordinates and size of cells; `None` if nothing states how large cells are.
fn cells(case: &Case, is_placed: bool) -> Option<(Option<Expected>, Option<Expected>)> {
    let units = [
        case.key_unit.map(|unit| ("geo-key 3076".to_owned(), unit)),
        case.key_system.map(|(code, unit)| (format!("EPSG:{code}"), unit)),
        case.prj.map(|text| (".prj".to_owned(), text.unit)),
        case.aux_system.map(|text| (".aux.xml".to_owned(), text.unit)),
    ];
    let mut units: Vec<(String, Unit)> = units.into_iter().flatten().collect();
    units.retain(|_| is_placed);
    let is_said = case.said_cell.or(case.toml_cell).is_some();
    let is_in_degrees = units.first().is_some_and(|(_, unit)| *unit == DEGREES);
    if !is_said && (!is_placed || is_in_degrees) {
        return None;
    }
    // A guess yields to what is said, without a contradiction.
    if units.is_empty() && is_placed && !is_said {
        units.push(("assumed".to_owned(), Unit(1.0)));
    }
    let own = units.first().filter(|_| !is_in_degrees);
    let own = own.map(|(source, unit)| (source.clone(), unit.0 * STEP));
    let metres = |cell_m: f64| {
        let digits = format!("{cell_m:.4}");
        format!("{} m", digits.trim_end_matches('0').trim_end_matches('.'))
    };
    let cells = [
        stated("--map-cell", case.said_cell, metres),
        stated(".toml", case.toml_cell, metres),
        own.map(|(source, cell_m)| (source, metres(cell_m))),
    ];
    let units = units.into_iter().map(|(source, unit)| (source, unit.name())).collect();
    Some((
        Expected::of("unit of coordinates", units),
        Expected::of("cell size", cells.into_iter().flatten().collect()),
    ))
}

/// Order of bytes, and columns and rows, of bare samples.
fn storage(case: &Case) -> [Option<Expected>; 2] {
    let order = |order: &str| format!("{order}-endian");
    let is_guess = case.kind == Kind::Samples && case.said_order.or(case.toml_order).is_none();
    let orders = [
        stated("--byte-order", case.said_order, order),
        stated(".toml", case.toml_order, order),
        is_guess.then(|| ("assumed".to_owned(), order("little"))),
    ];
    let sides = |(width, height): (usize, usize)| format!("{width} x {height}");
    let sizes =
        [stated("--map-size", case.said_size, sides), stated(".toml", case.toml_size, sides)];
    [
        Expected::of("byte order", orders.into_iter().flatten().collect()),
        Expected::of("size", sizes.into_iter().flatten().collect()),
    ]
}

/// Unit of heights, and how many metres one has.
fn height_unit(case: &Case) -> (Option<Expected>, f64) {
    let of = |source: String, unit: Option<Unit>| unit.map(|unit| (source, unit));
    let of_text = |text: Option<Text>| text.and_then(|text| text.heights).map(|(unit, _)| unit);
    let option = |named: Option<(&str, Unit)>| named.map(|(_, unit)| unit);
    let code = case.key_heights.map_or(0, |(code, ..)| code);
    // The two facts of an .aux.xml file: its system's, and its band's.
    let statements = [
        of("--height-unit".into(), option(case.said_unit)),
        of(".toml".into(), option(case.toml_unit)),
        of("geo-key 4099".into(), case.key_height_unit),
        of(format!("EPSG:{code}"), case.key_heights.map(|(_, unit, _)| unit)),
        of(".prj".into(), of_text(case.prj)),
        of(".aux.xml".into(), of_text(case.aux_system)),
        of(".aux.xml".into(), option(case.aux_unit)),
    ];
    let statements: Vec<(String, Unit)> = statements.into_iter().flatten().collect();
    let unit_m = statements.first().map_or(1.0, |(_, unit)| unit.0);
    let mut words: Statements =
        statements.into_iter().map(|(source, unit)| (source, unit.name())).collect();
    if words.is_empty() {
        words.push(("assumed".into(), "metres".into()));
    }
    (Expected::of("height unit", words), unit_m)
}

/// Direction of heights, and whether they are depths.
fn direction(case: &Case) -> (Option<Expected>, bool) {
    let of_text = |text: Option<Text>| text.and_then(|text| text.heights).map(|(_, down)| down);
    let code = case.key_heights.map_or(0, |(code, ..)| code);
    let statements = [
        case.said_direction.map(|said| ("--heights-are".to_owned(), said == "depths")),
        case.key_heights.map(|(_, _, is_down)| (format!("EPSG:{code}"), is_down)),
        of_text(case.prj).map(|is_down| (".prj".to_owned(), is_down)),
        of_text(case.aux_system).map(|is_down| (".aux.xml".to_owned(), is_down)),
    ];
    let statements: Vec<(String, bool)> = statements.into_iter().flatten().collect();
    let is_down = statements.first().is_some_and(|(_, is_down)| *is_down);
    let words = |is_down| if is_down { "down, depths" } else { "up, heights" }.to_owned();
    let words = statements.into_iter().map(|(source, down)| (source, words(down))).collect();
    (Expected::of("direction", words), is_down)
}

/// NoData, and the numbers that mean it.
fn nodata(case: &Case) -> (Option<Expected>, Vec<f64>) {
    let own = if case.kind == Kind::Text { "NODATA_value" } else { "GDAL_NODATA" };
    let is_text = case.kind == Kind::Text;
    let declared = [
        (".toml", case.toml_nodata),
        (own, case.own_nodata),
        (".aux.xml", case.aux_nodata),
        ("assumed", is_text.then_some(-9999.0).filter(|_| case.own_nodata.is_none())),
    ];
    let declared: Vec<(&str, f64)> =
        declared.into_iter().filter_map(|(source, value)| Some((source, value?))).collect();
    let first = declared.first().copied();
    let (text, is_undone, added) = case.said_nodata.unwrap_or(("", false, None));
    let mut empty: Vec<f64> = added.into_iter().collect();
    empty.extend(first.filter(|_| !is_undone).map(|(_, value)| value));
    let is_new = added.is_some() && added != first.map(|(_, value)| value);
    let (source, value) = match first {
        Some((source, value)) if !is_undone && !is_new => (source, value.to_string()),
        Some((_, value)) if !is_undone => ("--nodata", format!("{text} besides {value}")),
        None if case.said_nodata.is_none() => return (None, empty),
        _ => ("--nodata", text.to_owned()),
    };
    // Numbers that count are no contradictions, and a guess is none.
    let others =
        declared.iter().filter(|(source, value)| *source != "assumed" && !empty.contains(value));
    let others = others.map(|(source, value)| ((*source).to_owned(), value.to_string())).collect();
    (Some(Expected { name: "NoData", value, source: source.to_owned(), others }), empty)
}

/// The part of a check's line behind a name.
fn shown<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let lines = text.lines().map(str::trim);
    let mut found = lines.filter_map(|line| line.strip_prefix(name)?.strip_prefix("  "));
    found.next().map(str::trim)
}

/// Differences between the answer of the program and the expected one.
fn faults(outcome: &Outcome, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for fact in &outcome.facts {
        let found = shown(text, fact.name).unwrap_or("nothing");
        if found != fact.line() {
            faults.push(format!("{}: {found}, not {}", fact.name, fact.line()));
        }
        faults.extend(fact.note().filter(|note| !text.contains(note.as_str())));
    }
    for name in &outcome.absent {
        faults.extend(shown(text, name).map(|found| format!("{name}: {found}, not nothing")));
    }
    let [low, high] = outcome.range_m;
    let found = shown(text, "heights").unwrap_or_default().trim_end_matches(" m");
    let ends = found.split_once(" to ").map(|(low, high)| [low, high].map(str::parse::<f64>));
    let is_near = |found: &Result<f64, _>, height: f64| {
        found.as_ref().is_ok_and(|found| (found - height).abs() < 2.0e-4)
    };
    if !ends.is_some_and(|[a, b]| is_near(&a, low) && is_near(&b, high)) {
        faults.push(format!("heights: {found}, not {low} to {high}"));
    }
    let (width, height) = outcome.size;
    let counted = format!("{} of {}", outcome.cells, width * height);
    let cells = format!("{width} × {height}");
    for (name, expected) in [("cells with a height", counted), ("map cells", cells)] {
        let found = shown(text, name).unwrap_or("nothing");
        if found != expected {
            faults.push(format!("{name}: {found}, not {expected}"));
        }
    }
    faults
}

#[test]
fn facts_of_random_maps_are_those_of_the_most_trusted_source() {
    let mut random = Random(56);
    let (mut wrong, mut refused, mut contradicted) = (Vec::new(), 0, 0);
    for number in 0..MAPS {
        let case = Case::random(&mut random);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let name = case.write(folder.path());
        let line = format!("{name}{} --check", case.options());
        let output = FLOOD.run(folder.path(), &line);
        let [text, error] =
            [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
        let faults = match outcome(&case) {
            None => {
                refused += 1;
                let is_one_line = error.trim_end().lines().count() == 1;
                let is_right = output.status.code() == Some(2) && is_one_line;
                if is_right { Vec::new() } else { vec!["it is not refused".to_owned()] }
            }
            Some(_) if !output.status.success() => vec!["it is refused".to_owned()],
            Some(outcome) => {
                let facts = outcome.facts.iter();
                contradicted += facts.filter(|fact| !fact.others.is_empty()).count();
                faults(&outcome, &text)
            }
        };
        if !faults.is_empty() {
            wrong.push(format!("map {number}: {line}\n{}\n{error}{case:?}\n", faults.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{} maps:\n{}", wrong.len(), wrong.join("\n"));
    assert!(refused >= 3 && contradicted >= 200, "{refused} refused, {contradicted} contradicted");
}
