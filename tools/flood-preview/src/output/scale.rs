//! Colour scales in fixed classes: the colour of a value on a map, and its text in the legend.
//!
//! A colour means the same in every run, independent of the run's largest value. Depths below the
//! wet depth have no colour; if the wet depth is between two limits, the first class begins there
//! and keeps its colour, and if it is below all of them, an additional class precedes them. Water
//! that was there before the event has no class: it has one colour on all maps of the whole run.
//!
//! Guarantees: classes rise; in sun and in shade a colour is nearer to its own in the legend than
//!             to any different one, to colour-blind eyes too
//!             (`a_colour_is_its_own_in_sun_and_shade`).
//! Source:     hazard: Defra/Environment Agency (2006) FD2321/TR1 for h · (v + 0.5), its classes as
//!             in Surendran et al. (2008), Supplementary note on flood hazard ratings and
//!             thresholds (without debris factor).

use kit::picture::colours::{DEPTH_COLOURS, FILM, PictureColour};

use super::wording;
use crate::outcome::{HAZARDS_M2_S, SURELY_FLOODED, UNSURE};

const SPEEDS_M_S: [f32; 6] = [0.1, 0.25, 0.5, 1.0, 2.0, 4.0];
const SPEED_COLOURS: [PictureColour; 6] = [
    [243, 211, 232],
    [229, 164, 208],
    [208, 107, 178],
    [171, 58, 146],
    [122, 29, 118],
    [70, 15, 82],
];

/// Limits of times, s: early is dark, late is light.
const TIMES_S: [f32; 8] = [0.0, 300.0, 900.0, 1800.0, 3600.0, 7200.0, 21_600.0, 86_400.0];
const TIME_COLOURS: [PictureColour; 8] = [
    [35, 11, 94],
    [86, 18, 155],
    [140, 26, 156],
    [187, 53, 133],
    [221, 92, 101],
    [242, 138, 69],
    [251, 185, 56],
    [245, 234, 97],
];

/// Colour of water that was there before the event.
pub const BEFORE: PictureColour = [84, 95, 106];
/// Text of the legend for that colour.
pub const BEFORE_LABEL: &str = "Water before the event";

/// One class of a scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Class {
    /// Smallest value of the class.
    pub from: f32,
    /// Colour on maps.
    pub colour: PictureColour,
    /// Text of the legend.
    pub label: String,
}

/// Classes in rising order. Values below the first are not drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct ColourScale {
    /// The classes.
    pub classes: Vec<Class>,
}

impl ColourScale {
    /// Returns the class of `value`; `None` below the first and for NaN.
    #[must_use]
    pub fn class_of(&self, value: f32) -> Option<&Class> {
        self.classes.iter().rev().find(|class| value >= class.from)
    }

    /// Returns the smallest value of each class.
    #[must_use]
    pub fn limits(&self) -> Vec<f32> {
        self.classes.iter().map(|class| class.from).collect()
    }

    /// Returns depth in classes of rising limits, m, drawn from `wet_m`.
    #[must_use]
    pub fn depth(limits_m: &[f32], wet_m: f32) -> Self {
        let colours = spread(limits_m.len());
        let mut steps: Vec<(f32, PictureColour)> = vec![(wet_m, FILM)];
        for (&limit, &colour) in limits_m.iter().zip(&colours) {
            match steps.last_mut() {
                // The wet depth is above this limit: the class begins there.
                Some(last) if limit <= wet_m => last.1 = colour,
                _ => steps.push((limit, colour)),
            }
        }
        Self::of(&steps, wording::depth_span)
    }

    /// Returns the scale of speed, m/s.
    #[must_use]
    pub fn speed() -> Self {
        let steps: Vec<(f32, PictureColour)> = SPEEDS_M_S.into_iter().zip(SPEED_COLOURS).collect();
        Self::of(&steps, |from, to| match to {
            Some(to) => format!("{from} – {to} m/s"),
            None => format!("> {from} m/s"),
        })
    }

    /// Returns the scale of hazard `h · (v + 0.5)`, m²/s, drawn from `lowest`.
    #[must_use]
    pub fn hazard(lowest: f32) -> Self {
        let [some, most, all] = HAZARDS_M2_S;
        let classes = [
            (lowest, [255, 231, 159], "Low (< 0.75): caution"),
            (some, [253, 177, 71], "Moderate (0.75–1.25): danger for some"),
            (most, [230, 85, 49], "Significant (1.25–2): danger for most"),
            (all, [140, 17, 54], "Extreme (> 2): danger for all"),
        ];
        let class = |(from, colour, label): (f32, PictureColour, &str)| Class {
            from,
            colour,
            label: label.into(),
        };
        Self { classes: classes.map(class).into() }
    }

