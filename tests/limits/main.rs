//! Memory that a file may make this process take: counted, allocation by allocation.
//!
//! Goal: what takes more than its limits is refused before memory is taken for it, by an error that
//!       names the limit; what a load is said to take is what it takes, within a factor.
//! Method: files that were crafted to be small and to ask for much, and worlds of every kind; an
//!         allocator that counts. One test at a time, since all threads are counted.

mod counted;
mod crafted;
mod foretold;
