//! Units as people write them.

use super::kit::{FLOOD, folder};

#[test]
fn units_of_other_countries_and_clocks_work() {
    let folder = folder(&[]);
    for (line, words) in [
        ("dem.asc --rain 2in/h", "50.8 mm/h"),
        ("dem.asc --inflow 1010,2010=1000cfs", "28.3168 m³/s"),
        ("dem.asc --stage 60ft", "still water up to 18.288 m"),
        ("dem.asc --for 90min", "1 h 30 min"),
        ("dem.asc --for 1h30", "1 h 30 min"),
        ("dem.asc --for 1:30", "1 h 30 min"),
        ("dem.asc --for 0:00:45", "45 s"),
        ("dem.asc --wet-depth 2in", "0.0508 m"),
    ] {
        let text = FLOOD.said(folder.path(), &format!("{line} --check"));
        assert!(text.contains(words), "{line}: no `{words}` in: {text}");
    }
}

#[test]
fn tables_say_their_units() {
    let files: &[(&str, &[u8])] = &[
        ("gauge.csv", b"time [min],rain [mm]\n0,5\n10,2\n20,0\n"),
        ("dated.csv", b"time,rain [in/h]\n2004-08-16 12:00,1\n2004-08-16 13:30,0\n"),
        ("flow.csv", b"time_h,q_cfs\n0,0\n1,100\n"),
        ("clock.csv", b"time;stage [ft]\n0:00;30\n1:30;40\n"),
    ];
    let folder = folder(files);
    for (line, words) in [
        ("dem.asc --rain gauge.csv", "0 to 30 mm/h over 20 min"),
        ("dem.asc --rain dated.csv", "25.4 mm/h from 0 s to 1 h 30 min"),
        ("dem.asc --inflow 1010,2010=flow.csv", "0 to 2.8317 m³/s over 1 h"),
        ("dem.asc --edges stage:clock.csv", "9.144 to 12.192 m over 1 h 30 min"),
    ] {
        let text = FLOOD.said(folder.path(), &format!("{line} --check"));
        assert!(text.contains(words), "{line}: no `{words}` in: {text}");
    }
}
