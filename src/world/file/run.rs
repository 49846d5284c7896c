//! State of a run beside its leaves, as text and back: layer `Run`, and the facts of its leaves.
//!
//! Part 0 of the layer is JSON; the facts follow in parts of their own, because they are many.

use crate::world::accounts::{NAMES_MOST, account_bytes};
use crate::world::adaptive::PlansRecord;
use serde::{Deserialize, Serialize};
use thalweg_engine::forest::LeafFacts;
use thalweg_engine::grid::TileKey;
use thalweg_engine::sim::barriers::BarrierState;
use thalweg_engine::sim::ledger::{Account, Ledger};
use thalweg_engine::sim::run_state::RunState;
use thalweg_engine::sim::schedule::{FixedRun, FixedStep};
use thalweg_engine::store::codec::{Bytes, Corrupt};
use thalweg_engine::structure::LinkState;
use thalweg_engine::structure::end::DrivenFlow;
use thalweg_engine::units::{SimTime, Volume};

/// Bytes of the facts of a leaf.
const FACTS_BYTES: usize = 20;

/// Largest number of an account, vertical units × finest cells.
const VOLUME_MOST: Volume = 1 << 100;

/// Maximum length of a step, ticks.
const STEP_MOST: u64 = 1 << 50;

/// State of a run as a file contains it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunRecord {
    /// Ticks of 2⁻²⁴ s since the beginning.
    pub time: u64,
    previous_step: u64,
    fixed_run: Option<FixedRecord>,
    speeds: Vec<f64>,
    #[serde(rename = "roused")]
    woken: Vec<[u32; 3]>,
    ledger: LedgerRecord,
    tracers: Vec<LedgerRecord>,
    /// States of the links.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    links: Vec<LinkRecord>,
    /// State of the planner of changing leaves.
    pub adaptive: Option<PlansRecord>,
    /// For each barrier, the ticks at which its breach began, and the opening set by its rule.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    barriers: Vec<(Option<u64>, i32)>,
}

/// State of a link.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LinkRecord {
    number: u32,
    discharge: f64,
    drive: Option<f64>,
    is_running: bool,
}

impl LinkRecord {
    fn of(&(number, LinkState { flow, is_running }): &(u32, LinkState)) -> Self {
        Self { number, discharge: flow.discharge, drive: flow.drive, is_running }
    }

    fn state(&self) -> (u32, LinkState) {
        let Self { number, discharge, drive, is_running } = *self;
        (number, LinkState { flow: DrivenFlow { discharge, drive }, is_running })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FixedRecord {
    start: u64,
    cycle: u64,
    step: [u32; 2],
}

/// A ledger; volumes are decimal texts, because they have up to 128 bits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LedgerRecord {
    initial: String,
    /// Name, volume in and volume out.
    accounts: Vec<(String, String, String)>,
}

impl RunRecord {
    /// Returns the bytes that its accounts take, with their names.
    pub fn account_bytes(&self) -> u64 {
        let names = self.ledger.accounts.iter().map(|(name, ..)| name.as_str());
        names.map(account_bytes).sum()
    }
}

impl LedgerRecord {
    fn of(ledger: &Ledger) -> Self {
        let account = |account: &Account| {
            (account.name.clone(), account.into.to_string(), account.out.to_string())
        };
        let accounts = ledger.accounts().iter().map(account).collect();
        Self { initial: ledger.initial().to_string(), accounts }
    }

    fn ledger(&self) -> Option<Ledger> {
        let volume = |text: &str| -> Option<Volume> {
            // 4096 accounts with volumes below 2¹⁰⁰ on two sides sum to 2¹¹³ at most, which fits an
            // i128.
            text.parse().ok().filter(|volume: &Volume| volume.abs() < VOLUME_MOST)
        };
        let mut ledger = Ledger::default();
        ledger.set_initial(volume(&self.initial)?);
        if self.accounts.len() > NAMES_MOST {
            return None;
        }
        for (index, (name, into, out)) in (0..).zip(&self.accounts) {
            // If a name came twice, `open` would return its first index, and all later ones would
            // shift.
            if ledger.open(name) != index {
                return None;
            }
            ledger.book(index, volume(into)?, volume(out)?);
        }
        Some(ledger)
    }
}

impl RunRecord {
    /// Returns the record of a run.
    pub fn of(state: &RunState, adaptive: Option<PlansRecord>) -> Self {
        let fixed = |run: FixedRun| FixedRecord {
            start: run.start.ticks(),
            cycle: run.cycle,
            step: run.step.fraction(),
        };
        let key = |key: &TileKey| [u32::from(key.level), key.x, key.y];
        Self {
            time: state.time.ticks(),
            previous_step: state.previous_step,
            fixed_run: state.fixed_run.map(fixed),
            speeds: state.speeds.clone(),
            woken: state.woken.iter().map(key).collect(),
            ledger: LedgerRecord::of(&state.ledger),
            tracers: state.tracers.iter().map(LedgerRecord::of).collect(),
            links: state.links.iter().map(LinkRecord::of).collect(),
            adaptive,
            barriers: (state.barriers.iter())
                .map(|state| (state.begun.map(SimTime::ticks), state.opened))
                .collect(),
        }
    }

