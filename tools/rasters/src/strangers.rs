//! Formats that are recognised and not read: their names, and the line that converts them.

use std::path::Path;

use crate::shell::from_to;

/// Conversion of a file to a format that is read.
#[derive(Debug, Clone, Copy, PartialEq)]
enum ConversionWay {
    /// Conversion by GDAL, to a GeoTIFF.
    Convert,
    /// Conversion by GDAL, from a part of the file that has to be named.
    ConvertPart,
    /// Conversion by PDAL: points, not cells.
    Points,
    /// Conversion by GDAL, from shapes whose attributes or coordinates have heights.
    Shapes,
    /// Conversion by GDAL, from a file that contains cells or shapes.
    PartOrShapes,
    /// Advice in words.
    Words(&'static str),
}

use ConversionWay::{Convert, ConvertPart, PartOrShapes, Points, Shapes, Words};

/// Advice for shapes in space.
const MESH_OR_VOXELS: ConversionWay = Words(
    "name a raster of heights as the map, and place this under [[mesh]] or [[voxels]] of a \
     scenario",
);

/// Advice for tables.
const TABLE: ConversionWay = Words(
    "name a raster of heights as the map; a table of rain, discharges or stages is a value of \
     --rain, --inflow or --edges, and points x,y,z become a raster with gdal_grid",
);

/// First bytes of formats, with name and conversion.
const BY_CONTENT: &[(&[u8], &str, ConversionWay)] = &[
    (
        b"\xff\xd8\xff",
        "a JPEG picture",
        Words("heightmaps need a lossless format with 16 bits, export it again as PNG"),
    ),
    (b"PK\x03\x04", "a zip archive", Words("unpack it")),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", Words("unpack it")),
    (b"\x89HDF", "an HDF5 or NetCDF file", ConvertPart),
    (b"CDF", "a NetCDF file", ConvertPart),
    (b"<VRTDataset", "a VRT, which is a mosaic itself", Words("name its rasters")),
    (b"GIF8", "a GIF picture", Words("heightmaps need 16-bit greyscale, for example PNG")),
    (b"BM", "a BMP picture", Words("heightmaps need 16-bit greyscale, for example PNG")),
    (b"DSAA", "a Surfer grid", Convert),
    (b"DSBB", "a Surfer grid", Convert),
    (b"DSRB", "a Surfer grid", Convert),
    (b"EHFA_HEADER_TAG", "an ERDAS Imagine file", Convert),
    (b"SQLite format 3\0", "a GeoPackage", PartOrShapes),
    (b"\0\0\x27\x0a", "a shapefile", Shapes),
    (b"fgb\x03fgb", "a FlatGeobuf file", Shapes),
    (b"AC10", "a drawing (DWG)", Words("save it as DXF, and its contours as a raster of heights")),
    (b"%PDF", "a PDF", Words("a picture of a map has no heights: name a raster of them")),
    (b"VOX ", "a scene of voxels", MESH_OR_VOXELS),
    (b"glTF", "a mesh", MESH_OR_VOXELS),
    (b"\0\0\0\x0cjP  ", "a JPEG 2000 file", Convert),
    (b"\xff\x4f\xff\x51", "a JPEG 2000 file", Convert),
    (b"LASF", "a cloud of points", Points),
    (b"UHL1", "a DTED file", Convert),
];

/// Endings of formats, with name and conversion.
const BY_ENDING: &[(&str, &str, ConversionWay)] = &[
    ("img", "an ERDAS Imagine file, or a raw image", Convert),
    ("gpkg", "a GeoPackage", PartOrShapes),
    ("flt", "an ESRI float grid", Convert),
    ("bil", "a band-interleaved raster", Convert),
    ("bip", "a band-interleaved raster", Convert),
    ("bsq", "a band-sequential raster", Convert),
    ("adf", "an ArcInfo grid", Convert),
    ("xyz", "a list of points", Convert),
    ("jp2", "a JPEG 2000 file", Convert),
    ("dem", "a USGS DEM", Convert),
    ("grd", "a grid of Surfer, GMT or Golden Software", Convert),
    ("nc", "a NetCDF file", ConvertPart),
    ("dt0", "a DTED file", Convert),
    ("dt1", "a DTED file", Convert),
    ("dt2", "a DTED file", Convert),
    ("sdat", "a SAGA grid", Convert),
    ("rst", "an Idrisi raster", Convert),
    ("ter", "a Terragen heightfield", Convert),
    ("kea", "a KEA raster", Convert),
    ("las", "a cloud of points", Points),
    ("laz", "a cloud of points", Points),
    ("ply", "a cloud of points", Points),
    ("shp", "a shapefile", Shapes),
    ("shx", "a part of a shapefile", Words("name a raster of heights")),
    ("dbf", "a part of a shapefile, or a table", Words("name a raster of heights")),
    ("geojson", "a GeoJSON file", Shapes),
    ("json", "a JSON file", Shapes),
    ("fgb", "a FlatGeobuf file", Shapes),
    ("kml", "a KML file", Shapes),
    ("kmz", "a KML file in an archive", Shapes),
    ("gml", "a GML file", Shapes),
    ("gpx", "a GPX track", Shapes),
    ("dxf", "a drawing (DXF)", Shapes),
    ("mif", "a MapInfo file", Shapes),
    ("tab", "a MapInfo file", Shapes),
    ("obj", "a mesh", MESH_OR_VOXELS),
    ("stl", "a mesh", MESH_OR_VOXELS),
    ("gltf", "a mesh", MESH_OR_VOXELS),
    ("xlsx", "a spreadsheet", TABLE),
    ("xls", "a spreadsheet", TABLE),
    ("ods", "a spreadsheet", TABLE),
    ("csv", "a table", TABLE),
    ("tsv", "a table", TABLE),
    ("thalweg", "no raster but a world", Words("open it with thalweg, or with the viewer")),
];

/// Returns the kind of a file that is not read, and its conversion.
pub(crate) fn name(path: &Path, start: &[u8], ending: &str) -> Option<String> {
    let by_content = BY_CONTENT.iter().find(|(magic, ..)| start.starts_with(magic));
    let by_content = by_content.map(|(_, what, way)| (*what, *way));
    let by_ending = BY_ENDING.iter().find(|(known, ..)| *known == ending);
    let by_ending = by_ending.map(|(_, what, way)| (*what, *way));
    // Spreadsheets and zipped maps begin like any archive: their endings state more.
    let (what, way) = match start.starts_with(b"PK\x03\x04") {
        true => by_ending.or(by_content),
        false => by_content.or(by_ending),
    }?;
    let (from, to) = from_to(path, "tif");
    Some(match way {
        Convert => format!("{what}: convert it with gdal_translate {from} {to}"),
        ConvertPart => format!(
            "{what}: convert it with gdal_translate {from} {to}, naming the layer of heights as \
             gdalinfo {from} lists it"
        ),
        Points => format!(
            "{what}: make a raster of its ground first (for example pdal translate {from} {to} \
             --writer gdal --writers.gdal.resolution=1 --writers.gdal.output_type=idw)"
        ),
        Shapes => format!("{what}, which has shapes and no cells: {}", of_shapes(path)),
        PartOrShapes => format!(
            "{what}: convert its raster with gdal_translate {from} {to}, naming the layer of \
             heights as gdalinfo {from} lists it; if it has shapes and no cells, {}",
            of_shapes(path)
        ),
        Words(words) => format!("{what}: {words}"),
    })
}

/// Returns advice for a file of shapes: they have no cells, but may have heights, or be an area.
fn of_shapes(path: &Path) -> String {
    let (from, to) = from_to(path, "tif");
    let (_, area) = from_to(path, "geojson");
    let area = match path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("geojson")) {
        true => format!("add it as --area {from}"),
        false => format!("add it as --area after ogr2ogr -f GeoJSON {area} {from}"),
    };
    format!(
        "name a raster of heights as the map; contours or points become one with gdal_rasterize -a \
         HEIGHT -tr 5 5 -ot Float32 {from} {to} (gdal_grid fills what lies between); if it is the \
         outline of a part of the map, {area}"
    )
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn each_stranger_has_its_line() {
        for (file, start, expected) in [
            ("a.img", &b"EHFA_HEADER_TAG"[..], "gdal_translate a.img a.tif"),
            ("a.img", b"\0\0\0\0", "gdal_translate a.img a.tif"),
            ("a.gpkg", b"SQLite format 3\0", "gdalinfo a.gpkg"),
            ("a.gpkg", b"SQLite format 3\0", "gdal_rasterize -a HEIGHT -tr 5 5 -ot Float32 a.gpkg"),
            ("a.shp", b"\0\0\x27\x0a", "gdal_rasterize -a HEIGHT -tr 5 5 -ot Float32 a.shp a.tif"),
            ("a.shp", b"\0\0\x27\x0a", "--area after ogr2ogr -f GeoJSON a.geojson a.shp"),
            ("a.geojson", b"{\"type\"", "--area a.geojson"),
            ("a.kml", b"<?xml", "gdal_rasterize"),
            ("a.kmz", b"PK\x03\x04", "gdal_rasterize"),
            ("a.dxf", b"  0\nSECTION", "gdal_rasterize"),
            ("a.gpx", b"<?xml", "gdal_rasterize"),
            ("a.xlsx", b"PK\x03\x04", "a spreadsheet"),
            ("a.csv", b"1,2,3", "gdal_grid"),
            ("a.obj", b"v 0 0 0", "[[mesh]]"),
            ("a.vox", b"VOX ", "[[voxels]]"),
            ("a.flt", b"\0\0\0\0", "gdal_translate a.flt a.tif"),
            ("a.bil", b"\0\0\0\0", "gdal_translate a.bil a.tif"),
            ("a.xyz", b"1 2 3\n", "gdal_translate a.xyz a.tif"),
            ("a.jp2", b"\0\0\0\x0cjP  ", "gdal_translate a.jp2 a.tif"),
            ("a.laz", b"LASF", "pdal translate a.laz a.tif"),
            ("a.tif", b"PK\x03\x04", "unpack it"),
        ] {
            let ending = file.rsplit('.').next().unwrap_or_default();
            let line = name(file.as_ref(), start, ending).expect(file);
            assert!(line.contains(expected), "{file}: {line}");
        }
        assert_eq!(name("a.tif".as_ref(), b"something", "tif"), None);
    }

    /// Goal: the line can be pasted, and its output is not its input.
    #[test]
    fn lines_spare_their_input_and_quote_names() {
        let jp2 = &b"\0\0\0\x0cjP  "[..];
        for (file, start, expected) in [
            ("a.tif", jp2, "gdal_translate a.tif a.converted.tif"),
            ("a.TIF", jp2, "gdal_translate a.TIF a.converted.tif"),
            ("a.tif", b"LASF", "pdal translate a.tif a.converted.tif"),
            ("my map.jp2", jp2, "gdal_translate 'my map.jp2' 'my map.tif'"),
            ("it's.nc", b"CDF\x01", r"gdalinfo 'it'\''s.nc'"),
        ] {
            let line = name(file.as_ref(), start, "").expect(file);
            assert!(line.contains(expected), "{file}: {line}");
        }
    }
}
