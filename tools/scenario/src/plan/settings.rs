//! The plan in words, as `--check` prints it and the report repeats it.

use kit::words::{M_S_TO_MM_H, mm_per_hour, short, time};
use thalweg::world::Order;

use super::super::flow::{Latitude, StepsChoice};
use super::super::fluid::FluidWords;
use super::super::observed::Observed;
use super::super::place::EntryPlace;
use super::super::series::Series;
use super::edges::EdgeCondition;
use super::forcing::InitialPlan;
use super::ground::Infiltration;
use super::{EdgePlan, FlowPlan, HEADROOM_DEFAULT_M, InflowPlan, Plan, RainPlan};

impl Plan {
    /// Returns the name and the value of every setting, in the order of the scenario file.
    #[must_use]
    pub fn settings(&self) -> Vec<(String, String)> {
        let mut list = Vec::new();
        let mut say = |name: &str, value: String| list.push((name.to_owned(), value));
        let world = &self.map.world;
        say("map", self.map.path.display().to_string());
        say("map cells", format!("{} × {}", self.map.input.width, self.map.input.height));
        if let Some(crs) = &world.crs {
            say("reference system", crs.to_string());
        }
        let level = self.map.level;
        if level == 0 {
            say("simulated cells", metres(self.map.cell_m()));
        } else {
            let (cell, finest) = (metres(self.map.cell_m()), metres(self.map.world_cell_m()));
            say("simulated cells", format!("{cell}, level {level}, over beds of {finest}"));
        }
        if self.is_adaptive {
            say("open water", "on cells up to 8 times as wide".to_owned());
        }
        say("duration", time(self.duration_s));
        self.say_flow(&mut say);
        for rain in &self.rains {
            say(&rain.name, rain_words(rain));
        }
        for inflow in &self.inflows {
            say(&inflow.name, inflow_words(inflow));
        }
        say("initial water", initial_words(&self.initial));
        for edge in &self.edges {
            say(&edge.name, edge_words(edge));
        }
        for barrier in &self.barriers {
            say(&format!("barrier {}", barrier.name()), barrier.words());
        }
        for link in &self.links {
            say(&format!("{} {}", link.kind(), link.name()), link.words());
        }
        for rock in &self.rocks {
            say(&format!("{} {}", rock.kind(), rock.name), rock.words());
        }
        self.say_ground(&mut say);
        for gauge in &self.gauges {
            let place = gauge.at.to_string();
            say(&format!("gauge {}", gauge.name), place + &observed_words(gauge.observed.as_ref()));
        }
        for section in &self.sections {
            let words = section.words() + &observed_words(section.observed.as_ref());
            say(&format!("section {}", section.asked.name), words);
        }
        self.say_numbers(&mut say);
        list
    }

    fn say_flow(&self, say: &mut impl FnMut(&str, String)) {
        if !self.fluid.is_water() {
            say("fluid, not water", FluidWords(self.fluid).to_string());
        }
        if self.steps == StepsChoice::Tile {
            say("steps", "by tile".to_owned());
        }
        let FlowPlan::Swe(water) = &self.flow else { return say("solver", "pipe".to_owned()) };
        let order = match water.order {
            Order::First => "swe, first order",
            Order::Second => "swe",
        };
        say("solver", order.to_owned());
        if let Some(viscosity) = &water.viscosity {
            say("eddy viscosity", viscosity.to_string());
        }
        if let Some(wind) = &water.wind {
            say("wind", wind.to_string());
        }
        if let Some(Latitude(degrees)) = water.latitude {
            say("Coriolis force", format!("at latitude {degrees}°"));
        }
    }

    fn say_ground(&self, say: &mut impl FnMut(&str, String)) {
        let roughness = &self.ground.roughness;
        say(
            "Manning's n",
            match &roughness.field {
                None => roughness.manning.to_string(),
                Some(field) => format!(
                    "{} ({}), {} elsewhere",
                    field.path().display(),
                    range(field.range()),
                    roughness.manning
                ),
            },
        );
        match self.ground.infiltration {
            Infiltration::None => {}
            Infiltration::Rate(rate) => say("infiltration", mm_per_hour(rate)),
            Infiltration::GreenAmpt(soil) => say(
                "infiltration",
                format!(
                    "Green-Ampt: K {}, ψ {}, Δθ {}",
                    mm_per_hour(soil.conductivity_m_s),
                    metres(soil.suction_m),
                    soil.deficit
                ),
            ),
        }
        if self.ground.evaporation_m_s > 0.0 {
            let rate = self.ground.evaporation_m_s * M_S_TO_MM_H * 24.0;
            say("evaporation", format!("{} mm/d", short(rate)));
        }
    }

