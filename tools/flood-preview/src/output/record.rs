//! Record that the script of the report draws, as one JSON value that `page/*.js` reads: maps,
//! frames and series. Figures and tables are written into the page itself (see `page`).
//!
//! Maps are reduced like [`DepthFrame`](crate::outcome::DepthFrame)s, counted in 16 bits and packed
//! (see `packing`); long series are thinned to the resolution of a chart.

use kit::picture::relief::ReliefShading;
use rasters::HorizontalUnit;
use rayon::prelude::*;
use serde_json::{Value, json};

use super::layer::{MapLayer, largest, layers};
use super::map::{OUTSIDE, Zoom, cell_m};
use super::packing::{self, Counting};
use super::scale::{BEFORE, BEFORE_LABEL, ColourScale};
use super::{backdrop, barriers, links, observed, sections, wording};
use crate::outcome::{
    self, FloodOutcome, GaugeRecord, HeadlineSpot, MappedRock, SectionRecord, painted, reduce,
};

/// Steps of brightness of the relief.
const SHADES: f64 = 64.0;
/// Approximate number of samples of all gauges that the page draws.
const SAMPLES: usize = 80_000;

/// Returns the record of `outcome`.
///
/// # Panics
///
/// If a frame has a different size from that of
/// [`DepthFrame::reduced`](crate::outcome::DepthFrame::reduced).
#[must_use]
pub fn record(outcome: &FloodOutcome) -> Value {
    let reduction = Reduction::of(outcome);
    let is_crossed = |edge: &&SectionRecord| edge.ways_m3.iter().any(|volume| *volume > 0.0);
    let crossed = outcome.edges.iter().filter(is_crossed);
    json!({
        "grid": reduction.grid(outcome),
        "outside": OUTSIDE,
        "relief": reduction.relief(outcome),
        "bed": reduction.bed(outcome),
        "frames": reduction.frames(outcome),
    "layers": reduction.layers(outcome),
        "deepest": outcome.headline().deepest.map(deepest),
        "gauges": outcome.gauges.iter().map(|g| gauge(g, outcome)).collect::<Vec<_>>(),
        "sections": sections::record(outcome.sections.iter()),
        "edges": sections::record(crossed),
        "barriers": barriers::record(outcome),
        "links": links::record(outcome),
        "backdrop": reduction.backdrop(outcome),
        "rocks": outcome.rocks.iter().map(rock).collect::<Vec<_>>(),
    })
}

/// Reduction of the grid of the maps to the page's grid.
struct Reduction {
    factor: usize,
    /// Size of the grid of the maps, cells.
    width: usize,
    height: usize,
    /// Size of the page's maps, pixels.
    columns: usize,
    rows: usize,
}

impl Reduction {
    fn of(outcome: &FloodOutcome) -> Self {
        let (width, height) = (outcome.grid.width, outcome.grid.height);
        let factor = outcome::factor(width, height);
        Self {
            factor,
            width,
            height,
            columns: width.div_ceil(factor),
            rows: height.div_ceil(factor),
        }
    }

    fn grid(&self, outcome: &FloodOutcome) -> Value {
        let grid = &outcome.grid;
        json!({
            "width": grid.width,
            "height": grid.height,
            "factor": self.factor,
            "columns": self.columns,
            "rows": self.rows,
            "enlarge": Zoom::of(self.columns, self.rows).enlarge,
            "west": grid.west,
            "north": grid.north,
            "step_x": grid.step_x,
            "step_y": grid.step_y,
            "cell_m": grid.cell_m.map(|(x, _)| x),
            "unit": match grid.unit {
                HorizontalUnit::Metre => "m".to_owned(),
                HorizontalUnit::Length(unit) => unit.to_string(),
                HorizontalUnit::Degree => "°".to_owned(),
                HorizontalUnit::Unknown => String::new(),
            },
            "crs": grid.crs.as_ref().map(ToString::to_string),
        })
    }

    fn relief(&self, outcome: &FloodOutcome) -> Value {
        let cell_m = cell_m(&outcome.grid);
        let relief =
            ReliefShading::new(&outcome.bed_m, self.width, self.height, cell_m, self.factor);
        let counting = Counting { offset: 0.0, step: 1.0 / SHADES };
        self.packed(&counting.counts(&relief.brightness), counting)
    }

    /// Returns the backdrop, with a pixel for each pixel of the page's map.
    fn backdrop(&self, outcome: &FloodOutcome) -> Value {
        let enlarge = Zoom::of(self.columns, self.rows).enlarge;
        backdrop::record(outcome, Zoom { reduce: self.factor, enlarge })
    }

    /// Returns the bed, as the lowest of each block: the deepest water is there.
    fn bed(&self, outcome: &FloodOutcome) -> Value {
        let bed = reduce(&outcome.bed_m, self.width, self.height, self.factor, f32::min);
        let known = || bed.iter().filter(|bed| bed.is_finite());
        let low = known().fold(f32::INFINITY, |low, &bed| low.min(bed));
        let high = known().fold(f32::NEG_INFINITY, |high, &bed| high.max(bed));
        let (low, high) = if low <= high { (low, high) } else { (0.0, 0.0) };
        let finest = decimal_step(high - low, 50.0).min(0.01);
        let counting = Counting::covering(f64::from(low).floor(), high.into(), finest);
        self.packed(&counting.counts(&bed), counting)
    }

