//! All thresholds of the solver in one table: noise in vertical units, physics in metres.

/// Flow depth below which a face counts as dry for sleep and for momentum: 2⁻¹⁶ m at every k.
pub const DEPTH_DRY_M: f32 = 1.0 / 65_536.0;

/// Opening above which slow water settles, vertical units.
// Rounding moves a transfer by up to a unit, and friction hardly slows the slowest motion. Without
// damping the stages of a lake that was once touched wander ever further: by 128 units (root mean
// square) after 40,000 steps, by 355 after 320,000.
pub const DAMPING_DEPTH_MIN: i32 = 100;

/// Largest fall of the stage along the flow, from cell to cell, that settles, vertical units: most
/// faces of a lake shiver by less, a slope of 10⁻⁴ falls by 105 from metre to metre at k = 20.
pub const DAMPING_STAGE_DIFFERENCE: f32 = 64.0;

/// Largest difference of stage across a face at which slow water settles in any direction of its
/// flow, vertical units. Slow water that turns round has less; a flow down the slope of 10⁻⁴ of
/// [`DAMPING_STAGE_DIFFERENCE`] has at most as much within 9° of the direction along the face.
pub const DAMPING_LEVEL: i32 = 16;

/// Longest time scale of the damping of still water, s.
pub const DAMPING_TIME_MAX_S: f32 = 10.0;

/// Longest time scale of the damping of still water, steps.
pub const DAMPING_STEPS: f32 = 200.0;

/// Speed below which water is damped, over the speed of long waves √(g h).
pub const DAMPING_WAVE: f32 = 2.0e-4;

/// Speed below which rounding noise is damped: this many units times √(g/h).
pub const DAMPING_NOISE_UNITS: f32 = 128.0;

/// Largest difference of stage across a face of a tile that may sleep, vertical units.
// Lakes of 5 cm to 50 m that have settled were measured to keep differences of up to 72 units.
pub const SLEEP_STAGE_DIFFERENCE: i32 = 128;

/// Courant number that automatic steps of shallow water aim at, Δt (|u| + |v| + √(2 g h))/Δ: waves,
/// bores and uniform flows bear it, 0.9 breaks dam breaks at 45° (`src/guide/decisions/steps.md`).
pub const COURANT_SWE: f64 = 0.7;

/// Courant number that automatic steps of shallow water aim at in cells beside an edge of the
/// world, and at the ends of links: a river enters over an edge 5.4 % too deep from 0.55 on.
pub const COURANT_SWE_ENDS: f64 = 0.5;

/// Largest Froude number that counts at an edge of the world and at the ends of links: the most
/// that free fall allows on an even slope ([`FROUDE_RISE`]).
pub const FROUDE_AT_END: f64 = 16.0; // 1 + 50 · 0.3, at a fall of 0

/// Courant number that automatic steps of the pipe method aim at, Δt (2 (|u| + |v|) + √(2 g h))/Δ:
/// uniform flows are steady up to here.
pub const COURANT_PIPE: f64 = 0.8;

/// Weight of the speed of the water in the pipe's Courant number. The pipe's waves run at √(g h) at
/// any speed of the water, so slow water needs no more than the waves do; fast water is kinematic.
pub const PIPE_SPEED_WEIGHT: f32 = 2.0;

/// Longest automatic step, s for a metre of cell, however thin and slow the water.
pub const STEP_MOST_S_PER_M: f64 = 0.5;

/// Courant number of waves beyond which pressure forces are clamped.
pub const COURANT_MAX: f32 = 0.9;

/// Largest velocity of shallow water, cells a step, where waves are slow: see
/// [`FaceParams::speed_most`](crate::flow::face::FaceParams::speed_most).
pub const CELLS_A_STEP: f32 = 0.75;

/// Largest velocity of shallow water, cells a step, where waves are fast.
pub const CELLS_A_STEP_DEEP: f32 = 0.3;

/// Decrease of [`CELLS_A_STEP`] for a squared Courant number 2 g h (Δt/Δ)² of 1.
// The bound falls from 0.75 to 0.3, which it reaches at a Courant number of waves of 0.79.
pub const CELLS_A_STEP_FALL: f32 = 0.714;

/// Largest speed, cells a step, for the length of the next steps: a faster one counts as this.
pub const CELLS_COUNTED: f32 = 4.0;

/// Depth, in cell widths, from which water beside a wall passes on the flow along it: friction
/// stops water 4 cm deep of Manning's n = 0.03 within 1.6 m, a sixth of a cell of 10 m.
pub const WALL_DEPTH: f64 = 1.0 / 256.0;

/// Fall of the stage from cell to cell from which flow is at most critical.
pub const STEEP: f32 = 0.3;

/// Free fall behind a step, per cell, from which shallow water leaves it at most critical.
pub const FALL: f32 = 0.1;

/// Wet width of a face, over the width of the water before it, below which the face is a gap.
pub const NARROW: f32 = 0.5;

/// Speed of water that leaves a gap, over the speed of long waves on the water before it:
/// critical at two thirds of the head, (2/3)^(3/2).
pub const GAP: f32 = 0.544_331;

/// Rise of a stage over the rise of the depth up to which columns carry all their momentum: five
/// sixths of a cell are wet.
pub const CARRIES_ALL: f32 = 1.2;

/// Rise of a stage over the rise of the depth from which columns carry no momentum: half of a cell
/// is wet.
pub const CARRIES_NONE: f32 = 2.0;

/// Largest Froude number in a channel within cells where a stage rises twice as fast as the depth:
/// half of a cell is wet. In such channels and in narrower ones water is critical at most.
pub const FROUDE_CHANNEL: f32 = 1.0;

/// Increase of the largest Froude number for each fall of 1 below [`STEEP`]: 11 at a fall of 0.1.
pub const FROUDE_RISE: f32 = 50.0;

/// Thrust of compressed water, over h √(g h) and the unevenness of its velocities.
// A factor of 0.15 leaves an overshoot of 4.6 % behind a weak bore; 0.25 takes a fifth more from
// standing waves of 20 cells (`src/guide/decisions/bores.md`).
pub const BORE: f32 = 0.2;

/// Part of the sum of the drops of velocity over the two cells beside that counts as even: beyond a
/// half, so that waves of twenty cells are even.
// At its steepest cell a sine of N cells falls by 1/(2 cos(2π/N)) of that sum. So with 0.55 all of
// its fall is even from 15 cells on; with a half no wave, however long, would be wholly even.
pub const BORE_EVEN: f32 = 0.55;

/// Twice the largest part of h Δ/Δt that the thrust may be. What the faces of a cell run together
/// with falls by four times that part, two faces each way: to a half at most.
pub const BORE_DOUBLED_MOST: f32 = 0.25;
