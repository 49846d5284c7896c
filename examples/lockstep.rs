//! Peers in lockstep: two players change one world by commands, a third joins later, one takes back
//! another's action; all hashes are equal. Run it with `cargo run --release
//! --example lockstep`.

use std::error::Error;
use thalweg::follow::Memory;
use thalweg::prelude::*;
use thalweg::world::{Amount, Checkpoint, Command, CommandLog, Session};

const CELL_M: f64 = 2.0;
const SIDE: usize = 192;

/// Makes a valley with a lake at its end: each peer builds it by itself.
fn valley() -> Result<World, thalweg::Error> {
    let bed_m = |x: usize, y: usize| {
        let (x, y) = (x as f64, y as f64 - SIDE as f64 / 2.0);
        0.04 * x + 0.002 * y * y + 0.3 * (0.2 * x).sin()
    };
    let terrain = Terrain::from_heights([SIDE, SIDE], CELL_M, bed_m)?;
    Ok(WorldBuilder::new(terrain).initial_stage(|_| 2.0).build()?)
}

/// Returns a disc of 10 m.
fn disc(x_m: f64, y_m: f64) -> Shape {
    Shape::Disc { centre_m: [x_m, y_m], radius_m: 10.0, rim_m: 2.0 }
}

/// Returns a command as a second player receives it: here through memory, in a game over the net.
fn sent(command: &Command) -> Result<Command, serde_json::Error> {
    serde_json::from_str(&serde_json::to_string(command)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut peers = vec![Session::new(valley()?), Session::new(valley()?)];
    let mut log = CommandLog::new();
    let run = Command::Run { step: FixedStep::try_new(1, 30)?, cycles: 30 };
    let pour =
        |x_m, amount| Command::Act(vec![Action::AddWater { area: disc(x_m, 192.0), amount }]);
    let levee = Barrier::wall("levee", vec![[90.0, 140.0], [90.0, 250.0]], 6.0);

    let commands = [
        pour(300.0, Amount::VolumeM3(900.0)),
        run.clone(),
        Command::Mark,
        Command::Act(vec![Action::PutBarrier(levee)]),
        run.clone(),
        pour(200.0, Amount::DepthM(1.0)),
        run.clone(),
        // A player takes the levee back.
        Command::Undo { id: 4 },
        run,
    ];
    let mut at_mark: Option<(SaveFile, Checkpoint)> = None;
    for command in commands {
        let [host, others @ ..] = &mut *peers else { return Err("nobody plays".into()) };
        for peer in others {
            peer.apply(sent(&command)?)?;
        }
        log.apply(host, command)?;
        if let Some(checkpoint) = host.checkpoint() {
            let file = SaveFile::create_on(Box::new(Memory::default()), host.world())?;
            at_mark = Some((file, checkpoint));
        }
        let hashes: Vec<u64> = peers.iter().map(|peer| peer.world().state_hash()).collect();
        println!("command {}: {:016x} {:016x}", peers[0].next_id() - 1, hashes[0], hashes[1]);
        if let Some(found) = peers[0].world().digest().first_difference(&peers[1].world().digest())
        {
            return Err(found.to_string().into());
        }
    }

    let (mut file, checkpoint) = at_mark.ok_or("no mark was sent")?;
    let mut late = Session::resume(file.load(Vec::new())?, checkpoint);
    println!("a third player comes with command {}", late.next_id());
    log.replay(&mut late)?;
    println!("at command {}: {:016x}", late.next_id() - 1, late.world().state_hash());
    assert_eq!(late.world().state_hash(), peers[0].world().state_hash());
    Ok(())
}
