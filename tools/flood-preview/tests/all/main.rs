//! Whole runs of the program, from the command line to the files.
//!
//! One program has them all: it is linked once, and long tests run beside short ones.

mod backdrop;
mod barriers;
mod browser;
mod cli;
mod compare;
mod coordinates;
mod device;
mod faults;
mod first_screen;
mod floods;
mod headlines;
mod input;
mod layout;
mod levels;
mod links;
mod many;
mod moments;
mod nodata;
mod observed;
mod outputs;
mod pictures;
mod report_page;
mod rocks;
mod sections;
mod shapes;
mod synthetic;
mod terminal;
mod values;
mod wide_cells;
mod world;
