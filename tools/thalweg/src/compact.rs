//! Copy of a world without the data that it no longer needs.

use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{fmt, fs};

use indicatif::HumanBytes;
use kit::error::UserError;
use kit::output::partial::{Partial, check_free, unwritten};
use kit::progress::CommandProgress;
use kit::terminal::shown;
use kit::world;
use serde::Serialize;
use thalweg::file::Store;
use thalweg::world::StoreError;

use crate::args::CompactArgs;

/// Result of compacting.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compacted {
    /// The world.
    #[serde(serialize_with = "crate::naming::file")]
    pub world: PathBuf,
    /// Its path now.
    #[serde(serialize_with = "crate::naming::file")]
    pub out: PathBuf,
    /// Number of its last commit.
    pub generation: u64,
    /// Extents of that.
    pub extents: u64,
    /// Commits that it keeps.
    pub kept: usize,
    /// Bytes of the file before.
    pub bytes_before: u64,
    /// Bytes of the file now.
    pub bytes_after: u64,
    /// Bytes that the copy would have had, if it would have been no smaller and the file stayed as
    /// it was.
    pub bytes_refused: Option<u64>,
    /// Time it took, s.
    pub seconds: f64,
}

/// Copies a world, or puts the copy in its place.
///
/// # Errors
///
/// If the world cannot be read to its end, or the copy cannot be written; an earlier file of its
/// name is then unchanged.
pub fn compact(args: &CompactArgs, progress: &CommandProgress) -> Result<Compacted, UserError> {
    let (start, path) = (Instant::now(), &args.world);
    let out = args.out.as_ref().unwrap_or(path);
    let is_in_place = args.out.is_none();
    // In place, no process may write the world meanwhile: its changes would be lost.
    let store = if is_in_place { world::open_alone(path)? } else { world::open(path)? };
    if !is_in_place {
        check_other(path, out)?;
        check_free(out, args.force.into())?;
    }
    let partial = match is_in_place {
        true => Partial::in_place(path, &store)?,
        false => Partial::begin(out, args.force.into())?,
    };
    let read = |error| world::refused(path, &error);
    let written = |error| world::refused(out, &error);
    let mut copy = Store::create(&partial.path()).map_err(written)?;
    let watch = &mut progress.watch("copying extents");
    let copied = match args.drop_moments {
        true => store.compact_last_into(&mut copy, watch),
        false => store.compact_into(&mut copy, watch),
    };
    copied.map_err(|error| match error {
        StoreError::Damaged { .. } | StoreError::Overtaken { .. } | StoreError::KeptUnknown => {
            read(error)
        }
        _ => written(error),
    })?;
    progress.spin("making it last");
    let compacted = Compacted {
        world: path.clone(),
        out: out.clone(),
        generation: copy.generation(),
        extents: copy.extents(),
        kept: copy.kept().map_err(written)?.len(),
        bytes_before: store.file_bytes().map_err(read)?,
        bytes_after: copy.file_bytes().map_err(written)?,
        bytes_refused: None,
        seconds: start.elapsed().as_secs_f64(),
    };
    let Compacted { bytes_before, bytes_after, .. } = compacted;
    if is_in_place && bytes_after >= bytes_before && !args.drop_moments {
        progress.finish();
        let bytes_refused = Some(bytes_after);
        return Ok(Compacted { bytes_after: bytes_before, bytes_refused, ..compacted });
    }
    if is_in_place {
        fs::metadata(path)
            .and_then(|found| fs::set_permissions(partial.path(), found.permissions()))
            .map_err(|error| unwritten(path, &error))?;
    }
    partial.finish_open(vec![store, copy])?;
    progress.finish();
    Ok(compacted)
}

/// Refuses to copy a world onto itself.
fn check_other(path: &Path, out: &Path) -> Result<(), UserError> {
    if out.exists() && path.canonicalize().ok() == out.canonicalize().ok() {
        return Err(UserError::new(
            format!("{} is the world itself", out.display()),
            "leave the second name out to compact it in place",
        ));
    }
    Ok(())
}

impl fmt::Display for Compacted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = match self.kept {
            0 => String::new(),
            kept => format!(", {kept} kept commits"),
        };
        if let Some(bytes) = self.bytes_refused {
            return write!(
                f,
                "{} stays as it is: it takes {}, a compacted one would take {}",
                shown(&self.out),
                HumanBytes(self.bytes_before),
                HumanBytes(bytes)
            );
        }
        write!(
            f,
            "{}: {} extents{kept}, {} where there were {}, in {:.1} s",
            shown(&self.out),
            self.extents,
            HumanBytes(self.bytes_after),
            HumanBytes(self.bytes_before),
            self.seconds
        )
    }
}
