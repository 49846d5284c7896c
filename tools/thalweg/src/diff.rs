//! Extents in which two worlds differ.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use kit::error::UserError;
use kit::progress::CommandProgress;
use kit::terminal::shown;
use kit::world;
use serde::Serialize;
use thalweg::file::{Extent, Key, Layer, Reader};
use thalweg::world::StoreError;

use crate::args::DiffArgs;

/// Number of extents between two reports of progress.
const TOLD: usize = 256;

/// Result of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DiffReport {
    /// The first world.
    #[serde(serialize_with = "crate::naming::file")]
    pub a: PathBuf,
    /// The second one.
    #[serde(serialize_with = "crate::naming::file")]
    pub b: PathBuf,
    /// True if their content is the same.
    pub equal: bool,
    /// The extents of each layer and level.
    pub layers: Vec<DiffLine>,
}

/// The extents of a level of a layer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DiffLine {
    /// Content of the extents.
    pub layer: String,
    /// The level; 0 of a layer that has none.
    pub level: u8,
    /// Number of them in each state.
    #[serde(flatten)]
    pub counts: DiffCounts,
}

/// Number of extents in each state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct DiffCounts {
    /// Extents that are the same in both worlds.
    pub same: u64,
    /// Extents in both, with different content.
    pub changed: u64,
    /// Extents in the first one only.
    pub only_a: u64,
    /// Extents in the second one only.
    pub only_b: u64,
}

impl DiffCounts {
    fn is_equal(&self) -> bool {
        self.changed + self.only_a + self.only_b == 0
    }
}

/// Compares the last commits of two worlds, extent by extent; when these were written does not
/// count.
///
/// # Errors
///
/// If one of them cannot be read to its end.
pub fn diff(args: &DiffArgs, progress: &CommandProgress) -> Result<DiffReport, UserError> {
    let (a, b) = (DiffSide::open(&args.a)?, DiffSide::open(&args.b)?);
    let mut watch = progress.watch("comparing extents");
    let mut counts = BTreeMap::<(Layer, u8), DiffCounts>::new();
    let (mut of_a, mut of_b) = (a.extents()?.into_iter().peekable(), b.extents()?);
    let total = of_a.len().max(of_b.len());
    of_b.reverse();
    for done in 0_usize.. {
        let (first, second) = (of_a.peek().map(|a| a.key), of_b.last().map(|b| b.key));
        // A side that has reached its end is beyond all keys.
        let is_first = first.is_some_and(|a| second.is_none_or(|b| a <= b));
        let is_second = second.is_some_and(|b| first.is_none_or(|a| b <= a));
        let extents = (of_a.next_if(|_| is_first), of_b.pop_if(|_| is_second));
        let Some(Extent { key, .. }) = extents.0.or(extents.1) else { break };
        let counts = counts.entry((key.layer, key.tile.level)).or_default();
        match extents {
            (Some(in_a), Some(in_b))
                if in_a.bytes == in_b.bytes && a.bytes(key)? == b.bytes(key)? =>
            {
                counts.same += 1;
            }
            (Some(_), Some(_)) => counts.changed += 1,
            (Some(_), None) => counts.only_a += 1,
            _ => counts.only_b += 1,
        }
        if done % TOLD == 0 {
            #[expect(clippy::cast_precision_loss, reason = "a share of the work")]
            watch(done as f64 / total as f64);
        }
    }
    progress.finish();
    let equal = counts.values().all(DiffCounts::is_equal);
    let line = |((layer, level), counts)| DiffLine { layer: name(layer), level, counts };
    let layers = counts.into_iter().map(line).collect();
    Ok(DiffReport { a: args.a.clone(), b: args.b.clone(), equal, layers })
}

/// One of the two worlds.
struct DiffSide<'a> {
    path: &'a Path,
    reader: Reader,
}

impl<'a> DiffSide<'a> {
    fn open(path: &'a Path) -> Result<Self, UserError> {
        Ok(Self { path, reader: world::open(path)?.reader() })
    }

    fn refused(&self) -> impl Fn(StoreError) -> UserError {
        |error| world::refused(self.path, &error)
    }

    fn extents(&self) -> Result<Vec<Extent>, UserError> {
        self.reader.entries().collect::<Result<_, _>>().map_err(self.refused())
    }

    fn bytes(&self, key: Key) -> Result<Vec<u8>, UserError> {
        let mut bytes = Vec::new();
        self.reader.get(key, &mut bytes).map_err(self.refused())?;
        Ok(bytes)
    }
}

/// Returns the content of a layer, in a word.
fn name(layer: Layer) -> String {
    let name = match layer {
        Layer::Head => "head",
        Layer::Bed => "beds",
        Layer::Parts => "rim cells",
        Layer::Setup => "set-up",
        Layer::Run => "run",
        Layer::Facts => "facts of leaves",
        Layer::Water => "water",
        Layer::Maps => "flood maps",
        Layer::Classes => "classes",
        Layer::Solids => "solids",
        Layer::Tables => "tables of columns",
        Layer::Other(_) => return format!("layer {}", layer.number()),
    };
    name.to_owned()
}

impl fmt::Display for DiffReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (a, b) = (shown(&self.a), shown(&self.b));
        for DiffLine { layer, level, counts } in
            self.layers.iter().filter(|line| !line.counts.is_equal())
        {
            let DiffCounts { same, changed, only_a, only_b } = counts;
            writeln!(
                f,
                "{layer} of level {level}: {changed} changed, {only_a} only in {a}, {only_b} only \
                 in {b}, {same} the same"
            )?;
        }
        let same: u64 = self.layers.iter().map(|line| line.counts.same).sum();
        match self.equal {
            true => write!(f, "{a} and {b} hold the same {same} extents"),
            false => write!(f, "{a} and {b} differ"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_layer_has_its_word() {
        let mut names: Vec<String> = Layer::ALL.into_iter().map(name).collect();
        assert!(!names.iter().any(|name| name.starts_with("layer")), "{names:?}");
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Layer::ALL.len());
        assert_eq!(name(Layer::of(200)), "layer 200");
    }
}
