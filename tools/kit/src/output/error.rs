//! Why the results could not be written.

use std::path::PathBuf;
use std::{fmt, io};

use rasters::RasterError;

/// Why the results could not be written. No half-written file is left under a final name.
#[derive(Debug)]
#[non_exhaustive]
pub enum OutputError {
    /// The output folder does not exist and cannot be made.
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file in the folder cannot be written.
    File {
        /// The file, under its final name.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A GeoTIFF cannot be written.
    Raster {
        /// The file, under its final name.
        path: PathBuf,
        /// What the raster writer said.
        source: RasterError,
    },
}

impl fmt::Display for OutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder { path, source } => write!(
                f,
                "cannot use {} as the output folder: {source}; {}",
                path.display(),
                remedy(source)
            ),
            Self::File { path, source }
            | Self::Raster { path, source: RasterError::Io { source, .. } } => {
                write!(f, "cannot write {}: {source}; {}", path.display(), remedy(source))
            }
            Self::Raster { path, source } => write!(f, "cannot write {}: {source}", path.display()),
        }
    }
}

impl std::error::Error for OutputError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Folder { source, .. } | Self::File { source, .. } => Some(source),
            Self::Raster { source, .. } => Some(source),
        }
    }
}

/// How the user can mend it.
fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "free some space, or choose a folder on another disk with --out"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "choose a folder you may write to with --out"
        }
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
            "a file is in the way: choose another folder with --out"
        }
        _ => "choose another folder with --out",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_error_says_what_where_and_how_to_mend() {
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        for (error, where_, mend) in [
            (
                OutputError::File { path: "out/gauges.csv".into(), source: full() },
                "out/gauges.csv",
                "free some space",
            ),
            (
                OutputError::Folder {
                    path: "out".into(),
                    source: io::ErrorKind::PermissionDenied.into(),
                },
                "cannot use out",
                "you may write to",
            ),
            (
                OutputError::Raster {
                    path: "out/hazard.tif".into(),
                    source: RasterError::Io {
                        action: "write",
                        path: ".part".into(),
                        source: full(),
                    },
                },
                "out/hazard.tif",
                "free some space",
            ),
        ] {
            let text = error.to_string();
            assert!(text.contains(where_) && text.contains(mend), "{text}");
            assert!(!text.contains('\n'), "{text}");
        }
    }
}
