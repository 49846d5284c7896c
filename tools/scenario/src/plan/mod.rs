//! Plan of a scenario: plain SI numbers, resolved and checked in one place.
//!
//! [`Plan::resolve`] applies the defaults, reads every table and every raster but the heightmap,
//! finds contradictions and checks places against the map's extent. [`Plan::notes`] lists its own
//! choices and omissions.
//!
//! Guarantees: all numbers are finite and in range, all names are unique, all places are inside the
//!             map's extent. Nothing is written.
//! Limits:     whether a place is on NoData is checked after the heightmap was read
//!             ([`crate::survey`]).

mod backdrop;
mod barriers;
mod before;
mod cells;
mod cover;
mod edges;
mod field;
mod flow;
mod forcing;
mod ground;
mod inputs;
pub mod links;
mod map;
mod observed;
mod part;
mod rain_raster;
mod rain_sums;
mod rock;
mod sections;
pub mod settings;
mod steady;
mod varied;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use thalweg::world::Fluid;

pub use backdrop::{Backdrop, BackdropContent, BackdropPicture};
pub use barriers::BarrierPlan;
pub use before::WaterBefore;
pub use cover::HeightCells;
pub use edges::{EdgeCondition, EdgePlan};
pub use field::Field;
pub use flow::{FlowPlan, ShallowWaterTerms};
pub use forcing::{InflowPlan, InitialPlan, RainPlan, cells_of};
pub use ground::{Infiltration, PlannedGround, Roughness};
pub use links::LinkPlan;
pub use map::MapPlan;
pub use rock::RockPlan;
pub use sections::SectionPlan;

use super::classes::DepthClasses;
use super::file::{self, Scenario};
use super::flow::StepsChoice;
use super::observed::Observed;
use super::place::MapPoint;
use super::series::{Series, share_start};
use crate::plausible::event::{self, ForcingKind, ForcingSeries};
use crate::quantity::Quantity;
use kit::error::UserError;
use kit::picture::colours::DEPTHS_M;
use kit::reading::{ReadingWatch, silent};
use kit::words::{brief, time};
use map::NoDataFrame;

/// Duration of the rain of a run without any given water, and default duration of a run.
const DEFAULT_DURATION_S: f64 = 3600.0;
const DAY_S: f64 = 86_400.0;
/// Longest run.
const DURATION_MAX_S: f64 = 100_000.0 * DAY_S;
const FRAMES_DEFAULT: usize = 48;
const FRAMES_MAX: i64 = 2000;
const WET_DEPTH_DEFAULT_M: f64 = 0.05;
const THREADS_MAX: i64 = 1024;

/// Room above the highest bed and the highest given stage, unless the user gives it, m.
pub const HEADROOM_DEFAULT_M: f64 = 200.0;

/// All settings of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Heading of the maps and the report.
    pub title: String,
    /// The heightmap and the grid to simulate on.
    pub map: MapPlan,
    /// True if wide open water may be on coarser cells.
    pub is_adaptive: bool,
    /// Simulated time, s.
    pub duration_s: f64,
    /// Equations.
    pub flow: FlowPlan,
    /// The fluid.
    pub fluid: Fluid,
    /// The water that sets the length of time steps.
    pub steps: StepsChoice,
    /// Rains; they add up.
    pub rains: Vec<RainPlan>,
    /// Inflows.
    pub inflows: Vec<InflowPlan>,
    /// Water at the start.
    pub initial: InitialPlan,
    /// Edge conditions; if two cover a face, the later one applies.
    pub edges: Vec<EdgePlan>,
    /// Levees, weirs, gates and bridge decks; if two share a face, the later one applies.
    pub barriers: Vec<BarrierPlan>,
    /// Culverts, pumps and drains.
    pub links: Vec<LinkPlan>,
    /// Rock and air, built and carved in this order: voxels, meshes, tunnels, bridges.
    pub rocks: Vec<RockPlan>,
    /// Roughness and losses.
    pub ground: PlannedGround,
    /// Places whose series are recorded.
    pub gauges: Vec<GaugePlan>,
    /// Lines across which the water is counted.
    pub sections: Vec<SectionPlan>,
    /// Conversion of heights to integers, number of threads, and seed.
    pub numbers: Numbers,
    /// Outputs, and where they are written.
    pub output: OutputPlan,
    /// Water that exists before the event and does not count as flooded.
    pub before: WaterBefore,
    /// Choices and omissions of the plan itself: one sentence each.
    pub notes: Vec<String>,
}

