//! Culverts, pumps and drains, put on the ground.

use kit::error::UserError;
use kit::words::short;
use thalweg::units::VerticalScale;
use thalweg::world;
use thalweg::world::LinkError;

use super::ground::GroundPlan;
use crate::plan::{Link, Plan};

/// Link for the engine, with the ground at its places known.
///
/// # Errors
///
/// If one of them is no ground.
pub(super) fn asked(
    link: &Link,
    ground: GroundPlan<'_>,
    scale: VerticalScale,
) -> Result<world::Link, UserError> {
    let mut beds_m = Vec::new();
    for (at, key) in link.path.iter().zip(link.keys) {
        let bed = ground.nearest(*at).filter(|(_, is_moved)| !is_moved);
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

/// Says in one line, in the map's coordinates, why the engine refuses a link.
pub(super) fn refused(plan: &Plan, error: &LinkError) -> UserError {
    let known = |name: &String| plan.links.iter().find(|link| link.name() == name);
    match error {
        LinkError::SameCell { name, cell_width_m } => UserError::new(
            format!(
                "{} `{name}`: both ends lie in one cell of {} m",
                known(name).map_or("link", Link::kind),
                short(*cell_width_m)
            ),
            "move them apart, or simulate smaller cells with --quality or --cell-size",
        ),
        LinkError::AboveGround { name, invert_m, bed_m, height_m, point } => {
            let link = known(name);
            let end = link.map_or(0, |link| link.end_near(*point));
            let at = link.map_or(String::new(), |link| format!(" at {}", link.path[end]));
            let key = ["from_invert", "to_invert"][end];
            let [invert, bed, height] = [*invert_m, *bed_m, *height_m].map(short);
            UserError::new(
                format!(
                    "culvert `{name}`: its `{key}` of {invert} m hangs more than its height of \
                     {height} m above the ground of {bed} m{at}"
                ),
                format!("lower it, or leave `{key}` out to lay it on the ground"),
            )
        }
        error => UserError::from_sentence(error.to_string()),
    }
}
