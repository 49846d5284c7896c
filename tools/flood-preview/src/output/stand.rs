//! What follows the level whose results are written.

/// What follows the level whose results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stand {
    /// Nothing: the run has ended.
    Last,
    /// Drafts of this level, which vary roughness and water; then the run ends.
    Drafts,
    /// Finer levels, perhaps after drafts.
    Finer,
    /// Nothing, though finer levels were asked for: the run was stopped, or failed.
    CutShort,
}

impl Stand {
    /// True while something follows.
    #[must_use]
    pub fn is_on_the_way(self) -> bool {
        matches!(self, Self::Drafts | Self::Finer)
    }

    /// Where a run stands that ends before what follows.
    #[must_use]
    pub fn ended_early(self) -> Self {
        match self {
            Self::Last | Self::Drafts => Self::Last,
            Self::Finer | Self::CutShort => Self::CutShort,
        }
    }
}
