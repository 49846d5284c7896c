//! Work on as many threads as the user chooses.

use rayon::ThreadPoolBuilder;

use crate::error::UserError;

/// Does some work on `count` threads, or on one for each core.
///
/// # Errors
///
/// Errors of the work, and if the system gives no threads.
pub fn on_threads<T: Send>(
    count: Option<usize>,
    work: impl FnOnce() -> Result<T, UserError> + Send,
) -> Result<T, UserError> {
    let pool =
        ThreadPoolBuilder::new().num_threads(count.unwrap_or(0)).build().map_err(|error| {
            UserError::new(format!("cannot start threads: {error}"), "choose fewer with --threads")
        })?;
    pool.install(work)
}
