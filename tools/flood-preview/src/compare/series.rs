//! Series of a finished run, as `gauges.csv` and `sections.csv` have them.

use std::collections::HashSet;
use std::path::Path;

use kit::error::UserError;

/// Readings at a gauge or a section.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSeries {
    /// Name of the gauge or the section; of several of one name, `name (2)` and so on.
    pub name: String,
    /// Simulated time, s, rising.
    pub time_s: Vec<f64>,
    /// Values of each requested column; NaN if a value is missing.
    pub columns: Vec<Vec<f64>>,
}

impl RunSeries {
    /// Returns time and value of the highest reading of a column; the first of equal ones.
    #[must_use]
    pub fn highest(&self, column: usize) -> Option<(f64, f64)> {
        let readings = self.time_s.iter().copied().zip(self.columns[column].iter().copied());
        let known = readings.filter(|(_, value)| value.is_finite());
        known.reduce(|most, next| if next.1 > most.1 { next } else { most })
    }
}

/// Reads some columns of a table that has the columns `time_s` and `name` as well; a file that does
/// not exist gives no series.
///
/// # Errors
///
/// If the file cannot be read, lacks a column, or contains a value that is no number.
pub fn read(path: &Path, columns: &[&str]) -> Result<Vec<RunSeries>, UserError> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let damaged = |what: String| {
        let what = format!("{}: {what}", path.display());
        UserError::new(what, "the results are damaged: run it again")
    };
    let mut table = csv::Reader::from_path(path).map_err(|error| damaged(error.to_string()))?;
    let headers = table.headers().map_err(|error| damaged(error.to_string()))?.clone();
    let place = |wanted: &str| {
        let found = headers.iter().position(|header| header == wanted);
        found.ok_or_else(|| damaged(format!("there is no column {wanted}")))
    };
    let (time, name) = (place("time_s")?, place("name")?);
    let places = columns.iter().map(|column| place(column)).collect::<Result<Vec<_>, _>>()?;
    let mut all: Vec<RunSeries> = Vec::new();
    // Name of the last series as written in the table, and all names in use.
    let (mut last, mut taken) = (String::new(), HashSet::new());
    for record in table.records() {
        let record = record.map_err(|error| damaged(error.to_string()))?;
        let line = record.position().map_or(0, csv::Position::line);
        let number = |place: usize| match record[place].trim() {
            "" => Ok(f64::NAN),
            text => text
                .parse::<f64>()
                .map_err(|_| damaged(format!("line {line}: `{text}` is no number"))),
        };
        let time_s = number(time)?;
        let is_next = |series: &RunSeries| {
            last == record[name] && series.time_s.last().is_none_or(|last| *last < time_s)
        };
        if !all.last().is_some_and(is_next) {
            record[name].clone_into(&mut last);
            let columns = vec![Vec::new(); places.len()];
            let name = distinct(&last, &mut taken);
            all.push(RunSeries { name, time_s: Vec::new(), columns });
        }
        let series = all.last_mut().expect("one was added");
        series.time_s.push(time_s);
        for (values, &place) in series.columns.iter_mut().zip(&places) {
            values.push(number(place)?);
        }
    }
    Ok(all)
}

/// Returns a name that is not taken yet.
pub fn distinct(name: &str, taken: &mut HashSet<String>) -> String {
    let names = (1..).map(|count| match count {
        1 => name.to_owned(),
        _ => format!("{name} ({count})"),
    });
    let mut free = names.skip_while(|own| !taken.insert(own.clone()));
    free.next().expect("numbers do not end")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_of_one_name_are_kept_apart() {
        let text = "time_s,name,stage_m,depth_m,speed_m_s\n\
                    0,\"weir, old\",1,0,\n5,\"weir, old\",1.5,0.5,1\n\
                    0,a,2,0,\n5,a,2,0.25,\n0,a,3,,\n5,a,3,,\n";
        let folder = testkit::folder(&[("gauges.csv", text)]);
        let path = folder.path().join("gauges.csv");
        let all = read(&path, &["depth_m", "stage_m"]).expect("a sound table");
        let names: Vec<&str> = all.iter().map(|series| &*series.name).collect();
        assert_eq!(names, ["weir, old", "a", "a (2)"]);
        assert_eq!(all[0].time_s, [0.0, 5.0]);
        assert_eq!((all[0].highest(0), all[0].highest(1)), (Some((5.0, 0.5)), Some((5.0, 1.5))));
        assert_eq!((all[2].highest(0), all[2].highest(1)), (None, Some((0.0, 3.0))));
        let error = read(&path, &["salt"]).expect_err("no salt").to_string();
        assert!(error.contains("gauges.csv: there is no column salt: "), "{error}");
        assert_eq!(read(&folder.path().join("none.csv"), &[]), Ok(Vec::new()));
    }
}