    /// Returns the run of the record; `None` if some of its numbers are invalid.
    pub fn state(&self) -> Option<RunState> {
        let time =
            |ticks: u64| Some(SimTime::from_ticks(ticks)).filter(|&time| time <= SimTime::MAX);
        let fixed = |run: &FixedRecord| {
            let step = FixedStep::try_new(run.step[0], run.step[1]).ok()?;
            let start = time(run.start)?;
            // The next cycles must end before the end of time.
            let is_far = run.cycle >= 1 << 60 || step.end_of(run.cycle) >= SimTime::MAX;
            (!is_far).then_some(FixedRun { start, cycle: run.cycle, step })
        };
        let key = |&[level, x, y]: &[u32; 3]| {
            let level = u8::try_from(level).ok()?;
            Some(TileKey { level, x, y })
        };
        // The next cycle adds 1 to `since_plan`, which must not overflow.
        let is_plan = |plans: &PlansRecord| plans.since_plan < u32::MAX;
        if self.previous_step > STEP_MOST || !self.adaptive.as_ref().is_none_or(is_plan) {
            return None;
        }
        Some(RunState {
            time: time(self.time)?,
            previous_step: self.previous_step,
            fixed_run: match &self.fixed_run {
                Some(run) => Some(fixed(run)?),
                None => None,
            },
            speeds: self.speeds.clone(),
            woken: self.woken.iter().map(key).collect::<Option<_>>()?,
            ledger: self.ledger.ledger()?,
            tracers: self.tracers.iter().map(LedgerRecord::ledger).collect::<Option<_>>()?,
            barriers: (self.barriers.iter())
                .map(|&(begun, opened)| {
                    let is_good = begun.is_none_or(|begun| time(begun).is_some()) && opened >= 0;
                    let begun = begun.map(SimTime::from_ticks);
                    is_good.then_some(BarrierState { begun, opened })
                })
                .collect::<Option<_>>()?,
            links: self.links.iter().map(LinkRecord::state).collect(),
            // Solids have a layer of their own.
            solids: None,
        })
    }
}

/// Returns the bytes of the facts of leaves, with a bit for each that is stale.
pub fn facts_bytes(facts: &[LeafFacts], is_stale: &[bool]) -> Vec<u8> {
    let mut out = Vec::with_capacity(facts.len() * FACTS_BYTES);
    for (facts, &is_stale) in facts.iter().zip(is_stale) {
        let LeafFacts { is_wet, has_front, crest_separates, is_asleep, .. } = *facts;
        for number in [facts.stage_step_m, facts.bed_step_m, facts.speed_m_s] {
            out.extend(number.to_le_bytes());
        }
        out.extend(facts.age_cycles.to_le_bytes());
        let bits = [is_wet, has_front, crest_separates, is_asleep, is_stale].into_iter();
        let bits = (0..).zip(bits).fold(0, |all, (at, is_set)| all | u8::from(is_set) << at);
        out.extend([bits, 0, 0, 0]);
    }
    out
}

/// Returns the facts of these leaves from the bytes; `None` if these are invalid.
pub fn facts_of(leaves: &[TileKey], bytes: &[u8]) -> Option<(Vec<LeafFacts>, Vec<bool>)> {
    let (mut facts, mut is_stale) = (Vec::new(), Vec::new());
    let mut bytes = Bytes(bytes);
    for &key in leaves {
        let (known, stale) = take_facts(&mut bytes, key).ok()??;
        facts.push(known);
        is_stale.push(stale);
    }
    bytes.end().ok()?;
    Some((facts, is_stale))
}

fn take_facts(bytes: &mut Bytes<'_>, key: TileKey) -> Result<Option<(LeafFacts, bool)>, Corrupt> {
    let mut numbers = [0.0; 3];
    for number in &mut numbers {
        *number = f32::from_le_bytes(bytes.take_array()?);
    }
    let [stage_step_m, bed_step_m, speed_m_s] = numbers;
    let age_cycles = u32::from_le_bytes(bytes.take_array()?);
    let [bits, zeros @ ..] = bytes.take_array::<4>()?;
    let bit = |at: u8| bits >> at & 1 == 1;
    let facts = LeafFacts {
        key,
        is_wet: bit(0),
        has_front: bit(1),
        stage_step_m,
        bed_step_m,
        speed_m_s,
        crest_separates: bit(2),
        is_asleep: bit(3),
        age_cycles,
    };
    let is_good = numbers.iter().all(|&number| number >= 0.0) && bits >> 5 == 0 && zeros == [0; 3];
    Ok(is_good.then_some((facts, bit(4))))
}
