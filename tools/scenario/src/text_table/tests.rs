//! Goal: tables over time give the values that a person reads in them, or one line that mends them.

use std::path::Path;

use super::name::TableName;
use super::record::Mistake;
use super::rows::{Gaps, TableRows, parse};
use crate::quantity::{Discharge, Metres, Quantity, Rate};

const CFS: f64 = 0.028_316_846_592;

pub(super) fn read<Q: Quantity>(typed: &str, text: &str) -> Result<TableRows, Mistake> {
    let name = TableName::try_new(Path::new(typed)).map_err(|what| (None, what))?;
    let gaps = if Q::COLUMN.0 == "rain" { Gaps::Zero } else { Gaps::Joined };
    parse::<Q>(text, &name, gaps)
}

#[track_caller]
pub(super) fn check_named<Q: Quantity>(typed: &str, text: &str, expected: &[(f64, f64)]) -> String {
    let rows = read::<Q>(typed, text).unwrap_or_else(|wrong| panic!("{text}: {wrong:?}"));
    let got = rows.points;
    let is_close = got.len() == expected.len()
        && got
            .iter()
            .zip(expected)
            .all(|(a, b)| (a.0 - b.0).abs() < 1e-6 && (a.1 - b.1).abs() <= 1e-12 * b.1.abs());
    assert!(is_close, "{text}: {got:?}, expected {expected:?}");
    rows.notes.join("; ")
}

#[track_caller]
fn check<Q: Quantity>(text: &str, expected: &[(f64, f64)]) {
    check_named::<Q>("t.csv", text, expected);
}

#[test]
fn tables_read_in_their_units() {
    check::<Discharge>("time [s], q [m3/s]\n0,0\n600,300\n", &[(0.0, 0.0), (600.0, 300.0)]);
    check::<Discharge>("time [h], q [l/s]\n0, 0\n1, 500", &[(0.0, 0.0), (3600.0, 0.5)]);
    check::<Rate>("# storm\nt_s\tr_mm_h\n0\t36\n\n45\t0", &[(0.0, 1e-5), (45.0, 0.0)]);
    check::<Metres>("time(s)\twater surface(m)\r\n0\t-1e-5\r\n", &[(0.0, -1e-5)]);
    check::<Metres>("time_s stage_ft\n0 0\n60 10", &[(0.0, 0.0), (60.0, 3.048)]);
    check::<Rate>("0min; 36mm/h\n30min; 0", &[(0.0, 1e-5), (1800.0, 0.0)]);
    check::<Metres>("0,1m,further,columns\n", &[(0.0, 1.0)]);
    check::<Discharge>("time [hours], flow [cumecs]\n0,0\n1,2\n", &[(0.0, 0.0), (3600.0, 2.0)]);
    check::<Discharge>(
        "Flow, cubic feet per second;t [min]\n10;1\n20;2\n",
        &[(60.0, 10.0 * CFS), (120.0, 20.0 * CFS)],
    );
}

