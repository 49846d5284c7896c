//! Reads the meters along the edges of a run: the places at which its water left.

use std::collections::HashMap;

use kit::words::brief;
use rasters::Grid;
use scenario::place::MapSide;
use scenario::plan::{EdgeCondition, Plan};
use thalweg::world::{CellPlace, EdgeMeter, Side, World};

use crate::outcome::{InflowCells, Outlet, OutletFace, SectionRecord, outlets};

/// Cells of the map, and simulated ones, within which an inflow is in sight of water that leaves,
/// and makes an open edge a wall: about the distance that a river needs to find its depth.
const SIGHT_CELLS: f64 = 16.0;
const SIGHT_SIMULATED: f64 = 4.0;

/// Least share of the stored water, passing in over a stage and out over an open side, that gets a
/// note.
const THROUGH: f64 = 0.1;

/// The finest cell behind a face, and the side of it.
type FinestFace = (Side, [u32; 2]);

/// Meters along the edges at the start.
#[derive(Debug)]
pub(super) struct Meters {
    start_m3: HashMap<FinestFace, f64>,
}

impl Meters {
    /// Reads the meters at the start of a run.
    pub fn new(world: &World) -> Self {
        let mut start_m3 = HashMap::new();
        for meter in world.water().edge_meters() {
            let width = f64::from(1_u32 << meter.level);
            for face in finest(&meter) {
                start_m3.insert(face, volume_m3(world, &meter) / width);
            }
        }
        Self { start_m3 }
    }

    /// Returns the outlets at the end of a run, with their ends in the coordinates of `grid`, that
    /// of its finest cells; `inflows` are the simulated cells of the plan's inflows.
    pub fn outlets(
        &self,
        world: &World,
        (plan, grid): (&Plan, &Grid),
        inflows: &[Vec<CellPlace>],
    ) -> Vec<Outlet> {
        let volume_m3 = |meter: &EdgeMeter<'_>| {
            let before: f64 = finest(meter).filter_map(|face| self.start_m3.get(&face)).sum();
            volume_m3(world, meter) - before
        };
        stretches(world, (plan, grid), inflows, volume_m3)
    }
}

/// Returns the stretches of the edges over which most of the volume passes, with their ends in the
/// coordinates of `grid`; `counted` gives the volume that passes a face.
fn stretches(
    world: &World,
    (plan, grid): (&Plan, &Grid),
    inflows: &[Vec<CellPlace>],
    counted: impl Fn(&EdgeMeter<'_>) -> f64,
) -> Vec<Outlet> {
    let width_m = plan.map.world_cell_m();
    let face = |meter: EdgeMeter<'_>| {
        let ends_m = ends(&meter, grid).map(|end| end.map(|at| at * width_m));
        OutletFace { edge: meter.account.to_owned(), ends_m, volume_m3: counted(&meter) }
    };
    let faces: Vec<OutletFace> = world.water().edge_meters().map(face).collect();
    let cell_m = plan.map.cell_m();
    let middle = |place: &CellPlace| [place.x, place.y].map(|at| (f64::from(at) + 0.5) * cell_m);
    let source = |(inflow, cells): (&scenario::plan::InflowPlan, &Vec<CellPlace>)| InflowCells {
        name: inflow.name.clone(),
        cells_m: cells.iter().map(middle).collect(),
    };
    let sources: Vec<InflowCells> = plan.inflows.iter().zip(inflows).map(source).collect();
    let mut all = outlets(&faces, &sources, sight_m(plan));
    for outlet in &mut all {
        outlet.ends = outlet.ends.map(|end| on_map(end.map(|at| at / width_m), grid));
    }
    all
}

/// Returns the distance within which an inflow is in sight of a place at which water leaves.
fn sight_m(plan: &Plan) -> f64 {
    (SIGHT_CELLS * plan.map.world_cell_m()).max(SIGHT_SIMULATED * plan.map.cell_m())
}

/// Returns a note for each stretch of an open edge that an inflow beside it makes a wall.
pub(super) fn walls(
    world: &World,
    of_map: (&Plan, &Grid),
    inflows: &[Vec<CellPlace>],
) -> Vec<String> {
    let inland_m = sight_m(of_map.0);
    let is_shut = |meter: &EdgeMeter<'_>| f64::from(u8::from(meter.is_shut));
    let note = |stretch: Outlet| {
        let (inflow, _) = stretch.inflow?;
        let [from, to] = written(stretch.ends);
        Some(format!(
            "`{}` is open but a wall from {from} to {to}, so that the water of `{inflow}` flows \
             into the map: if water should leave there, move the inflow more than {} m \
             inland of it",
            stretch.edge,
            brief(inland_m)
        ))
    };
    stretches(world, of_map, inflows, is_shut).into_iter().filter_map(note).collect()
}

/// Ends of a stretch to read.
fn written(ends: [[f64; 2]; 2]) -> [String; 2] {
    ends.map(|[x, y]| format!("{}, {}", brief(x), brief(y)))
}

