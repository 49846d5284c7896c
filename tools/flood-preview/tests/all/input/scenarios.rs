//! Scenario files that cannot be meant.

use std::fs;

use testkit::listing;

use super::kit::{FLOOD, folder};

/// Text below `[map] file = "dem.asc"`, from line 3 on, and the words that the error must have.
pub const CASES: &[(&str, &[&str])] = &[
    // TOML and keys.
    ("[run", &["line 3", "TOML"]),
    ("[run]\nfor 1h", &["line 4", "TOML"]),
    ("[run]\nfor = 1h", &["line 4"]),
    ("[run]\nforr = \"1h\"", &["line 4", "`forr`", "did you mean for?"]),
    ("[rnu]\nfor = \"1h\"", &["line 3", "`rnu`", "did you mean run?"]),
    ("[[rian]]\nrate = \"1mm/h\"", &["line 3", "did you mean rain?"]),
    ("[run]\nfor = \"1h\"\nfor = \"2h\"", &["line 5", "duplicate"]),
    ("[rain]\nrate = \"1mm/h\"", &["line 3", "[[rain]]"]),
    ("[[run]]\nfor = \"1h\"", &["line 3", "one bracket"]),
    ("[map]\ncell = 5", &["line 3", "duplicate"]),
    // Values.
    ("[run]\nfor = 3600", &["line 4", "not a duration", "units: s"]),
    ("[run]\nfor = \"1 hout\"", &["line 4", "did you mean 1h?"]),
    ("[run]\nfor = true", &["line 4", "text in quotes"]),
    ("[run]\nfor = \"0s\"", &["0 s", "--for 1h"]),
    ("[run]\nquality = \"best\"", &["line 4", "draft, normal or fine"]),
    ("[run]\ncell_size = \"10 feets\"", &["line 4", "did you mean 10ft?"]),
    ("[run]\nadaptive = \"yes\"", &["line 4", "boolean"]),
    ("[run]\nthreads = 2.5", &["line 4", "a whole number"]),
    ("[run]\nthreads = 5000", &["--threads is 5000", "from 1 to 1024"]),
    ("[run]\nseed = -1", &["line 4", "-1"]),
    ("[run]\nexponent = 12", &["--exponent is 12", "from 18 to 24"]),
    ("[flow]\nsolver = \"pip\"", &["line 4", "did you mean pipe?"]),
    ("[flow]\norder = 3", &["order", "choose 2, or 1"]),
    ("[flow]\nviscosity = \"thick\"", &["line 4", "units: m2/s", "smagorinsky:0.2"]),
    ("[flow]\nviscosity = \"smagorinsky:7\"", &["line 4", "0…1"]),
    ("[flow]\nwind = \"15m/s\"", &["line 4", "15m/s from 270"]),
    ("[flow]\nwind = \"15m/s from 400\"", &["line 4", "0 to 360"]),
    ("[flow]\nwind = \"15ms from 40\"", &["line 4", "did you mean 15m/s?"]),
    ("[flow]\nlatitude = 95", &["line 4", "-90 to 90"]),
    ("[flow]\nsolver = \"pipe\"\nlatitude = 5", &["has no `latitude`", "[flow]"]),
    // Rain.
    ("[[rain]]\nname = \"storm\"", &["line 3", "missing field `rate`", "add it"]),
    ("[[rain]]\nrate = 40", &["line 4", "units: mm/h"]),
    ("[[rain]]\nrate = \"-1mm/h\"", &["-1 mm/h", "at least 0"]),
    ("[[rain]]\nrate = \"1mm/h\"\nfrom = \"-1h\"", &["-3600 s", "start at 0 or later"]),
    ("[[rain]]\nrate = \"no.csv\"", &["no.csv", "check the name"]),
    ("[[rain]]\nrate = \"1mm/h\"\nweights = \"no.tif\"", &["no.tif", "check the name"]),
    (
        "[[rain]]\nname = \"a\"\nrate = \"1mm/h\"\n[[rain]]\nname = \"a\"\nrate = \"1mm/h\"",
        &["`a`", "a name of its own"],
    ),
    // Inflows.
    ("[[inflow]]\ndischarge = \"1m3/s\"", &["exactly one of at, rectangle, polygon and edge"]),
    (
        "[[inflow]]\ndischarge = \"1m3/s\"\nat = [1010, 2010]\nedge = \"west\"",
        &["2 places", "exactly one"],
    ),
    ("[[inflow]]\nat = [1010, 2010]", &["line 3", "missing field `discharge`"]),
    ("[[inflow]]\ndischarge = 3\nat = [1010, 2010]", &["line 4", "units: m3/s"]),
    ("[[inflow]]\ndischarge = \"1m3/s\"\nat = [1010]", &["line 5", "length"]),
    ("[[inflow]]\ndischarge = \"1m3/s\"\nat = \"1010,2010\"", &["line 5", "write it like at = ["]),
    ("[[inflow]]\ndischarge = \"1m3/s\"\nat = [0, 0]", &["outside the map", "x from 1000"]),
    (
        "[[inflow]]\ndischarge = \"1m3/s\"\nrectangle = [1020, 2000, 1010, 2010]",
        &["empty", "[west, south, east, north]"],
    ),
    (
        "[[inflow]]\ndischarge = \"1m3/s\"\npolygon = [[1010, 2010], [1020, 2010]]",
        &["2 corners", "at least three"],
    ),
    ("[[inflow]]\ndischarge = \"1m3/s\"\nedge = \"top\"", &["line 5", "west, east, south"]),
    (
        "[[inflow]]\ndischarge = \"1m3/s\"\nedge = \"west\"\nfrom = 5\nto = 6",
        &["from 5 to 6", "rising coordinates"],
    ),
    (
        "[[inflow]]\ndischarge = \"1m3/s\"\nat = [1010, 2010]\nfrom = 2005",
        &["`from` or `to` without `edge`", "name the side"],
    ),
    // Water at the start, edges.
    ("[initial]\nstage = 1\ndepth = 1", &["stage and as depth", "keep one"]),
    ("[initial]\ndepth = -1", &["-1 m", "at least 0"]),
    ("[initial]\nlevel = 1", &["line 4", "`level`", "expected"]),
    ("[edges]\nwest = \"shut\"", &["line 4", "open, wall, stage"]),
    ("[edges]\nleft = \"open\"", &["line 4", "`left`", "expected"]),
    ("[[edge]]\ncondition = \"open\"", &["line 3", "missing field `side`"]),
    (
        "[[edge]]\nside = \"nodata\"\ncondition = \"open\"\nfrom = 1",
        &["the boundary along NoData", "go with west"],
    ),
    (
        "[[edge]]\nside = \"west\"\ncondition = \"open\"\nfrom = 2040\nto = 2010",
        &["from 2040 to 2010", "rising"],
    ),
    ("[[edge]]\nname = \"west edge\"\nside = \"west\"\ncondition = \"open\"", &["two edges"]),
    // Ground.
    ("[ground]\nmanning = 3", &["Manning's n is 3", "0…1"]),
    ("[ground]\nmanning = \"n.tif\"", &["n.tif", "check the name"]),
    ("[ground]\nland_cover = \"dem.asc\"", &["--land-cover-table", "give both"]),
    ("[ground]\ngreen_ampt = \"K=1mm/h\"", &["line 4", "lacks K, psi or dtheta"]),
    (
        "[ground]\ninfiltration = \"1mm/h\"\ngreen_ampt = \"K=1mm/h,psi=1,dtheta=0.3\"",
        &["constant rate and after Green-Ampt", "keep one"],
    ),
    // Gauges, output, map.
    ("[[gauge]]\nat = [1010, 2010]", &["line 3", "missing field `name`"]),
    ("[[gauge]]\nname = \"far\"\nat = [1, 2]", &["gauge `far`", "outside the map"]),
    ("[output]\nframes = 5000", &["--frames is 5000", "from 0 to 2000"]),
    ("[output]\nwet_depth = 0", &["0 m", "--wet-depth 1cm"]),
    ("[output]\nfolder = \"dem.asc\"", &["dem.asc", "--out"]),
    ("[output]\nworld = \"w.tif\"", &["w.tif", ".thalweg"]),
    // Structures.
    ("[[barrier]]\ncrest = 5", &["line 3", "missing field `path`"]),
    ("[[barrier]]\ncrest = 5", &["missing field `path`: add it, like path = [[512300"]),
    (
        "[[barrier]]\nfile = \"levee.geojson\"\ncrest = 5",
        &["line 4", "unknown field `file`", "write the corners of the line, like path = [["],
    ),
    ("[[barrier]]\npath = \"levee.geojson\"\ncrest = 5", &["line 4", "write it like path = [["]),
    ("[[barrier]]\npath = [[1010, 2010], [1010, 2010]]\ncrest = 5", &["one place", "two or more"]),
    (
        "[[barrier]]\npath = [[1010, 2011], [1010.1, 2011]]\ncrest = 25",
        &["closes no face between cells of 5 m", "--cell-size"],
    ),
    ("[[barrier]]\npath = [[1010, 2010]]\ncrest = 5", &["`path`", "two"]),
    ("[[barrier]]\npath = [[1010, 2010], [0, 0]]\ncrest = 25", &["`path`", "outside the map"]),
    ("[[barrier]]\npath = [[1010, 2010], [1030, 2010]]\ncrest = [1, 2, 3]", &["`crest`"]),
    (
        "[[barrier]]\npath = [[1010, 2010], [1030, 2010]]\ncrest = 25\nweir_coefficient = 9",
        &["weir_coefficient", "from 0.1 to 2"],
    ),
    (
        "[[barrier]]\npath = [[1010, 2010], [1030, 2010]]\ncrest = 25\n[barrier.gap]\nsill = 1",
        &["gap", "opening"],
    ),
    (
        "[[barrier]]\npath = [[1010, 2010], [1030, 2010]]\ncrest = 25\n\
         [barrier.breach]\nbottom = 1",
        &["breach", "time"],
    ),
    ("[[culvert]]\nfrom = [1010, 2010]", &["line 3", "missing field `to`"]),
    ("[[culvert]]\nfrom = [1010, 2010]\nto = [1040, 2010]", &["culvert", "diameter"]),
    (
        "[[culvert]]\nfrom = [1010, 2010]\nto = [1040, 2010]\ndiameter = \"1km\"",
        &["diameter", "from 0.001 to 100"],
    ),
    ("[[pump]]\nfrom = [1010, 2010]\non = 5", &["pump", "discharge", "curve"]),
    ("[[pump]]\nfrom = [1010, 2010]\ndischarge = \"1m3/s\"", &["line 3", "missing field `on`"]),
    ("[[drain]]\nat = [1010, 2010]", &["drain", "diameter"]),
];

#[test]
fn scenarios_that_cannot_be_meant_are_refused() {
    let folder = folder(&[]);
    let wrong: Vec<String> = CASES
        .iter()
        .filter_map(|(text, words)| {
            let scenario = format!("[map]\nfile = \"dem.asc\"\n{text}\n");
            fs::write(folder.path().join("s.toml"), scenario).expect("writable");
            let before = listing(folder.path());
            let wrong = FLOOD.unlike_a_mistake(folder.path(), "s.toml", words);
            assert_eq!(listing(folder.path()), before, "{text}");
            wrong.map(|wrong| format!("{text}\n  {wrong}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), CASES.len(), wrong.join("\n"));
}