/// Goal: a column of times may be called by its unit, and an amount per hour is never the time.
#[test]
fn times_are_called_by_their_unit() {
    let mm_h = 1.0e-3 / 3600.0;
    for text in [
        "Minuten;Intensitaet mm pro Stunde\n0;36\n30;0\n",
        "minute,intensity_mm_per_h\n0,36\n30,0\n",
        "minutes,rain_mm_h\n0,36\n30,0\n",
        "rain_mm_h,minutes\n36,0\n0,30\n",
        "min,mm/h\n0,36\n30,0\n",
    ] {
        check::<Rate>(text, &[(0.0, 36.0 * mm_h), (1800.0, 0.0)]);
    }
    check::<Rate>("hour,precip_in_per_hr\n0,1\n1,0\n", &[(0.0, 25.4 * mm_h), (3600.0, 0.0)]);
    for text in [
        "hour,q_m3_per_s\n0,2\n1,0\n",
        "Hour,Flow (m3/s)\n0,2\n1,0\n",
        "Stunden;Abfluss m³/s\n0;2\n1;0\n",
        "Flow (m3/s);Stunden\n2;0\n0;1\n",
        "Stunden;m3/s\n0;2\n1;0\n",
        "time_in_h,q [m3/s]\n0,2\n1,0\n",
    ] {
        check::<Discharge>(text, &[(0.0, 2.0), (3600.0, 0.0)]);
    }
    // A column called `min` or `Min` may be the least of something.
    check_named::<Discharge>(
        "t.csv#Max",
        "Min (m3/s),Max (m3/s),Time [h]\n1,2,0\n0,1,1\n",
        &[(0.0, 2.0), (3600.0, 1.0)],
    );
    check_named::<Discharge>(
        "t.csv#00060",
        "time [h],1_00060 [m3/s],1_00060_cd\n0,2,A\n1,1,P\n",
        &[(0.0, 2.0), (3600.0, 1.0)],
    );
    for (text, words) in [
        ("hour,minute,q [m3/s]\n0,15,1\n1,45,2\n2,30,1\n", "parts of the time"),
        ("time [h],q [m3/s]\n3,1\n2,2\n1,1\n", "its times fall from row to row"),
    ] {
        let (_, what) = read::<Discharge>("t.csv", text).expect_err(text);
        assert!(what.contains(words), "{text}: {what}");
    }
    for text in ["step,Flow (m3/s)\n0,2\n1,0\n", "No,q m3 per s\n0,2\n1,0\n"] {
        let (_, what) = read::<Discharge>("t.csv", text).expect_err(text);
        assert!(what.starts_with("the times have no unit"), "{text}: {what}");
    }
}

#[test]
fn clocks_and_dates_are_times() {
    let points = [(0.0, 0.0), (5400.0, 2.0)];
    for text in [
        "time [h:mm], q [m3/s]\n0:00,0\n1:30,2\n",
        "time, q [m3/s]\n00:00:00,0\n01:30:00,2\n",
        "time, q [m3/s]\n2004-08-16 23:00,0\n2004-08-17 00:30,2\n",
        "time, q [m3/s]\n2003-12-31T23:00:00Z;0\n2004-01-01T00:30:00Z;2\n",
        "time, q [m3/s]\n0,0\n1h30,2\n",
        "time [min], q [m3/s]\n0,0\n90,2\n",
        "Datum;Abfluss [m³/s]\n16.08.2004 23:00;0,0\n17.08.2004 00:30;2,0\n",
        "Date,Time,q [m3/s]\n2004-08-16,23:00,0\n2004-08-17,00:30,2\n",
        "Date,Time,q [m3/s]\n16Aug2004,2230,0\n16Aug2004,2400,2\n",
        "time,q [m3/s]\n16/08/2004 23:00,0\n17/08/2004 00:30,2\n",
        "time,q [m3/s]\n8/16/2004 11:00 PM,0\n8/17/2004 12:30 AM,2\n",
        "time,q [m3/s]\n2004-08-16 23:00 EDT,0\n2004-08-16 23:30 EST,2\n",
        "time,q [m3/s]\n2004-08-16T23:00+02:00,0\n2004-08-16T22:30Z,2\n",
        "Time (UTC-05:00),q [m3/s]\n8/16/2004 23:00,0\n8/17/2004 00:30,2\n",
        "Time (yyyy-mm-dd hh:mm),q [m3/s]\n2004-08-16 23:00,0\n2004-08-17 00:30,2\n",
        "time,tz,q [m3/s]\n2004-08-16 23:00,EDT,0\n2004-08-16 23:30,EST,2\n",
        "2004-08-16 23:00 0m3/s\n2004-08-17 00:30 2m3/s\n",
        "time [d],q [m3/s]\n38215.9583333333,0\n38216.0208333333,2\n",
        "time [s],q [m3/s]\n1092697200,0\n1092702600,2\n",
        "time [days],q [m3/s]\n38215.9583333333,0\n38216.0208333333,2\n",
        "time [seconds],q [m3/s]\n1092697200,0\n1092702600,2\n",
    ] {
        check::<Discharge>(text, &points);
    }
}

