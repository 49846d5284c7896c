//! Weighted sums over cells.
//!
//! ```text
//! bed   z̄ = Σ w z / Σ w          over cells inside the world
//! stage η̄ = Σ w η / Σ w          over wet cells only
//! depth h̄ = Σ w h / Σ w          over cells inside; dry ones count 0
//! ```
//!
//! Interpolation between cells, the mean of finer cells and a place within a coarser one are all
//! weighted sums, so they nest.

/// Weighted sums over cells, in vertical units and m²/s.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CellSum {
    /// Weight of cells inside the world.
    pub inside: f64,
    /// Weight times bed.
    pub bed: f64,
    /// Weight times depth.
    pub depth: f64,
    /// Weight of wet cells.
    pub wet: f64,
    /// Weight times stage of wet cells.
    pub stage: f64,
    /// Weight times unit discharge of wet cells, eastward and northward.
    pub flow: [f64; 2],
}

impl CellSum {
    /// Adds the sum `other` times `weight`.
    pub fn add(&mut self, weight: f64, other: &Self) {
        self.inside += weight * other.inside;
        self.bed += weight * other.bed;
        self.depth += weight * other.depth;
        self.wet += weight * other.wet;
        self.stage += weight * other.stage;
        self.flow[0] += weight * other.flow[0];
        self.flow[1] += weight * other.flow[1];
    }

    /// Returns the bed, if any cell is inside.
    pub fn bed_mean(&self) -> Option<f64> {
        (self.inside > 0.0).then(|| self.bed / self.inside)
    }

    /// Returns the stage of the wet cells, if any cell is wet.
    pub fn stage_mean(&self) -> Option<f64> {
        (self.wet > 0.0).then(|| self.stage / self.wet)
    }

    /// Returns the mean depth, dry cells included.
    pub fn depth_mean(&self) -> f64 {
        if self.inside > 0.0 { self.depth / self.inside } else { 0.0 }
    }

    /// Returns the depth at the place of the weights: that of the wet cells' stage over the bed
    /// there, and no more than the mean depth, so that a film at the brink of a cliff makes no deep
    /// water below.
    pub fn depth_at(&self) -> f64 {
        match (self.bed_mean(), self.stage_mean()) {
            (Some(bed), Some(stage)) => (stage - bed).min(self.depth_mean()).max(0.0),
            _ => 0.0,
        }
    }
}
