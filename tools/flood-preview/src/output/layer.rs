//! The maps of a run: plane, heading and colours of each.

use kit::picture::colours::PictureColour;

use super::scale::{BEFORE, BEFORE_LABEL, ColourScale};
use crate::outcome::{BELIEVED, FloodOutcome, Sure};

/// The file of the map of certainty.
pub const CERTAINTY: &str = "certainty.png";

/// One map.
#[derive(Debug, Clone)]
pub struct MapLayer<'a> {
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
    /// Values below the ground, hatched in the same colours; NaN in cells without a value.
    pub below: Option<&'a [f32]>,
    /// Colours.
    pub scale: ColourScale,
    /// True if the map shows water that was there before the event, which has a colour of its own.
    pub has_before: bool,
    /// Choice of the cell of a block whose value the page shows.
    pub choose: fn(f32, f32) -> f32,
}

impl MapLayer<'_> {
    /// Returns colours and texts of the legend, in the order in which paints number them: the
    /// classes as they rise, then the water before the event, if any.
    #[must_use]
    pub fn keys(&self) -> Vec<(PictureColour, &str)> {
        let classes = self.scale.classes.iter().map(|class| (class.colour, &*class.label));
        classes.chain(self.has_before.then_some((BEFORE, BEFORE_LABEL))).collect()
    }
}

/// Returns the maps of `outcome`: depth, speed, hazard, arrival; certainty, if levels can be
/// compared.
#[must_use]
pub fn layers(outcome: &FloodOutcome) -> Vec<MapLayer<'_>> {
    let still_water = outcome.wet_depth_m * 0.5;
    let [flooded, dangerous] = captions(outcome);
    let has_before = (0..outcome.before.len()).any(|cell| outcome.was_water(cell));
    let mut layers = vec![
        MapLayer {
            key: "max_depth",
            file_name: "max_depth.png",
            heading: "Maximum depth",
            unit: "m",
            remark: format!("Deepest water during the run. {flooded}"),
            plane: &outcome.max_depth_m,
            below: outcome.below.as_ref().map(|below| &*below.max_depth_m),
            scale: ColourScale::depth(&outcome.depth_classes_m, outcome.wet_depth_m),
            has_before,
            choose: f32::max,
        },
        MapLayer {
            key: "max_speed",
            file_name: "max_speed.png",
            heading: "Maximum speed",
            unit: "m/s",
            remark: "Fastest flow during the run, averaged over the depth.".into(),
            plane: &outcome.max_speed_m_s,
            below: None,
            scale: ColourScale::speed(),
            has_before,
            choose: f32::max,
        },
        MapLayer {
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
            scale: ColourScale::hazard(still_water),
            has_before,
            choose: f32::max,
        },
        MapLayer {
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
            scale: ColourScale::arrival(),
            has_before,
            choose: f32::min,
        },
    ];
    for layer in &mut layers {
        let words = unreached(outcome, layer);
        layer.remark.push_str(&words);
    }
    layers.extend(outcome.sure.as_ref().map(|sure| certainty(outcome, sure, has_before)));
    layers
}

/// Returns the map of certainty.
fn certainty<'a>(outcome: &FloodOutcome, sure: &'a Sure, has_before: bool) -> MapLayer<'a> {
    let wet = super::wording::length(outcome.wet_depth_m.into());
    let deep = super::wording::length((BELIEVED * outcome.wet_depth_m).into());
    let drafts = super::wording::drafts(outcome);
    let (runs, one) = match (sure.is_of_levels, &drafts) {
        (true, None) => ("in cells of both widths".to_owned(), "one of them"),
        (true, Some(drafts)) => {
            (format!("in cells of both widths, and {wet} in {drafts}"), "any of them")
        }
        (false, _) => {
            let drafts = drafts.as_deref().unwrap_or("the drafts");
            (format!("in this run, and {wet} in {drafts}"), "any of them")
        }
    };
    let given = if drafts.is_some() { "" } else { " Roughness and rain are taken as given." };
    MapLayer {
        key: "certainty",
        file_name: CERTAINTY,
        heading: "How sure",
        unit: "",
        remark: format!(
            "Surely flooded: {deep} or more {runs}. Unsure: {wet} or more in {one}. Surely dry: \
             the rest.{given}"
        ),
        plane: &sure.classes,
        below: None,
        scale: ColourScale::certainty(),
        has_before,
        choose: f32::max,
    }
}

/// Returns words that the remark of a map adds if the event reached none of its classes.
fn unreached(outcome: &FloodOutcome, layer: &MapLayer<'_>) -> String {
    let plane = layer.plane;
    let new = || {
        let cells = plane.iter().enumerate();
        cells.filter(move |(cell, _)| !outcome.was_water(*cell)).map(|(_, value)| value)
    };
    if new().any(|value| layer.scale.class_of(*value).is_some()) {
        return String::new();
    }
    let besides = if layer.has_before { " besides the water that was there before" } else { "" };
    let mut words = format!(" Nowhere{besides} was the first class reached.");
    let most = f64::from(largest(new()));
    if layer.key == "max_depth" && most > 0.0 {
        words += &format!(" The deepest is {}.", super::wording::depth(most));
    }
    words
}

/// Returns the headline in the captions of the maps of depth and of hazard.
fn captions(outcome: &FloodOutcome) -> [String; 2] {
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

/// Returns the largest of some values, as of a plane; 0 if no value is greater.
#[must_use]
pub fn largest<'a>(values: impl IntoIterator<Item = &'a f32>) -> f32 {
    let known = values.into_iter().filter(|value| value.is_finite());
    known.fold(0.0, |largest, &value| largest.max(value))
}