/// Goal: a row of a period counts from the begin, and a zone that several countries have is noted.
#[test]
fn periods_and_shared_zones_are_noted() {
    let text = "Zeit;Regen [mm]\n01.01.2024 00:00-00:15;1,2\n01.01.2024 00:15-00:30;0,6\n";
    let points = [(0.0, 1.2e-3 / 900.0), (900.0, 0.6e-3 / 900.0), (1800.0, 0.0)];
    let note = check_named::<Rate>("t.csv", text, &points);
    assert!(note.contains("`01.01.2024 00:00-00:15` is a period"), "{note}");
    let begin = read::<Rate>("t.csv", text).expect("sound").begin.expect("a date");
    assert!(begin.to_string().starts_with("2024-01-01 00:00"), "{begin}");
    for (zone, offset) in [("CST", "UTC-6"), ("AST", "UTC-4"), ("EST", "UTC-5"), ("BST", "UTC+1")] {
        let text = format!("time,q [m3/s]\n2024-01-05 0:00 {zone},1\n2024-01-05 1:00 {zone},2\n");
        let note = check_named::<Discharge>("t.csv", &text, &[(0.0, 1.0), (3600.0, 2.0)]);
        assert!(note.starts_with(&format!("`{zone}` counts as {offset},")), "{note}");
        assert_eq!(note.matches("counts as").count(), 1, "{note}");
    }
    let indian = "time,q [m3/s]\n2024-01-05 0:00 IST,1\n";
    assert!(read::<Discharge>("t.csv", indian).is_err_and(|wrong| wrong.0 == Some(2)));
}

/// Goal: day and month are never guessed.
#[test]
fn the_order_of_day_and_month_is_decided_once() {
    let hours = [(0.0, 1.0), (3600.0, 2.0)];
    let text = "time,q [m3/s]\n1/5/2024 0:00,1\n1/5/2024 1:00,2\n";
    let (line, wrong) = read::<Discharge>("t.csv", text).expect_err("undecided");
    assert!(line == Some(2) && wrong.contains("#dmy") && wrong.contains("#mdy"), "{wrong}");
    for (typed, begin) in [("t.csv#dmy", "2024-05-01"), ("t.csv#mdy", "2024-01-05")] {
        check_named::<Discharge>(typed, text, &hours);
        let rows = read::<Discharge>(typed, text).expect("sound");
        assert!(rows.begin.is_some_and(|at| at.to_string().starts_with(begin)), "{typed}");
    }
    let rising = "time,q [m3/s]\n1/5/2024 23:30,1\n1/6/2024 0:30,2\n";
    let note = check_named::<Discharge>("t.csv", rising, &hours);
    assert!(note.contains("month first"), "{note}");
    let mixed = "time,q [m3/s]\n13/5/2024 0:00,1\n5/14/2024 0:00,2\n";
    assert!(read::<Discharge>("t.csv", mixed).is_err_and(|wrong| wrong.1.contains("one order")));
    // Each first of a month, or the first days of January.
    let monthly = "time,q [m3/s]\n1/1/2024,1\n1/2/2024,2\n1/3/2024,2\n";
    let wrong = read::<Discharge>("t.csv", monthly);
    assert!(wrong.is_ok_and(|rows| rows.notes.concat().contains("month first")));
}

/// Goal: an hour that clocks repeat is noted and added, a repeated row is refused.
#[test]
fn a_change_of_clocks_is_noted() {
    let hour = |rows: &[(&str, u32)]| {
        rows.iter().fold("time,q [m3/s]\n".to_owned(), |text, (time, q)| {
            format!("{text}2024-11-03 {time},{q}\n")
        })
    };
    let text = hour(&[("00:30", 1), ("01:00", 2), ("01:30", 3), ("01:00", 4), ("01:30", 5)]);
    let points = [(0.0, 1.0), (1800.0, 2.0), (3600.0, 3.0), (5400.0, 4.0), (7200.0, 5.0)];
    let note = check_named::<Discharge>("t.csv", &text, &points);
    assert!(note.contains("line 5 repeats an hour"), "{note}");
    for text in [
        hour(&[("00:30", 1), ("01:00", 2), ("01:00", 3), ("01:30", 4)]),
        text.replace("2024-11", "2024-01"),
    ] {
        let (line, wrong) = read::<Discharge>("t.csv", &text).expect_err(&text);
        assert!(line.is_some() && wrong.contains("sort the rows"), "{wrong}");
    }
}

