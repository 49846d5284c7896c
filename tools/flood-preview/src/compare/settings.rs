//! Settings of runs that differ, in words: all settings in `summary.json`, and the commands.
//!
//! ```text
//! manning_s_m13: 0.035, 0.05            Manning's n          0.035 s/m^⅓    0.05 s/m^⅓
//! barriers: [], [{name: levee, …}]      barrier levee        none           levee, crest 12 m
//! rains: [{name: rain, …}], …           rain rain: rate      40 mm/h        60 mm/h
//! ```
//!
//! Guarantees: each setting that is not the same in all runs is a row, and its texts differ
//!             (`each_setting_that_differs_is_named_with_its_values`).
//! Limits:     the number of threads does not count: results do not depend on it. For a series the
//!             first row that differs is shown, for a raster its file.

use serde_json::Value;

use super::reading::RunResults;
use crate::output::wording;

/// Text for something that a run does not have.
const NONE: &str = "none";
/// Letters of a text, at most.
const LETTERS: usize = 160;

/// A setting that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DifferingSetting {
    /// Name: `barrier levee`.
    pub name: String,
    /// Text of each run, the reference's first.
    pub values: Vec<String>,
}

/// Names of settings for readers, if the key is no name.
const NAMES: [(&str, &str); 10] = [
    ("map", "map"),
    ("cell_m", "simulated cells"),
    ("level", "level of the simulated cells"),
    ("is_adaptive", "open water on wider cells"),
    ("manning_s_m13", "Manning's n"),
    ("manning_raster", "raster of Manning's n"),
    ("initial", "initial water"),
    ("wet_depth_m", "flooded from"),
    ("discharge_m3_s", "discharge"),
    ("condition", "condition"),
];

/// Lists of settings, and the word for one of their entries.
const LISTS: [(&str, &str); 6] = [
    ("rains", "rain"),
    ("inflows", "inflow"),
    ("edges", "edge"),
    ("barriers", "barrier"),
    ("links", "link"),
    ("rocks", "structure"),
];

/// Ends of keys, the unit in which each is shown, and the number of such units in one of the key's.
const UNITS: [(&str, &str, f64); 11] = [
    ("rate_m_s", "mm/h", 3.6e6),
    ("evaporation_m_s", "mm/h", 3.6e6),
    ("conductivity_m_s", "mm/h", 3.6e6),
    ("_s_m13", "s/m^⅓", 1.0),
    ("_m3_s", "m³/s", 1.0),
    ("_m2_s", "m²/s", 1.0),
    ("_m_s", "m/s", 1.0),
    ("_degrees", "°", 1.0),
    ("_m", "m", 1.0),
    ("_s", "s", 1.0),
    ("", "", 1.0),
];

/// Returns all settings that differ, in the order of `summary.json`; the version and the command
/// last.
#[must_use]
pub fn differing(runs: &[RunResults]) -> Vec<DifferingSetting> {
    let mut rows = Vec::new();
    let all: Vec<&Value> = runs.iter().map(RunResults::settings).collect();
    for key in keys(&all) {
        if key != "threads" {
            compare("", &key, &own(&all, &key), &mut rows);
        }
    }
    for (name, pointer) in [("version", "/version"), ("command", "/command")] {
        let values: Vec<String> = runs.iter().map(|run| run.text(pointer).to_owned()).collect();
        if values.iter().any(|value| *value != values[0]) {
            rows.push(DifferingSetting { name: name.to_owned(), values });
        }
    }
    rows
}

/// Returns the keys of some objects, each once.
fn keys(objects: &[&Value]) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    for key in objects.iter().filter_map(|value| value.as_object()).flat_map(|own| own.keys()) {
        if !keys.contains(key) {
            keys.push(key.clone());
        }
    }
    keys
}

/// Returns the value of a key in each object; `null` if an object lacks it.
fn own<'a>(objects: &[&'a Value], key: &str) -> Vec<&'a Value> {
    objects.iter().map(|object| &object[key]).collect()
}

/// Adds rows for the values of a key that differ. The words before its name name the object.
fn compare(of: &str, key: &str, values: &[&Value], rows: &mut Vec<DifferingSetting>) {
    if values.iter().all(|value| *value == values[0]) {
        return;
    }
    if let Some((_, kind)) = LISTS.iter().find(|(list, _)| *list == key) {
        return compare_entries(kind, values, rows);
    }
    if values.iter().all(|value| value.is_object() && value.get("points").is_none()) {
        let of = format!("{of}{}: ", name(key));
        let nested = keys(values);
        return nested.iter().for_each(|key| compare(&of, key, &own(values, key), rows));
    }
    rows.push(DifferingSetting { name: format!("{of}{}", name(key)), values: told(key, values) });
}

