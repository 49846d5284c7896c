//! GDAL's metadata of a dataset and of its bands, tag 42112.
//!
//! ```xml
//! <GDALMetadata>
//!   <Item name="OFFSET" sample="0" role="offset">12.5</Item>
//!   <Item name="NETCDF_DIM_time" sample="3">1.5</Item>
//! </GDALMetadata>
//! ```
//!
//! Guarantees: any text gives the items that can be read and no error: not all programs that write
//!             the tag write valid XML.
//! Source:     GDAL, GTiff driver, `GTiffDataset::WriteMetadata`.

/// Items of the metadata.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Metadata {
    items: Vec<MetadataItem>,
}

#[derive(Debug, Clone, PartialEq)]
struct MetadataItem {
    name: String,
    role: String,
    /// Band, counted from 1; `None` for the dataset.
    band: Option<usize>,
    text: String,
}

impl Metadata {
    pub(super) fn parse(text: &str) -> Self {
        Self { items: text.split("<Item").skip(1).filter_map(MetadataItem::parse).collect() }
    }

    /// Returns the text of a role of a band, counted from 1, if the text is not empty.
    pub(super) fn role(&self, role: &str, band: usize) -> Option<&str> {
        let of_band = |item: &&MetadataItem| item.role == role && item.band.unwrap_or(1) == band;
        self.items.iter().find(of_band).map(|item| item.text.as_str()).filter(|t| !t.is_empty())
    }

    /// Returns the text of a name of a band, counted from 1, or of the whole dataset.
    pub(super) fn named(&self, name: &str, band: Option<usize>) -> Option<&str> {
        let is_it = |item: &&MetadataItem| item.name == name && item.band == band;
        self.items.iter().find(is_it).map(|item| item.text.as_str()).filter(|t| !t.is_empty())
    }
}

impl MetadataItem {
    /// Reads the text after `<Item`.
    fn parse(text: &str) -> Option<Self> {
        let (head, rest) = text.split_once('>')?;
        let attribute = |name: &str| -> Option<String> {
            let (_, rest) = head.split_once(&format!(" {name}=\""))?;
            Some(plain(rest.split('"').next()?))
        };
        let text = if head.ends_with('/') { "" } else { rest.split('<').next()? };
        Some(Self {
            name: attribute("name").unwrap_or_default(),
            role: attribute("role").unwrap_or_default(),
            band: attribute("sample").and_then(|text| text.parse::<usize>().ok()).map(|n| n + 1),
            text: plain(text).trim().to_owned(),
        })
    }
}

/// Returns a text without XML's escapes.
fn plain(text: &str) -> String {
    let pairs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    pairs.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_those_of_their_band() {
        let metadata = Metadata::parse(
            "<GDALMetadata>\n  <Item name=\"UNITTYPE\" sample=\"1\" role=\"unittype\">ft</Item>\n\
             <Item name=\"time#units\">hours &lt; &amp;amp;</Item><Item name=\"a\"/>\
             <Item name=\"NETCDF_DIM_time\" sample=\"0\"> 1.5 </Item></GDALMetadata>",
        );
        assert_eq!(metadata.role("unittype", 2), Some("ft"));
        assert_eq!(metadata.role("unittype", 1), None);
        assert_eq!(metadata.named("NETCDF_DIM_time", Some(1)), Some("1.5"));
        assert_eq!(metadata.named("time#units", None), Some("hours < &amp;"));
        assert_eq!(metadata.named("a", None), None);
        for text in ["", "<Item", "<Item name=\"a", "<Item role=\"scale\">1", "<Item >"] {
            let _ = Metadata::parse(text);
        }
    }
}
