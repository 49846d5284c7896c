//! Goal: exports of agencies and programs are read as they come, with other dates, gaps and units
//! than the shared ones, and every shared one has its value.

use super::tests::{check_named, read};
use crate::quantity::{Discharge, Metres, Quantity, Rate};
use crate::series::{Series, SeriesShape};
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
    assert!(wrong.contains("coops.csv#[unit]"), "{wrong}");
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
    let pegel = "timestamp;W [cm]\n2023-03-26T01:00:00+01:00;100\n2023-03-26T03:00:00+02:00;200\n";
    check_named::<Metres>("pegel.csv", pegel, &hours(1.0));
    let dss = "Date,Time,FLOW\n,,CFS\n01Mar2023,2300,1\n01Mar2023,2400,2\n";
    check_named::<Discharge>("dss.csv", dss, &hours(CFS));
    let dss = "Date,FLOW [cfs]\n28Feb2023 2300,1,\n28Feb2023 2400,2,\n";
    check_named::<Discharge>("dss.csv", dss, &hours(CFS));
    let dss = "Date,Time,FLOW\n,,CFS\n01Mar2023,2300,1\n01Mar2023,2330,-901.0\n01Mar2023,2400,2\n";
    let note = check_named::<Discharge>("dss.csv", dss, &hours(CFS));
    assert!(note.contains("`-901.0` in line 4 is a gap"), "{note}");
    let american = "Time [h],Flow [cfs],Remark\n0,\"1,000\",\"up, down\"\n1,\"2,000\",\n";
    let note = check_named::<Discharge>("us.csv", american, &hours(1000.0 * CFS));
    assert!(note.contains("thousands"), "{note}");
    let german =
        "Zeit;Abfluss [m\u{b3}/s];Bemerkung\n01.03.2023 23:00;1.000,0;a\n02.03.2023;2.000,0;\n";
    check_named::<Discharge>("de.csv", german, &hours(1000.0));
}

/// Goal: four digits without a name beside a date are its time of day; before, a day's value was a
/// day early. Numbers that have a name, or that are no times of day, are not.
#[test]
fn times_of_day_of_four_digits_need_no_name() {
    let days = [(0.0, 100.0 * CFS), (86_400.0, 110.0 * CFS)];
    let rows = "1,01 Jan 1990,2400,100\n2,02 Jan 1990,2400,110\n";
    for heading in [
        "A,,,RIVER\nC,,,FLOW\nUnits,,,CFS\nType,,,PER-AVER\n",
        "A,RIVER\nC,FLOW\nUnits,CFS\nType,INST-VAL\n",
        "No,Date,,Flow [cfs]\n",
        "No,Date,HHMM,Flow [cfs]\n",
    ] {
        let text = format!("{heading}{rows}");
        check_named::<Discharge>("dss.csv", &text, &days);
        let begin = read::<Discharge>("dss.csv", &text).expect("sound").begin.expect("dates");
        assert!(begin.to_string().starts_with("1990-01-02 00:00"), "{begin}");
    }
    let half_hour = [(0.0, 1.0), (1800.0, 2.0)];
    for text in [
        "01 Jan 1990,0130,1m3/s\n01 Jan 1990,0200,2m3/s\n",
        "Date,,q [m3/s],T [C]\n1990-01-01,1030,1,5\n1990-01-01,1100,2,6\n",
    ] {
        check_named::<Discharge>("t.csv", text, &half_hour);
    }
    let day = [(0.0, 1.0), (86_400.0, 2.0)];
    for (text, is_noted) in [
        ("Date,,q [m3/s]\n1990-01-01,1030,1\n1990-01-02,1061,2\n", true),
        ("Date,Code,q [m3/s]\n1990-01-01,1030,1\n1990-01-02,1100,2\n", false),
        ("Date,,q [m3/s]\n1990-01-01,A,1\n1990-01-02,B,2\n", false),
    ] {
        let note = check_named::<Discharge>("t.csv", text, &day);
        assert_eq!(note.contains("column 2 beside its dates has no name"), is_noted, "{note}");
    }
    let text = "1990-01-01,1030,5\n1990-01-02,1100,6\n";
    let wrong = read::<Discharge>("t.csv#[m3/s]", text).expect_err("undecided").1;
    assert!(wrong.contains("2 columns of values and no heading"), "{wrong}");
}

