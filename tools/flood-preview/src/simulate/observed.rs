//! Observed series beside the simulated ones.

use scenario::plan::Plan;

use super::gauge::GaugeRecorder;
use crate::outcome::{Fit, GaugeRecord, Observed, ObservedQuantity, SectionRecord};

/// Gives gauges and sections, in the order of the plan, their observed series. Returns the gauges,
/// and notes on series that cannot be of the same quantity, or of the same direction.
pub(super) fn beside(
    plan: &Plan,
    recorders: Vec<GaugeRecorder>,
    sections: &mut [SectionRecord],
) -> (Vec<GaugeRecord>, Vec<String>) {
    let mut gauges: Vec<GaugeRecord> = recorders.into_iter().map(GaugeRecorder::finish).collect();
    for (own, planned) in gauges.iter_mut().zip(&plan.gauges) {
        own.observed.clone_from(&planned.observed);
    }
    for (own, planned) in sections.iter_mut().zip(&plan.sections) {
        own.observed.clone_from(&planned.observed);
    }
    let of_gauges = gauges.iter().filter_map(below_the_bed);
    let notes = of_gauges.chain(sections.iter().filter_map(the_other_way)).collect();
    (gauges, notes)
}

/// Returns a note if all levels of a gauge are below its bed.
fn below_the_bed(gauge: &GaugeRecord) -> Option<String> {
    let Observed { measured: ObservedQuantity::Stage, path, points } = gauge.observed.as_ref()?
    else {
        return None;
    };
    let most = points.iter().fold(f64::NEG_INFINITY, |most, (_, level)| most.max(*level));
    (most < f64::from(gauge.bed_m)).then(|| {
        format!(
            "all observed levels of gauge `{}` lie below its bed, {:.2} m, the highest at \
             {most:.2} m: add the height of the gauge's zero above the map's datum to {}, or, if \
             its values are depths, write depth: before its name",
            gauge.name,
            gauge.bed_m,
            path.display()
        )
    })
}

/// Returns a note if the simulated discharges of a section have the sign opposite to the observed
/// ones.
fn the_other_way(section: &SectionRecord) -> Option<String> {
    let Fit { observed_peak: (_, observed), simulated_peak: (_, simulated), .. } = section.fit()?;
    (observed * simulated < 0.0).then(|| {
        format!(
            "the observed discharges of section `{}` have the opposite sign of the simulated ones, \
             {observed:.2} m³/s and {simulated:.2} m³/s at the peak: a discharge is positive to \
             the right of the line, so turn the line round if that is not meant",
            section.name
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_of_another_datum_and_turned_lines_are_noted() {
        let observed = |measured, points: Vec<(f64, f64)>| {
            Some(Observed { measured, path: "m.csv".into(), points })
        };
        let gauge = |measured| GaugeRecord {
            bed_m: 300.0,
            observed: observed(measured, vec![(0.0, 1.5), (60.0, 2.5)]),
            ..GaugeRecord::default()
        };
        let note = below_the_bed(&gauge(ObservedQuantity::Stage)).expect("a note");
        assert!(note.contains("300.00 m, the highest at 2.50 m: add"), "{note}");
        assert_eq!(below_the_bed(&gauge(ObservedQuantity::Depth)), None);
        for (reading, is_noted) in [(2.0, true), (-2.0, false)] {
            let points = vec![(10.0, reading)];
            let mut section = SectionRecord {
                observed: observed(ObservedQuantity::Discharge, points),
                ..SectionRecord::default()
            };
            section.note(0.0, 0.0, None);
            section.note(10.0, -30.0, None);
            assert_eq!(the_other_way(&section).is_some(), is_noted, "{reading}");
        }
    }
}