    /// Returns the scale of times of arrival, s.
    #[must_use]
    pub fn arrival() -> Self {
        let steps: Vec<(f32, PictureColour)> = TIMES_S.into_iter().zip(TIME_COLOURS).collect();
        Self::of(&steps, |from, to| match to {
            Some(to) if from <= 0.0 => format!("< {}", wording::clock(to.into())),
            Some(to) => wording::time_span(from, to),
            None => format!("> {}", wording::clock(from.into())),
        })
    }

    /// Returns the classes of cells by their certainty.
    #[must_use]
    pub fn certainty() -> Self {
        let classes = [
            (UNSURE, [253, 190, 96], "Unsure"),
            // A pixel of several cells has the colour of their mean: so most of them decide.
            (f32::midpoint(UNSURE, SURELY_FLOODED), [35, 100, 170], "Surely flooded"),
        ];
        let class = |(from, colour, label): (f32, PictureColour, &str)| Class {
            from,
            colour,
            label: label.into(),
        };
        Self { classes: classes.map(class).into() }
    }

    /// Returns classes of rising steps; `label` names the limits of each, the last without an end.
    fn of(steps: &[(f32, PictureColour)], label: impl Fn(f32, Option<f32>) -> String) -> Self {
        let class = |(index, &(from, colour)): (usize, &(f32, PictureColour))| Class {
            from,
            colour,
            label: label(from, steps.get(index + 1).map(|next| next.0)),
        };
        Self { classes: steps.iter().enumerate().map(class).collect() }
    }
}

/// Returns `count` colours of depth, evenly from the lightest to the darkest.
fn spread(count: usize) -> Vec<PictureColour> {
    let last = DEPTH_COLOURS.len() - 1;
    let gaps = count.saturating_sub(1).max(1);
    let colour = |index: usize| {
        let (first, rest) = (index * last / gaps, index * last % gaps);
        let (low, high) = (DEPTH_COLOURS[first], DEPTH_COLOURS[(first + 1).min(last)]);
        [0, 1, 2].map(|i| {
            let mixed = usize::from(low[i]) * (gaps - rest) + usize::from(high[i]) * rest;
            u8::try_from((mixed + gaps / 2) / gaps).unwrap_or(u8::MAX)
        })
    };
    (0..count).map(colour).collect()
}

#[cfg(test)]
mod tests {
    use super::super::map::shaded;
    use kit::picture::colours::{DEPTHS_M, depth_colour};

    use super::*;

    fn label(scale: &ColourScale, value: f32) -> &str {
        scale.class_of(value).map_or("", |class| &class.label)
    }

    #[test]
    fn values_find_their_class() {
        let depth = ColourScale::depth(&DEPTHS_M, 0.05);
        for (value, expected) in [
            (f32::NAN, ""),
            (0.049, ""),
            (0.05, "5 – 10 cm"),
            (0.3, "30 – 50 cm"),
            (0.5, "0.5 – 1 m"),
            (4.99, "2 – 5 m"),
            (500.0, "> 5 m"),
        ] {
            assert_eq!(label(&depth, value), expected, "{value}");
        }
        let hazard = ColourScale::hazard(0.025);
        for (value, name) in [(0.74, "Low"), (0.75, "Mod"), (1.25, "Sig"), (2.0, "Ext")] {
            assert!(label(&hazard, value).starts_with(name), "{value}");
        }
        let arrival = ColourScale::arrival();
        for (value, expected) in [
            (0.0, "< 5 min"),
            (299.0, "< 5 min"),
            (2000.0, "30 – 60 min"),
            (9000.0, "2 – 6 h"),
            (9.0e9, "> 24 h"),
        ] {
            assert_eq!(label(&arrival, value), expected, "{value}");
        }
    }

    /// A class of the usual limits has one colour, for every wet depth and largest depth of a run.
    #[test]
    fn a_colour_means_the_same_in_every_run() {
        let usual = ColourScale::depth(&DEPTHS_M, 0.05);
        assert_eq!(usual.classes.len(), 7);
        for (wet, film, count) in [(0.02, "2 – 5 cm", 8), (0.001, "1 – 50 mm", 8)] {
            let scale = ColourScale::depth(&DEPTHS_M, wet);
            assert_eq!((label(&scale, 0.02), scale.classes.len()), (film, count), "{wet}");
            assert_eq!(scale.classes[0].colour, FILM);
            assert_eq!(scale.classes[1..], usual.classes);
        }
        // The viewer, and pictures of worlds, use the same colours.
        for (class, depth_m) in usual.classes.iter().zip(DEPTHS_M) {
            assert_eq!(class.colour, depth_colour(depth_m));
        }
        // The wet depth is within a class, and beyond all.
        let scale = ColourScale::depth(&DEPTHS_M, 0.2);
        assert_eq!((label(&scale, 0.19), label(&scale, 0.2)), ("", "20 – 30 cm"));
        assert_eq!(scale.classes[0].colour, usual.classes[1].colour);
        let scale = ColourScale::depth(&DEPTHS_M, 9.0);
        assert_eq!((label(&scale, 9.0), scale.classes[0].colour), ("> 9 m", DEPTH_COLOURS[6]));
    }

