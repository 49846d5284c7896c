//! Devices that step the water of a tool: the processor or a graphics card.

use crate::terminal::complain;
use gpu::{AutoCard, CardLog, GpuCard};
use thalweg::world::World;

/// Device that steps the water. Results are the same to the bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum DeviceName {
    /// The faster of the two: the first cycles on each are measured
    Auto,
    /// The processor
    #[default]
    Cpu,
    /// The graphics card, as far as it can
    Gpu,
}

/// The card of a run, and what was said of it.
#[derive(Debug, Default)]
pub struct Seat {
    card: Option<(String, CardLog)>,
    told: Option<String>,
}

impl Seat {
    /// Lets a device step a world. Where there is no card, or none that can be used, the processor
    /// does, and a line says so if the card was asked for.
    #[must_use]
    pub fn take(world: &mut World, device: DeviceName) -> Self {
        if device == DeviceName::Cpu {
            return Self::default();
        }
        match GpuCard::open() {
            Ok(card) => {
                let seat = Self { card: Some((card.name(), card.log())), told: None };
                world.set_card(Some(match device {
                    DeviceName::Auto => Box::new(AutoCard::new(card)),
                    DeviceName::Cpu | DeviceName::Gpu => Box::new(card),
                }));
                seat
            }
            Err(failure) => {
                if device == DeviceName::Gpu {
                    complain(format!("{failure}; the processor steps this world"));
                }
                Self::default()
            }
        }
    }

    /// Says, once for each reason, that the processor goes on in the place of the card.
    pub fn tell(&mut self) {
        let Some((name, log)) = &self.card else { return };
        let events = log.events();
        let line = match (&events.lost, &events.refused) {
            (Some(failure), _) => format!("{failure}; the processor goes on, with the same result"),
            (None, Some(beyond)) => format!(
                "the graphics card {name} cannot step {beyond} yet: the processor does where they \
                 are, with the same result"
            ),
            (None, None) => return,
        };
        if self.told.as_ref() != Some(&line) {
            complain(&line);
            self.told = Some(line);
        }
    }
}
