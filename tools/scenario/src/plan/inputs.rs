//! The plan in SI units, as `summary.json` repeats it for programs that compare runs.
//!
//! Series are lists of time and value, in seconds and in the unit that their name ends in; places
//! are in the map's coordinates; rasters are named by their files.

use std::path::Path;

use serde_json::{Value, json};
use thalweg::structure::{Opening, Trigger};
use thalweg::world;
use thalweg::world::Order;

use super::super::flow::{EddyViscosity, Latitude};
use super::super::place::{EntryPlace, MapPoint, RiverEntry};
use super::super::series::{Series, SeriesShape};
use super::edges::EdgeCondition;
use super::forcing::InitialPlan;
use super::ground::Infiltration;
use super::{BarrierPlan, EdgePlan, Field, FlowPlan, InflowPlan, Plan, RainPlan};

impl Plan {
    /// Returns the requested and the chosen settings as JSON.
    #[must_use]
    pub fn inputs(&self) -> Value {
        let (map, numbers) = (&self.map, &self.numbers);
        json!({
            "map": file(&map.path),
            "map_columns": map.input.width,
            "map_rows": map.input.height,
            "cell_m": map.cell_m(),
            "level": map.level,
            "finest_cell_m": map.world_cell_m(),
            "is_adaptive": self.is_adaptive,
            "duration_s": self.duration_s,
            "flow": flow(&self.flow),
            "fluid": (!self.fluid.is_water()).then_some(self.fluid),
            "steps": self.steps.to_string(),
            "rains": self.rains.iter().map(rain).collect::<Vec<_>>(),
            "inflows": self.inflows.iter().map(inflow).collect::<Vec<_>>(),
            "initial": initial(&self.initial),
            "edges": self.edges.iter().map(edge).collect::<Vec<_>>(),
            "barriers": self.barriers.iter().map(barrier).collect::<Vec<_>>(),
            "links": self.links.iter().map(|link| json!({
                "name": link.name(),
                "kind": link.kind(),
                "path": places(&link.path),
                "elevations_m": link.elevations_m().into_iter()
                    .map(|(key, metres)| (key.to_owned(), json!(metres)))
                    .collect::<serde_json::Map<_, _>>(),
                "words": link.words(),
            })).collect::<Vec<_>>(),
            "rocks": self.rocks.iter().map(|rock| json!({
                "name": rock.name,
                "kind": rock.kind(),
                "path": places(&rock.path),
                "words": rock.words(),
            })).collect::<Vec<_>>(),
            "manning_s_m13": self.ground.roughness.manning,
            "manning_raster": self.ground.roughness.field.as_ref().map(raster),
            "infiltration": infiltration(&self.ground.infiltration),
            "evaporation_m_s": self.ground.evaporation_m_s,
            "datum_m": numbers.datum_m,
            "exponent": numbers.exponent,
            "bed_exponent": numbers.bed_exponent,
            "headroom_m": numbers.headroom_m,
            "threads": numbers.threads,
            "seed": numbers.seed,
            "wet_depth_m": self.output.wet_depth_m,
            "sea": self.before.sea.to_string(),
            "permanent_water": self.before.permanent.as_ref().map(raster),
        })
    }
}

/// Returns the name of a file; parts that are no text are replaced.
fn file(path: &Path) -> Value {
    json!(path.to_string_lossy())
}

fn raster(field: &Field) -> Value {
    file(field.path())
}

fn flow(flow: &FlowPlan) -> Value {
    let FlowPlan::Swe(water) = flow else { return json!({"solver": "pipe"}) };
    json!({
        "solver": "swe",
        "order": match water.order {
            Order::First => 1,
            Order::Second => 2,
        },
        "viscosity": water.viscosity.map(|viscosity| match viscosity {
            EddyViscosity::Constant(m2_s) => json!({"constant_m2_s": m2_s}),
            EddyViscosity::Smagorinsky(coefficient) => json!({"smagorinsky": coefficient}),
        }),
        "wind": water.wind.map(|wind| {
            json!({"speed_m_s": wind.speed_m_s, "from_degrees": wind.from_degrees})
        }),
        "latitude_degrees": water.latitude.map(|Latitude(degrees)| degrees),
    })
}

fn rain(rain: &RainPlan) -> Value {
    json!({
        "name": rain.name,
        "rate_m_s": series(&rain.rate),
        "weights_raster": rain.weights.as_ref().map(raster),
    })
}

fn inflow(inflow: &InflowPlan) -> Value {
    let place = match &inflow.place {
        EntryPlace::At(point) => json!({"at": [point.x, point.y]}),
        EntryPlace::Polygon(corners) => json!({"polygon": places(corners)}),
        EntryPlace::Edge { side, range, entry } => {
            let [slope, depth_m] = match *entry {
                RiverEntry::Normal => [None, None],
                RiverEntry::Slope(slope) => [Some(slope), None],
                RiverEntry::Depth(depth_m) => [None, Some(depth_m)],
            };
            let side = side.to_string();
            json!({"edge": side, "range": range, "slope": slope, "depth_m": depth_m})
        }
    };
    json!({"name": inflow.name, "place": place, "discharge_m3_s": series(&inflow.discharge)})
}