/// Returns a note for each outlet in sight of an inflow.
pub(super) fn notes(plan: &Plan, outlets: &[Outlet]) -> Vec<String> {
    let side = |name: &str| plan.edges.iter().find(|edge| edge.name == name).map(|edge| edge.side);
    let note = |outlet: &Outlet| {
        let Outlet { edge, ends, volume_m3, share, inflow } = outlet;
        let (inflow, away_m) = inflow.as_ref()?;
        let [from, to] = written(*ends);
        let share = 100.0 * share;
        let mend = match side(edge) {
            Some(MapSide::NoData) => {
                "make that rim a wall (--edge nodata=wall, or nodata = \"wall\" below [edges])"
            }
            Some(MapSide::Holes) => {
                "leave --edge holes=... and `holes` below [edges] out: holes are walls by default"
            }
            _ => {
                "make that side a wall there, from bank to bank of the valley in which it comes in \
                 ([[edge]] with side, from, to, condition = \"wall\")"
            }
        };
        Some(format!(
            "{share:.0} % of the water that left ({volume_m3:.0} m³) did so over `{edge}` from \
             {from} to {to}, {away_m:.0} m from where `{inflow}` comes in: if it should not leave \
             there, {mend}"
        ))
    };
    outlets.iter().filter_map(note).collect()
}

/// Returns a note if water entered over edges with a stage and left over open sides, more than a
/// tenth of the volume stored at the end: over sides that the sea of the stage does not reach, see
/// the guide.
pub(super) fn sea_that_left(
    plan: &Plan,
    edges: &[SectionRecord],
    stored_m3: f64,
) -> Option<String> {
    let crossed = |is_kind: fn(&EdgeCondition) -> bool, way: usize| {
        let of_kind = move |section: &&SectionRecord| {
            let mut own = plan.edges.iter().filter(|edge| edge.name == section.name);
            own.any(|edge| edge.side.is_of_frame() && is_kind(&edge.kind))
        };
        let net_m3 = move |section: &SectionRecord| section.ways_m3[way] - section.ways_m3[1 - way];
        edges.iter().filter(of_kind).map(move |section| (&section.name, net_m3(section)))
    };
    let came = crossed(|kind| matches!(kind, EdgeCondition::Stage(_)), 1);
    let came: Vec<_> = came.filter(|(_, net_m3)| *net_m3 > 0.0).collect();
    let left = crossed(|kind| *kind == EdgeCondition::Open, 0);
    let left: Vec<_> = left.filter(|(_, net_m3)| *net_m3 > 0.0).collect();
    let [came_m3, left_m3] = [&came, &left].map(|all| all.iter().map(|(_, net_m3)| net_m3).sum());
    let through_m3 = f64::min(came_m3, left_m3);
    let names = |all: &[(&String, f64)]| {
        let names: Vec<String> = all.iter().map(|(name, _)| format!("`{name}`")).collect();
        names.join(", ")
    };
    (through_m3 > THROUGH * stored_m3).then(|| {
        format!(
            "{through_m3:.0} m³ came in over {}, held at a stage, and left over {}, which is open: \
             if the sea goes on there it stands as high, and far less leaves: make such sides \
             walls (like --edge north=wall)",
            names(&came),
            names(&left)
        )
    })
}

#[expect(clippy::cast_precision_loss, reason = "volumes to read; those of the ledger are exact")]
fn volume_m3(world: &World, meter: &EdgeMeter<'_>) -> f64 {
    meter.reading as f64 * world.water().unit_m3()
}

/// Returns the finest faces that make up a face.
fn finest(meter: &EdgeMeter<'_>) -> impl Iterator<Item = FinestFace> + use<> {
    let (side, level) = (meter.side, meter.level);
    let [west, south] = [meter.place.x, meter.place.y].map(|at| at << level);
    let last = (1_u32 << level) - 1;
    (0..=last).map(move |n| {
        let cell = match side {
            Side::West => [west, south + n],
            Side::East => [west + last, south + n],
            Side::South => [west + n, south],
            Side::North => [west + n, south + last],
        };
        (side, cell)
    })
}

/// Ends of a face, in finest cells from the south-west corner; the last cells may reach beyond the
/// map.
fn ends(meter: &EdgeMeter<'_>, grid: &Grid) -> [[f64; 2]; 2] {
    let [west, south] = [meter.place.x, meter.place.y].map(|at| at << meter.level);
    let size = [grid.width, grid.height].map(|cells| u32::try_from(cells).unwrap_or(u32::MAX));
    let east = (west + (1 << meter.level)).min(size[0]);
    let north = (south + (1 << meter.level)).min(size[1]);
    let ends = match meter.side {
        Side::West => [[west, south], [west, north]],
        Side::East => [[east, south], [east, north]],
        Side::South => [[west, south], [east, south]],
        Side::North => [[west, north], [east, north]],
    };
    ends.map(|end| end.map(f64::from))
}

/// Converts a place in finest cells from the south-west corner to the coordinates of the map.
#[expect(clippy::cast_precision_loss, reason = "rows are far below 2^53")]
fn on_map([x, y]: [f64; 2], grid: &Grid) -> [f64; 2] {
    [grid.west + x * grid.step_x, grid.north - (grid.height as f64 - y) * grid.step_y]
}