/// A place whose series is recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct GaugePlan {
    /// Name of the series.
    pub name: String,
    /// Place of the gauge.
    pub at: MapPoint,
    /// Depths or levels of the real event.
    pub observed: Option<Observed>,
}

/// Conversion of heights to integers, number of threads, and seed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Numbers {
    /// Elevation of 0 vertical units, m; by default the middle of the terrain.
    pub datum_m: Option<f64>,
    /// Vertical units are 2⁻ᵏ m; by default the finest that leaves the headroom.
    pub exponent: Option<u8>,
    /// Beds are multiples of 2⁻ᵏ m; by default 2⁻¹⁰, finer for cells below 1 m.
    pub bed_exponent: Option<u8>,
    /// Room for water above the highest bed, m; by default [`HEADROOM_DEFAULT_M`] above that and
    /// above the highest stage given.
    pub headroom_m: Option<f64>,
    /// Number of threads; by default one per core.
    pub threads: Option<usize>,
    /// Seed of the unbiased rounding.
    pub seed: u64,
}

/// Outputs, and where they are written.
#[derive(Debug, Clone, PartialEq)]
pub struct OutputPlan {
    /// The folder.
    pub folder: PathBuf,
    /// The world file of the run's last moment, if it is requested.
    pub world: Option<PathBuf>,
    /// Number of moments kept for the report's slider, besides the start.
    pub frames: usize,
    /// Depth from which a cell counts as flooded, m.
    pub wet_depth_m: f64,
    /// Lower bounds of the maps' classes of depth, rising, m.
    pub depth_classes_m: Vec<f32>,
    /// Backdrop of the maps: a picture below the water, or lines over it.
    pub backdrop: Option<Arc<Backdrop>>,
}

impl Plan {
    /// Resolves `scenario` to plain numbers.
    ///
    /// # Errors
    ///
    /// If anything is missing, contradictory, out of range or cannot be read; the first fault is
    /// returned.
    pub fn resolve(scenario: &Scenario) -> Result<Self, UserError> {
        Self::resolve_watched(scenario, &mut silent())
    }

    /// Resolves a scenario and reports to `watch` the rows read.
    ///
    /// # Errors
    ///
    /// The errors of [`Plan::resolve`], and if the user stops.
    pub fn resolve_watched(
        scenario: &Scenario,
        watch: ReadingWatch<'_>,
    ) -> Result<Self, UserError> {
        Self::of(scenario, &NoDataFrame::CutOff(&scenario.places()), watch)
    }

    /// Resolves a scenario for a map that keeps its frame of NoData; the heights are not read.
    ///
    /// # Errors
    ///
    /// The errors of [`Plan::resolve`].
    pub fn resolve_whole(scenario: &Scenario) -> Result<Self, UserError> {
        Self::of(scenario, &NoDataFrame::Kept, &mut silent())
    }

