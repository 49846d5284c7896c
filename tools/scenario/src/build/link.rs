//! Culverts, pumps and drains, put on the ground.

use kit::error::UserError;
use thalweg::structure;
use thalweg::units::VerticalScale;

use super::ground::GroundPlan;
use crate::plan::LinkPlan;

/// Returns a link for the engine, with the elevation of the ground at its places.
///
/// # Errors
///
/// If one of its places has no ground.
pub(super) fn asked(
    link: &LinkPlan,
    ground: GroundPlan<'_>,
    scale: VerticalScale,
) -> Result<structure::Link, UserError> {
    let mut beds_m = Vec::new();
    for (key, at) in link.places() {
        let bed = ground.nearest(at).filter(|(_, is_moved)| !is_moved);
        let Some(bed) = bed.and_then(|(place, _)| ground.bed(place)) else {
            return Err(UserError::new(
                format!("{} `{}`: its `{key}` {at} lies off the ground", link.kind(), link.name()),
                "move it away from NoData",
            ));
        };
        beds_m.push(scale.metres(bed));
    }
    Ok(link.asked(&beds_m))
}