    fn layers(&self, outcome: &FloodOutcome) -> Vec<Value> {
        layers(outcome).par_iter().map(|layer| self.layer(layer, outcome)).collect()
    }

    fn layer(&self, layer: &MapLayer<'_>, outcome: &FloodOutcome) -> Value {
        let bed_m = &outcome.bed_m;
        let most = largest(layer.plane);
        let limits = layer.scale.limits();
        let plane = reduce(layer.plane, self.width, self.height, self.factor, layer.choose);
        let finest = match layer.unit {
            "s" => decimal_step(most, 500.0),
            _ => finest_step(most, &limits),
        };
        let counting = Counting::covering(0.0, most.into(), finest);
        let counts = counting.counts_in_classes(&plane, &layer.scale);
        let mut packed = self.packed(&counts, counting);
        if self.factor > 1 || layer.has_before {
            let size = (self.width, self.height);
            let was_water = |cell: usize| outcome.was_water(cell);
            let paint = painted(layer.plane, bed_m, size, self.factor, &limits, was_water);
            packed["paint"] = json!(packing::pack(&paint, &[], self.columns));
        }
        if layer.has_before {
            packed["before"] = json!({"colour": BEFORE, "label": BEFORE_LABEL});
        }
        if let Some(below) = layer.below {
            packed["below"] = self.below(below, layer, bed_m);
        }
        packed["key"] = json!(layer.key);
        packed["heading"] = json!(layer.heading);
        packed["unit"] = json!(layer.unit);
        packed["remark"] = json!(layer.remark);
        packed["classes"] = classes(&layer.scale);
        packed
    }

    /// Returns the water below the ground that a layer shows.
    fn below(&self, plane: &[f32], layer: &MapLayer<'_>, bed_m: &[f32]) -> Value {
        let limits = layer.scale.limits();
        let (size, most) = ((self.width, self.height), largest(plane));
        let reduced = reduce(plane, self.width, self.height, self.factor, layer.choose);
        let counting = Counting::covering(0.0, most.into(), finest_step(most, &limits));
        let mut packed = self.packed(&counting.counts_in_classes(&reduced, &layer.scale), counting);
        if self.factor > 1 {
            let paint = painted(plane, bed_m, size, self.factor, &limits, |_| false);
            packed["paint"] = json!(packing::pack(&paint, &[], self.columns));
        }
        packed
    }

    fn frames(&self, outcome: &FloodOutcome) -> Value {
        let frames = &outcome.frames;
        let most = frames
            .iter()
            .map(|frame| largest(&frame.depth_m))
            .fold(largest(&outcome.max_depth_m), f32::max);
        let scale = ColourScale::depth(&outcome.depth_classes_m, outcome.wet_depth_m);
        let finest = finest_step(most, &scale.limits());
        let counting = Counting::covering(0.0, most.into(), finest);
        let counts: Vec<Vec<u16>> = frames
            .par_iter()
            .map(|frame| {
                let size = (frame.width, frame.height);
                assert_eq!(size, (self.columns, self.rows), "frame at {} s", frame.time_s);
                counting.counts_in_classes(&frame.depth_m, &scale)
            })
            .collect();
        let paints: Vec<&[u16]> = match self.factor {
            1 => Vec::new(),
            _ => frames.iter().map(|frame| &*frame.paint).collect(),
        };
        let [packed, paint] = [counts.iter().map(|counts| &**counts).collect(), paints]
            .map(|planes| packed_in_turn(&planes, self.columns));
        json!({
            "offset": counting.offset,
            "step": counting.step,
            "classes": classes(&scale),
            "packed": packed,
            "paint": paint,
            "peak": peak(outcome),
            "times": frames.iter().map(|frame| frame.time_s).collect::<Vec<_>>(),
        })
    }

    fn packed(&self, counts: &[u16], counting: Counting) -> Value {
        json!({
            "offset": counting.offset,
            "step": counting.step,
            "packed": packing::pack(counts, &[], self.columns),
        })
    }
}

/// Planes in rows of `width`, each as its change from the one before.
fn packed_in_turn(planes: &[&[u16]], width: usize) -> Vec<String> {
    let pack = |index: usize| {
        let before = index.checked_sub(1).map_or([].as_slice(), |before| planes[before]);
        packing::pack(planes[index], before, width)
    };
    (0..planes.len()).into_par_iter().map(pack).collect()
}

/// Returns the index of the frame with most flooded cells; of several the last.
fn peak(outcome: &FloodOutcome) -> usize {
    let wet = outcome.wet_depth_m;
    let cells = |depth_m: &[f32]| depth_m.iter().filter(|&&depth| depth >= wet).count();
    let frames = outcome.frames.iter().enumerate();
    let widest = frames.max_by_key(|(_, frame)| cells(&frame.depth_m));
    widest.map_or(0, |(index, _)| index)
}