/// Goal: a first row in quotes is a row; before, it was taken for a heading.
#[test]
fn rows_in_quotes_are_rows() {
    let points = [(0.0, 1e-5), (3600.0, 0.0)];
    check::<Rate>("\"0:00\",\"36mm/h\"\n\"1:00\",\"0\"\n", &points);
    check::<Rate>("\"2004-08-16 23:00\";\"36mm/h\"\n\"2004-08-17 00:00\";\"0\"", &points);
    check::<Rate>("\"time [h]\",\"rain [mm/h]\"\n\"0\",\"36\"\n\"1\",\"0\"\n", &points);
}

/// Goal: gauges that report depths give the volume they measured.
#[test]
fn depths_of_steps_are_rates() {
    let rate = |mm: f64, s: f64| mm * 1e-3 / s;
    check::<Rate>(
        "time [min], rain [mm]\n0,5\n10,2\n30,0\n",
        &[(0.0, rate(5.0, 600.0)), (600.0, rate(2.0, 1200.0)), (1800.0, 0.0)],
    );
    check::<Rate>(
        "time [min], rain [inches]\n0,1\n10,2\n",
        &[(0.0, 0.0254 / 600.0), (600.0, 0.0508 / 600.0), (1200.0, 0.0)],
    );
    // A litre on a square metre is 1 mm.
    for unit in ["l/m2", "l/m²", "L/m^2", "Liter/m²"] {
        check::<Rate>(
            &format!("Zeit [min];Regen [{unit}]\n0;5\n10;2\n30;0\n"),
            &[(0.0, rate(5.0, 600.0)), (600.0, rate(2.0, 1200.0)), (1800.0, 0.0)],
        );
    }
    check::<Rate>("t [h],rain [l/m2/h]\n0,36\n1,0\n", &[(0.0, 1e-5), (3600.0, 0.0)]);
    check::<Rate>("t [h],rain\n0,36 l/m²/h\n1,0\n", &[(0.0, 1e-5), (3600.0, 0.0)]);
    for heading in ["t [h],rain", "t [h],rain [furlong]"] {
        let wrong = read::<Rate>("t.csv", &format!("{heading}\n0,5\n1,2\n")).expect_err(heading).1;
        let lists =
            wrong.contains("mm/h, ") && wrong.contains("in a step, mm, cm, m, in, ft, l/m2");
        assert!(lists, "{wrong}");
    }
    let single = read::<Rate>("t.csv", "time [s], rain [mm]\n0,5\n").expect_err("one row");
    assert!(single.1.contains("no step"), "{}", single.1);
    assert!(read::<Discharge>("t.csv", "time [s], q [mm]\n0,5\n").is_err());
}

/// Goal: 30 mm of cumulative rain are 30 mm; before, they fell as 105.
#[test]
fn depths_that_add_up_are_named_or_refused() {
    let rows = "0,0\n10,4\n20,4\n30,10\n40,12\n";
    let rate = |mm: f64| mm * 1e-3 / 600.0;
    let points =
        [(0.0, rate(4.0)), (600.0, 0.0), (1200.0, rate(6.0)), (1800.0, rate(2.0)), (2400.0, 0.0)];
    for heading in ["time [min],cumulative rain [mm]", "time [min],Accumulated precip (mm)"] {
        let note = check_named::<Rate>("t.csv", &format!("{heading}\n{rows}"), &points);
        assert!(note.contains("adds up"), "{note}");
    }
    let plain = format!("time [min],rain [mm]\n{rows}");
    check_named::<Rate>("t.csv#cumulative", &plain, &points);
    let wrong = read::<Rate>("t.csv", &plain).expect_err("suspected").1;
    assert!(wrong.contains("t.csv#cumulative") && wrong.contains("t.csv#steps"), "{wrong}");
    let steps = read::<Rate>("t.csv#steps", &plain).expect("sound").points;
    assert!((steps[1].1 - rate(4.0)).abs() < 1e-12, "{steps:?}");
    let falling = "time [min],cumulative rain [mm]\n0,0\n10,4\n20,3\n";
    let (line, wrong) = read::<Rate>("t.csv", falling).expect_err("it falls");
    assert!(line == Some(4) && wrong.contains("falls from 4 to 3"), "{wrong}");
}

