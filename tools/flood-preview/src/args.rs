//! Command line as typed: parsed but not yet understood.
//!
//! Every option lands in the scenario through [`scenario::overlay`], so an option and a key
//! of a scenario file that mean the same are checked in the same place.

use std::path::PathBuf;

use clap::Parser;
use kit::device::DeviceName;
use scenario::options::Options;

/// Where does the water go? A heightmap in, flood maps and a report out.
///
/// Without options, a heightmap gets a cloudburst of 60 mm/h for one hour with draining edges.
/// Without anything, the sample world runs. Coordinates are those of the map.
#[derive(Debug, Clone, Default, Parser)]
#[command(name = "flood-preview", version, max_term_width = 100)]
#[command(after_help = "\
Quantities carry their unit: 40mm/h, 1h30min, 12m3/s, 1cm. A table is a text file with a time \
and a value in each line (.csv, .txt, .tsv or .dat). Files of the same name in the output folder \
are replaced.

Examples:
  flood-preview dem.tif
  flood-preview dem.tif --rain 40mm/h --rain-for 30min --for 2h
  flood-preview dem.tif --inflow 512300,181200=hydrograph.csv --gauge bridge=512900,180400
  flood-preview scenario.toml --quality draft")]
pub struct Args {
    /// A heightmap (GeoTIFF, ESRI ASCII grid, SRTM .hgt, PNG, RAW), a scenario.toml, or both
    #[arg(value_name = "MAP|SCENARIO", num_args = 0..=2)]
    pub inputs: Vec<PathBuf>,

    /// Device that steps the water, with the same results: the processor, the graphics card as far
    /// as it can, or the faster of the two
    #[arg(long, value_name = "DEVICE", value_enum, default_value_t = DeviceName::Auto)]
    pub device: DeviceName,

    /// Options that make the scenario.
    #[command(flatten)]
    pub options: Options,
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
    fn mistakes_are_one_line() {
        for (line, what) in [
            ("flood-preview --rian 40mm/h", "--rain"),
            ("flood-preview a.tif --rain 40", "mm/h, mm/min"),
            ("flood-preview a.tif --seed -1", "--seed"),
            ("flood-preview a b c", "'c'"),
            ("flood-preview a.tif --for", "--for"),
        ] {
            let error = typed(line).expect_err(line).to_string();
            assert!(error.contains(what) && !error.contains('\n'), "{line}: {error}");
            assert!(!error.starts_with("error"), "{error}");
        }
    }
}