/// Goal: the measure's own unit counts; before, l/s and Ml/d were m³/s, and mBDAT was m, upwards.
#[test]
fn measures_of_the_environment_agency_have_their_unit() {
    let table = |measure: &str| {
        let url = format!("http://environment.data.gov.uk/flood-monitoring/id/measures/{measure}");
        format!(
            "measure,dateTime,value\n{url},2023-03-01T23:00:00Z,50\n\
             {url},2023-03-02T00:00:00Z,100\n"
        )
    };
    let points = |factor: f64| [(0.0, 50.0 * factor), (3600.0, 100.0 * factor)];
    for (unit, factor) in
        [("m3_s", 1.0), ("l_s", 1e-3), ("Ml_d", 1e3 / 86_400.0), ("m3s-qualified", 1.0)]
    {
        let text = table(&format!("0130TH-flow--i-15_min-{unit}"));
        let note = check_named::<Discharge>("ea.csv", &text, &points(factor));
        assert!(note.contains("its values count as ["), "{note}");
    }
    for unit in ["m", "mASD", "mAOD", "m-logged"] {
        let text = table(&format!("0130TH-level-stage-i-15_min-{unit}"));
        check_named::<Metres>("ea.csv", &text, &points(1.0));
    }
    let depths = table("0130TH-level-groundwater-i-1_h-mBDAT");
    for typed in ["ea.csv", "ea.csv#value"] {
        let wrong = read::<Metres>(typed, &depths).expect_err("positive down").1;
        assert!(wrong.contains("below a datum") && wrong.contains("minus these"), "{wrong}");
    }
    for (measure, unit) in
        [("x-flow--i-15_min-furlong_s", "[furlong/s]"), ("x-level-i-mASD", "[mASD]")]
    {
        let wrong = read::<Discharge>("ea.csv", &table(measure)).expect_err(measure).1;
        assert!(wrong.contains(unit) && wrong.contains("write one of m3/s"), "{wrong}");
    }
}

/// Goal: depths of periods that end at their time are not a step late.
#[test]
fn times_that_end_periods_begin_them_a_step_earlier() {
    let rate = |mm: f64| mm * 1e-3 / 3600.0;
    let points = [(0.0, rate(1.0)), (3600.0, rate(3.0)), (7200.0, rate(2.0)), (10_800.0, 0.0)];
    let rows = "05Jan2024 0100,1\n05Jan2024 0200,3\n05Jan2024 0300,2\n";
    let plain = format!("Date,Rain [mm]\n{rows}");
    let begin = |typed: &str, text: &str| {
        read::<Rate>(typed, text).expect(text).begin.expect("dates").to_string()
    };
    check_named::<Rate>("p.csv", &plain, &points);
    assert!(begin("p.csv", &plain).starts_with("2024-01-05 01:00"));
    check_named::<Rate>("p.csv#ends", &plain, &points);
    assert!(begin("p.csv#ends", &plain).starts_with("2024-01-05 00:00"));
    for head in [
        "Date,PRECIP-INC\n,mm\n,PER-CUM\n",
        "B,PLACE\nC,PRECIP-INC\nUnits,mm\nType,PER-CUM\n",
        "# PRECIP-INC, type PER-CUM\nDate,Rain [mm]\n",
    ] {
        let text = format!("{head}{rows}");
        let note = check_named::<Rate>("p.csv", &text, &points);
        assert!(note.contains("its type is PER-CUM: each value counts until"), "{note}");
        assert!(begin("p.csv", &text).starts_with("2024-01-05 00:00"), "{head}");
    }
    // Rising depths of periods are no sums, and sums of instants are.
    let rising = "Date,Rain\n,mm\n,TYPE\n05Jan2024 0100,1\n05Jan2024 0200,3\n05Jan2024 0300,6\n";
    check_named::<Rate>(
        "p.csv",
        &rising.replace("TYPE", "PER-CUM"),
        &[(0.0, rate(1.0)), (3600.0, rate(3.0)), (7200.0, rate(6.0)), (10_800.0, 0.0)],
    );
    check_named::<Rate>(
        "p.csv",
        &rising.replace("TYPE", "INST-CUM"),
        &[(0.0, rate(2.0)), (3600.0, rate(3.0)), (7200.0, 0.0)],
    );
    // Times without dates count from the start.
    let hours = "t [h],rain [mm]\n1,1\n2,3\n3,2\n";
    check_named::<Rate>("p.csv#ends", hours, &points);
    let note = check_named::<Rate>("p.csv#ends", &hours.replace("[mm]\n", "[mm]\n0,9\n"), &points);
    assert!(note.contains("ends at the start and does not count"), "{note}");
    let rates = "t [h],rain [mm/h]\n1,1\n2,3\n3,2\n";
    check_named::<Rate>("p.csv#ends", rates, &points);
    for (typed, text, what) in [
        ("p.csv#ends", "t [h],rain [mm]\n1,1\n", "no period"),
        ("p.csv#ends#cumulative", hours, "#ends is for the depths of steps"),
    ] {
        let wrong = read::<Rate>(typed, text).expect_err(typed).1;
        assert!(wrong.contains(what), "{wrong}");
    }
    let flow = read::<Discharge>("p.csv#ends", "t [h],q [m3/s]\n0,1\n1,2\n").expect_err("no rain");
    assert!(flow.1.contains("#ends is for rain"), "{}", flow.1);
}