/// Goal: sums with a start from 0 are 12 and 7 mm; before, they fell as 38 mm unasked.
#[test]
fn sums_that_start_again_are_asked_for_and_read() {
    let text = "time [min],rain [mm]\n0,0\n10,2\n20,5\n30,9\n40,12\n50,0\n60,3\n70,7\n";
    for text in [text, "time [min],rain [mm]\n0,0\n10,10\n20,25\n30,30\n"] {
        let wrong = read::<Rate>("t.csv", text).expect_err("suspected").1;
        assert!(wrong.contains("t.csv#cumulative") && wrong.contains("t.csv#steps"), "{wrong}");
    }
    let mm = [2.0, 3.0, 4.0, 3.0, 0.0, 3.0, 4.0, 0.0];
    let times = [0.0, 600.0, 1200.0, 1800.0, 2400.0, 3000.0, 3600.0, 4200.0];
    let points: Vec<(f64, f64)> =
        times.into_iter().zip(mm).map(|(time, mm)| (time, mm * 1e-3 / 600.0)).collect();
    let note = check_named::<Rate>("t.csv#cumulative", text, &points);
    assert!(note.contains("start again from 0 at 1 place(s), the first in line 7"), "{note}");
    let storm = "time [min],rain [mm]\n0,2\n10,5\n20,9\n30,5\n40,2\n50,0\n";
    assert!(read::<Rate>("t.csv", storm).is_ok());
}

/// Goal: what stands for a missing value is a gap with a note; what may be a value stays one.
#[test]
fn sentinels_are_gaps() {
    let q = |cell: &str| format!("time [h];q [m3/s]\n0;2\n1;{cell}\n2;3\n");
    for cell in [
        "", "-9999", "-999", "-901", "-902.00", "9999", "99999", "999.9", "Ice", "Eqp", "M", "NA",
        "---", "nan",
    ] {
        let note = check_named::<Discharge>("t.csv", &q(cell), &[(0.0, 2.0), (7200.0, 3.0)]);
        assert!(note.contains("line 3") && note.contains("is a gap"), "{cell}: {note}");
    }
    // Below values of at least 0, and far below stages that are negative all along.
    for (cell, values) in [
        ("-99.99", ["12.3", "12.5"]),
        ("-99", ["0", "80"]),
        ("-999", ["312.5", "312.9"]),
        ("-9999", ["1500", "1502"]),
        ("-999", ["-430.5", "-430.7"]),
    ] {
        let text = format!("t [h];w [m]\n0;{}\n1;{cell}\n2;{}\n", values[0], values[1]);
        let stages = values.map(|value| value.parse().expect("a number"));
        let note = check_named::<Metres>("t.csv", &text, &[(0.0, stages[0]), (7200.0, stages[1])]);
        assert!(note.contains("is a gap"), "{cell}: {note}");
    }
    check::<Metres>(
        "time [h],w [m]\n0,-98.5\n1,-99\n2,-97.5\n",
        &[(0.0, -98.5), (3600.0, -99.0), (7200.0, -97.5)],
    );
    check::<Discharge>(
        "time [h],q [m3/s]\n0,8000\n1,9999\n2,9000\n",
        &[(0.0, 8000.0), (3600.0, 9999.0), (7200.0, 9000.0)],
    );
    let ends = "time [h],q [m3/s]\n0,Ice\n1,2\n2,3\n";
    let note = check_named::<Discharge>("t.csv", ends, &[(3600.0, 2.0), (7200.0, 3.0)]);
    assert!(note.contains("first or last row is a gap: nothing flows"), "{note}");
    let ends = "time [h],w [m]\n0,1\n1,2\n2,NA\n";
    let note = check_named::<Metres>("t.csv", ends, &[(0.0, 1.0), (3600.0, 2.0)]);
    assert!(note.contains("first or last row is a gap: the nearest value"), "{note}");
    let rain = "time [h],rain [mm/h]\n0,36\n1,-9999\n2,36\n3,0\n";
    let points = [(0.0, 1e-5), (3600.0, 0.0), (7200.0, 1e-5), (10_800.0, 0.0)];
    let note = check_named::<Rate>("t.csv", rain, &points);
    assert!(note.contains("nothing falls"), "{note}");
    let wrong = read::<Discharge>("t.csv", "time [h],q [m3/s]\n0,Ice\n1,NA\n").expect_err("gaps");
    assert!(wrong.1.contains("2 gaps"), "{}", wrong.1);
}

