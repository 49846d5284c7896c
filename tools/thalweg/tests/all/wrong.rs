//! Wrong usage of the real program.
//!
//! Goal: an invalid line ends with exit code 2 and one line that says what, where and how to mend
//!       it; nothing aborts and nothing is left behind.
//! Method: a table of command lines, run in one folder of small files.

use std::fs;

use testkit::{Program, put};

const THALWEG: Program = Program(env!("CARGO_BIN_EXE_thalweg"));

/// A command line, and what its error has to say.
const CASES: &[(&str, &[&str])] = &[
    // Commands and options.
    ("improt dem.asc new.thalweg", &["improt", "import"]),
    ("import", &["<MAP>", "--help"]),
    ("import dem.asc", &["<WORLD>", "--help"]),
    ("import dem.asc new.thalweg more", &["'more'", "--help"]),
    ("import dem.asc new.thalweg --forse", &["--forse", "--force"]),
    ("info", &["<WORLD>", "--help"]),
    ("info dem.thalweg --pgn x.png", &["--pgn", "did you mean --png?", "thalweg info --help"]),
    ("frobnicate", &["'frobnicate'", "thalweg --help lists all commands"]),
    ("info dem.thalweg --damage", &["'--damage' found (thalweg info --help"]),
    ("info dem.thalweg more", &["'more'", "--help"]),
    ("info dem.thalweg --png", &["--png <OUT>", "value is required"]),
    ("info dem.thalweg --limit-memory 0", &["--limit-memory", "1..=1048576"]),
    ("info dem.thalweg --limit-memory x", &["--limit-memory", "write a whole number"]),
    ("import dem.asc new.thalweg --nodata x", &["--nodata", "write a number"]),
    ("import dem.asc new.thalweg --nodata", &["--nodata", "value is required"]),
    ("import dem.asc new.thalweg --for 1h", &["'--for'", "thalweg import --help"]),
    ("import dem.asc new.thalweg --rain 5mm/h", &["'--rain'", "thalweg import --help"]),
    ("import dem.asc new.thalweg --encoding rgb", &["--encoding", "terrarium or mapbox"]),
    ("import dem.asc new.thalweg --metres-per-degree x", &["--metres-per-degree", "auto"]),
    ("import dem.asc new.thalweg --bed-exponent 25", &["--bed-exponent is 25", "from 0 to 24"]),
    ("import dem.asc new.thalweg --headroom 90000", &["90000 m of headroom", "--headroom"]),
    ("import dem.asc new.thalweg --datum 90000", &["from 90000 m", "--datum"]),
    ("import dem.asc new.thalweg --cell-size 500", &["1 × 1 cells", "--cell-size"]),
    ("import dem.asc new.thalweg --height-range 0..1", &["dem.asc", "leave --height-range out"]),
    ("import dem.asc new.thalweg --encoding terrarium", &["dem.asc", "leave --encoding out"]),
    ("import dem.asc new.thalweg --area no.geojson", &["no.geojson", "check the name"]),
    ("import a.shp new.thalweg", &["shapefile", "gdal_rasterize", "--area after ogr2ogr"]),
    ("import a.geojson new.thalweg", &["gdal_rasterize", "--area a.geojson"]),
    ("import degrees.asc new.thalweg", &["degrees", "gdalwarp", "--metres-per-degree auto"]),
    ("import far.asc new.thalweg", &["8192 m", "--area"]),
    ("verify", &["<WORLD>", "thalweg verify --help"]),
    ("verify missing.thalweg", &["missing.thalweg", "check the name"]),
    ("verify dem.thalweg --fix", &["--fix", "thalweg verify --help"]),
    ("export dem.asc out.tif", &["dem.asc", "not a world file"]),
    ("export dem.thalweg dem.thalweg", &["dem.thalweg is no name of a map", ".tif or .png"]),
    ("export dem.thalweg out.tif --level -1", &["-1", "thalweg export --help"]),
    ("export dem.thalweg out.tif --layer max_depth", &["max_depth", "max-depth"]),
    ("run", &["<WORLD>", "thalweg run --help"]),
    ("run dem.thalweg", &["how long", "--until 2h, or --for 30min"]),
    ("run dem.thalweg --for 0s", &["--for is 0 s", "more than 0 s"]),
    ("run dem.thalweg --for -1h", &["--for is -3600 s", "more than 0 s"]),
    ("run dem.thalweg --for 1000000d", &["--for", "less than 300 years"]),
    ("run dem.thalweg --for 1h --save-every 0s", &["--save-every is 0 s"]),
    ("run dem.thalweg --for 1h --keep-every 0s", &["--keep-every is 0 s"]),
    ("run dem.thalweg --for 1h --threads 0", &["--threads", "1..=1024"]),
    ("run dem.thalweg --for 1h --threads many", &["--threads", "write a whole number"]),
    ("run dem.thalweg --for 1h --device tpu", &["--device", "auto, cpu, gpu"]),
    ("run dem.thalweg --for 1h --quality draft", &["--quality", "thalweg run --help"]),
    ("run dem.asc --for 1h", &["dem.asc", "not a world file"]),
    ("run missing.thalweg --for 1h", &["missing.thalweg", "check the name"]),
    ("bench", &["<WORLD>", "thalweg bench --help"]),
    ("bench dem.asc", &["dem.asc", "not a world file"]),
    ("bench missing.thalweg", &["missing.thalweg", "check the name"]),
    ("compact", &["<WORLD>", "thalweg compact --help"]),
    ("compact missing.thalweg", &["missing.thalweg", "check the name"]),
    ("compact dem.thalweg no/new.thalweg", &["no/new.thalweg", "make its folder"]),
    ("compact dem.thalweg --drop-moment", &["did you mean --drop-moments?"]),
    ("diff", &["<A>", "<B>", "thalweg diff --help"]),
    ("diff dem.asc dem.thalweg", &["dem.asc", "not a world file"]),
    ("diff dem.thalweg", &["<B>", "--help"]),
    ("export dem.thalweg", &["<OUT>", "--help"]),
    ("export dem.thalweg out.tif --level deep", &["--level", "deep"]),
    ("export dem.thalweg out.tif --level 300", &["--level", "300"]),
    ("export dem.thalweg out.tif --layer water", &["--layer", "bed"]),
    ("run dem.thalweg --until 2h --for 1h", &["--until", "--for"]),
    ("run dem.thalweg --for 2", &["--for", "units: s, min, h, d"]),
    ("run dem.thalweg --for 5mim", &["--for", "did you mean 5min?"]),
    ("run dem.thalweg --for 1fortnight", &["--for", "units: s, min, h, d"]),
    ("run dem.thalweg --save-every often", &["--save-every", "units: s"]),
    // Maps to import.
    ("import missing.tif new.thalweg", &["missing.tif", "check the name"]),
    ("import empty new.thalweg", &["empty", "again"]),
    ("import text.doc new.thalweg", &["text.doc", "no raster", "gdal_translate"]),
    ("import m.img new.thalweg", &["m.img", "gdal_translate m.img m.tif"]),
    ("import void.asc new.thalweg", &["void.asc", "--nodata -9999"]),
    ("import none.asc new.thalweg", &["none.asc", "nothing but NoData"]),
    ("import dem.thalweg new.thalweg", &["no raster but a world"]),
    ("import folder new.thalweg", &["folder", "name a raster file"]),
    ("import dem.asc new.thalweg --area 0,0,1,1", &["holds no cell", "x from 1000"]),
    ("import dem.asc new.thalweg --area 1,2,3", &["--area", "WEST,SOUTH,EAST,NORTH"]),
    ("import dem.asc new.thalweg --cell-size 1", &["--cell-size 1 m", "finer"]),
    ("import dem.asc new.thalweg --cell-size wide", &["--cell-size", "units: m"]),
    ("import dem.asc new.thalweg --map-format tiff", &["`tiff`", "geotiff"]),
    ("import dem.asc new.thalweg --exponent 9", &["--exponent is 9", "from 18 to 24"]),
    ("import dem.asc new.thalweg --headroom -1", &["-1 m", "0 m or more"]),
    ("import dem.asc dem.thalweg", &["dem.thalweg is there already", "--force"]),
    ("import dem.asc dem.asc --force", &["the map itself", "another name"]),
    ("import dem.asc no/new.thalweg", &["no/new.thalweg", "folder"]),
    // Worlds.
    ("info missing.thalweg", &["missing.thalweg", "check the name"]),
    ("info empty", &["empty", "not a world file"]),
    ("info dem.asc", &["dem.asc", "not a world file"]),
    ("info dem.thalweg --png out.jpg", &["out.jpg", "end it in .png"]),
    ("verify dem.asc", &["dem.asc", "not a world file"]),
    ("export dem.thalweg out.asc", &["out.asc", ".tif or .png"]),
    ("export dem.thalweg out.tif --level 9", &["no level 9", "from 0 to"]),
    ("export dem.thalweg no/out.tif", &["no/out.tif", "folder"]),
    ("export dem.thalweg out.tif --layer depth", &["dem.thalweg", "water"]),
    ("run dem.thalweg --for 1min", &["dem.thalweg", "water"]),
    ("compact dem.thalweg dem.asc", &["dem.asc is there already", "--force"]),
    ("compact dem.asc", &["dem.asc", "not a world file"]),
    ("diff dem.thalweg missing.thalweg", &["missing.thalweg", "check the name"]),
];

