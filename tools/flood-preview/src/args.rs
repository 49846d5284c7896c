//! Command line as typed: parsed but not yet understood.
//!
//! Every option lands in the scenario through [`scenario::overlay`], so an option and a key
//! of a scenario file that mean the same are checked in the same place.

use std::path::PathBuf;

use clap::Parser;
use kit::device::DeviceName;
use scenario::options::Options;

use crate::levels::WantedLevels;
use crate::percent::Percent;
use crate::vary::{self, Vary};

/// Where does the water go? A heightmap in, flood maps and a report out.
///
/// Without options, a heightmap gets a cloudburst of 60 mm/h for one hour with draining edges.
/// Without anything, the sample world runs. Coordinates are those of the map.
#[derive(Debug, Clone, Default, Parser)]
#[command(name = "flood-preview", version, max_term_width = 100)]
#[command(after_help = "\
Commands:
  compare A B ...  Compare scenarios, which are run first, or results of finished runs: what
                   differs, as maps, tables and a page (flood-preview compare --help)

Quantities carry their unit: 40mm/h, 1h30min, 12m3/s, 1cm. A table is a text file with a time \
and a value in each line (.csv, .txt, .tsv or .dat). Files of the same name in the output folder \
are replaced.

Examples:
  flood-preview dem.tif
  flood-preview dem.tif --rain 40mm/h --rain-for 30min --for 2h
  flood-preview dem.tif --inflow 512300,181200=hydrograph.csv --gauge bridge=512900,180400
  flood-preview scenario.toml --quality draft
  flood-preview compare valley.toml valley-with-levee.toml --quality draft")]
pub struct Args {
    /// A heightmap (GeoTIFF, ESRI ASCII grid, SRTM .hgt, PNG, RAW), a scenario.toml, or both
    #[arg(value_name = "MAP|SCENARIO", num_args = 0..=2)]
    pub inputs: Vec<PathBuf>,

    /// Device that steps the water, with the same results: the processor, the graphics card as far
    /// as it can, or the faster of the two
    #[arg(long, value_name = "DEVICE", value_enum, default_value_t = DeviceName::Auto)]
    pub device: DeviceName,

    /// How far the run is refined.
    #[command(flatten)]
    pub levels: LevelArgs,

    /// Options that make the scenario.
    #[command(flatten)]
    pub options: Options,
}

/// How far a run is refined: it begins on coarse cells and repeats the event on finer ones.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
#[command(next_help_heading = "Levels")]
pub struct LevelArgs {
    /// Run the first, coarse level alone: an answer in seconds
    #[arg(long, conflicts_with_all = ["only_last", "until"])]
    pub now: bool,

    /// Stop as soon as this part of the flooded ground is the same in two levels, like 95%
    #[arg(long, value_name = "PERCENT", conflicts_with = "only_last")]
    pub until: Option<Percent>,

    /// Run the last level alone, without coarse ones before it
    #[arg(long)]
    pub only_last: bool,

    /// Run four drafts, in the cells of the first level, with roughness and water (rain and
    /// inflows) varied, whose effect is then in all ranges and in what is sure: with --only-last,
    /// and on maps of one level, that takes five times as long [parts: roughness=30%,water=20%]
    #[arg(long, value_name = "PARTS", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = vary::USUAL)]
    pub vary: Option<Vary>,
}

impl LevelArgs {
    /// Returns the levels that these options request.
    #[must_use]
    pub fn wanted(self) -> WantedLevels {
        match self {
            Self { now: true, .. } => WantedLevels::First,
            Self { only_last: true, .. } => WantedLevels::Last,
            Self { until, .. } => WantedLevels::All(until.map(|Percent(part)| part)),
        }
    }
}

#[cfg(test)]
mod tests {
    use kit::command::parse;
    use kit::error::UserError;
    use scenario::quantity::Metres;

    use super::*;

    fn typed(line: &str) -> Result<Option<Args>, UserError> {
        parse(line.split(' ').map(Into::into))
    }

    #[test]
    fn the_definition_is_sound() {
        use clap::CommandFactory;
        Args::command().debug_assert();
    }

    #[test]
    fn values_may_begin_with_a_minus() {
        let line = "flood-preview a.tif --stage -2.5 --nodata -9999 --inflow -1,-2=3m3/s";
        let Ok(Some(args)) = typed(line) else {
            panic!("{line}");
        };
        assert_eq!(args.options.water.stage, Some(Metres(-2.5)));
        assert!(args.options.water.inflow[0].at.x < 0.0);
    }

    #[test]
    fn levels_are_those_asked_for() {
        for (line, expected) in [
            ("flood-preview a.tif", WantedLevels::All(None)),
            ("flood-preview a.tif --until 95%", WantedLevels::All(Some(0.95))),
            ("flood-preview a.tif --now", WantedLevels::First),
            ("flood-preview a.tif --only-last", WantedLevels::Last),
        ] {
            let args = typed(line).expect(line).expect("not a call for help");
            assert_eq!(args.levels.wanted(), expected, "{line}");
        }
        let vary = |line: &str| typed(line).expect(line).expect("not a call for help").levels.vary;
        assert_eq!(vary("flood-preview --vary a.tif"), vary::USUAL.parse().ok());
        assert_eq!(vary("flood-preview --vary=water=5% a.tif"), "water=5%".parse().ok());
    }

    #[test]
    fn mistakes_are_one_line() {
        for (line, what) in [
            ("flood-preview --rian 40mm/h", "--rain"),
            ("flood-preview a.tif --rain 40", "mm/h, mm/min"),
            ("flood-preview a.tif --seed -1", "--seed"),
            ("flood-preview a b c", "'c'"),
            ("flood-preview a.tif --for", "--for"),
            ("flood-preview a.tif --until 95", "like 95%"),
            ("flood-preview a.tif --until 101%", "to 100%"),
            ("flood-preview a.tif --now --only-last", "--only-last"),
            ("flood-preview a.tif --vary=rain=20%", "vary roughness or water"),
        ] {
            let error = typed(line).expect_err(line).to_string();
            assert!(error.contains(what) && !error.contains('\n'), "{line}: {error}");
            assert!(!error.starts_with("error"), "{error}");
        }
    }
}