    fn of(
        scenario: &Scenario,
        frame: &NoDataFrame<'_>,
        watch: ReadingWatch<'_>,
    ) -> Result<Self, UserError> {
        let mut notes = Vec::new();
        let map = MapPlan::resolve(&scenario.map, &scenario.run, frame, &mut notes, watch)?;
        let mut rains = forcing::rains(&scenario.rain, &map, &mut notes)?;
        let mut inflows = forcing::inflows(&scenario.inflow, &map)?;
        let initial = forcing::initial(&scenario.initial, &map, &mut notes)?;
        let mut edges = edges::resolve(&scenario.edges, &scenario.edge, &map)?;
        check_accounts(&rains, &inflows, &edges)?;
        let mut barriers = barriers::resolve(&scenario.barrier, &map, &mut notes)?;
        let mut tables: Vec<&mut Series> = rains.iter_mut().map(|rain| &mut rain.rate).collect();
        tables.extend(inflows.iter_mut().map(|inflow| &mut inflow.discharge));
        tables.extend(edges.iter_mut().filter_map(EdgePlan::stage_mut));
        tables.extend(barriers.iter_mut().filter_map(|barrier| barrier.openings.as_mut()));
        let start = share_start(&mut tables, &mut notes);
        barriers.iter_mut().for_each(BarrierPlan::take_openings);
        let is_dry = rains.is_empty()
            && inflows.is_empty()
            && initial == InitialPlan::Dry
            && !edges.iter().any(EdgePlan::is_stage);
        if is_dry {
            rains.push(RainPlan::cloudburst());
        }
        let ends = series_ends(&rains, &inflows, &edges);
        let duration_s = duration(&scenario.run, ends, is_dry, &mut notes)?;
        if is_dry {
            notes.push(cloudburst_note(duration_s));
        }
        let sources = rains.iter().map(|rain| &*rain.name);
        let inflowing = inflows.iter().map(|inflow| &*inflow.name);
        let rims = edges.iter().map(|edge| &*edge.name);
        // Sinks of the ground have accounts of these names.
        let sinks = ["evaporation", "infiltration"];
        let taken: Vec<&str> = sources.chain(inflowing).chain(rims).chain(sinks).collect();
        let links = links::resolve(scenario, &map, &taken)?;
        warn_of_short_series(&inflows, &edges, duration_s, &mut notes);
        let ground = ground::resolve(&scenario.ground, &map, &mut notes)?;
        let beds_m = map.cover.as_ref().map(|cover| [cover.low_m, cover.high_m]);
        look_at_water((&rains, &inflows, &edges), (duration_s, beds_m), &mut notes);
        let mut gauges = gauges(&scenario.gauge, &map)?;
        let mut sections = sections::resolve(&scenario.section, &map, &mut notes)?;
        let places = (&mut *gauges, &mut *sections);
        observed::put(places, scenario, (start, duration_s), &mut notes)?;
        Ok(Self {
            title: title(scenario, &map, is_dry),
            is_adaptive: scenario.run.adaptive.unwrap_or(false),
            duration_s,
            flow: flow::resolve(&scenario.flow)?,
            fluid: flow::fluid(&scenario.fluid, &mut notes)?,
            steps: scenario.flow.steps.unwrap_or_default(),
            rains,
            inflows,
            initial,
            edges,
            barriers,
            links,
            rocks: rock::resolve(scenario, &map)?,
            ground,
            gauges,
            sections,
            numbers: numbers(&scenario.run)?,
            output: output(&scenario.output, &map, &mut notes)?,
            before: before::resolve(&scenario.output, &map, &mut notes)?,
            map,
            notes,
        })
    }
}

/// Returns the given title, or the name of the map, after `Cloudburst over` for the default rain.
fn title(scenario: &Scenario, map: &MapPlan, is_cloudburst: bool) -> String {
    let given = scenario.title.clone().filter(|title| !title.trim().is_empty());
    given.unwrap_or_else(|| match is_cloudburst {
        true => format!("Cloudburst over {}", map.name()),
        false => map.name(),
    })
}

/// Returns a note on the rain of a run without any given water.
fn cloudburst_note(duration_s: f64) -> String {
    format!(
        "no water was asked for: a cloudburst of 60 mm/h falls for {} (choose with --rain, \
         --inflow, --stage)",
        time(duration_s.min(DEFAULT_DURATION_S))
    )
}

/// Refuses a source that has the name of an edge, or an inflow that of a rain: their water would be
/// one figure of the ledger.
fn check_accounts(
    rains: &[RainPlan],
    inflows: &[InflowPlan],
    edges: &[EdgePlan],
) -> Result<(), UserError> {
    let mend = "give each a name of its own, the ledger lists them by name";
    let rained = rains.iter().map(|rain| &*rain.name);
    let sources = rained.clone().chain(inflows.iter().map(|inflow| &*inflow.name));
    let is_edge = |name: &&str| edges.iter().any(|edge| edge.name == *name);
    if let Some(name) = sources.clone().find(is_edge) {
        return Err(UserError::new(format!("a source and an edge are called `{name}`"), mend));
    }
    let twice = inflows.iter().find(|inflow| rained.clone().any(|name| name == inflow.name));
    twice.map_or(Ok(()), |inflow| {
        let what = format!("a rain and an inflow are called `{}`", inflow.name);
        Err(UserError::new(what, mend))
    })
}

/// Returns the end of the longest table, if any.
fn series_ends(rains: &[RainPlan], inflows: &[InflowPlan], edges: &[EdgePlan]) -> Option<f64> {
    let rains = rains.iter().map(|rain| &rain.rate);
    let inflows = inflows.iter().map(|inflow| &inflow.discharge);
    let edges = edges.iter().filter_map(EdgePlan::stage);
    let ends = rains.chain(inflows).chain(edges).map(super::series::Series::end_s);
    ends.reduce(f64::max).filter(|end| *end > 0.0)
}