#[test]
fn what_cannot_be_meant_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = folder.path();
    let map = |cells: &str, nodata: &str| {
        format!(
            "ncols 3\nnrows 2\nxllcorner 1000\nyllcorner 2000\ncellsize 5\nnodata_value {nodata}\n\
             {cells}\n"
        )
    };
    let files = [
        ("dem.asc", map("1 2 3\n2 3 4", "-9999")),
        ("void.asc", map("1 2 3\n2 3 -9999", "-1")),
        ("none.asc", map("-1 -1 -1\n-1 -1 -1", "-1")),
        ("empty", String::new()),
        ("text.doc", "Dear reader,".to_owned()),
        ("a.shp", "\0\0\u{27}\n".to_owned()),
        ("a.geojson", "{\"type\": \"Point\"}".to_owned()),
        ("degrees.asc", map("1 2 3\n2 3 4", "-9").replace("1000", "9").replace("2000", "48")),
        ("far.asc", map("-9000 2 3\n2 3 9000", "-9")),
        ("m.img", "EHFA_HEADER_TAG".to_owned()),
    ];
    let files = files.map(|(name, text)| match name {
        "degrees.asc" => (name, text.replace("cellsize 5", "cellsize 0.001")),
        _ => (name, text),
    });
    put(at, &files);
    fs::create_dir(at.join("folder")).expect("writable");
    THALWEG.done(at, "import dem.asc dem.thalweg --quiet");
    THALWEG.all_mistaken(at, CASES);
}
