//! `thalweg schema` against the JSON of the library.
//!
//! Goal: the schema accepts the JSON that the library writes, and refuses JSON whose keys the
//!       library refuses; every key is in snake case.
//! Method: a small validator for the keywords that the schemas use; a new keyword fails here.

use std::path::Path;

use serde_json::{Map, Value, json};
use testkit::Program;
use thalweg::criteria::ObserverOptions;
use thalweg::structure::{Barrier, Breach, Culvert, Drain, Gap, Link, Opening, Pump, Trigger};
use thalweg::terrain::{Edit, Shape};
use thalweg::world::commands::Entry;
use thalweg::world::{
    Action, Amount, Checkpoint, Command, Discharge, Event, FixedStep, Inflow, InflowPlace, Order,
    Solver, Stage, Watch,
};

const THALWEG: Program = Program(env!("CARGO_BIN_EXE_thalweg"));

fn schema(text: &str) -> Value {
    let printed = THALWEG.done(Path::new("."), &format!("schema {text}"));
    assert!(!printed.contains("crate::"), "links of the library's pages");
    serde_json::from_str(&printed).expect("a schema")
}

/// True if a value is valid by a schema, which is a part of `root`.
fn is_valid(root: &Value, schema: &Value, value: &Value) -> bool {
    let Value::Object(rules) = schema else { return schema == &json!(true) };
    rules.iter().all(|(rule, wanted)| match rule.as_str() {
        "$ref" => {
            let place = wanted.as_str().and_then(|place| place.strip_prefix('#')).expect("a place");
            is_valid(root, root.pointer(place).expect("it exists"), value)
        }
        "type" => types(wanted).any(|name| has_type(name, value)),
        "const" => wanted == value,
        "enum" => wanted.as_array().expect("values").contains(value),
        "oneOf" => parts(wanted).filter(|part| is_valid(root, part, value)).count() == 1,
        "anyOf" => parts(wanted).any(|part| is_valid(root, part, value)),
        "required" => {
            value.as_object().is_none_or(|value| types(wanted).all(|key| value.contains_key(key)))
        }
        "properties" => value.as_object().is_none_or(|value| {
            let own = wanted.as_object().expect("keys");
            value
                .iter()
                .all(|(key, value)| own.get(key).is_none_or(|schema| is_valid(root, schema, value)))
        }),
        "additionalProperties" => value.as_object().is_none_or(|value| {
            let own = rules.get("properties").and_then(Value::as_object);
            wanted == &json!(true)
                || value.keys().all(|key| own.is_some_and(|own| own.contains_key(key)))
        }),
        "items" => list(value).iter().all(|value| is_valid(root, wanted, value)),
        "prefixItems" => {
            parts(wanted).zip(list(value)).all(|(part, value)| is_valid(root, part, value))
        }
        "minItems" => value.as_array().is_none_or(|list| list.len() as u64 >= count(wanted)),
        "maxItems" => value.as_array().is_none_or(|list| list.len() as u64 <= count(wanted)),
        "minimum" => value.as_f64().is_none_or(|value| value >= wanted.as_f64().expect("one")),
        "maximum" => value.as_f64().is_none_or(|value| value <= wanted.as_f64().expect("one")),
        "$schema" | "$defs" | "title" | "description" | "default" | "format" | "$comment" => true,
        rule => panic!("the check does not know `{rule}`"),
    })
}

fn parts(schemas: &Value) -> impl Iterator<Item = &Value> {
    schemas.as_array().expect("schemas").iter()
}

fn types(names: &Value) -> impl Iterator<Item = &str> {
    let all = names.as_array().map_or(std::slice::from_ref(names), Vec::as_slice);
    all.iter().map(|name| name.as_str().expect("a name"))
}

fn count(wanted: &Value) -> u64 {
    wanted.as_u64().expect("a count")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn has_type(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        name => panic!("no type `{name}`"),
    }
}

fn entries() -> Vec<Entry> {
    let area = Shape::Disc { centre_m: [40.0, 30.0], radius_m: 8.0, rim_m: 2.0 };
    let gate = Opening::Rule { at_m: [5.0, 6.0], points: vec![(2.0, 0.0), (3.0, 1.0)] };
    let breach = Breach {
        along_m: 4.0,
        trigger: Trigger::Stage { at_m: [1.0, 2.0], stage_m: 3.5 },
        width_m: vec![(0.0, 0.0), (60.0, 9.0)],
        bottom_m: vec![(0.0, 4.0), (60.0, 1.0)],
    };
    let barrier = Barrier {
        name: "levee".to_owned(),
        path_m: vec![[0.0, 0.0], [40.0, 0.0]],
        crest_m: vec![4.0],
        gap: Some(Gap { sill_m: None, opening: gate }),
        breach: Some(breach),
        weir_coefficient: 0.58,
        contraction: 0.61,
    };
    let paste =
        Edit::Paste { corner: [7, 9].into(), width: 2, heights_m: vec![2.0, f64::NAN, 1.0, 0.5] };
    let inflow = Inflow {
        name: "spring".to_owned(),
        place: InflowPlace::Point([9.0, 9.0]),
        discharge: Discharge::Series(vec![(0.0, 1.0), (60.0, 2.0)]),
        tracers: vec![("dye".to_owned(), 0.5)],
    };
    let pump = Pump { name: "pump".to_owned(), curve: vec![(0.0, 1.0)], ..Pump::default() };
    let actions = vec![
        Action::PutInflow(inflow),
        Action::PutLink(Link::Pump(pump)),
        Action::PutLink(Link::Drain(Drain::default())),
        Action::ChangeStage { edge: "sea".to_owned(), stage: Stage::Constant(2.0) },
        Action::RemoveInflow { name: "spring".to_owned() },
        Action::AddWater { area: area.clone(), amount: Amount::DepthM(0.5) },
        Action::PushWater { area, by_m_s: [1.0, -0.5] },
        Action::PutBarrier(barrier),
        Action::PutLink(Link::Culvert(Culvert { name: "pipe".to_owned(), ..Culvert::default() })),
        Action::EditTerrain(paste),
    ];
    let observer = ObserverOptions::at([1.0, 2.0], vec![(0, 90.0)]);
    let commands = [
        Command::Act(actions),
        Command::Undo { id: 1 },
        Command::Run { step: FixedStep::try_new(1, 30).expect("a step"), cycles: 4 },
        Command::Observe(vec![observer]),
        Command::Solve { solver: Solver::ShallowWater, order: Order::First },
        Command::SetBudget { cells: 5000 },
        Command::Mark,
    ];
    (1..).zip(commands).map(|(id, command)| Entry { id, command }).collect()
}

