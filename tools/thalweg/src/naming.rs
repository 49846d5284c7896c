//! Names of files in JSON, which is text; a name need not be.

use std::path::Path;

use serde::{Serialize, Serializer};

/// Writes a name as text, as exactly as text allows.
///
/// # Errors
///
/// Errors of `to`.
pub fn file<S: Serializer>(path: &impl AsRef<Path>, to: S) -> Result<S::Ok, S::Error> {
    path.as_ref().to_string_lossy().serialize(to)
}

/// Serialises the name of a file, if any.
///
/// # Errors
///
/// Errors of `to`.
pub fn file_or_none<S: Serializer>(
    path: &Option<impl AsRef<Path>>,
    to: S,
) -> Result<S::Ok, S::Error> {
    path.as_ref().map(|path| path.as_ref().to_string_lossy()).serialize(to)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::path::PathBuf;

    use serde_json::{json, to_value};

    use super::*;
    use crate::diff::DiffReport;

    /// Goal: results are reported, even if names of files are not text; before, the report of an
    /// import that had ended well could not be printed.
    #[test]
    fn reports_name_files_whose_names_are_no_text() {
        let name = PathBuf::from(OsStr::from_bytes(b"a\xff.thalweg"));
        let report = DiffReport { a: name.clone(), b: "b".into(), equal: true, layers: Vec::new() };
        let named = json!({"a": "a\u{fffd}.thalweg", "b": "b", "equal": true, "layers": []});
        assert_eq!(to_value(report).expect("JSON"), named);
        let json = |file: Option<PathBuf>| file_or_none(&file, serde_json::value::Serializer);
        assert_eq!(json(Some(name)).expect("JSON"), json!("a\u{fffd}.thalweg"));
        assert_eq!(json(None).expect("JSON"), json!(null));
    }
}
