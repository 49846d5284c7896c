//! Logs of commands: done again, also from the middle and by peers that come later, they lead to
//! the same hash.

use crate::support::in_memory;
use crate::undone_everywhere::{Draws, KINDS, Kind, STREAM, options, world};
use thalweg::terrain::{Edit, Shape};
use thalweg::world::{
    Action, Amount, Checkpoint, Command, CommandLog, FixedStep, Outcome, SaveFile, Session, World,
};
use thalweg_engine::sim::{Order, Solver};

const FRAME: (u32, u32) = (1, 30);

fn frame() -> FixedStep {
    FixedStep::try_new(FRAME.0, FRAME.1).expect("a good step")
}

/// A command by a player, or by the game.
fn draw(draws: &mut Draws, kind: Kind, done: &[u64]) -> Command {
    let pick = Draws::pick;
    match pick(draws, 20) {
        0..6 => {
            let mut actions = draws.actions();
            let count = 1 + pick(draws, 2);
            let picked = (0..count).map(|_| actions.swap_remove(pick(draws, actions.len())));
            Command::Act(picked.collect())
        }
        6..9 if !done.is_empty() => {
            let recent = &done[done.len().saturating_sub(4)..];
            Command::Undo { id: recent[pick(draws, recent.len())] }
        }
        9 if kind.is_adaptive() => {
            let places = 1 + pick(draws, 3);
            Command::Observe((0..places).map(|_| options(draws.point())).collect())
        }
        10 => Command::Solve { solver: Solver::Pipe, order: Order::Second },
        11 => Command::Solve { solver: Solver::ShallowWater, order: Order::Second },
        12 if kind.is_adaptive() => Command::SetBudget { cells: 1 << (15 + pick(draws, 3)) },
        _ => Command::Run { step: frame(), cycles: 1 + u32::from(draws.next() < 0.5) },
    }
}

/// A save and a checkpoint, as a host keeps them at a mark.
struct Kept {
    file: SaveFile,
    checkpoint: Checkpoint,
}

impl Kept {
    fn of(session: &Session, file: SaveFile) -> Self {
        let checkpoint = session.checkpoint().expect("right after a mark");
        // A peer gets it as text.
        let text = serde_json::to_string(&checkpoint).expect("text");
        Self { file, checkpoint: serde_json::from_str(&text).expect("a checkpoint") }
    }

    fn join(mut self, kind: Kind, host: &World) -> Session {
        let criteria = match kind.is_adaptive() {
            true => self.checkpoint.criteria(&host.extent()).expect("good observers"),
            false => Vec::new(),
        };
        let world = match kind.is_streamed() {
            true => self.file.stream(criteria, STREAM).expect("a good file"),
            false => self.file.load(criteria).expect("a good file"),
        };
        Session::resume(world, self.checkpoint)
    }
}

/// Goal: a random session in each kind of world; its log, read from text, replayed on a new world
/// and on those of each mark, gives the hash.
#[test]
fn a_log_leads_to_one_hash_from_anywhere() {
    let full = if crate::QUICK { 90 } else { 300 };
    for kind in KINDS.into_iter().chain([Kind::StreamedAdaptiveSubGrid]) {
        let mut draws = Draws(31);
        let mut session = Session::new(world(kind, Solver::ShallowWater, &mut draws).0);
        // Observers that a log begins with are a command, like all.
        let (mut log, mut done, mut kept) = (CommandLog::new(), Vec::new(), Vec::new());
        if kind.is_adaptive() {
            let first = Command::Observe(vec![options([128.0, 128.0])]);
            log.apply(&mut session, first).expect("a good observer");
        }
        let (mut refused, mut undone) = (0, 0);
        for number in 0..full {
            if number % (full / 3) == full / 6 {
                log.apply(&mut session, Command::Mark).expect("always");
                kept.push(Kept::of(&session, in_memory(session.world())));
            }
            let (command, hash) = (draw(&mut draws, kind, &done), session.world().state_hash());
            let is_undo = matches!(command, Command::Undo { .. });
            match log.apply(&mut session, command) {
                Ok(applied) => {
                    undone += u32::from(is_undo);
                    if matches!(applied.outcome, Outcome::Acted(_)) {
                        done.push(applied.id);
                    }
                }
                Err(_) => {
                    refused += 1;
                    assert_eq!(session.world().state_hash(), hash, "refused: nothing has changed");
                }
            }
        }
        assert!(undone > 4 && refused > 0, "{kind:?}: {undone} undone, {refused} refused");
        let mut text = Vec::new();
        log.write(&mut text).expect("in memory");
        let log = CommandLog::read(&*text).expect("what was written");
        let hash = session.world().state_hash();
        let mut again = Session::new(world(kind, Solver::ShallowWater, &mut Draws(31)).0);
        log.replay(&mut again).expect("the same world");
        assert_eq!(again.world().state_hash(), hash, "{kind:?}, from the beginning");
        assert_eq!(kept.len(), 3);
        for kept in kept {
            let mut peer = kept.join(kind, session.world());
            log.replay(&mut peer).expect("a peer that came later follows");
            assert_eq!(peer.world().state_hash(), hash, "{kind:?}, from a mark");
        }
        let stored = session.world().water().stored();
        assert_eq!(stored, session.world().water().ledger().expected(), "{kind:?}");
    }
}

