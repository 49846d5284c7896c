//! Leaves that follow the view, in worlds whose leaves may change.

use kit::world::water::HeldLevels;
use thalweg::criteria::{Criterion, Observer, ObserverOptions};
use thalweg::world::World;

use crate::session::WindowLook;

/// Part of the radius by which the view has to move before leaves follow.
const MOVED_PART: f64 = 0.125;

/// Change of the radius, as a factor, from which leaves follow.
const ZOOMED: f64 = 1.2;

/// Distance from the middle up to which leaves are as fine as in view, in radii.
const BESIDE: f64 = 1.25;

/// The view that leaves follow.
#[derive(Default)]
pub(super) struct FollowedView {
    followed: Option<([f64; 2], f64)>,
}

impl FollowedView {
    /// Lets leaves follow if the view has moved by more than a little. In worlds in memory no leaf
    /// gets coarser, because its water was computed at its present level.
    pub fn follow(&mut self, world: &mut World, look: &WindowLook) -> Result<(), String> {
        let Some(budget) = world.budget_cells() else { return Ok(()) };
        let (centre, radius) = (look.centre_m, look.radius_m);
        if let Some((at, before)) = self.followed {
            let moved = (at[0] - centre[0]).hypot(at[1] - centre[1]);
            let zoomed = (radius / before).max(before / radius);
            if moved < MOVED_PART * radius && zoomed < ZOOMED {
                return Ok(());
            }
        }
        let criteria = criteria(world, look, budget)?;
        if let Some(own) = world.criteria_mut() {
            *own = criteria;
        }
        self.followed = Some((centre, radius));
        Ok(())
    }
}

/// Returns the criteria for detail: observers, and fronts.
fn criteria(
    world: &World,
    look: &WindowLook,
    budget: u64,
) -> Result<Vec<Box<dyn Criterion>>, String> {
    let extent = world.extent();
    let (base, coarsest) = (extent.base(), extent.coarsest());
    let near_m = BESIDE * look.radius_m;
    let width_m = |level: u8| world.cell_width_m() * f64::from(1_u32 << (level - base));
    #[expect(clippy::cast_precision_loss, reason = "a budget to two digits")]
    let fits = |level: &u8| 4.0 * (near_m / width_m(*level)).powi(2) <= 0.4 * budget as f64;
    let finest = (base..coarsest).find(fits).unwrap_or(coarsest);
    let radius = |level: u8| (level, near_m * f64::from(1_u32 << (level - finest)));
    let options = ObserverOptions {
        position_m: look.centre_m,
        velocity_m_s: [0.0; 2],
        look_ahead_s: 0.0,
        radii_m: (finest..=coarsest).map(radius).collect(),
        priority: 0.0,
    };
    let observer = Observer::try_new(&options, &extent).map_err(|error| error.to_string())?;
    let mut criteria: Vec<Box<dyn Criterion>> = vec![Box::new(observer)];
    if world.terrain().is_some() {
        criteria.push(Box::new(HeldLevels));
    }
    Ok(criteria)
}
