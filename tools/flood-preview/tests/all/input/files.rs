//! Files that are no maps, no tables, no areas, no rasters beside the map.

use testkit::listing;

use super::kit::{FLOOD, folder};

/// A file, its content, the command line that names it, and what the error has to say.
pub const CASES: &[(&str, &[u8], &str, &[&str])] = &[
    // Maps of other formats.
    ("m.img", b"EHFA_HEADER_TAG\0", "m.img", &["ERDAS", "gdal_translate m.img m.tif"]),
    ("m.gpkg", b"SQLite format 3\0", "m.gpkg", &["GeoPackage", "gdal_translate m.gpkg m.tif"]),
    ("m.flt", b"\0\0\x80\x3f", "m.flt", &["float grid", "gdal_translate m.flt m.tif"]),
    ("m.bil", b"\0\x01\0\x02", "m.bil", &["gdal_translate m.bil m.tif"]),
    ("m.xyz", b"1 2 3\n2 2 3\n", "m.xyz", &["points", "gdal_translate m.xyz m.tif"]),
    ("m.jp2", b"\0\0\0\x0cjP  \r\n", "m.jp2", &["JPEG 2000", "gdal_translate m.jp2 m.tif"]),
    ("m.laz", b"LASF\0\0", "m.laz", &["points", "pdal translate m.laz m.tif"]),
    ("m.nc", b"CDF\x01", "m.nc", &["NetCDF", "gdalinfo m.nc"]),
    ("m.shp", b"\0\0\x27\x0a", "m.shp", &["shapefile", "gdal_rasterize", "m.shp m.tif"]),
    ("m.geojson", b"{\"type\": 1}", "m.geojson", &["gdal_rasterize", "--area m.geojson"]),
    ("m.kml", b"<?xml version=\"1.0\"?><kml/>", "m.kml", &["gdal_rasterize", "ogr2ogr"]),
    ("m.kmz", b"PK\x03\x04", "m.kmz", &["gdal_rasterize", "ogr2ogr"]),
    ("m.gml", b"<?xml version=\"1.0\"?>", "m.gml", &["gdal_rasterize", "ogr2ogr"]),
    ("m.gpx", b"<?xml version=\"1.0\"?>", "m.gpx", &["gdal_rasterize"]),
    ("m.dxf", b"  0\nSECTION\n", "m.dxf", &["drawing", "gdal_rasterize"]),
    ("m.dwg", b"AC1032", "m.dwg", &["drawing", "DXF"]),
    ("m.fgb", b"fgb\x03fgb\0", "m.fgb", &["FlatGeobuf", "gdal_rasterize"]),
    ("m.pdf", b"%PDF-1.7", "m.pdf", &["PDF", "no heights"]),
    ("m.xlsx", b"PK\x03\x04", "m.xlsx", &["spreadsheet", "--rain, --inflow or --edges"]),
    ("m.csv", b"0,1\n", "m.csv", &["table", "--rain, --inflow or --edges", "gdal_grid"]),
    ("m.obj", b"v 0 0 0\n", "m.obj", &["mesh", "[[mesh]]"]),
    ("m.vox", b"VOX \x96\0\0\0", "m.vox", &["voxels", "[[voxels]]"]),
    ("m.zip", b"PK\x03\x04", "m.zip", &["zip", "unpack it"]),
    ("m.jpg", b"\xff\xd8\xff\xe0", "m.jpg", &["JPEG", "16 bits"]),
    ("m.gif", b"GIF89a", "m.gif", &["GIF", "PNG"]),
    ("m.bmp", b"BM\0\0", "m.bmp", &["BMP", "PNG"]),
    ("m.doc", b"Dear reader,", "m.doc", &["no raster", "gdal_translate"]),
    ("w.thalweg", b"anything", "w.thalweg", &["world", "thalweg run w.thalweg"]),
    // Damaged maps.
    ("empty.tif", b"", "empty.tif", &["empty", "again"]),
    ("short.tif", b"II*\0", "short.tif", &["short.tif", "fetch"]),
    ("wild.tif", b"II*\0\xff\xff\xff\xff", "wild.tif", &["wild.tif"]),
    ("m.png", b"\x89PNG\r\n\x1a\n\0\0", "m.png", &["m.png", "again"]),
    ("N00E000.hgt", b"\0\x01", "N00E000.hgt", &["2 bytes", "fetch it again"]),
    ("here.hgt", b"\0\x01", "here.hgt", &["here.hgt", "fetch it again"]),
    ("m.r16", b"\0\x01\0\x02", "m.r16", &["m.r16", "--map-size"]),
    ("m.gz", b"\x1f\x8b\x08\0", "m.gz", &["gzipped", "gunzip"]),
    ("nokeys.asc", b"ncols 2\n1 2\n", "nokeys.asc", &["nokeys.asc", "nrows"]),
    (
        "zero.asc",
        b"ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 0\n1 2\n3 4\n",
        "zero.asc",
        &["zero.asc", "positive"],
    ),
    (
        "cut.asc",
        b"ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 5\n1 2\n3\n",
        "cut.asc",
        &["cut.asc"],
    ),
    (
        "word.asc",
        b"ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 5\n1 2\n3 deep\n",
        "word.asc",
        &["word.asc", "deep"],
    ),
    (
        "wild.asc",
        b"ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 5\n1 2\n3 1e9\n",
        "wild.asc",
        &["wild.asc", "--nodata"],
    ),
    (
        "void.asc",
        b"ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 5\nnodata_value -1\n1 2\n3 -9999\n",
        "void.asc",
        &["void.asc", "1 cells are -9999", "row 1, column 1", "--nodata -9999"],
    ),
    (
        "none.asc",
        b"ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 5\n-9999 -9999\n-9999 -9999\n",
        "none.asc",
        &["none.asc", "nothing but NoData", "--nodata"],
    ),
    (
        "degrees.asc",
        b"ncols 2\nnrows 2\nxllcorner 9\nyllcorner 48\ncellsize 0.001\n1 2\n3 4\n",
        "degrees.asc",
        &["degrees", "gdalwarp", "--metres-per-degree auto"],
    ),
    ("list.txt", b"absent.tif\n", "list.txt", &["absent.tif", "correct the list"]),
    ("m.vrt", b"<VRTDataset", "m.vrt", &["m.vrt"]),
    // Tables over time.
    ("q.csv", b"", "dem.asc --inflow 1010,2010=q.csv", &["q.csv", "no rows"]),
    (
        "q.csv",
        b"0,0\n600,300\n",
        "dem.asc --inflow 1010,2010=q.csv",
        &["q.csv line 2", "have no unit", "`time [unit], discharge [unit]`"],
    ),
    (
        "q.csv",
        b"time,flow\n0,0\n600,300\n",
        "dem.asc --inflow 1010,2010=q.csv",
        &["q.csv line 3", "`time [unit], flow [unit]`"],
    ),
    (
        "q.csv",
        b"time [min],flow\n0,0\n600,300\n",
        "dem.asc --inflow 1010,2010=q.csv",
        &["q.csv line 3", "values have no unit", "`time [min], flow [unit]`"],
    ),
    (
        "q.csv",
        b"time [houts],q [m3/s]\n0,0\n",
        "dem.asc --inflow 1010,2010=q.csv",
        &["q.csv line 1", "[houts]", "did you mean [h]?"],
    ),
    (
        "q.csv",
        b"time [h],q [mm]\n0,0\n",
        "dem.asc --inflow 1010,2010=q.csv",
        &["q.csv line 1", "[mm]", "m3/s"],
    ),
    (
        "q.csv",
        b"time [s],q [m3/s]\n0,0\n60,many\n",
        "dem.asc --inflow 1010,2010=q.csv",
        &["q.csv line 3", "`many`", "units: m3/s"],
    ),
    (
        "q.csv",
        b"time [s],q [m3/s]\n0,0\n60,1\n60,2\n",
        "dem.asc --inflow 1010,2010=q.csv",
        &["q.csv line 4", "sort the rows"],
    ),
    (
        "q.csv",
        b"time [s],q [m3/s]\n-60,0\n",
        "dem.asc --inflow 1010,2010=q.csv",
        &["q.csv line 2", "times count from the start"],
    ),
    (
        "q.csv",
        b"time,q [m3/s]\n14:00,0\n15:00,1\n",
        "dem.asc --inflow 1010,2010=q.csv",
        &["q.csv line 2", "14:00", "write the date as well"],
    ),
    ("q.csv", b"time_s\n0\n", "dem.asc --inflow 1010,2010=q.csv", &["q.csv line 2", "one column"]),
    (
        "q.csv",
        b"\xff\xfe\0\xd8\0",
        "dem.asc --inflow 1010,2010=q.csv",
        &["q.csv", "no text", "save it as CSV"],
    ),
    (
        "r.csv",
        b"time [min],rain [mm]\n0,5\n",
        "dem.asc --rain r.csv",
        &["r.csv", "a single row", "add a row"],
    ),
    (
        "t.csv",
        b"0,12.5\n3600,13\n",
        "dem.asc --edges stage:t.csv",
        &["t.csv line 2", "`time [unit], stage [unit]`"],
    ),
    // Areas.
    ("a.geojson", b"{", "dem.asc --area a.geojson", &["a.geojson", "no GeoJSON"]),
    (
        "a.geojson",
        b"{\"type\": \"Point\", \"coordinates\": [1, 2]}",
        "dem.asc --area a.geojson",
        &["a.geojson", "no Polygon", "draw"],
    ),
    (
        "a.geojson",
        b"{\"type\": \"Polygon\", \"coordinates\": [[[9,48],[9.1,48],[9,48.1]]]}",
        "dem.asc --area a.geojson",
        &["a.geojson", "holds no cell", "x from 1000 to 1060"],
    ),
    ("a.csv", b"x,y\n1000,2000\n1060,2050\n", "dem.asc --area a.csv", &["a.csv", "at least three"]),
    ("a.csv", b"1000,2000\nhere\n", "dem.asc --area a.csv", &["a.csv", "line 2", "x,y"]),
    // Rasters and tables beside the map.
    (
        "c.csv",
        b"0,much\n",
        "dem.asc --land-cover dem.asc --land-cover-table c.csv",
        &["c.csv", "line 1"],
    ),
    (
        "c.csv",
        b"0,0.03\n",
        "dem.asc --land-cover dem.asc --land-cover-table c.csv",
        &["dem.asc", "class 20", "c.csv"],
    ),
    (
        "far.asc",
        b"ncols 1\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 5\n1\n",
        "dem.asc --initial-depth far.asc",
        &["far.asc", "overlap"],
    ),
    (
        "neg.asc",
        b"ncols 2\nnrows 1\nxllcorner 1000\nyllcorner 2000\ncellsize 30\n1 -1\n",
        "dem.asc --initial-depth neg.asc",
        &["neg.asc", "column 1", "below 0"],
    ),
];

#[test]
fn files_that_are_something_else_are_refused() {
    let wrong: Vec<String> = CASES
        .iter()
        .filter_map(|(name, content, line, words)| {
            let folder = folder(&[(name, content)]);
            let before = listing(folder.path());
            let wrong = FLOOD.unlike_a_mistake(folder.path(), line, words);
            assert_eq!(listing(folder.path()), before, "{line}");
            wrong
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), CASES.len(), wrong.join("\n"));
}