/// Every value with one key more, or without one, somewhere in it.
fn altered(value: &Value) -> Vec<Value> {
    match value {
        Value::Object(keys) => {
            let with = |key: &str, part: Value| {
                let mut new: Map<String, Value> = keys.clone();
                new.insert(key.to_owned(), part);
                Value::Object(new)
            };
            let of_key = |(key, part): (&String, &Value)| {
                let deeper = altered(part).into_iter().map(|part| with(key, part));
                let mut less = keys.clone();
                less.remove(key);
                let others = [with(&format!("{key}s"), part.clone()), Value::Object(less)];
                deeper.chain(others).collect::<Vec<_>>()
            };
            keys.iter().flat_map(of_key).collect()
        }
        Value::Array(parts) => {
            let with = |at: usize, part: Value| {
                let mut new = parts.clone();
                new[at] = part;
                Value::Array(new)
            };
            let of_part = |(at, part): (usize, &Value)| {
                altered(part).into_iter().map(|part| with(at, part)).collect::<Vec<_>>()
            };
            parts.iter().enumerate().flat_map(of_part).collect()
        }
        _ => Vec::new(),
    }
}

#[test]
fn commands_that_are_written_are_valid_and_altered_keys_are_not() {
    let schema = schema("command");
    assert_eq!(schema["$comment"], json!("version 2"));
    let mut refused = 0;
    for entry in entries() {
        let written = serde_json::to_value(&entry).expect("JSON");
        assert!(is_valid(&schema, &schema, &written), "{written}");
        for other in altered(&written) {
            let is_read = serde_json::from_value::<Entry>(other.clone()).is_ok();
            assert_eq!(is_valid(&schema, &schema, &other), is_read, "{other}");
            refused += usize::from(!is_read);
        }
    }
    assert!(refused > 20, "{refused} altered commands were refused");
}

#[test]
fn a_watch_that_is_written_is_valid() {
    let schema = schema("watch");
    let watch = Watch::Place { at_m: [1.0, 2.0], depth_m: 0.1, hysteresis_m: 0.02 };
    let mut written = serde_json::to_value(&watch).expect("JSON");
    assert!(is_valid(&schema, &schema, &written), "{written}");
    written["place"]["at_m"] = json!([1.0]);
    assert!(!is_valid(&schema, &schema, &written), "{written}");
}

#[test]
fn events_and_checkpoints_are_valid_if_they_are_read() {
    let kinds = [
        json!({"wetted": {"depth_m": 0.2}}),
        json!({"fell": {"stage_m": null}}),
        json!({"breached": {"began_ticks": 5}}),
        json!("overtopped"),
    ];
    let events = kinds.map(|what| json!({"watch": 1, "at_ticks": 16_777_216, "what": what}));
    let observers = json!([ObserverOptions::at([1.0, 2.0], vec![(0, 90.0)])]);
    let checkpoint = json!({"version": 2, "id": 7, "observers": observers, "ways_back_bytes": 9});
    let [of_event, of_checkpoint] = ["event", "checkpoint"].map(schema);
    let is_event = |value: &Value| serde_json::from_value::<Event>(value.clone()).is_ok();
    for event in &events {
        assert!(is_event(event) && is_valid(&of_event, &of_event, event), "{event}");
    }
    let is_read = |value: &Value| serde_json::from_value::<Checkpoint>(value.clone()).is_ok();
    assert!(is_read(&checkpoint), "{checkpoint}");
    for value in altered(&checkpoint).iter().chain([&checkpoint]) {
        let is_right = is_valid(&of_checkpoint, &of_checkpoint, value);
        assert_eq!(is_right, is_read(value), "{value}");
    }
}

/// Goal: every key of every schema is in snake case.
#[test]
fn keys_are_in_snake_case() {
    fn look(value: &Value, found: &mut Vec<String>) {
        if let Value::Object(parts) = value {
            let keys = parts.get("properties").and_then(Value::as_object);
            found.extend(keys.into_iter().flat_map(|keys| keys.keys().cloned()));
        }
        let all: Vec<&Value> = match value {
            Value::Object(parts) => parts.values().collect(),
            Value::Array(parts) => parts.iter().collect(),
            _ => Vec::new(),
        };
        all.into_iter().for_each(|part| look(part, found));
    }
    for text in ["command", "watch", "event", "checkpoint"] {
        let mut keys = Vec::new();
        look(&schema(text), &mut keys);
        let is_snake = |key: &String| {
            key.chars().all(|c| c == '_' || c.is_ascii_digit() || c.is_ascii_lowercase())
        };
        assert!(keys.len() > 2 && keys.iter().all(is_snake), "{text}: {keys:?}");
    }
}
