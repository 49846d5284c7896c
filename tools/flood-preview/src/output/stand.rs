//! Progress of a run at the level whose results are written.

use crate::vary::Vary;

/// Progress of a run at the level whose results are written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RunProgress {
    /// Ended with this level.
    Last,
    /// Drafts of this level, varied by these parts, follow and end the run.
    Drafts(Vary),
    /// Finer levels follow, after drafts varied by these parts, if any.
    Finer(Option<Vary>),
    /// Stopped, or failed, before finer levels that were requested.
    CutShort,
    /// Failed as the results of the level could not be written, but for the page.
    Unwritten,
}

impl RunProgress {
    /// True while drafts or levels follow.
    #[must_use]
    pub fn is_on_the_way(self) -> bool {
        matches!(self, Self::Drafts(_) | Self::Finer(_))
    }

    /// Returns the drafts that follow.
    #[must_use]
    pub fn drafts(self) -> Option<Vary> {
        match self {
            Self::Drafts(vary) | Self::Finer(Some(vary)) => Some(vary),
            Self::Finer(None) | Self::Last | Self::CutShort | Self::Unwritten => None,
        }
    }

    /// Progress of a run that ends before them.
    #[must_use]
    pub fn ended_early(self) -> Self {
        match self {
            Self::Last | Self::Drafts(_) => Self::Last,
            Self::Finer(_) | Self::CutShort => Self::CutShort,
            Self::Unwritten => Self::Unwritten,
        }
    }
}
