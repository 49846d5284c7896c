//! Settings of a simulation, given once.

use crate::flow::fluid::Fluid;
use crate::flow::solver::{Order, Solver};
use crate::flow::terms::{Terms, Viscosity};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Settings of a simulation; part of the state and of its hash.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Equations that move the water.
    pub solver: Solver,
    /// Reconstruction of shallow water within a cell.
    pub order: Order,
    /// Optional terms of shallow water; the pipe ignores them.
    pub terms: Terms,
    /// Gravitational acceleration, m/s².
    pub gravity: f64,
    /// Manning's n of each roughness class, s/m^(1/3); at most 256.
    pub manning_n: Vec<f64>,
    /// Seed of the rounding draws.
    pub seed: u64,
    /// Drag on water that only shivers; without it, a lake once touched never comes to rest.
    #[serde(rename = "settling")]
    pub damping: StillWaterDamping,
    /// Idle cycles of a tile and its neighbours before it sleeps.
    #[serde(rename = "quiet_cycles")]
    pub sleep_after_cycles: u32,
    /// Largest motion of the water with which a tile may fall asleep, for games; without it a tile
    /// must be idle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sleep_tolerance: Option<SleepTolerance>,
    /// K: a cycle has at most 2^K steps.
    pub substeps_log2: u8,
    /// Water that decides the length of steps.
    #[serde(default, skip_serializing_if = "StepsOf::is_default")]
    pub steps: StepsOf,
    /// Fluid of the world.
    #[serde(default, skip_serializing_if = "Fluid::is_water")]
    pub fluid: Fluid,
}

/// Water that decides the length of steps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepsOf {
    /// The fastest of all tiles of a level.
    #[default]
    Level,
    /// Each tile's own water: still water does not wait for swift water in a different tile. On the
    /// processor only, and without tracers.
    Leaf,
}

impl StepsOf {
    /// Returns true if the setting is the default, which files leave out.
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Tolerance of sleep: a tile falls asleep if its water and that of its neighbours moves by less
/// for this time, though not before waves have crossed it twice, nor in fewer cycles than
/// [`Settings::sleep_after_cycles`]. See the page on numerics.
///
/// ```
/// use thalweg::world::{Settings, SleepTolerance};
///
/// // Waves of half a centimetre end: on tiles of 64 m and 3 m of water 24 s after they are as low.
/// let sleep_tolerance = Some(SleepTolerance { stage_m: 0.01, time_s: 5.0 });
/// let settings = Settings { sleep_tolerance, ..Settings::default() };
/// assert!(settings.check().is_ok());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SleepTolerance {
    /// Largest difference of stage between a sleeping tile and its neighbours, m; waves of half of
    /// it end.
    pub stage_m: f64,
    /// Shortest simulated time for which water must be this quiet, s.
    pub time_s: f64,
}

/// Whether nearly still water is damped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StillWaterDamping {
    /// Nearly still water is damped.
    On,
    /// Nearly still water is not damped.
    Off,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            solver: Solver::ShallowWater,
            order: Order::Second,
            terms: Terms::NONE,
            gravity: 9.81,
            manning_n: vec![0.03],
            seed: 1,
            damping: StillWaterDamping::On,
            sleep_after_cycles: 16,
            sleep_tolerance: None,
            substeps_log2: 3,
            steps: StepsOf::Level,
            fluid: Fluid::WATER,
        }
    }
}

/// A setting out of its range.
#[derive(Debug, Clone, PartialEq)]
pub struct SettingsError {
    what: &'static str,
    value: f64,
    range: &'static str,
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {}: choose {}", self.what, self.value, self.range)
    }
}

impl std::error::Error for SettingsError {}

impl Settings {
    /// Checks every setting against its range. Building, saving and loading a world all call this
    /// one function. Optional terms may be set with the pipe: they have no effect until shallow
    /// water runs.
    ///
    /// # Errors
    ///
    /// [`SettingsError`] names the first that is out of range, and the range.
    #[expect(clippy::cast_precision_loss, reason = "for the message")]
    pub fn check(&self) -> Result<(), SettingsError> {
        let fail = |what, value, range| Err(SettingsError { what, value, range });
        if !(0.01..=1000.0).contains(&self.gravity) {
            return fail("gravity", self.gravity, "0.01 to 1000 m/s²");
        }
        // The class of a cell is a byte.
        if self.manning_n.is_empty() || self.manning_n.len() > 256 {
            return fail("the count of roughness classes", self.manning_n.len() as f64, "1 to 256");
        }
        if let Some(&n) = self.manning_n.iter().find(|n| !(0.0..=10.0).contains(*n)) {
            return fail("Manning's n", n, "0 to 10 s/m^(1/3), usually 0.01 to 0.2");
        }
        self.check_terms()?;
        self.check_fluid()?;
        if self.substeps_log2 > 6 {
            return fail(
                "the exponent of steps in a cycle",
                f64::from(self.substeps_log2),
                "0 to 6",
            );
        }
        // `Params::idle_in_cycle` divides by it.
        if self.sleep_after_cycles == 0 {
            return fail("the count of cycles before sleep", 0.0, "1 or more");
        }
        self.check_sleep()
    }

