//! The command line laid over a scenario.
//!
//! An option replaces the key with the same meaning. `--rain` replaces all rains of the file, any
//! of the three options of initial water replaces all of it, `--edges` replaces all edge
//! conditions, and infiltration of either kind replaces that of the file. Inflows are added; a
//! gauge or a section replaces the file's one of the same name and keeps its observed series, or is
//! added.
//!
//! Guarantees: options that contradict *one another* are refused here; [`super::plan`] checks their
//!             combination with the file.

use std::collections::HashSet;

use kit::error::UserError;

use super::file::{
    EdgesTable, FlowSectionTable, GaugeTable, GroundTable, InflowTable, InitialTable, RainTable,
    Scenario,
};
use crate::observed::NamedObserved;
use crate::options::{Options, OutputArgs, WaterArgs};
use crate::quantity::ValueOrFile;
use crate::spelling::meant;

/// Lays `options` over `scenario`.
///
/// # Errors
/// If two options are contradictory.
/// If two options contradict each other.
pub fn lay_over(scenario: &mut Scenario, options: &Options) -> Result<(), UserError> {
    rain(scenario, &options.water)?;
    initial(scenario, &options.water)?;
    water(scenario, &options.water)?;
    ground(&mut scenario.ground, &options.ground)?;
    scenario.map.lay_over(&options.map);
    scenario.run.lay_over(&options.run);
    scenario.run.lay_over(&options.cells.table());
    scenario.flow.lay_over(&options.flow);
    output(scenario, &options.output)
}

fn replace<T: Clone>(key: &mut Option<T>, option: Option<&T>) {
    if let Some(option) = option {
        *key = Some(option.clone());
    }
}

fn rain(scenario: &mut Scenario, water: &WaterArgs) -> Result<(), UserError> {
    match (&water.rain, water.rain_for) {
        (Some(rate), duration) => {
            let rate = rate.clone();
            let (name, from, unit, step) = (None, None, None, None);
            let (sums, stamps, weights) = (None, None, None);
            scenario.rain =
                vec![RainTable { name, rate, from, duration, unit, step, sums, stamps, weights }];
        }
        (None, Some(duration)) => {
            let [rain] = scenario.rain.as_mut_slice() else {
                return Err(UserError::new(
                    "--rain-for says how long it rains, but not which rain",
                    "add --rain, like --rain 40mm/h",
                ));
            };
            rain.duration = Some(duration);
        }
        (None, None) => {}
    }
    let of_raster = [
        ("--rain-unit", water.rain_unit.is_some()),
        ("--rain-step", water.rain_step.is_some()),
        ("--rain-sums", water.rain_sums.is_some()),
        ("--rain-stamps", water.rain_stamps.is_some()),
    ];
    let Some((option, _)) = of_raster.iter().find(|(_, is_given)| *is_given) else {
        return Ok(());
    };
    let [rain] = scenario.rain.as_mut_slice() else {
        return Err(UserError::new(
            format!("{option} belongs to one raster of rain, and it is not clear which"),
            "add --rain, like --rain rain.tif",
        ));
    };
    replace(&mut rain.unit, water.rain_unit.as_ref());
    replace(&mut rain.step, water.rain_step.as_ref());
    replace(&mut rain.sums, water.rain_sums.as_ref());
    replace(&mut rain.stamps, water.rain_stamps.as_ref());
    Ok(())
}

fn initial(scenario: &mut Scenario, water: &WaterArgs) -> Result<(), UserError> {
    let stage = water.stage.map(ValueOrFile::Value);
    let stage_raster = water.initial_stage.clone().map(ValueOrFile::File);
    let depth = water.initial_depth.clone();
    let named = [
        ("--stage", stage.is_some()),
        ("--initial-stage", stage_raster.is_some()),
        ("--initial-depth", depth.is_some()),
    ];
    let given: Vec<&str> = named.iter().filter(|(_, is)| *is).map(|(name, _)| *name).collect();
    match given.as_slice() {
        [] => {}
        [_] => {
            scenario.initial = InitialTable { stage: stage.or(stage_raster), depth, nodata: None };
        }
        several => {
            return Err(UserError::new(
                format!("{} contradict each other", several.join(" and ")),
                "give the initial water once",
            ));
        }
    }
    Ok(())
}

