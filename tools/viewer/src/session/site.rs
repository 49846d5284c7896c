//! What does not change of a world while it is looked at.

/// What the window has to know before the first state.
#[derive(Debug, Clone, PartialEq)]
pub struct Site {
    /// What it is called.
    pub title: String,
    /// Its lengths eastward and northward, m.
    pub size_m: [f64; 2],
    /// Width of the cells of level 0, m.
    pub finest_m: f64,
    /// The finest level of its leaves.
    pub base: u8,
    /// The coarsest level there may be.
    pub coarsest: u8,
    /// Lowest and highest bed, m.
    pub bed_m: [f64; 2],
    /// Names of its tracers.
    pub tracers: Vec<String>,
    /// The file that it can be saved into, if it came from one.
    pub file: Option<std::path::PathBuf>,
}
