//! The `.aux.xml` file beside a raster, as GDAL and ArcGIS write it: `dem.tif.aux.xml`.
//!
//! ```xml
//! <PAMDataset>
//!   <SRS>PROJCS["NAD83 / UTM zone 11N", ...]</SRS>
//!   <GeoTransform>512000, 5, 0, 181400, 0, -5</GeoTransform>
//!   <PAMRasterBand band="1">
//!     <NoDataValue>-88</NoDataValue>
//!     <Offset>0</Offset> <Scale>0.01</Scale> <UnitType>ft</UnitType>
//!   </PAMRasterBand>
//! </PAMDataset>
//! ```
//!
//! Guarantees: statistics, tables, colours and similar elements are passed over; a number that is
//!             not readable is an error that names its element.
//! Limits:     of ArcGIS's transforms the reference system alone is read.
//! Source:     GDAL, `GDALPamDataset::XMLInit` and `GDALPamRasterBand::XMLInit`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use roxmltree::{Document, Node};

use crate::error::RasterError;
use crate::small_file;

/// Most bytes of the file; histograms and tables of attributes take some megabytes.
const BYTES_MAX: u64 = 64 << 20;

/// Content of an `.aux.xml` file.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct AuxXml {
    /// Reference system as WKT.
    pub(crate) system: Option<String>,
    /// West, step of a column in x, of a row in x, north, step of a column in y, of a row in y.
    pub(crate) transform: Option<[f64; 6]>,
    bands: Vec<(usize, AuxBand)>,
}

/// Values of a band, as an `.aux.xml` file describes them.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct AuxBand {
    /// Stored value that means NoData, as it is spelled.
    pub(crate) nodata: Option<String>,
    /// Added to a stored value times `scale`.
    pub(crate) offset: Option<f64>,
    /// Factor from a stored value to its meaning.
    pub(crate) scale: Option<f64>,
    /// Name of the unit, like `ft`.
    pub(crate) unit: Option<String>,
}

impl AuxXml {
    /// Reads the file beside the raster at `path`; empty if the file is missing.
    pub(crate) fn beside(path: &Path) -> Result<Self, RasterError> {
        let beside = path_beside(path);
        let text = small_file::read(&beside, BYTES_MAX)?;
        text.map_or_else(|| Ok(Self::default()), |text| Self::parse(&beside, &text))
    }

    /// Values of band `number`, counted from 1; empty if the file does not describe the band.
    pub(crate) fn band(&self, number: usize) -> AuxBand {
        let found = self.bands.iter().find(|(band, _)| *band == number);
        found.map(|(_, band)| band.clone()).unwrap_or_default()
    }

    fn parse(beside: &Path, text: &str) -> Result<Self, RasterError> {
        let text = text.trim_start_matches('\u{feff}');
        let document = Document::parse(text).map_err(|e| {
            RasterError::damaged(beside, format!("is not valid XML ({e}): mend or delete the file"))
        })?;
        let root = document.root_element();
        if root.tag_name().name() != "PAMDataset" {
            return Ok(Self::default());
        }
        let mut bands = Vec::new();
        let elements = root.children().filter(|node| node.has_tag_name("PAMRasterBand"));
        for (index, node) in elements.enumerate() {
            let number = node.attribute("band").and_then(|text| text.trim().parse().ok());
            bands.push((number.unwrap_or(index + 1), band(beside, node)?));
        }
        let arcgis = root.descendants().find(|node| node.has_tag_name("GeodataXform"));
        let wkt = arcgis.and_then(|node| node.descendants().find(|node| node.has_tag_name("WKT")));
        let wkt = wkt.and_then(|node| node.text()).map(str::trim).filter(|text| !text.is_empty());
        let system = content(root, "SRS").or(wkt).map(str::to_owned);
        let transform = content(root, "GeoTransform").map(|text| transform(beside, text));
        Ok(Self { system, transform: transform.transpose()?, bands })
    }
}