/// Goal: 999.99 among stages of 312 m is no stage; before, each of these was a value, unnoted.
#[test]
fn a_sentinel_without_a_near_value_is_a_gap() {
    for (unit, rows, sentinel, factor) in [
        ("w [m]", [312.1, 312.3, 312.6], "999.99", 1.0),
        ("w [m]", [2.1, 2.2, 2.4], "99.99", 1.0),
        ("w [m]", [12.3, 12.35, 12.4], "99.99", 1.0),
        ("w [cm]", [-180.0, 10.0, 220.0], "-999", 0.01),
    ] {
        let [a, b, c] = rows;
        let text = format!("t [h],{unit}\n0,{a}\n1,{sentinel}\n2,{b}\n3,{c}\n");
        let points = [(0.0, a * factor), (7200.0, b * factor), (10_800.0, c * factor)];
        let note = check_named::<Metres>("t.csv", &text, &points);
        assert!(note.contains(&format!("`{sentinel}` in line 3 is a gap")), "{note}");
        assert!(note.contains(&format!("write it with its unit, {sentinel}")), "{note}");
    }
    for (rows, sentinel) in
        [([40.0, 160.0, 90.0], "999.9"), ([150.0, 520.0, 300.0], "999"), ([2.1, 2.4, 2.2], "99.99")]
    {
        let [a, b, c] = rows;
        let text = format!("t [h],q [m3/s]\n0,{a}\n1,{sentinel}\n2,{b}\n3,{c}\n");
        let points = [(0.0, a), (7200.0, b), (10_800.0, c)];
        let note = check_named::<Discharge>("t.csv", &text, &points);
        assert!(note.contains("line 3 is a gap"), "{note}");
    }
}

/// Goal: a peak of 99 is not lost, and every such number that counts is noted.
#[test]
fn a_sentinel_that_is_kept_is_noted() {
    for (rows, sentinel) in [
        ([0.0, 99.0, 0.0, 0.0], "99"),
        ([12.0, 30.0, 99.0, 20.0], "99"),
        ([800.0, 999.0, 700.0, 500.0], "999"),
    ] {
        let [a, b, c, d] = rows;
        let text = format!("t [h],q [m3/s]\n0,{a}\n1,{b}\n2,{c}\n3,{d}\n");
        let points = [(0.0, a), (3600.0, b), (7200.0, c), (10_800.0, d)];
        let note = check_named::<Discharge>("t.csv", &text, &points);
        let words = format!("`{sentinel}` in line");
        assert!(note.contains(&words) && note.contains("counts as a value"), "{note}");
    }
    // A unit of its own makes it a value beyond doubt.
    let text = "t [h],q [m3/s]\n0,2\n1,999m3/s\n2,3\n";
    let points = [(0.0, 2.0), (3600.0, 999.0), (7200.0, 3.0)];
    assert_eq!(check_named::<Discharge>("t.csv", text, &points), "");
    let tide = "t [h],w [cm]\n0,-90\n1,-99\n2,60\n3,99\n";
    let points = [(0.0, -0.9), (3600.0, -0.99), (7200.0, 0.6), (10_800.0, 0.99)];
    let note = check_named::<Metres>("t.csv", tide, &points);
    assert!(note.contains("2 numbers") && note.contains("`-99` in line 3"), "{note}");
}

