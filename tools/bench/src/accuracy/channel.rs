//! Dam breaks along a channel at an angle to the grid, against the same channel along the grid.
//!
//! ```text
//! ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓    4 km long, the dam in the middle, 40 m of water behind it;
//!  ░░░░░░░░░░░░│· · · ¦ · ·    what has come more than 500 m beyond the dam after 60 s
//! ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓
//! ```
//!
//! Through square cells a wall at an angle is a staircase. The part of all water that has flowed
//! that far should equal that of the channel along the grid, with cells of the same width. Channels
//! differ by their outlines, of cells whose middle is inside: parts are compared, not volumes.
//!
//! Source:     own.

use crate::accuracy::case::{Case, percent};
use crate::accuracy::ladder::Ladder;
use crate::accuracy::scheme::{Scheme, run_to};
use crate::suite::{Bench, BenchError};
use crate::world::{WorldPlan, places};
use thalweg::world::WorldBuilder;
use thalweg_engine::grid::cells::CellPlace;

/// Error of the part of the water that a channel at an angle has passed on.
pub const BENCH: Bench = Bench {
    ids: &["accuracy.channel.walls", "accuracy.channel.banks"],
    what: "dam breaks along a channel at 15°, 27°, 45°: water that came 500 m, against 0°",
    is_long: false,
    measure: |context| Ok(context.show(case()?)),
};

/// Cells across the channel.
const ACROSS: [usize; 4] = [5, 10, 20, 40];
const PROMISED: usize = 10;
/// The second falls a cell in two, the third a cell in each.
const ANGLES_DEG: [f64; 3] = [15.0, 26.565, 45.0];
const WIDTH_M: f64 = 100.0;
const HALF_LENGTH_M: f64 = 2000.0;
const BEHIND_M: f64 = 40.0;
const BEYOND_M: f64 = 500.0;
const END_S: f64 = 60.0;
const MANNING: f64 = 0.033;
/// Highest bank, m.
const BANK_M: f64 = 120.0;

/// Sides of the channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChannelSides {
    /// The end of the world.
    Walls,
    /// Banks as steep as they are wide.
    Banks,
}

/// Parts of the water that have flowed through, along the grid and at each angle.
#[derive(Debug, Clone, Copy)]
struct PassedParts {
    along: f64,
    angled: [f64; 3],
}

impl PassedParts {
    fn errors(&self) -> [f64; 3] {
        self.angled.map(|part| part / self.along - 1.0)
    }

    fn worst(&self) -> f64 {
        self.errors().into_iter().map(f64::abs).fold(0.0, f64::max)
    }
}

fn case() -> Result<Case, BenchError> {
    let row = |id, sides| -> Result<_, BenchError> {
        let ladder = Ladder::climb(1, ACROSS, PROMISED, |across, scheme| {
            let part = |angle| part_beyond(sides, angle, across, scheme);
            let [a, b, c] = ANGLES_DEG.map(part);
            Ok(PassedParts { along: part(0.0)?, angled: [a?, b?, c?] })
        })?;
        let each = |parts: &PassedParts| parts.errors().map(percent).join(", ");
        let words: Vec<String> = ladder
            .each()
            .zip(ACROSS)
            .map(|(parts, across)| format!("{across} cells across: {}", each(parts)))
            .collect();
        Ok(ladder
            .row(id, PassedParts::worst)
            .remark(&format!("15°, 27°, 45°; {}", words.join("; "))))
    };
    Ok(Case {
        title: "Dam breaks along channels at an angle",
        about: "40 m of water fall into a dry channel 100 m wide, n = 0.033: the part of all water \
                that has come 500 m beyond the dam after a minute, at 15°, 27° and 45° to the grid \
                against a channel along it, the worst of the three. Walls and banks at an angle \
                are staircases of cells.",
        rows: vec![
            row("accuracy.channel.walls", ChannelSides::Walls)?,
            row("accuracy.channel.banks", ChannelSides::Banks)?,
        ],
        plots: Vec::new(),
    })
}

/// A channel at an angle to the grid.
#[derive(Debug, Clone, Copy)]
struct AngledChannel {
    sides: ChannelSides,
    cos: f64,
    sin: f64,
    plan: WorldPlan,
}

impl AngledChannel {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some km of cells")]
    fn new(sides: ChannelSides, angle_deg: f64, across: usize) -> Self {
        let (sin, cos) = angle_deg.to_radians().sin_cos();
        let cell_m = WIDTH_M / across as f64;
        let reach = |part: f64| ((2.0 * HALF_LENGTH_M * part + 4.0 * WIDTH_M) / cell_m) as usize;
        let plan = WorldPlan {
            width: reach(cos),
            height: reach(sin),
            cell_m,
            exponent: 20,
            datum_m: 60.0,
        };
        Self { sides, cos, sin, plan }
    }

    /// Returns the distance along the channel from the dam and across it from its middle, of a
    /// cell's middle, m. A little off the grid, so that no middle is on a wall.
    fn place_m(&self, x: usize, y: usize) -> [f64; 2] {
        let from_middle = |at: usize, count: usize, off: f64| {
            (at as f64 + 0.5 - 0.5 * count as f64 + off) * self.plan.cell_m
        };
        let (x, y) =
            (from_middle(x, self.plan.width, 0.013), from_middle(y, self.plan.height, 0.017));
        [x * self.cos + y * self.sin, y * self.cos - x * self.sin]
    }

    /// Returns the bed of a cell, m; NaN outside.
    fn bed_m(&self, x: usize, y: usize) -> f64 {
        let [along, across] = self.place_m(x, y);
        let beyond = across.abs() - 0.5 * WIDTH_M;
        let bed = beyond.max(0.0);
        let is_inside = match self.sides {
            ChannelSides::Walls => beyond <= 0.0,
            ChannelSides::Banks => bed <= BANK_M,
        };
        if is_inside && along.abs() <= HALF_LENGTH_M { bed } else { f64::NAN }
    }
}

fn part_beyond(
    sides: ChannelSides,
    angle_deg: f64,
    across: usize,
    scheme: Scheme,
) -> Result<f64, BenchError> {
    let channel = AngledChannel::new(sides, angle_deg, across);
    let along_m = move |place: CellPlace| channel.place_m(place.x as usize, place.y as usize)[0];
    let behind = move |place: CellPlace| match along_m(place) < 0.0 {
        true => (BEHIND_M - channel.bed_m(place.x as usize, place.y as usize)).max(0.0),
        false => 0.0,
    };
    let terrain = channel.plan.terrain(|x, y| channel.bed_m(x, y))?;
    let mut world = WorldBuilder::new(terrain)
        .settings(scheme.settings(MANNING))
        .initial_depth(behind)
        .build()?;
    run_to(&mut world, END_S);
    let (mut all, mut beyond) = (0.0, 0.0);
    for place in places(&world) {
        let depth_m = world.water().depth_m(place).unwrap_or(0.0);
        all += depth_m;
        beyond += if along_m(place) > BEYOND_M { depth_m } else { 0.0 };
    }
    Ok(beyond / all)
}