/// Returns the path of the `.aux.xml` file of a raster: `dem.tif.aux.xml` for `dem.tif`.
pub(crate) fn path_beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".aux.xml");
    name.into()
}

fn band(beside: &Path, node: Node<'_, '_>) -> Result<AuxBand, RasterError> {
    let number = |name| content(node, name).map(|text| number(beside, name, text)).transpose();
    Ok(AuxBand {
        nodata: content(node, "NoDataValue").map(str::to_owned),
        offset: number("Offset")?,
        scale: number("Scale")?,
        unit: content(node, "UnitType").map(str::to_owned),
    })
}

/// Returns the text of the child element `name`, if the text is not empty.
fn content<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    let child = node.children().find(|child| child.has_tag_name(name))?;
    child.text().map(str::trim).filter(|text| !text.is_empty())
}

fn transform(beside: &Path, text: &str) -> Result<[f64; 6], RasterError> {
    let numbers: Result<Vec<f64>, _> =
        text.split(',').map(|part| number(beside, "GeoTransform", part)).collect();
    let numbers = numbers?;
    let count = numbers.len();
    numbers.try_into().map_err(|_| {
        let what = format!("its GeoTransform has {count} numbers, not 6: mend or delete the file");
        RasterError::damaged(beside, what)
    })
}

fn number(beside: &Path, name: &str, text: &str) -> Result<f64, RasterError> {
    let text = text.trim();
    let number: Option<f64> = text.parse().ok();
    number.filter(|number| number.is_finite()).ok_or_else(|| {
        let what = format!("its {name} is '{text}', not a number: mend or delete the file");
        RasterError::damaged(beside, what)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<AuxXml, String> {
        AuxXml::parse(Path::new("a.tif.aux.xml"), text).map_err(|e| e.to_string())
    }

    #[test]
    fn place_system_and_bands_are_read() {
        let text = "<PAMDataset>\n<SRS dataAxisToSRSAxisMapping=\"1,2\">PROJCS[\"a\"]</SRS>\
            <GeoTransform>  5.0e+05, 10, 0, 4.0e+06, 0, -10</GeoTransform>\
            <PAMRasterBand band=\"2\"><NoDataValue le_hex_equiv=\"00\"> -1.#INF </NoDataValue>\
            <Offset>1</Offset><Scale>0.5</Scale><UnitType>ft</UnitType><Histograms/>\
            </PAMRasterBand></PAMDataset>";
        let aux = parsed(text).expect("sound");
        assert_eq!(aux.system.as_deref(), Some("PROJCS[\"a\"]"));
        assert_eq!(aux.transform, Some([5.0e5, 10.0, 0.0, 4.0e6, 0.0, -10.0]));
        let band = AuxBand {
            nodata: Some("-1.#INF".into()),
            offset: Some(1.0),
            scale: Some(0.5),
            unit: Some("ft".into()),
        };
        assert_eq!((aux.band(2), aux.band(1)), (band, AuxBand::default()));
        let text = "<PAMDataset><Metadata><GeodataXform><SpatialReference><WKT>GEOGCS[]</WKT>\
            </SpatialReference></GeodataXform></Metadata></PAMDataset>";
        assert_eq!(parsed(text).expect("sound").system.as_deref(), Some("GEOGCS[]"));
    }

    #[test]
    fn damage_is_one_line_with_its_mend() {
        for (text, words) in [
            ("<PAMDataset>", "not valid XML"),
            ("<PAMDataset><GeoTransform>1, 2</GeoTransform></PAMDataset>", "2 numbers, not 6"),
            ("<PAMDataset><GeoTransform>1, x</GeoTransform></PAMDataset>", "'x', not a number"),
            (
                "<PAMDataset><PAMRasterBand><Scale>nan</Scale></PAMRasterBand></PAMDataset>",
                "its Scale is 'nan'",
            ),
        ] {
            let error = parsed(text).expect_err(text);
            assert!(error.contains(words) && !error.contains('\n'), "{error}");
        }
        assert_eq!(parsed("<metadata/>"), Ok(AuxXml::default()));
    }
}
