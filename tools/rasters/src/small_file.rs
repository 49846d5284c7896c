//! Small text files beside a raster, which are read whole.

use std::io::ErrorKind;
use std::path::Path;

use crate::error::RasterError;

/// Reads a text of at most `bytes_max` bytes; `None` if the file is missing. Bytes that are not
/// UTF-8 become replacement characters.
pub(crate) fn read(path: &Path, bytes_max: u64) -> Result<Option<String>, RasterError> {
    let length = match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => metadata.len(),
        Ok(_) => return Ok(None),
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(RasterError::io("open", path, e)),
    };
    if length > bytes_max {
        return Err(RasterError::damaged(
            path,
            format!("has {length} bytes, and at most {bytes_max} are read: delete the file"),
        ));
    }
    let bytes = std::fs::read(path).map_err(|e| RasterError::io("read", path, e))?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}