fn initial(initial: &InitialPlan) -> Value {
    match initial {
        InitialPlan::Dry => Value::Null,
        InitialPlan::Stage(stage) => json!({"stage_m": stage}),
        InitialPlan::Depth(depth) => json!({"depth_m": depth}),
        InitialPlan::StageField(field) => json!({"stage_raster": raster(field)}),
        InitialPlan::DepthField(field) => json!({"depth_raster": raster(field)}),
    }
}

fn edge(edge: &EdgePlan) -> Value {
    let (kind, stage) = match &edge.kind {
        EdgeCondition::Open => ("open", None),
        EdgeCondition::Wall => ("wall", None),
        EdgeCondition::Stage(stage) => ("stage", Some(series(stage))),
    };
    json!({
        "name": edge.name,
        "side": edge.side.to_string(),
        "range": edge.range,
        "condition": kind,
        "stage_m": stage,
    })
}

fn barrier(barrier: &BarrierPlan) -> Value {
    let asked = &barrier.asked;
    let look = |key: &str| {
        let at = barrier.looks.iter().find(|(own, _)| *own == key);
        at.map(|(_, at)| [at.x, at.y])
    };
    let table = |points: &[(f64, f64)]| json!({"shape": "lines", "points": points});
    let gap = asked.gap.as_ref().map(|gap| {
        let (opening, rule) = match &gap.opening {
            Opening::Fixed(open_m) => (json!(open_m), None),
            Opening::Series(points) => (table(points), None),
            Opening::Rule { points, .. } => (Value::Null, Some(points)),
        };
        json!({
            "sill_m": gap.sill_m,
            "opening_m": opening,
            "rule_m": rule,
            "at": look("gap.at"),
        })
    });
    let breach = asked.breach.as_ref().map(|breach| {
        let (time_s, stage_m) = match breach.trigger {
            Trigger::Time(time_s) => (Some(time_s), None),
            Trigger::Stage { stage_m, .. } => (None, Some(stage_m)),
        };
        json!({
            "along_m": breach.along_m,
            "time_s": time_s,
            "stage_m": stage_m,
            "at": look("breach.at"),
            "width_m": table(&breach.width_m),
            "bottom_m": table(&breach.bottom_m),
        })
    });
    let usual = world::Barrier::wall("", [[0.0; 2]; 0], 0.0);
    let unusual = |own: f64, usual: f64| own.total_cmp(&usual).is_ne().then_some(own);
    json!({
        "name": barrier.name(),
        "path": places(&barrier.path),
        "crest_m": asked.crest_range_m(),
        "crests_m": (asked.crest_m.len() > 1).then_some(&asked.crest_m),
        "weir_coefficient": unusual(asked.weir_coefficient, usual.weir_coefficient),
        "contraction": unusual(asked.contraction, usual.contraction),
        "gap": gap,
        "breach": breach,
        "words": barrier.words(),
    })
}

fn infiltration(infiltration: &Infiltration) -> Value {
    match infiltration {
        Infiltration::None => Value::Null,
        Infiltration::Rate(rate) => json!({"rate_m_s": rate}),
        Infiltration::GreenAmpt(soil) => json!({
            "conductivity_m_s": soil.conductivity_m_s,
            "suction_m": soil.suction_m,
            "deficit": soil.deficit,
        }),
    }
}

fn series(series: &Series) -> Value {
    let shape = match series.shape {
        SeriesShape::Steps => "steps",
        SeriesShape::Lines => "lines",
    };
    json!({"shape": shape, "points": series.points})
}

fn places(path: &[MapPoint]) -> Vec<[f64; 2]> {
    path.iter().map(|point| [point.x, point.y]).collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use super::super::super::file::Scenario;
    use super::*;
    use crate::quantity::ValueOrFile;

    /// Goal: files of any name are named; before, the run panicked after its last second.
    #[test]
    fn files_whose_names_are_no_text_are_named() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let map = folder.path().join(OsStr::from_bytes(b"d\xffm.asc"));
        let rows = "1 2 3\n".repeat(3);
        let head = "ncols 3\nnrows 3\nxllcorner 0\nyllcorner 0\ncellsize 5\n";
        std::fs::write(&map, format!("{head}{rows}")).expect("writable");
        let mut scenario = Scenario::default();
        scenario.map.file = Some(map.clone());
        scenario.initial.depth = Some(ValueOrFile::File(map.clone()));
        scenario.ground.manning = Some(ValueOrFile::Value(crate::quantity::Manning(0.03)));
        let inputs = Plan::resolve(&scenario).expect("a sound map").inputs();
        for file in [&inputs["map"], &inputs["initial"]["depth_raster"]] {
            assert_eq!(file.as_str(), Some(&*map.to_string_lossy()));
        }
    }
}
