//! The maps of a run: which plane, under which heading, in which colours.

use crate::outcome::Outcome;

use super::scale::Scale;

/// One map.
#[derive(Debug, Clone)]
pub struct Layer<'a> {
    /// Name in the page: `max_depth`.
    pub key: &'static str,
    /// The file of its sheet: `max_depth.png`.
    pub file_name: &'static str,
    /// Heading: `Maximum depth`.
    pub heading: &'static str,
    /// Unit as printed.
    pub unit: &'static str,
    /// Remark for the reader, one sentence.
    pub remark: String,
    /// Values on the grid of the maps; NaN outside.
    pub plane: &'a [f32],
    /// Values below the ground, hatched in the same colours; NaN where there are none.
    pub below: Option<&'a [f32]>,
    /// Colours.
    pub scale: Scale,
    /// Which of a block's cells the page reads out.
    pub choose: fn(f32, f32) -> f32,
}

/// The maps of `outcome`: depth, speed, hazard, arrival.
#[must_use]
pub fn layers(outcome: &Outcome) -> [Layer<'_>; 4] {
    let still_water = outcome.wet_depth_m * 0.5;
    let [flooded, dangerous] = captions(outcome);
    let mut layers = [
        Layer {
            key: "max_depth",
            file_name: "max_depth.png",
            heading: "Maximum depth",
            unit: "m",
            remark: format!("Deepest water during the run. {flooded}"),
            plane: &outcome.max_depth_m,
            below: outcome.below.as_ref().map(|below| &*below.max_depth_m),
            scale: Scale::depth(&outcome.depth_classes_m, outcome.wet_depth_m),
            choose: f32::max,
        },
        Layer {
            key: "max_speed",
            file_name: "max_speed.png",
            heading: "Maximum speed",
            unit: "m/s",
            remark: "Fastest flow during the run, averaged over the depth.".into(),
            plane: &outcome.max_speed_m_s,
            below: None,
            scale: Scale::speed(),
            choose: f32::max,
        },
        Layer {
            key: "hazard",
            file_name: "hazard.png",
            heading: "Flood hazard",
            unit: "m²/s",
            remark: format!(
                "Largest depth × (speed + 0.5), in the classes of the UK guidance (Surendran et \
                 al. 2008), without debris factor. {dangerous}"
            ),
            plane: &outcome.hazard_m2_s,
            below: None,
            scale: Scale::hazard(still_water),
            choose: f32::max,
        },
        Layer {
            key: "arrival",
            file_name: "arrival.png",
            heading: "Time of arrival",
            unit: "s",
            remark: format!(
                "Time from the start until the water was first {} deep.",
                super::wording::length(outcome.wet_depth_m.into())
            ),
            plane: &outcome.arrival_s,
            below: None,
            scale: Scale::arrival(),
            choose: f32::min,
        },
    ];
    for layer in &mut layers {
        if !layer.plane.iter().any(|&value| layer.scale.class_of(value).is_some()) {
            layer.remark.push_str(" Nowhere was the first class reached.");
            let most = largest(layer.plane).into();
            if layer.key == "max_depth" && most > 0.0 {
                layer.remark += &format!(" The deepest is {}.", super::wording::depth(most));
            }
        }
    }
    layers
}

/// The headline in the captions of the maps of depth and of hazard.
fn captions(outcome: &Outcome) -> [String; 2] {
    let headline = outcome.headline();
    let covered = |cells| super::wording::covered(outcome, cells);
    let before = super::wording::before(outcome, &headline);
    let before = before.map_or_else(String::new, |before| format!("; {before}"));
    let flooded = format!("The event flooded {}{before}.", covered(headline.flooded));
    let dangerous = match covered(headline.dangerous()) {
        area if headline.dangerous_before == 0 => format!("Danger for most or all: {area}."),
        area => format!("Danger for most or all: {area} of the ground that was dry before."),
    };
    [flooded, dangerous]
}

/// The largest value of a plane; 0 where there is none.
#[must_use]
pub fn largest(plane: &[f32]) -> f32 {
    plane.iter().filter(|value| value.is_finite()).fold(0.0, |largest, &value| largest.max(value))
}