/// Adds rows for entries of lists, which have names.
fn compare_entries(kind: &str, lists: &[&Value], rows: &mut Vec<DifferingSetting>) {
    let entries = |list: &Value| list.as_array().cloned().unwrap_or_default();
    let mut names: Vec<String> = Vec::new();
    for entry in lists.iter().flat_map(|list| entries(list)) {
        let name = entry["name"].as_str().unwrap_or_default().to_owned();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    for name in names {
        // Parts of a side of the map have one name.
        let of_list = |list: &Value| -> Value {
            let own = entries(list).into_iter().filter(|entry| entry["name"] == *name);
            let mut own: Vec<Value> = own.collect();
            if own.len() > 1 { own.into() } else { own.pop().unwrap_or_default() }
        };
        let values: Vec<Value> = lists.iter().map(|list| of_list(list)).collect();
        let values: Vec<&Value> = values.iter().collect();
        let title = format!("{kind} {name}");
        // The words describe everything but the place.
        let have_words = values.iter().all(|value| value["words"].is_string());
        if have_words && own(&values, "words").iter().any(|words| *words != &values[0]["words"]) {
            rows.push(DifferingSetting {
                name: title.clone(),
                values: told("words", &own(&values, "words")),
            });
            // Words name tables of a gap and a breach by the number of their rows alone.
            let of = format!("{title}: ");
            for key in ["path", "gap", "breach"] {
                let values = own(&values, key);
                if values.iter().all(|value| !value.is_null()) {
                    compare(&of, key, &values, rows);
                }
            }
        } else if values.iter().all(|value| value.is_object()) {
            let of = format!("{title}: ");
            let nested = keys(&values);
            nested.iter().for_each(|key| compare(&of, key, &own(&values, key), rows));
        } else if values.iter().any(|value| *value != values[0]) {
            rows.push(DifferingSetting { name: title, values: told("", &values) });
        }
    }
}

/// Returns a key in the form that readers use.
fn name(key: &str) -> String {
    if let Some((_, name)) = NAMES.iter().find(|(own, _)| *own == key) {
        return (*name).to_owned();
    }
    let (end, ..) = unit(key);
    let end = if end.starts_with('_') { end } else { end.find('_').map_or("", |at| &end[at..]) };
    key.strip_suffix(end).unwrap_or(key).replace('_', " ")
}

/// Returns the end of a key, its unit and factor.
fn unit(key: &str) -> (&'static str, &'static str, f64) {
    let fits = UNITS.into_iter().find(|(end, ..)| key.ends_with(end));
    fits.unwrap_or(("", "", 1.0))
}

/// Returns texts of values; the texts of different values differ.
fn told(key: &str, values: &[&Value]) -> Vec<String> {
    let texts: Vec<String> = values.iter().map(|value| shortened(&text(key, value))).collect();
    let pairs = values.iter().zip(&texts);
    let own = pairs.clone().map(|(value, text)| {
        let others = pairs.clone().filter(|(other, its)| *other != value && *its == text);
        let others: Vec<&Value> = others.map(|(other, _)| *other).collect();
        if others.is_empty() { text.clone() } else { text.clone() + &apart(key, value, &others) }
    });
    own.collect()
}

/// Returns words that follow the text of a value if several values share that text: its first row
/// that differs from theirs, or the course between its rows; else the whole value.
fn apart(key: &str, value: &Value, others: &[&Value]) -> String {
    fn rows(value: &Value) -> Option<&Vec<Value>> {
        value.get("points").unwrap_or(value).as_array()
    }
    let Some(own) = rows(value) else { return format!(": {value}") };
    let others = || others.iter().map(|other| rows(other));
    let is_one = |at: &usize| others().all(|rows| rows.and_then(|r| r.get(*at)) == own.get(*at));
    if let Some(at) = (0..own.len()).find(|at| !is_one(at)) {
        return format!("; there differs: {}", row_text(key, &own[at]));
    }
    let are_equal = others().all(|rows| rows.is_some_and(|rows| rows.len() == own.len()));
    match value["shape"].as_str() {
        Some("steps") if are_equal => ", in steps".to_owned(),
        Some(_) if are_equal => ", joined by straight lines".to_owned(),
        _ => "; there differs: no more".to_owned(),
    }
}

/// Returns a row of a series or of a line.
fn row_text(key: &str, row: &Value) -> String {
    let number = |index: usize| row[index].as_f64();
    match number(0).zip(number(1)) {
        Some((time_s, value)) if !key.is_empty() && key != "path" => {
            format!("{} at {}", measured(key, value), wording::clock(time_s))
        }
        _ => row.to_string(),
    }
}

/// Returns a value in words.
fn text(key: &str, value: &Value) -> String {
    match value {
        Value::Null => NONE.to_owned(),
        Value::Bool(is_so) => if *is_so { "yes" } else { "no" }.to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(number) => {
            number.as_f64().map_or_else(|| number.to_string(), |number| measured(key, number))
        }
        Value::Array(list) if list.is_empty() => NONE.to_owned(),
        Value::Array(_) => value.to_string(),
        Value::Object(object) => {
            if let Some(words) = value["words"].as_str() {
                return words.to_owned();
            }
            if let Some(points) = value["points"].as_array() {
                return series(key, points, value["shape"] == "steps");
            }
            let known = object.iter().filter(|(key, value)| *key != "name" && !value.is_null());
            let parts = known.map(|(key, value)| format!("{} {}", name(key), text(key, value)));
            parts.collect::<Vec<_>>().join(", ")
        }
    }
}

/// Returns a series in words: its only value, one that ends, or the range, the count and the end of
/// its rows.
fn series(key: &str, points: &[Value], has_steps: bool) -> String {
    let known = || points.iter().filter_map(|point| point[1].as_f64());
    if let [only] = points {
        return only[1].as_f64().map_or_else(|| only.to_string(), |value| measured(key, value));
    }
    let time = |point: &Value| wording::clock(point[0].as_f64().unwrap_or_default());
    let ends = has_steps && known().next_back().is_some_and(|last| last <= 0.0);
    if let ([first, end], true) = (points, ends) {
        let value = measured(key, known().next().unwrap_or_default());
        return format!("{value} from {} to {}", time(first), time(end));
    }
    let low = known().fold(f64::INFINITY, f64::min);
    let high = known().fold(f64::NEG_INFINITY, f64::max);
    let end = points.last().map(time).unwrap_or_default();
    let [low, high] = [low, high].map(|value| measured(key, value));
    format!("{low} to {high} until {end} ({} rows)", points.len())
}

/// Returns a number with its unit, with the digits that a single-precision number has.
fn measured(key: &str, number: f64) -> String {
    let (_, unit, factor) = unit(key);
    if unit == "s" && number >= 60.0 {
        return wording::clock(number);
    }
    let number = number * factor;
    let digits = 6.0 - number.abs().log10().floor();
    #[expect(clippy::cast_possible_truncation, reason = "−300 to 300")]
    let scale = if digits.is_finite() { 10.0_f64.powi(digits as i32) } else { 1.0 };
    let rounded = (number * scale).round() / scale;
    let gap = if unit.is_empty() || unit == "°" { "" } else { " " };
    format!("{rounded}{gap}{unit}").replace('-', "−")
}

/// Returns the beginning of a text.
fn shortened(text: &str) -> String {
    if text.chars().count() <= LETTERS {
        return text.to_owned();
    }
    text.chars().take(LETTERS - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn rows(one: &Value, other: &Value) -> Vec<(String, [String; 2])> {
        let (all, mut rows) = ([one, other], Vec::new());
        keys(&all).iter().for_each(|key| compare("", key, &own(&all, key), &mut rows));
        let pair = |row: DifferingSetting| (row.name, row.values.try_into().expect("two runs"));
        rows.into_iter().map(pair).collect()
    }

    fn rain(rate: f64) -> Value {
        json!([{"name": "storm", "rate_m_s": {"points": [[0.0, rate]]}}])
    }

    fn table(middle: f64) -> Value {
        let points = [[0.0, 1.0], [600.0, middle], [1200.0, 9.0]];
        json!([{"name": "river", "discharge_m3_s": {"shape": "lines", "points": points}}])
    }

    fn levee(west: f64, words: &str) -> Value {
        let path = [[west, 0.0]];
        json!([{"name": "levee", "path": path, "crest_m": 12.0, "words": words}])
    }

    #[test]
    fn each_setting_that_differs_is_named_with_its_values() {
        for (key, one, other, name, values) in [
            (
                "manning_s_m13",
                json!(0.035),
                json!(0.05),
                "Manning's n",
                ["0.035 s/m^⅓", "0.05 s/m^⅓"],
            ),
            ("duration_s", json!(3600.0), json!(45.0), "duration", ["1 h", "45 s"]),
            ("datum_m", Value::Null, json!(-2.5), "datum", ["none", "−2.5 m"]),
            ("is_adaptive", json!(true), json!(false), "open water on wider cells", ["yes", "no"]),
            ("evaporation_m_s", json!(0.0), json!(1.0e-7), "evaporation", ["0 mm/h", "0.36 mm/h"]),
            ("flow", json!({"order": 2}), json!({"order": 1}), "flow: order", ["2", "1"]),
            (
                "initial",
                Value::Null,
                json!({"stage_m": 4.0}),
                "initial water",
                ["none", "stage 4 m"],
            ),
            (
                "rains",
                rain(1.0 / 3.6e6),
                rain(40.0 / 3.6e6),
                "rain storm: rate",
                ["1 mm/h", "40 mm/h"],
            ),
            (
                "rains",
                json!([{"name": "storm", "rate_m_s": {
                    "shape": "steps", "points": [[0.0, 0.01 / 3600.0], [3600.0, 0.0]]
                }}]),
                json!([]),
                "rain storm",
                ["rate 10 mm/h from 0 s to 1 h", "none"],
            ),
            ("barriers", json!([]), levee(1.0, "dam"), "barrier levee", ["none", "dam"]),
            ("barriers", levee(1.0, "dam"), levee(1.0, "low"), "barrier levee", ["dam", "low"]),
            (
                "barriers",
                levee(1.0, "dam"),
                levee(2.0, "dam"),
                "barrier levee: path",
                ["[[1.0,0.0]]", "[[2.0,0.0]]"],
            ),
            (
                "inflows",
                table(4.0),
                table(5.0),
                "inflow river: discharge",
                [
                    "1 m³/s to 9 m³/s until 20 min (3 rows); there differs: 4 m³/s at 10 min",
                    "1 m³/s to 9 m³/s until 20 min (3 rows); there differs: 5 m³/s at 10 min",
                ],
            ),
        ] {
            let [one, other] = [one, other].map(|value| json!({key: value, "seed": 0}));
            let expected = [(name.to_owned(), values.map(str::to_owned))];
            assert_eq!(rows(&one, &other), expected, "{key}");
            assert_eq!(rows(&one, &one), [], "{key}");
        }
    }

    /// Goal: gates and breaches whose words are the same, and series of the same rows, get
    /// different texts.
    #[test]
    fn tables_that_differ_in_their_shape_alone_are_told() {
        let lines = |points: Value| json!({"shape": "lines", "points": points});
        let gate = |time_s: f64, words: &str| {
            let opening = lines(json!([[0.0, 0.0], [time_s, 2.0], [7200.0, 0.0]]));
            json!({"barriers": [{"name": "weir", "words": words, "gap": {"opening_m": opening}}]})
        };
        let texts =
            |time: &str| format!("0 m to 2 m until 2 h (3 rows); there differs: 2 m at {time}");
        let row = |name: &str, one: String, other: String| (name.to_owned(), [one, other]);
        let opening = row("barrier weir: gap: opening", texts("10 min"), texts("1 h"));
        let words = row("barrier weir", "a gap".into(), "a high gap".into());
        let found = rows(&gate(600.0, "a gap"), &gate(3600.0, "a gap"));
        assert_eq!(found, std::slice::from_ref(&opening));
        assert_eq!(rows(&gate(600.0, "a gap"), &gate(3600.0, "a high gap")), [words, opening]);

        let inflow = |shape: &str| {
            let points = json!([[0.0, 1.0], [60.0, 3.0], [120.0, 2.0]]);
            let series = json!({"shape": shape, "points": points});
            json!({"inflows": [{"name": "river", "discharge_m3_s": series}]})
        };
        let text = |end: &str| format!("1 m³/s to 3 m³/s until 2 min (3 rows), {end}");
        let course = [text("in steps"), text("joined by straight lines")];
        let [one, other] = ["steps", "lines"].map(inflow);
        assert_eq!(rows(&one, &other), [("inflow river: discharge".to_owned(), course)]);

        let values =
            [4.0, 5.0, 6.0].map(|middle| lines(json!([[0.0, 1.0], [60.0, middle], [90.0, 9.0]])));
        let told = told("discharge_m3_s", &values.each_ref());
        assert!(told[0] != told[1] && told[1] != told[2] && told[0] != told[2], "{told:?}");
    }

    #[test]
    fn long_values_differ_where_they_are_cut() {
        let path = |last: f64| {
            let mut path: Vec<[f64; 2]> = (0..200_u16).map(|at| [f64::from(at), 0.0]).collect();
            path.push([last, 1.0]);
            json!({"barriers": [{"name": "dam", "path": path, "words": "high"}]})
        };
        let found = rows(&path(7.0), &path(8.0));
        let [(name, [one, other])] = &*found else { panic!("{found:?}") };
        assert_eq!(name, "barrier dam: path");
        assert!(one.ends_with("[7.0,1.0]") && other.ends_with("[8.0,1.0]"), "{one} {other}");
    }
}
