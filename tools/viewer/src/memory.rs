//! Memory from one session to the next: the window's size, and the last file.
//!
//! The memory is a small TOML in the user's folder of settings. If it cannot be read or written,
//! nothing is remembered, and nothing else happens.

use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use directories::ProjectDirs;
use serde::{Deserialize, Serialize};

/// File name in the folder of settings.
const NAME: &str = "viewer.toml";

/// Sides of windows that are opened again, pixels.
const SIDES: RangeInclusive<u32> = 64..=8192;

/// Facts remembered from one session to the next.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SessionMemory {
    /// Width and height of the window, pixels.
    #[serde(default)]
    pub window: Option<[u32; 2]>,
    /// File that was opened last.
    #[serde(default)]
    pub file: Option<PathBuf>,
}

impl SessionMemory {
    /// Reads the memory; returns an empty one if it is missing or cannot be read.
    #[must_use]
    pub fn recall() -> Self {
        place().map_or_else(Self::default, |place| Self::read(&place))
    }

    /// Writes the memory.
    pub fn keep(&self) {
        if let Some(place) = place() {
            self.write(&place);
        }
    }

    fn read(place: &Path) -> Self {
        let text = fs::read_to_string(place).unwrap_or_default();
        let mut memory: Self = toml::from_str(&text).unwrap_or_default();
        // A minimised window has no size.
        memory.window = memory.window.filter(|sides| sides.iter().all(|side| SIDES.contains(side)));
        memory
    }

    fn write(&self, place: &Path) {
        let Ok(text) = toml::to_string(self) else { return };
        if let Some(folder) = place.parent() {
            let _ = fs::create_dir_all(folder);
        }
        let _ = fs::write(place, text);
    }
}

/// Returns the path of the memory; `None` if the user has no home.
fn place() -> Option<PathBuf> {
    ProjectDirs::from("", "", "thalweg").map(|folders| folders.config_dir().join(NAME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_as_it_was() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("new").join(NAME);
        assert_eq!(SessionMemory::read(&place), SessionMemory::default());
        let memory = SessionMemory { window: Some([800, 600]), file: Some("river.thalweg".into()) };
        memory.write(&place);
        assert_eq!(SessionMemory::read(&place), memory);
        fs::write(&place, "window = \"large\"").expect("room");
        assert_eq!(SessionMemory::read(&place), SessionMemory::default());
        fs::write(&place, "window = [0, 0]").expect("room");
        assert_eq!(SessionMemory::read(&place).window, None);
    }
}
