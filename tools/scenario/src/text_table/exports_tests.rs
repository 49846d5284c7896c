//! Goal: exports of agencies and programs are read as they come, with other dates, gaps and units
//! than the shared ones, and every shared one has its value.

use super::tests::{check_named, read};
use crate::quantity::{Discharge, Metres, Quantity, Rate};
use crate::series::{Series, Shape};
use std::path::PathBuf;

const CFS: f64 = 0.028_316_846_592;
const FOOT: f64 = 0.3048;

const RDB: &str = "# USGS\n#    TS   parameter     Description\n\
                   #    40346       00065     Gage height, feet\n\
                   #    40347       00045     Precipitation, total, inches\n\
                   agency_cd\tsite_no\tdatetime\ttz_cd\t40346_00065\t40346_00065_cd\t40347_00045\n\
                   5s\t15s\t20d\t6s\t14n\t10s\t14n\n\
                   USGS\t02051012\t2023-11-05 00:45\tEDT\t3.10\tP\t0.10\n\
                   USGS\t02051012\t2023-11-05 01:00\tEDT\tEqp\tP\t0.20\n\
                   USGS\t02051012\t2023-11-05 01:00\tEST\t3.30\tP\t0.00\n";

#[test]
fn usgs_exports_are_read() {
    let stages = [(0.0, 3.1 * FOOT), (4500.0, 3.3 * FOOT)];
    let note = check_named::<Metres>("a.txt", RDB, &stages);
    assert!(note.contains("`Eqp` in line 8") && note.contains("time zones"), "{note}");
    let rate = |inches: f64, s: f64| inches * 0.0254 / s;
    let rain = [(0.0, rate(0.1, 900.0)), (900.0, rate(0.2, 3600.0)), (4500.0, 0.0)];
    check_named::<Rate>("a.txt#00045", RDB, &rain);
}

#[test]
fn agencies_and_programs_are_read() {
    let hours = |factor: f64| [(0.0, factor), (3600.0, 2.0 * factor)];
    let tide = "Date Time, Water Level, Sigma, O or I (for verified), F, R, L, Quality\n\
                2023-03-01 23:00,1,0.06,0,0,0,0,v\n2023-03-02 00:00,2,0.06,0,0,0,0,v\n";
    let wrong = read::<Metres>("coops.csv", tide).expect_err("no unit").1;
    assert!(wrong.contains("coops.csv#[m]"), "{wrong}");
    check_named::<Metres>("coops.csv#[m]", tide, &hours(1.0));
    check_named::<Metres>("coops.csv#Water Level [ft]", tide, &hours(FOOT));
    let agency = |measure: &str| {
        let url = format!("http://environment.data.gov.uk/hydrology/id/measures/{measure}");
        format!(
            "measure,dateTime,date,qualifier,value\n{url},2023-03-01T23:00:00,2023-03-01,,1\n\
             {url},2023-03-02T00:00:00,2023-03-02,,2\n"
        )
    };
    check_named::<Discharge>("ea.csv", &agency("4a-flow-i-900-m3s-qualified"), &hours(1.0));
    check_named::<Metres>("ea.csv", &agency("4a-level-i-900-m-qualified"), &hours(1.0));
    check_named::<Metres>("ea.csv", &agency("4a-level-stage-i-15_min-mASD"), &hours(1.0));
    let wrong = read::<Discharge>("ea.csv", &agency("4a-level-stage-i-15_min-mASD"));
    assert!(wrong.is_err_and(|(_, wrong)| wrong.contains("[m]")));
    let pegel = "timestamp;W [cm]\n2023-03-26T01:00:00+01:00;100\n2023-03-26T03:00:00+02:00;200\n";
    check_named::<Metres>("pegel.csv", pegel, &hours(1.0));
    let dss = "Date,Time,FLOW\n,,CFS\n01Mar2023,2300,1\n01Mar2023,2400,2\n";
    check_named::<Discharge>("dss.csv", dss, &hours(CFS));
    let dss = "Date,FLOW [cfs]\n28Feb2023 2300,1,\n28Feb2023 2400,2,\n";
    check_named::<Discharge>("dss.csv", dss, &hours(CFS));
    let american = "Time [h],Flow [cfs],Remark\n0,\"1,000\",\"up, down\"\n1,\"2,000\",\n";
    let note = check_named::<Discharge>("us.csv", american, &hours(1000.0 * CFS));
    assert!(note.contains("thousands"), "{note}");
    let german =
        "Zeit;Abfluss [m\u{b3}/s];Bemerkung\n01.03.2023 23:00;1.000,0;a\n02.03.2023;2.000,0;\n";
    check_named::<Discharge>("de.csv", german, &hours(1000.0));
}

