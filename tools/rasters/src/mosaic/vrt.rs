//! The rasters of a simple VRT: whole ones, side by side, on its own cells.
//!
//! Read: one band of `SimpleSource`s, and of `ComplexSource`s that only name their NoData, as
//! `gdalbuildvrt` writes them. Refused: parts of rasters, scaling, several bands unless one is
//! chosen, warped, derived and processed ones.

use std::path::Path;

use roxmltree::{Document, Node};

use super::list::text;
use super::{Listing, Member, OFF_MAX, VrtFrame};
use crate::error::RasterError;
use crate::samples;
use crate::size::checked_size;

/// Elements that a source may have besides its name, band and rectangles.
const IDLE: [&str; 2] = ["SourceProperties", "OpenOptions"];

pub(super) fn read(path: &Path, number: Option<usize>) -> Result<Listing, RasterError> {
    let text = text(path)?;
    let document = Document::parse(&text).map_err(|e| {
        RasterError::damaged(path, format!("is no sound XML ({e}): build it again"))
    })?;
    let vrt = Vrt { path };
    let root = document.root_element();
    if root.tag_name().name() != "VRTDataset" {
        return Err(RasterError::damaged(path, "is XML, but no VRTDataset"));
    }
    vrt.refuse_kind(root)?;
    let frame = vrt.frame(root)?;
    let bands: Vec<Node> = children(root, "VRTRasterBand").collect();
    let wrong = || {
        let what = format!("has {} bands: choose one with --band", bands.len());
        RasterError::hint(path, what)
    };
    let band = match (number, bands.as_slice()) {
        (None, [band]) => *band,
        (None, _) => return Err(wrong()),
        (Some(number), _) => {
            number.checked_sub(1).and_then(|i| bands.get(i)).copied().ok_or_else(wrong)?
        }
    };
    vrt.refuse_kind(band)?;
    let nodata = child(band, "NoDataValue").map(|node| vrt.nodata(node)).transpose()?;
    let mut members = Vec::new();
    for node in band.children().filter(Node::is_element) {
        match node.tag_name().name() {
            "SimpleSource" | "ComplexSource" => members.push(vrt.member(node, frame, nodata)?),
            "Scale" if (vrt.number(node)? - 1.0).abs() < f64::EPSILON => {}
            "Offset" if vrt.number(node)?.abs() < f64::EPSILON => {}
            name if name.ends_with("Source") || ["Scale", "Offset"].contains(&name) => {
                return Err(vrt.refused(&format!("has a {name}")));
            }
            _ => {}
        }
    }
    if members.is_empty() {
        return Err(RasterError::damaged(path, "names no rasters: build it again"));
    }
    let text = |node: Node| {
        let text = node.text().unwrap_or_default().trim();
        (!text.is_empty()).then(|| text.to_owned())
    };
    let system = child(root, "SRS").and_then(text);
    let unit = child(band, "UnitType").and_then(text);
    Ok(Listing { members, frame: Some(frame), system, unit })
}

fn children<'a, 'i>(node: Node<'a, 'i>, name: &str) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(move |child| child.has_tag_name(name))
}

fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    // Some programs spell names in a different case than GDAL, like `NodataValue`.
    let is_it = |child: &Node| child.tag_name().name().eq_ignore_ascii_case(name);
    children(node, name).next().or_else(|| node.children().find(is_it))
}

struct Vrt<'p> {
    path: &'p Path,
}