fn refusal(session: &mut Session, command: Command) -> String {
    let (hash, next) = (session.world().state_hash(), session.next_id());
    let line = session.apply(command).expect_err("refused").to_string();
    assert_eq!((session.world().state_hash(), session.next_id()), (hash, next), "{line}");
    line
}

/// Goal: what cannot be is refused with the way out, takes no number and changes nothing.
#[test]
fn bad_commands_are_refused_whole() {
    let mut session = Session::new(world(Kind::OneLevel, Solver::Pipe, &mut Draws(5)).0);
    let area = || Shape::Disc { centre_m: [200.0, 100.0], radius_m: 9.0, rim_m: 0.0 };
    let pour = |by| Action::AddWater { area: area(), amount: Amount::DepthM(by) };
    for bad in [f64::NAN, f64::INFINITY, -1.0, 1.0e300] {
        let line = refusal(&mut session, Command::Act(vec![pour(0.2), pour(bad)]));
        assert!(line.contains("depth of the water"), "{line}");
    }
    let line = refusal(&mut session, Command::Undo { id: 1 });
    assert!(line.contains("command 1 cannot be taken back"), "{line}");
    let line = refusal(&mut session, Command::Observe(vec![options([1.0, 1.0])]));
    assert!(line.contains("WorldBuilder::adaptive"), "{line}");
    let line = refusal(&mut session, Command::SetBudget { cells: 1 << 20 });
    assert!(line.contains("WorldBuilder::adaptive"), "{line}");
    let poured = session.apply(Command::Act(vec![pour(0.2)])).expect("good").id;
    let undone = session.apply(Command::Undo { id: poured }).expect("just done").id;
    let line = refusal(&mut session, Command::Undo { id: poured });
    assert!(line.contains(&format!("of command {undone}")), "{line}");
    session.apply(Command::Undo { id: undone }).expect("the way forward");
    assert_eq!(session.next_id(), 4);
    assert!(session.apply(Command::Act(Vec::new())).is_ok(), "nothing to do is done");

    let mut adaptive = Session::new(world(Kind::Adaptive, Solver::Pipe, &mut Draws(5)).0);
    let crowd = vec![options([128.0, 128.0]); 1025];
    let line = refusal(&mut adaptive, Command::Observe(crowd));
    assert!(line.contains("1025 observers") && line.contains("1024 at most"), "{line}");
    let line = refusal(&mut adaptive, Command::Observe(vec![options([f64::NAN, 0.0])]));
    assert!(line.contains("NaN"), "{line}");
    let line = refusal(&mut adaptive, Command::SetBudget { cells: 1 });
    assert!(line.contains("cells"), "{line}");
    assert_eq!(adaptive.checkpoint(), None, "no mark yet");
}

fn text(log: &CommandLog) -> Vec<u8> {
    let mut text = Vec::new();
    log.write(&mut text).expect("in memory");
    text
}