/// Goal: midnight, 24:00, an hour that repeats, milliseconds and numbers for missing values are
/// read in every checkout, also without the shared tables.
#[test]
fn awkward_times_and_gaps_are_read() {
    let flow = |rows: &str| format!("Time,Flow [m3/s]\n{rows}");
    let points = |step: f64, values: &[f64]| {
        let times = (0_u32..).map(|row| f64::from(row) * step);
        times.zip(values.iter().copied()).collect::<Vec<_>>()
    };
    for (rows, step, values, words) in [
        (
            "2024-01-05 23:45,120\n2024-01-06,125\n2024-01-06 00:15,130\n",
            900.0,
            &[120.0, 125.0, 130.0][..],
            "",
        ),
        (
            "2024-01-05 23:00,120\n2024-01-05 24:00,125\n2024-01-06 01:00,130\n",
            3600.0,
            &[120.0, 125.0, 130.0],
            "",
        ),
        (
            "2024-11-03 01:30,120\n2024-11-03 01:45,121\n2024-11-03 01:00,125\n\
             2024-11-03 01:15,130\n",
            900.0,
            &[120.0, 121.0, 125.0, 130.0],
            "line 4 repeats an hour",
        ),
        ("2024-01-05T00:00:00.000Z,5\n2024-01-05T01:00:00.000Z,7\n", 3600.0, &[5.0, 7.0], ""),
    ] {
        let note = check_named::<Discharge>("t.csv", &flow(rows), &points(step, values));
        assert!(note.contains(words), "{rows}: {note}");
    }
    let text = "time [h],q [m3/s]\n0,2\n1,99999\n2,2\n3,0\n";
    let gap = [(0.0, 2.0), (7200.0, 2.0), (10_800.0, 0.0)];
    let note = check_named::<Discharge>("q.csv", text, &gap);
    assert!(note.contains("`99999` in line 3 is a gap"), "{note}");
    let text = "time [h],stage [m]\n0,12\n1,999.9\n2,12\n";
    let note = check_named::<Metres>("w.csv", text, &[(0.0, 12.0), (7200.0, 12.0)]);
    assert!(note.contains("`999.9` in line 3 is a gap"), "{note}");
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
    let shape = if Q::COLUMN.0 == "rain" { SeriesShape::Steps } else { SeriesShape::Lines };
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
