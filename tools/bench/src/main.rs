//! All measurements in one program: `bench [SUITE or ID…] [--json] [--guide FOLDER]`.
//!
//! Guarantees: fixed seeds; values in SI units or plain fractions.
//! Limits:     figures of speed depend on this machine at this moment: close other programs.

mod accuracy;
mod adaptive;
mod beside;
mod bodies;
mod card;
mod counted;
mod ea5;
mod edge;
mod forest;
mod frame;
mod kernel;
mod machine;
mod measured;
mod peers;
mod physics;
mod points;
mod preview;
mod river;
mod solution;
mod stacks;
mod store;
mod stream;
mod subgrid;
mod suite;
mod table;
mod view;
mod world;

use crate::suite::{Bench, BenchError, Context};
use crate::table::TableLayout;
use clap::Parser;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use thalweg_engine::sim::Solver;
use thalweg_engine::units::plain::plain;

/// Measures speed and physics of thalweg.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
struct Args {
    /// Suites (physics, kernel, …) or ids (physics.manning) to measure [default: all but the long
    /// ones]
    #[arg(value_name = "SUITE|ID")]
    wanted: Vec<String>,

    /// Print one JSON object a line
    #[arg(long)]
    json: bool,

    /// List the ids and what they are
    #[arg(long)]
    list: bool,

    /// Threads [default: one for each core; one for the suite peers]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,

    /// Solver of the suites physics and world; accuracy and kernel name theirs
    #[arg(long, value_enum, default_value = "swe")]
    solver: SolverName,

    /// Write the guide's page on accuracy into this folder, from the cases that ran; long ones run
    /// as well
    #[arg(long, value_name = "FOLDER")]
    guide: Option<PathBuf>,

    /// Save a world in this file without end, to be killed
    #[arg(long, value_name = "FILE", hide = true)]
    save_without_end: Option<PathBuf>,

    /// Open this world, read from it, and print time and memory
    #[arg(long, value_name = "FILE", hide = true)]
    open_once: Option<PathBuf>,

    /// Import with these words, and print time and memory
    #[arg(long, value_name = "WORD", hide = true, allow_hyphen_values = true)]
    import_once: Vec<String>,

    /// Write the world of the stream bench
    #[arg(long, value_name = "FILE", hide = true)]
    stream_make: Option<PathBuf>,

    /// Save the world of the stream bench with its river
    #[arg(long, value_name = "FILE", hide = true)]
    stream_fill: Option<PathBuf>,

    /// Walk through the world of the stream bench, and print what it took
    #[arg(long, value_name = "FILE", hide = true)]
    stream_walk: Option<PathBuf>,

    /// Make the vast world
    #[arg(long, value_name = "FILE", hide = true)]
    vast_make: Option<PathBuf>,

    /// Walk through the vast world of this file, and print what it took
    #[arg(long, value_name = "FILE", hide = true)]
    vast_walk: Option<PathBuf>,

    /// Follow the world of the server at this address in this file
    #[arg(long, value_names = ["ADDRESS", "FILE"], num_args = 2, hide = true)]
    follow: Option<Vec<String>>,

    /// Say more: every case of a measurement, not only the worst
    #[arg(short, long)]
    verbose: bool,
}

/// A solver on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum SolverName {
    /// Virtual pipes.
    Pipe,
    /// Shallow water.
    Swe,
}

impl From<SolverName> for Solver {
    fn from(name: SolverName) -> Self {
        match name {
            SolverName::Pipe => Self::Pipe,
            SolverName::Swe => Self::ShallowWater,
        }
    }
}

fn main() -> ExitCode {
    let args = Args::parse();
    let mut out = std::io::stdout();
    match run(&args, &mut out) {
        Ok(code) => code,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "bench: {}", plain(&error.to_string()));
            ExitCode::from(2)
        }
    }
}