fn duration(
    run: &file::RunTable,
    series_end_s: Option<f64>,
    is_cloudburst: bool,
    notes: &mut Vec<String>,
) -> Result<f64, UserError> {
    if let Some(asked) = run.duration {
        return check_duration(asked.si());
    }
    let (duration, why) = match series_end_s {
        Some(end) if is_cloudburst => (end, "as long as it rains"),
        Some(end) => (end, "as long as the rain and the tables given"),
        None => (DEFAULT_DURATION_S, "the default"),
    };
    let duration = check_duration(duration)?;
    notes.push(format!("simulated for {}, {why} (choose with --for)", time(duration)));
    Ok(duration)
}

/// Refuses a duration that no run reaches.
fn check_duration(duration_s: f64) -> Result<f64, UserError> {
    if duration_s <= 0.0 {
        return Err(UserError::new(
            format!("the duration is {duration_s} s"),
            "simulate for more than 0 s, like --for 1h",
        ));
    }
    if duration_s > DURATION_MAX_S {
        return Err(UserError::new(
            format!("the duration is {} days", brief((duration_s / DAY_S).round())),
            format!("at most {} days can be simulated: shorten --for", DURATION_MAX_S / DAY_S),
        ));
    }
    Ok(duration_s)
}

fn warn_of_short_series(
    inflows: &[InflowPlan],
    edges: &[EdgePlan],
    duration_s: f64,
    notes: &mut Vec<String>,
) {
    let inflows = inflows.iter().map(|inflow| (&inflow.name, &inflow.discharge, "nothing flows"));
    let stages = edges.iter().filter_map(|edge| Some((&edge.name, edge.stage()?, "it stays")));
    for (name, series, effect) in inflows.chain(stages) {
        if !series.is_constant() && series.end_s() < duration_s {
            notes.push(format!(
                "the table of `{name}` ends at {}: {effect} from then on",
                time(series.end_s())
            ));
        }
    }
}

/// Appends notes on unlikely values of rains, inflows and stages.
fn look_at_water(
    (rains, inflows, edges): (&[RainPlan], &[InflowPlan], &[EdgePlan]),
    (duration_s, beds_m): (f64, Option<[f64; 2]>),
    notes: &mut Vec<String>,
) {
    let bands = rains.iter().filter(|rain| rain.weights.is_some());
    let ends_s: Vec<f64> = bands.map(|rain| rain.rate.end_s()).collect();
    notes.extend(event::late_bands(&ends_s, duration_s));
    let heaviest: Vec<Series> = rains.iter().map(RainPlan::heaviest).collect();
    let rains = rains.iter().zip(&heaviest);
    let rains = rains.map(|(rain, heaviest)| (ForcingKind::Rain, &rain.name, heaviest));
    let inflows =
        inflows.iter().map(|inflow| (ForcingKind::Discharge, &inflow.name, &inflow.discharge));
    let stages =
        edges.iter().filter_map(|edge| Some((ForcingKind::Stage, &edge.name, edge.stage()?)));
    for (kind, name, series) in rains.chain(inflows).chain(stages) {
        notes.extend(event::notes(ForcingSeries { kind, name, series }, duration_s, beds_m));
    }
}

fn gauges(gauges: &[file::GaugeTable], map: &MapPlan) -> Result<Vec<GaugePlan>, UserError> {
    let (mut found, mut taken) = (Vec::new(), HashSet::new());
    for gauge in gauges {
        let [x, y] = gauge.at;
        let name = gauge.name.trim();
        if name.is_empty() || !taken.insert(name) {
            return Err(UserError::new(
                format!("the gauge at {x},{y} is called `{name}`"),
                "give each gauge a name of its own",
            ));
        }
        let at = MapPoint { x, y };
        map.check_inside(&format!("gauge `{name}`"), at)?;
        found.push(GaugePlan { name: name.to_owned(), at, observed: None });
    }
    Ok(found)
}

