//! Datum and vertical unit: the range of heights that the beds and the given water need.
//!
//! Guarantees: every stage and every initial depth that was given fits the scale, or is refused.

use kit::error::UserError;
use kit::words::short;
use thalweg::units::VerticalScale;

use crate::plan::{HEADROOM_DEFAULT_M, InitialPlan, Plan};
use crate::survey::Survey;

/// Names and elevations, m.
type NamedStage = (String, f64);

/// Returns the finest scale that fits beds, headroom and the given stages, or the requested scale.
///
/// # Errors
///
/// If no scale fits them, or if the requested one does not.
pub fn scale(plan: &Plan, survey: &Survey) -> Result<VerticalScale, UserError> {
    let numbers = &plan.numbers;
    let Survey { low_m, high_m, .. } = *survey;
    let stages = stages(plan, survey);
    let datum = numbers.datum_m.unwrap_or_else(|| f64::midpoint(low_m, high_m).round());
    let headroom = numbers.headroom_m.unwrap_or(HEADROOM_DEFAULT_M);
    let above = |top: f64| top - datum + headroom;
    let mut reach = above(high_m).max(datum - low_m) + 1.0;
    let is_asked =
        numbers.datum_m.is_some() || numbers.exponent.is_some() || numbers.headroom_m.is_some();
    let Some(exponent) = exponent(reach, numbers.exponent) else {
        let mend = match is_asked {
            true => {
                "choose a smaller --exponent (18 holds 4096 m), another --datum or less \
                     --headroom"
            }
            false => {
                "a world spans 8192 m: simulate a part of the map with --area W,S,E,N (area under \
                     [map]), or correct heights that are wrong (--nodata, --height-unit)"
            }
        };
        return Err(UserError::new(
            format!(
                "beds from {} to {} m with {} m of headroom reach {} m from {} m",
                metres(low_m),
                metres(high_m),
                metres(headroom),
                metres(reach),
                metres(datum)
            ),
            mend,
        ));
    };
    if is_asked {
        let scale = VerticalScale::try_new(exponent, datum).map_err(refused)?;
        return check(scale, &stages, high_m, numbers.exponent).map(|()| scale);
    }
    for (name, stage) in &stages {
        reach = reach.max(above(*stage).max(datum - stage) + 1.0);
        if self::exponent(reach, None).is_none() {
            return Err(UserError::new(
                format!("{name} is {} m over beds {}", metres(*stage), range(low_m, high_m)),
                "a world holds 8192 m: correct it",
            ));
        }
    }
    let exponent = self::exponent(reach, None).unwrap_or(exponent);
    VerticalScale::try_new(exponent, datum).map_err(refused)
}

fn refused(error: impl std::fmt::Display) -> UserError {
    UserError::from_sentence(error.to_string())
}

/// Returns the finest exponent, or the requested one, with which heights `reach` m from the datum
/// fit.
fn exponent(reach: f64, asked: Option<u8>) -> Option<u8> {
    let fits = |k: &u8| reach <= f64::from(1_u32 << (30 - k));
    match asked {
        Some(k) => Some(k).filter(fits),
        None => (18..=24).rev().find(fits),
    }
}

/// Returns every elevation of water and of structures that the plan names.
fn stages(plan: &Plan, survey: &Survey) -> Vec<NamedStage> {
    let mut stages = Vec::new();
    let mut add = |name: &str, values: &[f64]| {
        stages.extend(values.iter().map(|value| (name.to_owned(), *value)));
    };
    match &plan.initial {
        InitialPlan::Dry => {}
        InitialPlan::Stage(stage) => add("the initial stage", &[*stage]),
        InitialPlan::Depth(depth) => add("the initial water", &[survey.high_m + depth]),
        InitialPlan::StageField(field) => {
            if let Some((low, high)) = field.range() {
                add("the initial stage", &[low.into(), high.into()]);
            }
        }
        InitialPlan::DepthField(field) => {
            if let Some((_, high)) = field.range() {
                add("the initial water", &[survey.high_m + f64::from(high)]);
            }
        }
    }
    for edge in &plan.edges {
        if let Some(series) = edge.stage() {
            let values: Vec<f64> = series.points.iter().map(|(_, stage)| *stage).collect();
            add(&format!("the stage of `{}`", edge.name), &values);
        }
    }
    for barrier in &plan.barriers {
        add(&format!("the crest of barrier `{}`", barrier.name()), &barrier.asked.crest_m);
    }
    for link in &plan.links {
        for (key, elevation) in link.elevations_m() {
            add(&format!("`{key}` of {} `{}`", link.kind(), link.name()), &[elevation]);
        }
    }
    for rock in &plan.rocks {
        for (key, elevation) in rock.elevations_m() {
            add(&format!("`{key}` of {} `{}`", rock.kind(), rock.name), &[elevation]);
        }
    }
    stages
}

/// Refuses the first stage that is outside a requested scale.
fn check(
    scale: VerticalScale,
    stages: &[NamedStage],
    high_m: f64,
    asked: Option<u8>,
) -> Result<(), UserError> {
    let (datum, ceiling) = (scale.datum_m(), f64::from(1_u32 << (30 - scale.exponent())));
    let Some((name, stage)) = stages.iter().find(|(_, stage)| (stage - datum).abs() >= ceiling)
    else {
        return Ok(());
    };
    let need = ((stage - datum).abs() - (high_m - datum)).ceil().max(0.0);
    Err(UserError::new(
        format!(
            "{name} is {} m, heights are held {}",
            metres(*stage),
            range(datum - ceiling, datum + ceiling)
        ),
        match exponent((stage - datum).abs() + 1.0, asked) {
            Some(_) => format!("ask for --headroom {need}, or leave --headroom and --datum out"),
            None => "correct it, or leave --exponent, --datum and --headroom out".to_owned(),
        },
    ))
}

fn range(low_m: f64, high_m: f64) -> String {
    format!("from {} to {} m", metres(low_m), metres(high_m))
}

/// Formats a length to the centimetre.
fn metres(value: f64) -> String {
    short((value * 100.0).round() / 100.0)
}