/// Goal: a log that was cut off, altered, or is of another version or world is refused by its line.
#[test]
fn bad_logs_are_refused_by_their_line() {
    let new = || Session::new(world(Kind::OneLevel, Solver::Pipe, &mut Draws(5)).0);
    let (mut session, mut log) = (new(), CommandLog::new());
    let paste = Edit::Paste {
        corner: [7, 9].into(),
        width: 2,
        heights_m: vec![2.0, f64::NAN, f64::NAN, 3.0],
    };
    let run = Command::Run { step: frame(), cycles: 2 };
    for command in [Command::Act(vec![Action::EditTerrain(paste)]), run.clone(), run] {
        log.apply(&mut session, command).expect("good");
    }
    let good = text(&log);
    let mut again = new();
    CommandLog::read(&*good).expect("what was written").replay(&mut again).expect("good");
    assert_eq!(again.world().state_hash(), session.world().state_hash(), "NaN keeps the bed");
    log.replay(&mut again).expect("nothing is left to do");
    CommandLog::new().replay(&mut new()).expect("nothing to do");

    let refused = |text: &[u8]| CommandLog::read(text).expect_err("no log").to_string();
    for cut in 1..good.len() {
        let at_end_of_line = good[cut - 1] == b'\n';
        match CommandLog::read(&good[..cut]) {
            Ok(log) => assert!(at_end_of_line && log.entries().len() < 3, "cut at {cut}"),
            Err(error) => assert!(!at_end_of_line, "{error}"),
        }
    }
    assert!(refused(b"").contains("line 1"));
    let other =
        String::from_utf8(good.clone()).expect("text").replace("commands\":2", "commands\":3");
    assert!(refused(other.as_bytes()).contains("another version"));
    let lines: Vec<&[u8]> = good.split_inclusive(|&byte| byte == b'\n').collect();
    let line = refused(&[lines[0], lines[1], lines[3]].concat());
    assert!(line.contains("line 3") && line.contains("command 3 follows"), "{line}");
    let step = String::from_utf8(good.clone())
        .expect("text")
        .replace("\"numerator\":1", "\"numerator\":0");
    let line = refused(step.as_bytes());
    assert!(line.contains("line 3") && line.contains("0/30 s"), "{line}");

    let mut late = new();
    (0..5).for_each(|_| _ = late.apply(Command::Mark).expect("always"));
    let line = log.replay(&mut late).expect_err("it ends before").to_string();
    assert!(line.contains("goes on with command 6"), "{line}");
    let missing = Session::resume(
        late.into_world(),
        serde_json::from_str("{\"id\":0,\"observers\":[]}").expect("text"),
    );
    assert_eq!(missing.next_id(), 1);
    let last = format!("\"id\":{}", u64::MAX);
    let last =
        String::from_utf8([lines[0], lines[1]].concat()).expect("text").replace("\"id\":1", &last);
    let last = CommandLog::read(last.as_bytes()).expect("a number");
    let line = last.replay(&mut new()).expect_err("no session has so many").to_string();
    assert!(line.contains("goes on with command 1"), "{line}");
    let gap = [lines[0], lines[2], lines[3]].concat();
    let gap = CommandLog::read(&*gap).expect("numbers follow");
    let line = gap.replay(&mut new()).expect_err("command 1 is missing").to_string();
    assert!(line.contains("goes on with command 1, and the log has 2"), "{line}");
}

/// Goal: a peer that comes later refuses the same undo as the host, whose ways back may take other
/// bytes than usual; a checkpoint of too many observers is refused.
#[test]
fn a_late_peer_has_the_limits_of_the_host() {
    let new = || Session::new(world(Kind::OneLevel, Solver::Pipe, &mut Draws(5)).0);
    let mut host = new();
    host.world_mut().edits().set_ways_back_bytes(1);
    let mark = host.apply(Command::Mark).expect("always").id;
    let mut file = in_memory(host.world());
    file.save(host.world()).expect("saved");
    let late = Kept::of(&host, file).join(Kind::OneLevel, host.world());
    let area = Shape::Disc { centre_m: [60.0, 60.0], radius_m: 20.0, rim_m: 0.0 };
    for (mut session, who) in [(host, "host"), (late, "late")] {
        for _ in 0..2 {
            let pour = Action::AddWater { area: area.clone(), amount: Amount::DepthM(0.1) };
            session.apply(Command::Act(vec![pour])).expect("good");
        }
        let line = session.apply(Command::Undo { id: mark + 1 }).expect_err(who).to_string();
        assert!(line.contains("was let go of"), "{who}: {line}");
        session.apply(Command::Undo { id: mark + 2 }).expect(who);
    }

    let mut adaptive = Session::new(world(Kind::Adaptive, Solver::Pipe, &mut Draws(5)).0);
    adaptive.apply(Command::Observe(vec![options([128.0, 128.0])])).expect("one observer");
    adaptive.apply(Command::Mark).expect("always");
    let checkpoint = adaptive.checkpoint().expect("right after a mark");
    let mut value = serde_json::to_value(&checkpoint).expect("a value");
    let observers = value["observers"].as_array_mut().expect("a list");
    *observers = vec![observers[0].clone(); 1025];
    let line = serde_json::from_value::<Checkpoint>(value).expect_err("a crowd").to_string();
    assert!(line.contains("1025 observers"), "{line}");
}