/// Does the work for which a bench starts this program again.
fn serve(
    args: &Args,
    out: &mut impl Write,
) -> Result<Option<ExitCode>, Box<dyn std::error::Error>> {
    let failed = |absence| match absence {
        BenchError::Skipped(what) => what.into(),
        BenchError::Failed(error) => Box::<dyn std::error::Error>::from(error.to_string()),
    };
    if let Some(path) = &args.save_without_end {
        store::kill9::save_without_end(path).map_err(failed)?;
    } else if let Some(path) = &args.open_once {
        writeln!(out, "{}", store::commit::open_once(path).map_err(failed)?)?;
    } else if !args.import_once.is_empty() {
        writeln!(out, "{}", store::import::import_once(&args.import_once).map_err(failed)?)?;
    } else if let Some(path) = &args.stream_make {
        stream::walk::make(path).map_err(failed)?;
    } else if let Some(path) = &args.stream_walk {
        writeln!(out, "{}", stream::walk::walk(path).map_err(failed)?)?;
    } else if let Some(path) = &args.vast_make {
        stream::vast::make(path).map_err(failed)?;
    } else if let Some(path) = &args.vast_walk {
        writeln!(out, "{}", stream::vast::walk(path).map_err(failed)?)?;
    } else if let Some(path) = &args.stream_fill {
        view::frame::fill(path).map_err(failed)?;
    } else if let Some([address, path]) = args.follow.as_deref() {
        store::follow::follow(address, path.as_ref()).map_err(failed)?;
    } else {
        return Ok(None);
    }
    Ok(Some(ExitCode::SUCCESS))
}

fn run(args: &Args, out: &mut impl Write) -> Result<ExitCode, Box<dyn std::error::Error>> {
    if let Some(code) = serve(args, out)? {
        return Ok(code);
    }
    let benches = suite::all();
    if args.list {
        list(&benches, out)?;
        return Ok(ExitCode::SUCCESS);
    }
    let chosen = choose(&benches, &args.wanted, args.guide.is_some())?;
    let threads = args.threads.map(usize::from);
    if let Some(count) = threads {
        rayon::ThreadPoolBuilder::new().num_threads(count).build_global()?;
    }
    let layout = if args.json { TableLayout::Json } else { TableLayout::Columns };
    let context = Context::new(args.verbose, args.solver.into(), threads);
    let mut has_failed = false;
    layout.print_head(out)?;
    for bench in chosen {
        let name = bench.ids.join(", ");
        table::announce(&name);
        match (bench.measure)(&context) {
            Ok(results) => results.iter().try_for_each(|result| layout.print(out, result))?,
            Err(BenchError::Skipped(what)) => {
                layout.remark(out, &format!("{name}: skipped: {what}"))?;
            }
            Err(BenchError::Failed(error)) => {
                has_failed = true;
                layout.remark(out, &format!("{name}: failed: {error}"))?;
            }
        }
        out.flush()?;
    }
    if let Some(folder) = &args.guide {
        accuracy::page::write(folder, &context.into_cases())?;
    }
    Ok(if has_failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn list(benches: &[Bench], out: &mut impl Write) -> std::io::Result<()> {
    for bench in benches {
        let long = if bench.is_long { "  (long: runs only when named)" } else { "" };
        for id in bench.ids {
            writeln!(out, "{id:<29} {}{long}", bench.what)?;
        }
    }
    Ok(())
}

/// Returns the benches that the words mean, each once; all without words. Long ones run if they are
/// named, or `with_long`.
fn choose(benches: &[Bench], wanted: &[String], with_long: bool) -> Result<Vec<Bench>, String> {
    if wanted.is_empty() {
        return Ok(benches.iter().filter(|bench| with_long || !bench.is_long).copied().collect());
    }
    if let Some(word) = wanted.iter().find(|word| !benches.iter().any(|b| b.is_meant_by(word))) {
        return Err(format!("'{word}' is no suite and no id: --list shows them"));
    }
    let runs_for = |bench: &Bench, word| {
        if with_long { bench.is_meant_by(word) } else { bench.runs_for(word) }
    };
    let runs = |bench: &&Bench| wanted.iter().any(|word| runs_for(bench, word));
    Ok(benches.iter().filter(runs).copied().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_choose_benches_and_unknown_ones_are_refused() {
        let benches = suite::all();
        let ids = |words: &[&str]| -> Result<usize, String> {
            let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            choose(&benches, &words, false).map(|chosen| chosen.len())
        };
        let short = benches.iter().filter(|bench| !bench.is_long).count();
        assert_eq!(ids(&[]), Ok(short));
        assert_eq!(ids(&["machine", "machine.triad"]), Ok(1));
        assert!(ids(&["machine.tria"]).is_err_and(|line| line.contains("machine.tria")));
    }

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Args::command().debug_assert();
    }
}
