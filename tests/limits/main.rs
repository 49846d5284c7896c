//! Memory that a file may make this process take: counted, allocation by allocation.
//!
//! Goal: a load over its limits is refused before memory is taken for it, by an error that names
//!       the limit; the estimate of a load is the memory that it takes, within a factor.
//! Method: files that were crafted to be small and to ask for much, and worlds of every kind; an
//!         allocator that counts. One test at a time, since all threads are counted.

mod counted;
mod crafted;
mod foretold;