fn numbers(run: &file::RunTable) -> Result<Numbers, UserError> {
    let exponent = exponent_of("exponent", run.exponent, 18)?;
    let bed_exponent = exponent_of("bed-exponent", run.bed_exponent, 0)?;
    let headroom_m = run.headroom.map(Quantity::si);
    if let Some(headroom) = headroom_m.filter(|headroom| *headroom < 0.0) {
        return Err(UserError::new(
            format!("the headroom is {headroom} m"),
            "leave 0 m or more above the highest bed",
        ));
    }
    let threads = within("threads", run.threads, 1, THREADS_MAX)?;
    Ok(Numbers {
        datum_m: run.datum.map(Quantity::si),
        exponent,
        bed_exponent,
        headroom_m,
        threads,
        seed: run.seed.unwrap_or(0),
    })
}

/// Returns a negative power of two that heights or beds are multiples of.
fn exponent_of(what: &str, k: Option<i64>, min: i64) -> Result<Option<u8>, UserError> {
    Ok(within(what, k, min, 24)?.and_then(|k| u8::try_from(k).ok()))
}

fn output(
    output: &file::OutputTable,
    map: &MapPlan,
    notes: &mut Vec<String>,
) -> Result<OutputPlan, UserError> {
    // A laboratory's flood is not five centimetres deep.
    let usual_m = WET_DEPTH_DEFAULT_M.min(0.1 * map.cell_m());
    let wet_depth_m = output.wet_depth.map_or(usual_m, Quantity::si);
    if wet_depth_m <= 0.0 {
        return Err(UserError::new(
            format!("the wet depth is {wet_depth_m} m"),
            "choose a depth above 0, like --wet-depth 1cm",
        ));
    }
    let classes = output.classes.as_ref().map(|DepthClasses(limits)| limits);
    let depth_classes_m = classes.map_or(DEPTHS_M.to_vec(), |limits| {
        limits.iter().map(|&limit| crate::quantity::metres(limit)).collect()
    });
    let folder = output.folder.clone();
    Ok(OutputPlan {
        folder: folder.unwrap_or_else(|| PathBuf::from("flood-preview-out")),
        world: output.world.clone(),
        frames: within("frames", output.frames, 0, FRAMES_MAX)?.unwrap_or(FRAMES_DEFAULT),
        wet_depth_m,
        depth_classes_m,
        backdrop: backdrop::resolve(output.backdrop.as_deref(), map, notes)?.map(Arc::new),
    })
}

/// Checks that a count is between two bounds.
fn within(what: &str, count: Option<i64>, min: i64, max: i64) -> Result<Option<usize>, UserError> {
    let Some(count) = count else { return Ok(None) };
    let fitting = usize::try_from(count).ok();
    let fitting = fitting.filter(|_| (min..=max).contains(&count));
    fitting.map(Some).ok_or_else(|| {
        UserError::new(format!("--{what} is {count}"), format!("choose from {min} to {max}"))
    })
}

#[cfg(test)]
mod tests {
    use thalweg::world::Opening;

    use super::*;

    /// Returns a folder with the map `a.asc` of 6 × 6 cells.
    fn small_map() -> tempfile::TempDir {
        let rows = "7 7 7 7 7 7\n".repeat(6);
        let head = "ncols 6\nnrows 6\nxllcorner 0\nyllcorner 0\ncellsize 5\n";
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(folder.path().join("a.asc"), format!("{head}{rows}")).expect("writable");
        folder
    }

