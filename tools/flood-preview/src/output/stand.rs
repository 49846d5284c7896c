//! Progress of a run at the level whose results are written.

/// Progress of a run at the level whose results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stand {
    /// Ended with this level.
    Last,
    /// Drafts of this level follow, which vary roughness and water, and end the run.
    Drafts,
    /// Finer levels follow, perhaps after drafts.
    Finer,
    /// Stopped, or failed, before finer levels that were asked for.
    CutShort,
}

impl Stand {
    /// True while drafts or levels follow.
    #[must_use]
    pub fn is_on_the_way(self) -> bool {
        matches!(self, Self::Drafts | Self::Finer)
    }

    /// Progress of a run that ends before them.
    #[must_use]
    pub fn ended_early(self) -> Self {
        match self {
            Self::Last | Self::Drafts => Self::Last,
            Self::Finer | Self::CutShort => Self::CutShort,
        }
    }
}