/// Goal: 1200 cfs beside a date is a flow; before, it was a time of day and 15 °C the flow.
#[test]
fn a_number_beside_a_date_is_no_time_if_it_has_a_heading() {
    let days = [(0.0, 1200.0 * CFS), (86_400.0, 1300.0 * CFS)];
    let text = "date flow[cfs] temp[C]\n2024-01-05 1200 15\n2024-01-06 1300 14\n";
    check::<Discharge>(text, &days);
    let hours = [(0.0, 15.0 * CFS), (3600.0, 14.0 * CFS)];
    check::<Discharge>("date time flow[cfs]\n2024-01-05 1200 15\n2024-01-05 1300 14\n", &hours);
    check::<Discharge>("date flow[cfs]\n2024-01-05 1200 15\n2024-01-05 1300 14\n", &hours);
    check::<Discharge>("date time flow[cfs]\n1/15/2024 1:00 PM 15\n1/15/2024 2:00 PM 14\n", &hours);
}

/// Goal: a row with an empty cell between spaces is no row of other columns.
#[test]
fn rows_between_spaces_have_one_width() {
    let text = "t[h] q[m3/s] w[m]\n0 1 2\n1 5\n2 1 2\n";
    let (line, wrong) = read::<Discharge>("t.csv", text).expect_err("an empty cell");
    assert!(line == Some(3) && wrong.contains("2 columns, and 3 in most rows"), "{wrong}");
}

/// Goal: no text ends the program, whatever its bytes are.
///
/// Method: characters of sound tables are replaced, doubled and dropped at random; what is read has
/// rising finite times and finite values.
#[test]
fn mutilated_tables_are_read_or_refused() {
    let sound = [
        "time [h],q [m3/s]\n0,5\n1,\"1,200\"\n2024-01-05T13:00:00.000+01:00,7\n",
        "Datum;Abfluss [m³/s]\n05.01.2024 24:00;1.000,5\n06Jan2024 1300;-9999\n",
        "agency_cd\tsite_no\tdatetime\ttz_cd\t1_00060\n5s\t15s\t20d\t6s\t14n\n\
         USGS\t0239\t1989-10-01 1:30 PM\tEDT\t864\nUSGS\t0239\t1/5/2024 2:00 AM\tEST\tIce\n",
        "LISFLOOD\nup\n2 seconds\n0.5 0\n1.0 3600\n",
    ];
    let letters: Vec<char> = sound.concat().chars().collect();
    let mut state = 56_u64;
    let mut random = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap_or(0) % below
    };
    for round in 0..600 {
        let mut text: Vec<char> = sound[round % sound.len()].chars().collect();
        for _ in 0..=random(6) {
            let at = random(text.len());
            match random(3) {
                0 => text[at] = letters[random(letters.len())],
                1 => text.insert(at, letters[random(letters.len())]),
                _ => {
                    text.remove(at);
                }
            }
        }
        let text: String = text.into_iter().collect();
        for typed in ["t.csv", "t.csv#[m3/s]#width=2m#mdy", "t.csv#2"] {
            let Ok(rows) = read::<Discharge>(typed, &text) else { continue };
            let is_rising = rows.points.is_sorted_by(|a, b| a.0 < b.0);
            let is_finite = rows.points.iter().all(|(t, q)| t.is_finite() && q.is_finite());
            assert!(
                is_rising && is_finite && !rows.points.is_empty(),
                "seed 56, {text:?}: {rows:?}"
            );
        }
    }
}

