//! Variants of a plan with different roughness or water, which show the effect of uncertain numbers
//! on the result.
//!
//! Limits: water at the start and the given stages of edges stay as they are.

use super::Plan;

impl Plan {
    /// Returns the plan with Manning's n times a factor, everywhere.
    #[must_use]
    pub fn rougher(&self, factor: f64) -> Self {
        let mut plan = self.clone();
        let roughness = &mut plan.ground.roughness;
        roughness.manning *= factor;
        roughness.field = roughness.field.take().map(|field| field.times(factor));
        plan
    }

    /// Returns the plan with all rains and inflows times a factor.
    #[must_use]
    pub fn wetter(&self, factor: f64) -> Self {
        let mut plan = self.clone();
        let rains = plan.rains.iter_mut().map(|rain| &mut rain.rate);
        let series = rains.chain(plan.inflows.iter_mut().map(|inflow| &mut inflow.discharge));
        for (_, value) in series.flat_map(|series| &mut series.points) {
            *value *= factor;
        }
        plan
    }

    /// True if friction slows the water anywhere.
    #[must_use]
    pub fn is_rough(&self) -> bool {
        let roughness = &self.ground.roughness;
        let field = roughness.field.as_ref().and_then(super::Field::range);
        roughness.manning > 0.0 || field.is_some_and(|(_, most)| most > 0.0)
    }

    /// True if the plan has rain or an inflow.
    #[must_use]
    pub fn is_fed(&self) -> bool {
        !self.rains.is_empty() || !self.inflows.is_empty()
    }
}
