//! Memory that a file may make this process take: counted, allocation by allocation.
//!
//! Goal: a load over its limits is refused before memory is taken for it, by an error that names
//!       the limit; the estimate of a load is the memory that it takes, within a factor.
//! Method: files that were crafted to be small and to ask for much, and worlds of every kind; an
//!         allocator that counts. One test at a time, since all threads are counted.

mod counted;
mod crafted;
mod foretold;

/// Cases are fewer and shorter, unless tests are built with `THALWEG_FULL` set.
const QUICK: bool = option_env!("THALWEG_FULL").is_none();