fn water(scenario: &mut Scenario, water: &WaterArgs) -> Result<(), UserError> {
    scenario.inflow.extend(water.inflow.iter().map(|inflow| InflowTable {
        name: inflow.name.clone(),
        discharge: inflow.discharge.clone(),
        at: Some([inflow.at.x, inflow.at.y]),
        rectangle: None,
        polygon: None,
        edge: None,
        from: None,
        to: None,
        slope: None,
        depth: None,
    }));
    if let Some(condition) = &water.edges {
        scenario.edge.clear();
        scenario.edges = EdgesTable { all: Some(condition.clone()), ..EdgesTable::default() };
    }
    for (index, edge) in water.edge.iter().enumerate() {
        if water.edge[..index].iter().any(|other| other.side == edge.side) {
            return Err(UserError::new(
                format!("--edge gives the {} side twice", edge.side),
                "keep one; parts of a side are [[edge]] sections of a scenario",
            ));
        }
        *scenario.edges.side(edge.side) = Some(edge.condition.clone());
    }
    Ok(())
}

fn ground(keys: &mut GroundTable, typed: &GroundTable) -> Result<(), UserError> {
    match (typed.infiltration, typed.green_ampt) {
        (None, None) => {}
        (Some(_), Some(_)) => {
            return Err(UserError::new(
                "--infiltration and --green-ampt contradict each other",
                "keep one of the two",
            ));
        }
        _ => (keys.infiltration, keys.green_ampt) = (None, None),
    }
    keys.lay_over(typed);
    Ok(())
}

fn output(scenario: &mut Scenario, output: &OutputArgs) -> Result<(), UserError> {
    if output.quiet && output.verbose > 0 {
        return Err(UserError::new(
            "--quiet and --verbose contradict each other",
            "keep one of the two",
        ));
    }
    let mut named = HashSet::new();
    for gauge in &output.gauge {
        if !named.insert(&*gauge.name) {
            return Err(UserError::new(
                format!("two gauges are called `{}`", gauge.name),
                "give each a name of its own",
            ));
        }
    }
    let (replaced, mut kept): (Vec<GaugeTable>, Vec<GaugeTable>) =
        std::mem::take(&mut scenario.gauge)
            .into_iter()
            .partition(|other| named.contains(other.name.trim()));
    kept.extend(output.gauge.iter().map(|gauge| {
        let before = replaced.iter().find(|other| other.name.trim() == gauge.name);
        let observed = before.and_then(|before| before.observed.clone());
        GaugeTable { name: gauge.name.clone(), at: [gauge.at.x, gauge.at.y], observed }
    }));
    scenario.gauge = kept;
    sections(scenario, output)?;
    observed(scenario, output)?;
    replace(&mut scenario.title, output.title.as_ref());
    scenario.output.lay_over(&output.table);
    Ok(())
}

fn sections(scenario: &mut Scenario, output: &OutputArgs) -> Result<(), UserError> {
    let mut named = HashSet::new();
    for section in &output.section {
        if !named.insert(&*section.name) {
            return Err(UserError::new(
                format!("two sections are called `{}`", section.name),
                "give each a name of its own",
            ));
        }
    }
    let (replaced, mut kept): (Vec<FlowSectionTable>, Vec<FlowSectionTable>) =
        std::mem::take(&mut scenario.section)
            .into_iter()
            .partition(|other| named.contains(other.name.trim()));
    kept.extend(output.section.iter().map(|section| {
        let before = replaced.iter().find(|other| other.name.trim() == section.name);
        FlowSectionTable {
            name: section.name.clone(),
            line: section.line.iter().map(|at| [at.x, at.y]).collect(),
            observed: before.and_then(|before| before.observed.clone()),
        }
    }));
    scenario.section = kept;
    Ok(())
}