    /// Goal: no two figures of the ledger have one name.
    #[test]
    fn sources_and_edges_have_names_of_their_own() {
        let folder = small_map();
        let write = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), text).expect("writable");
        };
        for (names, words) in [
            (["brook", "storm"], None),
            (["north edge", "storm"], Some("a source and an edge are called `north edge`")),
            (["brook", "west edge"], Some("a source and an edge are called `west edge`")),
            (["storm", "storm"], Some("a rain and an inflow are called `storm`")),
        ] {
            let [inflow, rain] = names;
            write(
                "a.toml",
                &format!(
                    "[map]\nfile = \"a.asc\"\n[[rain]]\nname = \"{rain}\"\nrate = \"9mm/h\"\n\
                     [[inflow]]\nname = \"{inflow}\"\ndischarge = \"2m3/s\"\nat = [12, 12]\n\
                     [run]\nfor = \"1h\"\n"
                ),
            );
            let scenario = super::super::text::read(&folder.path().join("a.toml")).expect("sound");
            let said = Plan::resolve_whole(&scenario).err().map(|error| error.to_string());
            match words {
                None => assert_eq!(said, None, "{names:?}"),
                Some(words) => assert!(
                    said.as_ref().is_some_and(|said| said.contains(words)),
                    "{names:?}: {said:?}"
                ),
            }
        }
    }

    /// Goal: every kind of table with dates counts from the earliest date of all.
    #[test]
    fn rain_rivers_tides_and_gates_share_their_start() {
        let folder = small_map();
        let write = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), text).expect("writable");
        };
        for (name, hour, value) in [
            ("r.csv", 12, "9mm/h"),
            ("q.csv", 13, "2m3/s"),
            ("s.csv", 14, "6m"),
            ("g.csv", 15, "1m"),
        ] {
            write(name, &format!("2004-08-16 {hour}:00,{value}\n2004-08-16 {hour}:30,{value}\n"));
        }
        write(
            "a.toml",
            "[map]\nfile = \"a.asc\"\n[[rain]]\nrate = \"r.csv\"\n\
             [[inflow]]\ndischarge = \"q.csv\"\nat = [12, 12]\n\
             [edges]\nwest = \"stage:s.csv\"\n\
             [[barrier]]\npath = [[10, 5], [10, 25]]\ncrest = 9\ngap = { opening = \"g.csv\" }\n",
        );
        let scenario = super::super::text::read(&folder.path().join("a.toml")).expect("sound");
        let plan = Plan::resolve(&scenario).expect("sound");
        let gap = plan.barriers[0].asked.gap.as_ref().expect("a gap");
        let Opening::Series(gate) = &gap.opening else { panic!("{gap:?}") };
        let tide = plan.edges.iter().find_map(EdgePlan::stage).expect("a tide");
        let flow = &plan.inflows[0].discharge;
        let tables = [&plan.rains[0].rate.points, &flow.points, &tide.points, gate];
        let starts = tables.map(|points| points[0].0);
        for (start, hours) in starts.into_iter().zip([0.0, 1.0, 2.0, 3.0]) {
            assert!((start - 3600.0 * hours).abs() < 1.0e-6, "{starts:?}");
        }
        let note = plan.notes.iter().find(|note| note.contains("times count from 2004-08-16"));
        assert!(note.is_some_and(|note| note.contains("g.csv 3 h later")), "{:?}", plan.notes);
    }

    /// Goal: a fluid that is not water is in the plan, its words, its notes and its figures; an
    /// invalid fluid is refused with the key.
    #[test]
    fn a_fluid_is_planned_and_told() {
        let folder = small_map();
        let plan = |keys: &str| {
            let text = format!("[map]\nfile = \"a.asc\"\n[fluid]\n{keys}\n");
            std::fs::write(folder.path().join("a.toml"), text).expect("writable");
            let scenario = super::super::text::read(&folder.path().join("a.toml"));
            scenario
                .and_then(|scenario| Plan::resolve(&scenario))
                .map_err(|error| error.to_string())
        };
        let mud = "density = \"1.6t/m3\"\nviscosity = \"10Pa.s\"\nyield_stress = \"150Pa\"";
        let told = plan(mud).expect("sound");
        let words = "density 1600 kg/m³, viscosity 10 Pa·s, yield stress 150 Pa, laminar \
                     resistance 24";
        let is_said =
            |(name, value): &(String, String)| name == "fluid, not water" && value == words;
        assert!(told.settings().iter().any(is_said), "{:?}", told.settings());
        assert!(told.notes.iter().any(|note| note.contains(words)), "{:?}", told.notes);
        assert_eq!(told.inputs()["fluid"]["yield_stress_pa"], 150.0);
        let water = plan("").expect("sound");
        assert!(water.fluid.is_water() && water.inputs()["fluid"].is_null());
        assert!(!water.settings().iter().any(|(name, _)| name.contains("fluid")));
        for (keys, said) in [
            ("density = \"5kg/m3\"", "the density of the fluid is 5: choose 100 to 20000 kg/m³"),
            ("viscosity = 2", "line 4"),
            ("yield_stress = \"-1Pa\"", "the yield stress of the fluid is -1: choose 0"),
            ("resistance = 100", "no `viscosity`"),
            ("viscosty = \"2Pa.s\"", "did you mean viscosity?"),
        ] {
            let error = plan(keys).map(drop).expect_err(keys);
            assert!(error.contains(said), "{keys}: {error}");
        }
    }
}
