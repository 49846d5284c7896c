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
    ("info dem.thalweg --pgn x.png", &["--pgn", "thalweg --help"]),
    ("diff dem.thalweg", &["<B>", "--help"]),
    ("export dem.thalweg", &["<OUT>", "--help"]),
    ("export dem.thalweg out.tif --level deep", &["--level", "deep"]),
    ("export dem.thalweg out.tif --level 300", &["--level", "300"]),
    ("export dem.thalweg out.tif --layer water", &["--layer", "bed"]),
    ("run dem.thalweg --until 2h --for 1h", &["--until", "--for"]),
    ("run dem.thalweg --for 2", &["--for", "units: s, min, h, d"]),
    ("run dem.thalweg --for 2hours", &["--for", "did you mean 2h?"]),
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
        ("m.img", "EHFA_HEADER_TAG".to_owned()),
    ];
    put(at, &files);
    fs::create_dir(at.join("folder")).expect("writable");
    THALWEG.done(at, "import dem.asc dem.thalweg --quiet");
    THALWEG.all_mistaken(at, CASES);
}