    /// Checks the tolerance of sleep.
    fn check_sleep(&self) -> Result<(), SettingsError> {
        let Some(SleepTolerance { stage_m, time_s }) = self.sleep_tolerance else { return Ok(()) };
        let fail = |what, value, range| Err(SettingsError { what, value, range });
        if !(TOLERANCE_LEAST_M..=TOLERANCE_MOST_M).contains(&stage_m) {
            let range = "0.001 to 1 m, usually 0.01; none for water that must be idle";
            return fail("the stage of the tolerance of sleep", stage_m, range);
        }
        if !(TOLERANCE_LEAST_S..=TOLERANCE_MOST_S).contains(&time_s) {
            return fail("the time of the tolerance of sleep", time_s, "0.1 to 3600 s, usually 5");
        }
        Ok(())
    }

    /// Checks the fluid.
    fn check_fluid(&self) -> Result<(), SettingsError> {
        let Fluid { density_kg_m3, viscosity_pa_s, yield_stress_pa, resistance } = self.fluid;
        let fail = |what, value, range| Err(SettingsError { what, value, range });
        if !(DENSITY_LEAST..=DENSITY_MOST).contains(&density_kg_m3) {
            let range = "100 to 20000 kg/m³: water has 1000, mud 1200 to 2000, lava 2700";
            return fail("the density of the fluid", density_kg_m3, range);
        }
        if !(0.0..=VISCOSITY_OF_FLUID_MOST).contains(&viscosity_pa_s) {
            let range = "0 to 10⁷ Pa·s; 0 leaves the laminar term out, as for water";
            return fail("the viscosity of the fluid", viscosity_pa_s, range);
        }
        if !(0.0..=YIELD_STRESS_MOST).contains(&yield_stress_pa) {
            return fail("the yield stress of the fluid", yield_stress_pa, "0 to 10⁶ Pa");
        }
        if !(RESISTANCE_LEAST..=RESISTANCE_MOST).contains(&resistance) {
            let range = "1 to 100000: 24 over a smooth wide bed, more over rough ground";
            return fail("the laminar resistance of the fluid", resistance, range);
        }
        Ok(())
    }

    /// Checks the optional terms.
    fn check_terms(&self) -> Result<(), SettingsError> {
        let Terms { viscosity, wind_m_s, coriolis_per_s } = self.terms;
        let fail = |what, value, range| Err(SettingsError { what, value, range });
        match viscosity {
            Viscosity::Constant(nu) if !(0.0..=VISCOSITY_MOST).contains(&nu) => {
                return fail("the eddy viscosity", nu, "0 to 10000 m²/s, usually 0.01 to 10");
            }
            Viscosity::Smagorinsky(c) if !(0.0..=1.0).contains(&c) => {
                return fail("Smagorinsky's coefficient", c, "0 to 1, usually 0.1 to 0.3");
            }
            _ => {}
        }
        if let Some(&wind) = wind_m_s.iter().find(|w| !(-WIND_MOST..=WIND_MOST).contains(*w)) {
            return fail("a component of the wind", wind, "−100 to 100 m/s");
        }
        if !(-CORIOLIS_MOST..=CORIOLIS_MOST).contains(&coriolis_per_s) {
            let range = "−10 to 10 1/s; on the Earth 1.458e-4 times the sine of the latitude";
            return fail("the Coriolis parameter", coriolis_per_s, range);
        }
        Ok(())
    }
}

const TOLERANCE_LEAST_M: f64 = 0.001;
const TOLERANCE_MOST_M: f64 = 1.0;
const TOLERANCE_LEAST_S: f64 = 0.1;
const TOLERANCE_MOST_S: f64 = 3600.0;
const VISCOSITY_MOST: f64 = 10_000.0;
const WIND_MOST: f64 = 100.0;
const CORIOLIS_MOST: f64 = 10.0;
const DENSITY_LEAST: f64 = 100.0;
const DENSITY_MOST: f64 = 20_000.0;
const VISCOSITY_OF_FLUID_MOST: f64 = 1.0e7;
const YIELD_STRESS_MOST: f64 = 1.0e6;
const RESISTANCE_LEAST: f64 = 1.0;
const RESISTANCE_MOST: f64 = 100_000.0;