impl Vrt<'_> {
    fn refused(&self, what: &str) -> RasterError {
        RasterError::unsupported(
            self.path,
            format!(
                "{what}: only whole rasters side by side are read, make one file of it with \
                 gdal_translate in.vrt out.tif"
            ),
        )
    }

    fn damaged(&self, what: &str) -> RasterError {
        RasterError::damaged(self.path, format!("{what}: build it again"))
    }

    fn refuse_kind(&self, node: Node) -> Result<(), RasterError> {
        match node.attribute("subClass") {
            Some(kind) => Err(self.refused(&format!("is a {kind}"))),
            None => Ok(()),
        }
    }

    fn number(&self, node: Node) -> Result<f64, RasterError> {
        let text = node.text().unwrap_or_default().trim();
        let wrong = || self.damaged(&format!("{} is no number", node.tag_name().name()));
        text.parse().map_err(|_| wrong())
    }

    fn nodata(&self, node: Node) -> Result<f64, RasterError> {
        samples::nodata(self.path, node.tag_name().name(), node.text().unwrap_or_default())
    }

    fn attribute(&self, node: Node, name: &str) -> Result<f64, RasterError> {
        let number = node.attribute(name).and_then(|text| text.trim().parse().ok());
        number.ok_or_else(|| self.damaged(&format!("{} has no {name}", node.tag_name().name())))
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "`as` saturates, and the size is checked after"
    )]
    fn frame(&self, root: Node) -> Result<VrtFrame, RasterError> {
        let side = |name| self.attribute(root, name).map(|side| side as u64);
        let (columns, rows) = (side("rasterXSize")?, side("rasterYSize")?);
        let size = checked_size(self.path, columns, rows)?;
        let text = child(root, "GeoTransform").and_then(|node| node.text()).unwrap_or_default();
        let numbers: Vec<f64> =
            text.split(',').filter_map(|number| number.trim().parse().ok()).collect();
        let [west, step_x, turn_x, north, turn_y, step_y] = numbers[..] else {
            return Err(self.damaged("its GeoTransform is not six numbers"));
        };
        if turn_x != 0.0 || turn_y != 0.0 || step_x <= 0.0 || step_y >= 0.0 {
            return Err(self.refused("is turned or upside down"));
        }
        Ok(VrtFrame { size, corner: (west, north), step: (step_x, -step_y) })
    }

    /// Reads the member of a source that takes a raster as a whole.
    fn member(
        &self,
        source: Node,
        frame: VrtFrame,
        nodata: Option<f64>,
    ) -> Result<Member, RasterError> {
        let name = child(source, "SourceFilename");
        let text = name.and_then(|name| name.text()).map(str::trim).unwrap_or_default();
        let (Some(name), false) = (name, text.is_empty()) else {
            return Err(self.damaged("a source has no name"));
        };
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let is_relative = name.attribute("relativeToVRT") == Some("1");
        let path = if is_relative { folder.join(text) } else { text.into() };
        let (mut own, mut band) = (nodata, None);
        for node in source.children().filter(Node::is_element) {
            match node.tag_name().name() {
                "SourceFilename" | "SrcRect" | "DstRect" => {}
                "SourceBand" => {
                    let number = node.text().and_then(|text| text.trim().parse().ok());
                    let wrong = || self.refused(&format!("has a mask as a band of {text}"));
                    band = Some(number.ok_or_else(wrong)?);
                }
                name if name.eq_ignore_ascii_case("NODATA") => own = Some(self.nodata(node)?),
                name if IDLE.contains(&name) => {}
                name => return Err(self.refused(&format!("has a {name} for {text}"))),
            }
        }
        let whole = [0.0, 0.0, frame.size.0 as f64, frame.size.1 as f64];
        let to = self.rectangle(source, "DstRect")?.unwrap_or(whole);
        let from = self.rectangle(source, "SrcRect")?.unwrap_or([0.0, 0.0, to[2], to[3]]);
        let is_near = |a: f64, b: f64| (a - b).abs() <= OFF_MAX;
        let is_whole = is_near(from[0], 0.0) && is_near(from[1], 0.0);
        if !is_whole || !is_near(from[2], to[2]) || !is_near(from[3], to[3]) {
            return Err(self.refused(&format!("takes a part of {text}, or scales it")));
        }
        if !to.iter().all(|side| *side >= 0.0 && is_near(*side, side.round())) {
            return Err(self.refused(&format!("places {text} between its cells")));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole and positive; `as` saturates, and the place is compared after"
        )]
        let place = to.map(|side| side.round() as usize);
        Ok(Member { path, nodata: own, place: Some(place), band })
    }

    fn rectangle(&self, source: Node, name: &str) -> Result<Option<[f64; 4]>, RasterError> {
        let Some(node) = child(source, name) else { return Ok(None) };
        let side = |name| self.attribute(node, name);
        Ok(Some([side("xOff")?, side("yOff")?, side("xSize")?, side("ySize")?]))
    }
}