#[test]
fn a_column_is_chosen_by_name_or_refused() {
    let text = "time [h],Inflow [m3/s],Outflow [m3/s],Remark\n0,1,10,a\n1,2,20,b\n";
    for (typed, factor) in [
        ("t.csv#Inflow", 1.0),
        ("t.csv#inflow [m3/s]", 1.0),
        ("t.csv#Outflow", 10.0),
        ("t.csv#3", 10.0),
        ("t.csv#Outflow [l/s]", 0.01),
    ] {
        check_named::<Discharge>(typed, text, &[(0.0, factor), (3600.0, 2.0 * factor)]);
    }
    for (typed, text, what) in [
        ("t.csv", text, "t.csv#Inflow [m3/s], t.csv#Outflow [m3/s]"),
        ("t.csv#Lake", text, "has no column `Lake`"),
        ("t.csv#Inflow [furlong]", text, "[furlong]"),
        ("t.csv#[m3/s]", "0:00;1,5;2,5\n", "t.csv#2, t.csv#3"),
        ("t.csv", "0:00,12m3/s,30m3/s\n", "t.csv#2, t.csv#3"),
        ("t.csv", "0:00,a,NA,5m3/s\n1:00,b,2m3/s,6m3/s\n", "t.csv#3, t.csv#4"),
    ] {
        let wrong = read::<Discharge>(typed, text).expect_err(typed).1;
        assert!(wrong.contains(what), "{typed}: {wrong}");
    }
}

#[test]
fn broken_tables_are_refused_with_the_line() {
    let cases = [
        ("t [s],q [m3/s]\n0,0\n600,300\n300,0", Some(4), "sort the rows"),
        ("t [s],q [m3/s]\n0,0\n0,1", Some(3), "sort the rows"),
        ("t [s],q [m3/s]\n-5,0", Some(2), "before the start"),
        ("0,nan", None, "no values"),
        ("0,inf", Some(1), "is not a discharge"),
        ("0,1e999", Some(1), "not finite"),
        ("0,a", Some(1), "is not a discharge"),
        ("0", Some(1), "one column"),
        ("time [weeks], q", Some(1), "not known"),
        ("time [m], q", Some(1), "the heading's unit [m] is not known"),
        ("time [s], q [m]", Some(1), "[m] is that of a stage, but a discharge is needed here"),
        ("time [houts], q", Some(1), "did you mean [h]?"),
        ("time [s], q [m3/ss]", Some(1), "did you mean [m3/s]?"),
        ("time, q\n# nothing\n", None, "no rows"),
        ("", None, "no rows"),
        ("0,0\n600,300", Some(2), "`time [unit], discharge [unit]`"),
        ("t [min],inflow\n0,0\n5,300", Some(3), "`t [min], inflow [unit]`"),
        ("t;inflow\n0;0\n5;300", Some(3), "`t [unit]; inflow [unit]`"),
        ("t [h];inflow\n0;0\n5;300", Some(3), "t.csv#[unit]"),
        ("t,q [l/s]\n0,0\n5,300", Some(3), "`t [unit], q [l/s]`"),
        ("t,q [l/s]\n14:00,0\n15:00,300", Some(2), "write the date as well"),
        ("t,q [l/s]\nnoon,0\n", Some(2), "2024-01-05 13:00, 2024-01-05T13:00:00Z"),
        ("t,q [l/s]\n2024-02-30 1:00,0\n", Some(2), "2024-02-30"),
        ("t,q [l/s]\n2024-02-01 1:00Z,0\n2024-02-01 2:00,0\n", Some(3), "time zone"),
        ("t [min],q [m3/s]\n0:00,0\n1:30,2\n", Some(2), "`0:00` below [min] may be hours"),
        ("t [s],q [m3/s]\n0,0\n1:30,2\n", Some(3), "write 0:01:30 for minutes and seconds"),
        ("t,q [m3/s]\n01.01.2024 00:00-04:00,0\n01.01.2024 01:00-04:00,0\n", Some(2), "zone"),
        ("t [h],q [m3/s]\n0,5,12\n1,6,03\n", Some(2), "semicolons"),
        ("t [h];q [m3/s]\n0;1,200\n", Some(2), "#decimal-comma"),
    ];
    for (text, line, what) in cases {
        let (got_line, got) = read::<Discharge>("t.csv", text).expect_err(text);
        assert_eq!(got_line, line, "{text}: {got}");
        assert!(got.contains(what), "{text}: {got}");
    }
}