    #[test]
    fn asked_classes_span_the_colours() {
        let scale = ColourScale::depth(&[0.002, 0.005, 0.01], 0.002);
        let labels: Vec<&str> = scale.classes.iter().map(|class| &*class.label).collect();
        assert_eq!(labels, ["2 – 5 mm", "5 – 10 mm", "> 1 cm"]);
        let colours: Vec<PictureColour> = scale.classes.iter().map(|class| class.colour).collect();
        assert_eq!(colours, [DEPTH_COLOURS[0], DEPTH_COLOURS[3], DEPTH_COLOURS[6]]);
        assert_eq!(spread(7), DEPTH_COLOURS);
        assert_eq!((spread(1), spread(12).len()), (vec![DEPTH_COLOURS[0]], 12));
    }

    /// Matrices of colour vision: none, weak red, weak green and weak blue receptors. Source:
    /// Machado, Oliveira & Fernandes (2009), severity 1.
    const EYES: [[[f64; 3]; 3]; 4] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ],
    ];

    fn times(matrix: &[[f64; 3]; 3], v: [f64; 3]) -> [f64; 3] {
        [0, 1, 2].map(|i| (0..3).map(|j| matrix[i][j] * v[j]).sum())
    }

    /// Returns a colour in Oklab, in which distances are as large as they look. Source: Ottosson
    /// (2020).
    fn seen(eyes: &[[f64; 3]; 3], colour: PictureColour) -> [f64; 3] {
        let linear = |part: u8| match f64::from(part) / 255.0 {
            low if low <= 0.04045 => low / 12.92,
            high => ((high + 0.055) / 1.055).powf(2.4),
        };
        let cones = times(
            &[
                [0.4122214708, 0.5363325363, 0.0514459929],
                [0.2119034982, 0.6806995451, 0.1073969566],
                [0.0883024619, 0.2817188376, 0.6299787005],
            ],
            times(eyes, colour.map(linear)),
        );
        times(
            &[
                [0.2104542553, 0.7936177850, -0.0040720468],
                [1.9779984951, -2.4285922050, 0.4505937099],
                [0.0259040371, 0.7827717662, -0.8086757660],
            ],
            cones.map(|cone| cone.max(0.0).cbrt()),
        )
    }

    fn apart(a: [f64; 3], b: [f64; 3]) -> f64 {
        (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt()
    }

    /// Goal: over a hillshade, a class is not taken for its neighbour, nor for dry ground.
    /// Method: each colour at brightnesses that a relief has, as four kinds of eyes see it.
    #[test]
    fn a_colour_is_its_own_in_sun_and_shade() {
        for (name, scale) in [
            ("depth", ColourScale::depth(&DEPTHS_M, 0.05)),
            ("speed", ColourScale::speed()),
            ("hazard", ColourScale::hazard(0.1)),
            ("arrival", ColourScale::arrival()),
        ] {
            for eyes in &EYES {
                let classes = scale.classes.iter().map(|class| (class.colour, &*class.label));
                let keys: Vec<(PictureColour, &str)> =
                    classes.chain([(BEFORE, BEFORE_LABEL)]).collect();
                let legend: Vec<[f64; 3]> =
                    keys.iter().map(|(colour, _)| seen(eyes, *colour)).collect();
                for (own, (colour, label)) in keys.iter().enumerate() {
                    for brightness in [0.5, 0.6, 0.7, 0.8, 0.9, 1.0] {
                        let drawn = seen(eyes, shaded(brightness, Some(*colour)));
                        let nearest = (0..legend.len()).min_by(|a, b| {
                            apart(drawn, legend[*a]).total_cmp(&apart(drawn, legend[*b]))
                        });
                        assert_eq!(nearest, Some(own), "{name} {label} at {brightness}");
                        let ground = seen(eyes, shaded(brightness, None));
                        let off = apart(drawn, ground);
                        assert!(off > 0.02, "{name} {label}: {off} from the ground");
                    }
                }
                let rising = &legend[..scale.classes.len()];
                let steps = rising.windows(2).map(|pair| apart(pair[0], pair[1]));
                assert!(steps.fold(1.0, f64::min) > 0.07, "{name}");
            }
        }
    }
}
