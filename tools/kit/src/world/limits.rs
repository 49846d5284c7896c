//! Limits of the memory of a world: the size that a file states is not trusted.

use std::path::Path;

use crate::error::UserError;
use thalweg::world::{Limit, Limits, OverLimit};

/// Bytes of a GiB.
const GIB: u64 = 1 << 30;

/// Fewest bytes of a cell: more memory allows more cells by this ratio.
const CELL_BYTES: u64 = 16;

/// How much memory a world may take.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub struct LimitArgs {
    /// Memory that the world may take once it is loaded, GiB [default: 4]
    #[arg(long, value_name = "GIB", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub limit_memory: Option<u64>,
}

impl LimitArgs {
    /// Returns the limits for loading a world.
    #[must_use]
    pub fn limits(self) -> Limits {
        let limits = Limits::default();
        self.limit_memory.map_or(limits, |gib| {
            let bytes = gib * GIB;
            limits.bytes(bytes).cells(limits.cells.max(bytes / CELL_BYTES))
        })
    }
}

/// Makes the error for a world beyond a limit; the error names the option that allows the world.
#[must_use]
pub fn refused(path: &Path, over: &OverLimit) -> UserError {
    let shown = path.display();
    let (what, bytes) = match over.limit {
        Limit::Bytes => {
            let gib = |bytes: u64| bytes.saturating_mul(10).div_ceil(GIB);
            let [needs, most] = [over.needs, over.most].map(gib);
            let [needs, most] =
                [needs, most].map(|tenths| format!("{}.{}", tenths / 10, tenths % 10));
            (format!("{shown} takes {needs} GiB of memory, and may take {most}"), over.needs)
        }
        _ => {
            let what = format!("{shown} has {} cells, and may have {}", over.needs, over.most);
            (what, over.needs.saturating_mul(CELL_BYTES))
        }
    };
    let gib = bytes.div_ceil(GIB);
    UserError::new(what, format!("if the file is yours, allow it: --limit-memory {gib} (GiB)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_error_says_is_enough() {
        let limits = LimitArgs::default().limits();
        assert_eq!(limits, Limits::default());
        let over = [
            limits.check_bytes("it", 5_700_000_000).expect_err("over 4 GiB"),
            limits.check_cells("it", 1 << 30).expect_err("over 2²⁸ cells"),
        ];
        let lines = over.map(|over| refused(Path::new("a.thalweg"), &over).to_string());
        assert!(lines[0].contains("takes 5.4 GiB of memory, and may take 4.0"), "{}", lines[0]);
        assert!(lines[0].contains("--limit-memory 6"), "{}", lines[0]);
        assert!(lines[1].contains("--limit-memory 16"), "{}", lines[1]);
        let enough = LimitArgs { limit_memory: Some(16) }.limits();
        assert!(enough.check_bytes("it", 5_700_000_000).is_ok());
        assert!(enough.check_cells("it", 1 << 30).is_ok());
    }
}
