//! Resolves the files named on the command line to a scenario.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use kit::command::quoted;
use kit::error::UserError;

use crate::file::Scenario;
use crate::options::Options;
use crate::{overlay, text};

/// First bytes of a world file.
const MAGIC: &[u8; 4] = b"\x89TLW";
/// Scenario that runs when nothing is named.
const SAMPLE: &str = "worlds/valley.toml";

/// Reads the scenario of the named file or of the sample, and lays the options over it.
///
/// # Errors
///
/// If more than one scenario or map is named, one cannot be read, or options are contradictory.
pub fn named(inputs: &[PathBuf], options: &Options) -> Result<Scenario, UserError> {
    if let Some(world) = inputs.iter().find(|path| is_world(path)) {
        return Err(is_no_map(world));
    }
    let (files, maps): (Vec<&PathBuf>, Vec<&PathBuf>) =
        inputs.iter().partition(|path| is_scenario(path));
    if files.len() > 1 || maps.len() > 1 {
        return Err(UserError::new(
            "two scenarios or two maps are named",
            "give at most one scenario.toml and one heightmap",
        ));
    }
    let mut scenario = match (files.first(), maps.first()) {
        (Some(path), _) => text::read(path)?,
        (None, Some(_)) => Scenario::default(),
        (None, None) => text::read(&sample()?)?,
    };
    if let Some(map) = maps.first() {
        scenario.map.file = Some((*map).clone());
    }
    overlay::lay_over(&mut scenario, options)?;
    Ok(scenario)
}

fn is_scenario(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"))
}

/// True for a world file, by its name or its first bytes.
fn is_world(path: &Path) -> bool {
    let is_named = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("thalweg"));
    // Only a plain file is read: bytes read from a pipe would be lost to its next reader.
    let holds_one = || {
        let mut first = [0; MAGIC.len()];
        let read = File::open(path).and_then(|mut file| file.read_exact(&mut first));
        read.is_ok() && first == *MAGIC
    };
    is_named || (path.is_file() && holds_one())
}

/// Returns the error that names the commands that continue a world.
fn is_no_map(world: &Path) -> UserError {
    let words = |line: &str| {
        let words = line.split(' ').map(OsString::from);
        quoted(words.chain([world.as_os_str().to_owned()]))
    };
    UserError::new(
        format!("{} is a world, and no map", world.display()),
        format!(
            "go on with \"{} --for 1h\", look at it with \"{}\", or name the map that it was made \
             from",
            words("thalweg run"),
            words("viewer")
        ),
    )
}

/// Returns the path of the sample world: below the current folder, or where this program was built.
///
/// # Errors
///
/// If the sample is in neither place.
pub fn sample() -> Result<PathBuf, UserError> {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(SAMPLE);
    let places = [PathBuf::from(SAMPLE), built];
    let found = places.into_iter().find(|path| path.is_file());
    found.ok_or_else(|| {
        UserError::new(
            format!("the sample world {SAMPLE} is not here"),
            "name a heightmap, like flood-preview dem.tif, or run in the project's folder",
        )
    })
}
