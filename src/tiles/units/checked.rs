//! Proofs that tests check: [`IS_CHECKED`] and the macro [`checked!`](crate::checked).

/// True if this build checks its proofs: debug builds, unit tests, and builds with
/// `THALWEG_CHECKED` set, which are those of `.ci/run`.
pub const IS_CHECKED: bool =
    cfg!(any(test, debug_assertions)) || option_env!("THALWEG_CHECKED").is_some();

/// Asserts a condition if [`IS_CHECKED`]: a proof, which no run needs to check again.
///
/// [`IS_CHECKED`]: crate::units::checked::IS_CHECKED
#[macro_export]
macro_rules! checked {
    ($($condition:tt)*) => {
        // Unit tests of the package that names the macro count.
        if cfg!(any(test, debug_assertions)) || $crate::units::checked::IS_CHECKED {
            assert!($($condition)*);
        }
    };
}