    fn say_numbers(&self, say: &mut impl FnMut(&str, String)) {
        let numbers = &self.numbers;
        if let Some(datum) = numbers.datum_m {
            say("datum", metres(datum));
        }
        if let Some(exponent) = numbers.exponent {
            say("exponent", exponent.to_string());
        }
        say("headroom", headroom_words(numbers.headroom_m));
        say("seed", numbers.seed.to_string());
        if let Some(threads) = numbers.threads {
            say("threads", threads.to_string());
        }
        say("flooded from", metres(self.output.wet_depth_m));
        let limits = self.output.depth_classes_m.iter();
        let limits: Vec<String> = limits.map(|&limit| short(limit.into())).collect();
        say("depths drawn from", format!("{} m", limits.join(", ")));
        say("sea before the event", self.before.sea.to_string());
        if let Some(field) = &self.before.permanent {
            say("permanent water", field.path().display().to_string());
        }
        if let Some(backdrop) = &self.output.backdrop {
            say("backdrop", backdrop.path.display().to_string());
        }
        say("output", self.output.folder.display().to_string());
        if let Some(world) = &self.output.world {
            say("world", world.display().to_string());
        }
    }
}

/// Returns the observed series of a place in words that follow the place.
fn observed_words(observed: Option<&Observed>) -> String {
    observed.map_or(String::new(), |Observed { measured, path, .. }| {
        format!(", observed {}s: {}", measured.word(), path.display())
    })
}

fn rain_words(rain: &RainPlan) -> String {
    let heaviest = rain.heaviest();
    let mut words = match heaviest.points.as_slice() {
        [(start, rate)] if *start > 0.0 => {
            format!("{} from {}", mm_per_hour(*rate), time(*start))
        }
        [(_, rate)] => mm_per_hour(*rate),
        [(start, rate), (end, last)] if *last <= 0.0 => {
            format!("{} from {} to {}", mm_per_hour(*rate), time(*start), time(*end))
        }
        _ => series_words(&heaviest, M_S_TO_MM_H, "mm/h"),
    };
    if let Some(field) = &rain.weights {
        words = format!("up to {words}, by {}", field.path().display());
    }
    words
}

fn inflow_words(inflow: &InflowPlan) -> String {
    let place = match &inflow.place {
        EntryPlace::At(point) => format!("at {point}"),
        EntryPlace::Polygon(corners) => format!("over an area with {} corners", corners.len()),
        EntryPlace::Edge { side, range: None, .. } => format!("along the {side} side"),
        EntryPlace::Edge { side, range: Some((from, to)), .. } => {
            format!("along the {side} side from {from} to {to}")
        }
    };
    format!("{} {place}", series_words(&inflow.discharge, 1.0, "m³/s"))
}

fn initial_words(initial: &InitialPlan) -> String {
    match initial {
        InitialPlan::Dry => "none".to_owned(),
        InitialPlan::Stage(stage) => format!("still water up to {}", metres(*stage)),
        InitialPlan::Depth(depth) => format!("{} deep everywhere", metres(*depth)),
        InitialPlan::StageField(field) => format!("stage from {}", field.path().display()),
        InitialPlan::DepthField(field) => format!("depth from {}", field.path().display()),
    }
}

fn edge_words(edge: &EdgePlan) -> String {
    let kind = match &edge.kind {
        EdgeCondition::Open => "open".to_owned(),
        EdgeCondition::Wall => "wall".to_owned(),
        EdgeCondition::Stage(stage) => format!("held at {}", series_words(stage, 1.0, "m")),
    };
    match edge.range {
        None => kind,
        Some((from, to)) => format!("{kind}, {} side from {from} to {to}", edge.side),
    }
}

fn series_words(series: &Series, factor: f64, unit: &str) -> String {
    match series.points.as_slice() {
        [(_, value)] => format!("{} {unit}", short(value * factor)),
        points => {
            let values = points.iter().map(|(_, value)| value * factor);
            let low = values.clone().fold(f64::INFINITY, f64::min);
            let high = values.fold(f64::NEG_INFINITY, f64::max);
            format!(
                "{} to {} {unit} over {} ({} rows)",
                short(low),
                short(high),
                time(series.end_s()),
                points.len()
            )
        }
    }
}

fn headroom_words(headroom_m: Option<f64>) -> String {
    match headroom_m {
        Some(headroom) => metres(headroom),
        None => format!("{} above the highest bed and stage", metres(HEADROOM_DEFAULT_M)),
    }
}

fn metres(length: f64) -> String {
    format!("{} m", short(length))
}

fn range(range: Option<(f32, f32)>) -> String {
    range.map_or("nothing".to_owned(), |(low, high)| format!("{low} to {high}"))
}
