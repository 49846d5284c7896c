//! Command lines that cannot be meant.

use super::kit::{FLOOD, folder};

/// A command line, and what its error has to say.
pub const CASES: &[(&str, &[&str])] = &[
    // Options and their number.
    ("dem.asc --rian 40mm/h", &["--rian", "--rain"]),
    ("dem.asc --outt x", &["--outt", "--out"]),
    ("dem.asc -x", &["-x", "--help"]),
    ("dem.asc --rain", &["--rain", "value"]),
    ("dem.asc --rain 1mm/h --rain 2mm/h", &["--rain", "multiple times"]),
    ("dem.asc --for 1h --for 2h", &["--for", "multiple times"]),
    ("dem.asc --check=yes", &["--check", "yes"]),
    ("dem.asc dem.asc", &["two maps"]),
    ("a.toml b.toml", &["two scenarios"]),
    ("a b c", &["'c'"]),
    ("dem.asc --quiet --verbose", &["--quiet", "--verbose", "keep one"]),
    // Maps.
    ("missing.tif", &["missing.tif", "check the name"]),
    ("missing.toml", &["missing.toml", "check the name"]),
    ("area.shp", &["shapefile", "raster of heights", "gdal_rasterize", "--area after ogr2ogr"]),
    ("dem.asc --damage", &["'--damage' found (flood-preview --help"]),
    ("dem.asc --water 5", &["'--water' found (flood-preview --help"]),
    ("dem.asc --initialstage 5", &["did you mean --initial-stage?"]),
    ("dem.asc --for 1000000d", &["1000000 days", "at most 100000 days", "--for"]),
    ("dem.asc --rain 1mm/h --rain-for 1000000d", &["1000000 days", "--for"]),
    ("dem.asc --map-cell 0", &["--map-cell", "above 0"]),
    ("dem.asc --map-cell -5", &["--map-cell", "above 0"]),
    ("dem.asc --map-cell 5x", &["--map-cell", "5x"]),
    ("dem.asc --map-format tiff", &["`tiff`", "geotiff"]),
    ("dem.asc --map-format geotif", &["did you mean geotiff?"]),
    ("dem.asc --map-format geotiff", &["dem.asc", "TIFF"]),
    ("dem.asc --map-format png", &["dem.asc", "PNG"]),
    ("dem.asc --map-format=", &["--map-format"]),
    ("dem.asc --map-size 10", &["--map-size", "1025x1025"]),
    ("dem.asc --map-size 0x5", &["--map-size", "1025x1025"]),
    ("dem.asc --height-range 5..1", &["--height-range", "lower end first"]),
    ("dem.asc --height-range 5", &["--height-range", "0..512"]),
    ("dem.asc --height-range 0..100", &["dem.asc", "leave --height-range out"]),
    ("dem.asc --nodata five", &["--nodata", "five"]),
    ("dem.asc --metres-per-degree 0", &["--metres-per-degree", "auto"]),
    ("dem.asc --metres-per-degree yes", &["--metres-per-degree", "auto"]),
    // Areas.
    ("dem.asc --area 1,2,3", &["--area", "WEST,SOUTH,EAST,NORTH"]),
    ("dem.asc --area 1060,2000,1000,2050", &["--area", "smaller x and y first"]),
    ("dem.asc --area 1000,2000,1060,nan", &["--area", "empty"]),
    ("dem.asc --area here", &["--area", "`here`"]),
    ("dem.asc --area 0,0,10,10", &["holds no cell", "x from 1000 to 1060"]),
    ("dem.asc --area 1001,2001,1002,2002", &["holds no cell"]),
    ("dem.asc --area 1000,2000,1005,2005", &["dem.asc", "1 × 1 cells", "2 × 2"]),
    ("dem.asc --area missing.geojson", &["missing.geojson", "check the name"]),
    ("dem.asc --area area.shp", &["area.shp", "ogr2ogr -f GeoJSON area.geojson area.shp"]),
    ("dem.asc --area 1000,2000,1030,2050 --gauge a=1050,2010", &["gauge `a`", "outside --area"]),
    // Rain.
    ("dem.asc --rain 40", &["--rain", "units: mm/h"]),
    ("dem.asc --rain 40mmm/h", &["--rain", "did you mean 40mm/h?"]),
    ("dem.asc --rain 40mm", &["--rain", "did you mean 40mm/h?"]),
    ("dem.asc --rain 2inchs/hour", &["--rain", "did you mean 2in/h?"]),
    ("dem.asc --rain -5mm/h", &["-5 mm/h", "at least 0"]),
    ("dem.asc --rain nanmm/h", &["nanmm/h"]),
    ("dem.asc --rain 1e9mm/h", &["1.000e9 mm/h", "at most 10000 mm/h"]),
    ("dem.asc --rain heavy", &["`heavy`", "units: mm/h"]),
    ("dem.asc --rain missing.csv", &["missing.csv", "check the name"]),
    ("dem.asc --rain missing.tif", &["missing.tif", "check the name"]),
    ("dem.asc --rain-for 10min", &["--rain-for", "add --rain"]),
    ("dem.asc --rain 1mm/h --rain-for 10", &["--rain-for", "units: s"]),
    ("dem.asc --rain 1mm/h --rain-for 0min", &["lasts 0 s", "more than 0 s"]),
    // Inflows and gauges.
    ("dem.asc --inflow 1010,2010", &["--inflow", "X,Y=12m3/s"]),
    ("dem.asc --inflow 1010=3m3/s", &["--inflow", "X,Y"]),
    ("dem.asc --inflow a:1010,2010=", &["--inflow", "units: m3/s"]),
    ("dem.asc --inflow 1010,2010=3", &["--inflow", "units: m3/s"]),
    ("dem.asc --inflow 1010,2010=3cumexs", &["did you mean 3m3/s?"]),
    ("dem.asc --inflow 1010,2010=-3m3/s", &["-3 m3/s", "at least 0"]),
    ("dem.asc --inflow 1010,2010=1e9m3/s", &["1.000e9 m3/s", "at most 1000000"]),
    ("dem.asc --inflow 10,10=3m3/s", &["outside the map", "x from 1000 to 1060"]),
    (
        "dem.asc --inflow a:1010,2010=1m3/s --inflow a:1020,2010=1m3/s",
        &["`a`", "a name of its own"],
    ),
    ("dem.asc --gauge 1010,2010", &["--gauge", "NAME=X,Y"]),
    ("dem.asc --gauge a=1010", &["--gauge", "X,Y"]),
    ("dem.asc --gauge a=1010,north", &["--gauge", "X,Y"]),
    ("dem.asc --gauge =1010,2010", &["called ``", "a name of its own"]),
    ("dem.asc --gauge a=1010,2010 --gauge a=1020,2010", &["`a`", "a name of its own"]),
    // Water at the start, edges.
    ("dem.asc --stage high", &["--stage", "units: m"]),
    ("dem.asc --stage 12furlong", &["--stage", "units: m"]),
    ("dem.asc --stage 1 --initial-depth 1", &["--stage and --initial-depth", "once"]),
    ("dem.asc --initial-depth -1", &["-1 m", "at least 0"]),
    ("dem.asc --initial-stage missing.tif", &["missing.tif", "check the name"]),
    ("dem.asc --stage 9000", &["9000 m", "8192 m"]),
    ("dem.asc --edges closed", &["--edges", "open, wall, stage:12.5"]),
    ("dem.asc --edges opne", &["did you mean open?"]),
    ("dem.asc --edges stage:", &["--edges", "units: m"]),
    ("dem.asc --edge north", &["--edge", "north=open"]),
    ("dem.asc --edge nroth=open", &["did you mean north?"]),
    ("dem.asc --edge top=open", &["`top`", "west, east, south, north"]),
    ("dem.asc --edge west=open --edge west=wall", &["west side twice", "keep one"]),
    // Ground.
    ("dem.asc --manning rough", &["--manning", "0.03"]),
    ("dem.asc --manning -1", &["Manning's n is -1", "0…1"]),
    ("dem.asc --manning 30", &["Manning's n is 30", "0…1"]),
    ("dem.asc --infiltration=-1mm/h", &["--infiltration is -1 mm/h", "at least 0"]),
    ("dem.asc --infiltration 5", &["--infiltration", "units: mm/h"]),
    ("dem.asc --evaporation=-1mm/h", &["--evaporation is -1 mm/h", "at least 0"]),
    ("dem.asc --green-ampt K=1mm/h", &["--green-ampt", "lacks K, psi or dtheta"]),
    ("dem.asc --green-ampt k=1mm/h,psi=1,dtheta=0.3", &["`k`", "K=10mm/h"]),
    ("dem.asc --green-ampt K=1mm/h,psi=1,dtheta=3", &["out of range", "0…1"]),
    ("dem.asc --land-cover dem.asc", &["--land-cover-table", "give both"]),
    ("dem.asc --land-cover-table t.csv", &["--land-cover", "give both"]),
    // Run and numbers.
    ("dem.asc --for 1", &["--for", "units: s, min, h, d"]),
    ("dem.asc --for 1hout", &["did you mean 1h?"]),
    ("dem.asc --for 1:75", &["--for", "1h30min"]),
    ("dem.asc --for 0s", &["0 s", "more than 0 s"]),
    ("dem.asc --for -1h", &["-3600 s", "more than 0 s"]),
    ("dem.asc --quality fien", &["did you mean fine?"]),
    ("dem.asc --solver swee", &["did you mean swe?"]),
    ("dem.asc --threads 0", &["--threads is 0", "from 1 to 1024"]),
    ("dem.asc --threads many", &["--threads", "many"]),
    ("dem.asc --seed -1", &["--seed", "-1"]),
    ("dem.asc --cell-size 0", &["0 m", "--cell-size 10"]),
    ("dem.asc --cell-size 1", &["--cell-size 1 m", "finer"]),
    ("dem.asc --cell-size 500", &["1 × 1 cells", "--cell-size"]),
    ("dem.asc --columns flta", &["`flta`", "did you mean flat?"]),
    ("dem.asc --exponent 30", &["--exponent is 30", "from 18 to 24"]),
    ("dem.asc --bed-exponent 25", &["--bed-exponent is 25", "from 0 to 24"]),
    ("dem.asc --headroom -1", &["-1 m", "0 m or more"]),
    ("dem.asc --headroom 9000", &["9000 m of headroom", "--headroom"]),
    ("dem.asc --datum 90000", &["--datum"]),
    // Output.
    ("dem.asc --frames 3000", &["--frames is 3000", "from 0 to 2000"]),
    ("dem.asc --wet-depth 0", &["0 m", "--wet-depth 1cm"]),
    ("dem.asc --out dem.asc", &["dem.asc", "--out"]),
    ("dem.asc --check --out dem.asc", &["dem.asc", "--out"]),
    ("dem.asc --check --out dem.asc/out", &["dem.asc/out", "--out"]),
    ("dem.asc --world flood", &["flood is no name of a world", ".thalweg"]),
    ("dem.asc --check --world flood", &["flood is no name of a world", ".thalweg"]),
    ("dem.asc --check --world no/flood.thalweg", &["no/flood.thalweg", "make its folder"]),
    ("dem.asc --world there.thalweg", &["there.thalweg", "--force"]),
];

#[test]
fn command_lines_that_cannot_be_meant_are_refused() {
    let files: &[(&str, &[u8])] = &[
        ("a.toml", b""),
        ("b.toml", b""),
        ("area.shp", b"\0\0\x27\x0a"),
        ("t.csv", b"0,0.03\n"),
        ("there.thalweg", b"a world"),
    ];
    let folder = folder(files);
    FLOOD.all_mistaken(folder.path(), CASES);
}

#[test]
fn help_in_a_file_has_no_escape_codes() {
    let folder = folder(&[]);
    for line in ["--help", "-h", "--version"] {
        let text = FLOOD.said(folder.path(), line);
        assert!(!text.contains('\u{1b}'), "{line}: {text:?}");
    }
}