/// Assigns the observed series to the gauges and sections of their names.
fn observed(scenario: &mut Scenario, output: &OutputArgs) -> Result<(), UserError> {
    let mut named = HashSet::new();
    for NamedObserved { name, file } in &output.observed {
        if !named.insert(&**name) {
            return Err(UserError::new(
                format!("--observed gives `{name}` two series"),
                "keep one of them",
            ));
        }
        let gauges = scenario.gauge.iter_mut().filter(|gauge| gauge.name.trim() == name);
        let sections = scenario.section.iter_mut().filter(|line| line.name.trim() == name);
        let gauges = gauges.map(|gauge| &mut gauge.observed);
        let mut found: Vec<_> = gauges.chain(sections.map(|line| &mut line.observed)).collect();
        match &mut *found {
            [observed] => **observed = Some(file.clone()),
            [] => {
                let gauges = scenario.gauge.iter().map(|gauge| gauge.name.trim());
                let known = gauges.chain(scenario.section.iter().map(|line| line.name.trim()));
                let what = format!("--observed: no gauge or section is called `{name}`");
                let mend = format!("add --gauge {name}=X,Y, or correct the name");
                return Err(UserError::new(format!("{what}{}", meant(name, known)), mend));
            }
            _ => {
                return Err(UserError::new(
                    format!("--observed: several gauges and sections are called `{name}`"),
                    "give each a name of its own",
                ));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::{Condition, MapSide};
    use crate::quantity::{Metres, Rate, Seconds};
    use kit::command::parse;

    /// A command line.
    #[derive(clap::Parser)]
    #[command(name = "flood-preview")]
    struct Args {
        inputs: Vec<String>,
        #[command(flatten)]
        options: Options,
    }

    fn laid_over(scenario: &Scenario, line: &str) -> Result<Scenario, UserError> {
        let mut scenario = scenario.clone();
        let words = ["flood-preview"].into_iter().chain(line.split(' ')).map(Into::into);
        let Some(args) = parse::<Args>(words)? else {
            panic!("{line} is no run");
        };
        assert_eq!(args.inputs, ["m.tif"]);
        lay_over(&mut scenario, &args.options).map(|()| scenario)
    }

    fn scenario() -> Scenario {
        let drizzle = RainTable {
            name: Some("drizzle".into()),
            rate: ValueOrFile::Value(Rate(1.0)),
            from: None,
            duration: None,
            unit: None,
            step: None,
            sums: None,
            stamps: None,
            weights: None,
        };
        let mut scenario = Scenario { rain: vec![drizzle], ..Scenario::default() };
        scenario.initial.depth = Some(ValueOrFile::File("depth.tif".into()));
        scenario.edges.north = Some(Condition::Wall);
        scenario.ground.infiltration = Some(Rate(2.0));
        let observed = "level:a.csv".parse().ok();
        scenario.gauge.push(GaugeTable { name: "a".into(), at: [1.0, 2.0], observed });
        scenario
    }

    #[test]
    fn an_option_replaces_the_key_that_means_the_same() {
        let laid = |line| laid_over(&scenario(), line).expect(line);
        let rain = laid("m.tif --rain 3m/s --rain-for 1h").rain;
        assert_eq!(rain.len(), 1);
        assert_eq!(rain[0].rate, ValueOrFile::Value(Rate(3.0)));
        assert_eq!(rain[0].duration, Some(Seconds(3600.0)));
        assert_eq!(laid("m.tif --rain-for 1h").rain[0].name.as_deref(), Some("drizzle"));

        let initial = laid("m.tif --stage 5").initial;
        assert_eq!((initial.stage, initial.depth), (Some(ValueOrFile::Value(Metres(5.0))), None));

        let initial = laid("m.tif --initial-depth 2m").initial;
        assert_eq!((initial.stage, initial.depth), (None, Some(ValueOrFile::Value(Metres(2.0)))));

        let edges = laid("m.tif --edges open --edge west=wall").edges;
        assert_eq!(edges.all, Some(Condition::Open));
        assert_eq!((edges.north, edges.west), (None, Some(Condition::Wall)));
        let mut edges = laid("m.tif --edge west=open").edges;
        assert_eq!(*edges.side(MapSide::North), Some(Condition::Wall));

        let ground = laid("m.tif --green-ampt K=1mm/h,psi=1,dtheta=0.3").ground;
        assert!(ground.infiltration.is_none() && ground.green_ampt.is_some());

        let gauges = laid("m.tif --gauge a=5,6 --gauge b=7,8").gauge;
        let places: Vec<[f64; 2]> = gauges.iter().map(|gauge| gauge.at).collect();
        assert_eq!(places, [[5.0, 6.0], [7.0, 8.0]]);
        assert!(gauges[0].observed.is_some() && gauges[1].observed.is_none(), "{gauges:?}");
    }

    #[test]
    fn an_observed_series_goes_to_the_gauge_or_section_of_its_name() {
        let laid = |line: &str| laid_over(&scenario(), &format!("m.tif {line}"));
        let line = "--section w=1,2,3,4 --observed w=w.csv --observed a=depth:b.csv";
        let scenario = laid(line).expect(line);
        let files = [&scenario.gauge[0].observed, &scenario.section[0].observed];
        let paths = files.map(|file| file.as_ref().expect("a file").path.display().to_string());
        assert_eq!(paths, ["b.csv", "w.csv"]);
        for (line, words) in [
            ("--observed b=b.csv", "no gauge or section is called `b`"),
            ("--gauge mill=1,2 --observed mil=b.csv", "(did you mean mill?): add --gauge mil=X,Y"),
            ("--observed a=b.csv --observed a=c.csv", "gives `a` two series"),
            ("--section a=1,2,3,4 --observed a=b.csv", "several gauges and sections"),
            ("--observed b.csv", "names no gauge"),
            ("--observed a=depth:", "names no table"),
        ] {
            let refused = laid(line).expect_err(line).to_string();
            assert!(refused.contains(words), "{line}: {refused}");
        }
    }

    #[test]
    fn what_is_not_typed_stays() {
        assert_eq!(laid_over(&scenario(), "m.tif"), Ok(scenario()));
    }
}