/// Returns the largest power of ten, between 0.0001 and 1000, that fits `counts` times into
/// `largest`.
fn decimal_step(largest: f32, counts: f64) -> f64 {
    let step = f64::from(largest) / counts;
    let steps = [1000.0, 100.0, 10.0, 1.0, 0.1, 0.01, 0.001];
    *steps.iter().find(|&&round| round <= step).unwrap_or(&0.0001)
}

/// Returns the step for counts of lengths up to `largest` that are drawn in classes.
fn finest_step(largest: f32, limits: &[f32]) -> f64 {
    let first = limits.first().copied().unwrap_or(0.05);
    decimal_step(largest, 50.0).min(decimal_step(first, 1.0)).min(0.01)
}

fn classes(scale: &ColourScale) -> Value {
    scale
        .classes
        .iter()
        .map(|class| json!({"from": class.from, "colour": class.colour, "label": class.label}))
        .collect()
}

/// Returns the place of the deepest water, and its label on the map.
fn deepest(spot: HeadlineSpot) -> Value {
    let label = format!("deepest, {}", wording::depth(spot.value.into()));
    json!({"cell": spot.cell, "label": label})
}

/// Returns a tunnel or a bridge as the page draws it.
fn rock(rock: &MappedRock) -> Value {
    json!({"kind": rock.kind, "name": rock.name, "path": rock.path, "outline": rock.outline})
}

fn gauge(gauge: &GaugeRecord, outcome: &FloodOutcome) -> Value {
    let kept = thinned(gauge, SAMPLES / outcome.gauges.len().max(1));
    let series = |values: &[f32]| -> Vec<Value> {
        let rounded = |value: f32| (f64::from(value) * 1.0e4).round() / 1.0e4;
        let values = kept.iter().map(|&index| values.get(index).copied());
        values.map(|value| json!(value.filter(|value| value.is_finite()).map(rounded))).collect()
    };
    json!({
        "name": gauge.name,
        "x": gauge.x,
        "y": gauge.y,
        "bed_m": json!(gauge.bed_m),
        "cell": outcome.grid.cell_at(gauge.x, gauge.y),
        "time_s": kept.iter().map(|&index| gauge.time_s[index]).collect::<Vec<_>>(),
        "stage_m": series(&gauge.stage_m),
        "depth_m": series(&gauge.depth_m),
        "speed_m_s": series(&gauge.speed_m_s),
        "observed": observed::record(gauge.observed.as_ref(), outcome.simulated_s),
    })
}

/// Returns the samples that a chart needs: of each stretch the first, the lowest, the highest and
/// the fastest, so that no peak is lost.
fn thinned(gauge: &GaugeRecord, most: usize) -> Vec<usize> {
    let length = gauge.time_s.len();
    let stretch = length.div_ceil((most / 4).clamp(25, 300)).max(1);
    if length <= 1200 && length <= most {
        return (0..length).collect();
    }
    let mut kept: Vec<usize> = (0..length).step_by(stretch).collect();
    for start in (0..length).step_by(stretch) {
        let indices = start..(start + stretch).min(length);
        // A missing speed is less than any.
        let value = |values: &[f32], index: usize| {
            values.get(index).copied().filter(|value| !value.is_nan()).unwrap_or(-1.0)
        };
        let by = |values: &'_ [f32], a: &usize, b: &usize| {
            value(values, *a).total_cmp(&value(values, *b))
        };
        kept.extend(indices.clone().min_by(|a, b| by(&gauge.depth_m, a, b)));
        kept.extend(indices.clone().max_by(|a, b| by(&gauge.depth_m, a, b)));
        kept.extend(indices.max_by(|a, b| by(&gauge.speed_m_s, a, b)));
    }
    kept.extend(length.checked_sub(1));
    kept.sort_unstable();
    kept.dedup();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_the_peak_and_both_ends() {
        let length = 50_000;
        let mut depth_m = vec![1.0; length];
        depth_m[31_234] = 9.0;
        let gauge = GaugeRecord {
            time_s: (0..50_000).map(f64::from).collect(),
            stage_m: depth_m.clone(),
            speed_m_s: vec![0.0; length],
            depth_m,
            ..GaugeRecord::default()
        };
        let kept = thinned(&gauge, 1200);
        assert!(kept.len() <= 1210, "{}", kept.len());
        for index in [0, 31_234, length - 1] {
            assert!(kept.contains(&index), "{index}");
        }
    }

    #[test]
    fn steps_are_decimal() {
        for (largest, counts, expected) in [
            (0.0, 50.0, 0.0001),
            (0.4, 50.0, 0.001),
            (5.0, 50.0, 0.1),
            (3600.0, 500.0, 1.0),
            (9.0e9, 500.0, 1000.0),
        ] {
            let step = decimal_step(largest, counts);
            assert!((step / expected - 1.0).abs() < 1.0e-9, "{largest}: {step}");
        }
    }
}
