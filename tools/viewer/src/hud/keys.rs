//! Keys and buttons with their effects, in one table, which the help sheet shows too.

use crate::hud::hand::HandTool;
use ggez::winit::keyboard::{Key, ModifiersState, NamedKey};
use std::f64::consts::PI;

/// Effect of a key or a button.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum KeyCommand {
    Take(HandTool),
    Size {
        up: bool,
    },
    Amount {
        up: bool,
    },
    Undo,
    Redo,
    Pause,
    Step,
    Speed {
        up: bool,
    },
    Moment {
        forward: bool,
    },
    GoTo(usize),
    Overlay {
        forward: bool,
    },
    /// Cuts the picture away above a height, or shows all of it.
    Cut,
    CutHeight {
        up: bool,
    },
    Inspect,
    Graphs,
    Help,
    Hide,
    Frame,
    Tilt,
    /// Turns the view by an angle, radians.
    Turn(f64),
    /// Draws heights higher by a factor.
    Exaggerate(f64),
    Save,
    Screenshot,
    Leave,
    Quit,
}

/// Keys of a command, in the order in which they are tried, and the command.
pub(super) struct Binding {
    pub keys: &'static [&'static str],
    pub command: KeyCommand,
    /// Words for the effect; empty if the line of another key has them.
    pub words: &'static str,
}

const fn bind(keys: &'static [&'static str], command: KeyCommand, words: &'static str) -> Binding {
    Binding { keys, command, words }
}

/// Keys of tools.
pub(super) const TOOLS: &[Binding] = &[
    bind(&["V"], KeyCommand::Take(HandTool::Look), "look and move the map"),
    bind(&["1"], KeyCommand::Take(HandTool::Raise), "raise the ground"),
    bind(&["2"], KeyCommand::Take(HandTool::Lower), "lower the ground"),
    bind(&["3"], KeyCommand::Take(HandTool::Water), "pour water"),
    bind(&["4"], KeyCommand::Take(HandTool::Drain), "take water away"),
    bind(&["5"], KeyCommand::Take(HandTool::Push), "push water along"),
    bind(&["6"], KeyCommand::Take(HandTool::Dam), "draw a dam"),
    bind(&["7"], KeyCommand::Take(HandTool::Crate), "drop a crate"),
    bind(&["8"], KeyCommand::Take(HandTool::Dye), "dye the water"),
    bind(&["9"], KeyCommand::Take(HandTool::Source), "place a source"),
    bind(&["0"], KeyCommand::Take(HandTool::Gauge), "place a gauge"),
    bind(&["X", "Delete"], KeyCommand::Take(HandTool::Remove), "remove what is near"),
    bind(&["["], KeyCommand::Size { up: false }, "smaller brush (Shift+wheel)"),
    bind(&["]"], KeyCommand::Size { up: true }, "larger brush"),
    bind(&["{"], KeyCommand::Amount { up: false }, "less of it (Ctrl+wheel)"),
    bind(&["}"], KeyCommand::Amount { up: true }, "more of it"),
    bind(&["Z", "Ctrl+Z"], KeyCommand::Undo, "take back"),
    bind(&["Y", "Ctrl+Y", "Ctrl+Shift+Z"], KeyCommand::Redo, "do again"),
];

/// Keys of time.
pub(super) const TIME: &[Binding] = &[
    bind(&["Space"], KeyCommand::Pause, "let time pass, or stop it"),
    bind(&["."], KeyCommand::Step, "one step"),
    bind(&["+", "="], KeyCommand::Speed { up: true }, "faster"),
    bind(&["-"], KeyCommand::Speed { up: false }, "slower"),
    bind(&[","], KeyCommand::Moment { forward: false }, "back to the moment kept before"),
    bind(&[";"], KeyCommand::Moment { forward: true }, "on to the next one"),
];

/// Keys of the view.
pub(super) const SIGHT: &[Binding] = &[
    bind(&["F", "Home"], KeyCommand::Frame, "the whole map"),
    bind(&["T"], KeyCommand::Tilt, "from above, or tilted"),
    bind(&["R"], KeyCommand::Turn(PI / 12.0), "turn a bit (Shift: back)"),
    bind(&["Shift+R"], KeyCommand::Turn(-PI / 12.0), ""),
    bind(&["PageUp"], KeyCommand::Exaggerate(1.25), "heights drawn higher"),
    bind(&["PageDown"], KeyCommand::Exaggerate(0.8), "heights drawn lower"),
    bind(&["O"], KeyCommand::Overlay { forward: true }, "next overlay (Shift: last)"),
    bind(&["Shift+O"], KeyCommand::Overlay { forward: false }, ""),
    bind(&["C"], KeyCommand::Cut, "cut away what is above a height"),
    bind(&["U"], KeyCommand::CutHeight { up: true }, "cut higher up"),
    bind(&["J"], KeyCommand::CutHeight { up: false }, "cut lower down"),
    bind(&["I"], KeyCommand::Inspect, "what is below the pointer"),
    bind(&["G"], KeyCommand::Graphs, "charts of the gauges"),
];