#[test]
fn files_of_models_are_read() {
    let boundary = "LISFLOOD\nnorth\n2 hours\n1 0\n2 1\nsouth\n2 seconds\n0.1 0\n0.2 3600\n";
    let points = [(0.0, 10.0), (3600.0, 20.0)];
    check_named::<Discharge>("a.bdy#north#width=10m", boundary, &points);
    check_named::<Discharge>("a.bdy#south#width=100m", boundary, &points);
    check_named::<Discharge>("a.bdy#south [m3/s]", boundary, &[(0.0, 0.1), (3600.0, 0.2)]);
    check_named::<Metres>("a.bdy#south", boundary, &[(0.0, 0.1), (3600.0, 0.2)]);
    let millimetres = [(0.0, 1e-3 / 3600.0), (3600.0, 2e-3 / 3600.0)];
    let note = check_named::<Rate>("a.bdy#north [mm/h]", boundary, &millimetres);
    assert!(note.contains("[mm/h], then time [hours]"), "{note}");
    let wrong = read::<Rate>("a.bdy#north", boundary).expect_err("no unit of rain").1;
    assert!(wrong.contains("a.bdy#[mm/h]"), "{wrong}");
    let sources = "0.0 5.0 7.0\n3600.0 6.0 8.0\n";
    check_named::<Discharge>("a.dis#2", sources, &[(0.0, 5.0), (3600.0, 6.0)]);
    check_named::<Discharge>("a.dis#3", sources, &[(0.0, 7.0), (3600.0, 8.0)]);
    let note = check_named::<Metres>("a.bzs", "0 1.5\n600 -2\n", &[(0.0, 1.5), (600.0, -2.0)]);
    assert!(note.contains("[s] and [m]"), "{note}");
    for (typed, text, what) in [
        ("a.bdy", boundary, "a.bdy#north, a.bdy#south"),
        ("a.bdy#west", boundary, "no series `west`"),
        ("a.bdy#south", boundary, "#width=10m"),
        ("a.bdy", "LISFLOOD\nnorth\n3 hours\n1 0\n2 1\n", "3 rows"),
        ("a.dis", sources, "a.dis#2, a.dis#3"),
        ("a.dis#4", sources, "no column `4`"),
    ] {
        let wrong = read::<Discharge>(typed, text).expect_err(typed).1;
        assert!(wrong.contains(what), "{typed}: {wrong}");
    }
}

/// Reads a shared table and compares rows, and words of its notes.
#[track_caller]
fn check_shared<Q: Quantity>(name: &str, expected: &[(f64, f64)], words: &str) {
    let Some(folder) = testkit::data("awkward") else { return };
    let typed: PathBuf = folder.join("tables").join(name);
    let shape = if Q::COLUMN.0 == "rain" { Shape::Steps } else { Shape::Lines };
    let series = Series::read::<Q>(&typed, "table", shape).expect(name);
    let is_close = series.points.len() == expected.len()
        && series
            .points
            .iter()
            .zip(expected)
            .all(|(a, b)| (a.0 - b.0).abs() < 1e-6 && (a.1 - b.1).abs() <= 1e-12 * b.1.abs());
    assert!(is_close, "{name}: {:?}, expected {expected:?}", series.points);
    let notes = series.notes.join("; ");
    assert!(notes.contains(words), "{name}: {notes}");
}

/// Goal: every awkward table has the value that a person reads in it.
#[test]
fn the_shared_tables_have_their_values() {
    let rate = 5e-3 / 600.0;
    let falling: Vec<(f64, f64)> =
        (0..7_u32).map(|row| (f64::from(row) * 600.0, if row < 6 { rate } else { 0.0 })).collect();
    check_shared::<Rate>("cumulative.csv", &falling, "adds up");
    let at = |step: f64, values: &[f64]| {
        let mut time = -step;
        values
            .iter()
            .map(|value| {
                time += step;
                (time, *value)
            })
            .collect::<Vec<_>>()
    };
    for (name, points, words) in [
        ("thousands.csv", at(3600.0, &[1200.0 * CFS, 1350.0 * CFS]), "1200"),
        ("x_excel_us.csv", at(3600.0, &[1200.0 * CFS, 1350.0 * CFS]), "1200"),
        ("quoted.csv", at(3600.0, &[5.0, 7.0]), ""),
        ("z_quoted_dec2.csv", at(3600.0, &[5.12, 60.03, 7.5]), "decimal commas"),
        ("us_dates.csv", at(900.0, &[120.0 * CFS, 130.0 * CFS]), "month first"),
        ("excel.csv", at(43_200.0, &[5.0, 50.0, 5.0]), "1899-12-30"),
        ("hec.csv", at(3600.0, &[120.0 * CFS, 130.0 * CFS]), ""),
        ("midnight.csv", at(900.0, &[120.0, 125.0, 130.0]), ""),
        ("h24.csv", at(3600.0, &[120.0, 125.0, 130.0]), ""),
        ("dst_fall.csv", at(900.0, &[120.0, 121.0, 125.0, 130.0]), "repeats an hour"),
        ("x_iso_ms.csv", at(3600.0, &[5.0, 7.0]), ""),
        ("x_slash_iso.csv", at(3600.0, &[5.0, 7.0]), ""),
        ("utf16.csv", at(3600.0, &[5.0, 7.0]), ""),
        ("x_tab_comma.tsv", at(3600.0, &[5.12, 6.03, 7.5]), "decimal commas"),
        ("usgs.rdb.txt", at(900.0, &[864.0 * CFS, 870.0 * CFS]), "`Ice` in line 9"),
        ("ea.csv", at(900.0, &[12.3, 13.1]), ""),
        ("bdy.bdy#width=10m", at(3600.0, &[5.0, 10.0, 5.0]), "LISFLOOD"),
        ("sfincs.dis#3", at(3600.0, &[7.0, 8.0]), "[m3/s]"),
    ] {
        check_shared::<Discharge>(name, &points, words);
    }
    let points = [(0.0, 120.0 * CFS), (900.0, 130.0 * CFS), (47_700.0, 130.0 * CFS)];
    check_shared::<Discharge>("us_ampm.csv", &points, "");
    let points = [(0.0, 2.0), (7200.0, 2.0), (10_800.0, 0.0)];
    check_shared::<Discharge>("y_q_99999.csv", &points, "`99999` in line 3 is a gap");
    let points = [(0.0, 12.0), (7200.0, 12.0)];
    check_shared::<Metres>("y_stage_9999.csv", &points, "`999.9` in line 3 is a gap");
    check_shared::<Metres>("coops.csv#[m]", &[(0.0, 1.765), (720.0, 1.805)], "Water Level");
    check_shared::<Metres>("pegel.csv", &at(900.0, &[5.12, 5.14, 5.15]), "");
}
