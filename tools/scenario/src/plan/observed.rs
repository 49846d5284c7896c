//! Observed series of gauges and sections, at the times of the run.

use kit::error::UserError;

use super::{GaugePlan, SectionPlan};
use crate::file::Scenario;
use crate::observed::{Observed, ObservedFile, ObservedRecord, Station};
use crate::series::Begin;

/// Adds to gauges and sections, in the order of the scenario, their observed series. Dates count
/// from `start`; if no table of water has dates, they count from the first date of the observed
/// series, which is noted. A note on a table of several places appears once.
///
/// # Errors
///
/// If a table cannot be read, does not state its quantity, or has no reading within the run.
pub(super) fn put(
    (gauges, sections): (&mut [GaugePlan], &mut [SectionPlan]),
    scenario: &Scenario,
    (start, duration_s): (Option<Begin>, f64),
    notes: &mut Vec<String>,
) -> Result<(), UserError> {
    let of_gauges = scenario.gauge.iter().map(|gauge| &gauge.observed);
    let of_sections = scenario.section.iter().map(|section| &section.observed);
    let to_gauges = gauges.iter_mut().map(|own| (Station::Gauge, &*own.name, &mut own.observed));
    let to_sections =
        sections.iter_mut().map(|own| (Station::Section, &*own.asked.name, &mut own.observed));
    let files = of_gauges.chain(of_sections);
    let asked = files.zip(to_gauges.chain(to_sections));
    let mut read: Vec<(ObservedRecord, &mut Option<Observed>)> = Vec::new();
    for (file, (station, name, place)) in asked {
        let record = |file: &ObservedFile| ObservedRecord::read(station, name, file);
        read.extend(file.as_ref().map(record).transpose()?.map(|record| (record, place)));
    }
    let begins = || read.iter().filter_map(|(record, _)| record.begin());
    let first = || begins().min_by(|a, b| a.1.seconds.total_cmp(&b.1.seconds));
    let mut own = Vec::new();
    let start = start.or_else(|| {
        let (path, begin) = first()?;
        own.push(format!(
            "{}: its first date, {begin}, is taken as the start of the run, as no table of rain, \
             inflow or stage has dates",
            path.display()
        ));
        Some((path, begin))
    });
    for (record, place) in read {
        *place = Some(record.within((start.as_ref(), duration_s), &mut own)?);
    }
    for note in own {
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::plan::Plan;

    /// Goal: dates of observed series count from the first date of the water, before which readings
    /// are left out; without such dates from their own.
    #[test]
    fn dates_count_from_the_first_of_the_water() {
        let rows = "7 7 7 7 7 7\n".repeat(6);
        let head = "ncols 6\nnrows 6\nxllcorner 0\nyllcorner 0\ncellsize 5\n";
        let observed = "time,level [m]\n2004-08-16 11:00,7.5\n2004-08-16 13:00,8\n\
                        2004-08-16 14:00,7.2\n";
        let folder = testkit::folder(&[
            ("a.asc", format!("{head}{rows}")),
            ("o.csv", observed.to_owned()),
            ("p.csv", "time,depth [cm]\n2004-08-16 12:30,50\n".to_owned()),
            ("r.csv", "2004-08-16 12:00,9mm/h\n2004-08-16 13:30,0mm/h\n".to_owned()),
        ]);
        let plan = |rain: &str| {
            let gauges = "[[gauge]]\nname = \"a\"\nat = [12, 12]\nobserved = \"o.csv\"\n\
                          [[gauge]]\nname = \"b\"\nat = [2, 2]\nobserved = \"p.csv\"\n";
            let text =
                format!("[map]\nfile = \"a.asc\"\n{rain}\n[run]\nfor = \"100min\"\n{gauges}");
            std::fs::write(folder.path().join("s.toml"), text).expect("writable");
            let scenario = crate::text::read(&folder.path().join("s.toml")).expect("sound");
            Plan::resolve(&scenario).expect("sound")
        };
        let points = |plan: &Plan, gauge: usize| {
            plan.gauges[gauge].observed.as_ref().expect("a series").points.clone()
        };
        let of_rain = plan("[[rain]]\nrate = \"r.csv\"");
        assert_eq!(points(&of_rain, 0), [(3600.0, 8.0)]);
        assert_eq!(points(&of_rain, 1), [(1800.0, 0.5)]);
        let note = of_rain.notes.iter().find(|note| note.contains("o.csv begins 1 h earlier than"));
        assert!(note.is_some_and(|note| note.contains("r.csv")), "{:?}", of_rain.notes);
        let taken =
            |plan: &Plan| plan.notes.iter().filter(|note| note.contains("is taken")).count();
        assert_eq!(taken(&of_rain), 0, "{:?}", of_rain.notes);
        let alone = plan("");
        let note = alone.notes.iter().find(|note| note.contains("is taken")).expect("a note");
        let words = "o.csv: its first date, 2004-08-16 11:00:00, is taken as the start of the run";
        assert!(note.contains(words), "{note}");
        assert_eq!(points(&alone, 0), [(0.0, 7.5)]);
        assert_eq!(points(&alone, 1), [(5400.0, 0.5)]);
    }
}