/// Remaining keys.
pub(super) const REST: &[Binding] = &[
    bind(&["H", "F1", "?"], KeyCommand::Help, "this sheet"),
    bind(&["Tab"], KeyCommand::Hide, "hide all this"),
    bind(&["F5", "Ctrl+S"], KeyCommand::Save, "save the world"),
    bind(&["F12"], KeyCommand::Screenshot, "save a picture"),
    bind(&["Esc"], KeyCommand::Leave, "put the tool down"),
    bind(&["Ctrl+Q"], KeyCommand::Quit, "quit"),
];

/// Returns the effect of a key, if the display has one for it.
pub(super) fn command_of(key: &Key, mods: ModifiersState) -> Option<KeyCommand> {
    let typed = name_of(key, mods)?;
    let mut all = [TOOLS, TIME, SIGHT, REST].into_iter().flatten();
    let bound = |binding: &&Binding| binding.keys.contains(&&*typed);
    all.find(bound).map(|binding| binding.command)
}

/// Returns the name of a key with its modifiers, in the table's spelling.
fn name_of(key: &Key, mods: ModifiersState) -> Option<String> {
    let name = match key {
        Key::Character(letter) => letter.to_uppercase(),
        Key::Named(NamedKey::Space) => "Space".to_owned(),
        Key::Named(NamedKey::Escape) => "Esc".to_owned(),
        Key::Named(
            named @ (NamedKey::Tab
            | NamedKey::Home
            | NamedKey::PageUp
            | NamedKey::PageDown
            | NamedKey::Delete
            | NamedKey::F1
            | NamedKey::F5
            | NamedKey::F12),
        ) => format!("{named:?}"),
        _ => return None,
    };
    if mods.alt_key() {
        return None;
    }
    // Some keyboards need Shift for `{` and `+`, some do not.
    let has_case = name.chars().all(char::is_alphabetic);
    let shift = if mods.shift_key() && has_case { "Shift+" } else { "" };
    let is_command = mods.control_key() || mods.super_key();
    Some(format!("{}{shift}{name}", if is_command { "Ctrl+" } else { "" }))
}

impl KeyCommand {
    /// True if the command is repeated while its key is down.
    pub const fn repeats(self) -> bool {
        matches!(
            self,
            Self::Size { .. }
                | Self::Amount { .. }
                | Self::Undo
                | Self::Redo
                | Self::Step
                | Self::Turn(_)
                | Self::Exaggerate(_)
                | Self::CutHeight { .. }
        )
    }
}

/// Returns the key of a tool.
pub(super) fn key_of(tool: HandTool) -> &'static str {
    let bound = TOOLS.iter().find(|binding| binding.command == KeyCommand::Take(tool));
    bound.map_or("", |binding| binding.keys[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(key: &str, mods: ModifiersState) -> Option<KeyCommand> {
        command_of(&Key::Character(key.into()), mods)
    }

    #[test]
    fn no_key_does_two_things() {
        let all = [TOOLS, TIME, SIGHT, REST].into_iter().flatten();
        let mut keys: Vec<_> = all.flat_map(|binding| binding.keys).collect();
        let count = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), count);
        // The camera's keys.
        let camera = ["W", "A", "S", "D", "Q", "E"];
        assert!(keys.iter().all(|key| !camera.contains(key)));
    }

    #[test]
    fn keys_are_known_with_what_is_held() {
        let (none, shift) = (ModifiersState::empty(), ModifiersState::SHIFT);
        let control = ModifiersState::CONTROL;
        let cases = [
            ("z", none, Some(KeyCommand::Undo)),
            ("z", control, Some(KeyCommand::Undo)),
            ("Z", control | shift, Some(KeyCommand::Redo)),
            ("{", shift, Some(KeyCommand::Amount { up: false })),
            ("+", shift, Some(KeyCommand::Speed { up: true })),
            ("+", none, Some(KeyCommand::Speed { up: true })),
            ("O", shift, Some(KeyCommand::Overlay { forward: false })),
            ("s", control, Some(KeyCommand::Save)),
            ("s", none, None),
            ("z", ModifiersState::ALT, None),
        ];
        for (key, mods, expected) in cases {
            assert_eq!(typed(key, mods), expected, "{key} {mods:?}");
        }
        assert_eq!(command_of(&Key::Named(NamedKey::Tab), none), Some(KeyCommand::Hide));
        assert_eq!(command_of(&Key::Named(NamedKey::Enter), none), None);
    }

    #[test]
    fn each_tool_has_a_key() {
        for tool in HandTool::ALL {
            assert!(!key_of(tool).is_empty(), "{tool:?}");
        }
    }
}
