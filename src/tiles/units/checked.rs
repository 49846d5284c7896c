//! Proofs that tests check: the macro [`checked!`](crate::checked).

/// True if this package was built with `THALWEG_CHECKED` set, as `.ci/run` builds it.
pub const IS_REQUESTED: bool = option_env!("THALWEG_CHECKED").is_some();

/// Asserts a condition in debug builds, in unit tests of the package that calls the macro, and in
/// builds with `THALWEG_CHECKED` set: a proof, which no run needs to check again.
#[macro_export]
macro_rules! checked {
    ($($condition:tt)*) => {
        if cfg!(any(test, debug_assertions)) || $crate::units::checked::IS_REQUESTED {
            assert!($($condition)*);
        }
    };
}
