//! Keys and buttons with their effects: one table, which the help sheet shows too.

use crate::hud::hand::Tool;
use ggez::winit::keyboard::{Key, ModifiersState, NamedKey};
use std::f64::consts::PI;

/// Effect of a key or a button.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Deed {
    Take(Tool),
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
    Inspect,
    Graphs,
    Help,
    Hide,
    Frame,
    Tilt,
    /// So far, radians.
    Turn(f64),
    /// Heights drawn so many times as high.
    Exaggerate(f64),
    Save,
    Screenshot,
    Leave,
    Quit,
}

/// Keys of a deed, in the order in which they are tried, and what it is.
pub(super) struct Binding {
    pub keys: &'static [&'static str],
    pub deed: Deed,
    /// Words for the effect; empty where the line of another key has them.
    pub words: &'static str,
}

const fn bind(keys: &'static [&'static str], deed: Deed, words: &'static str) -> Binding {
    Binding { keys, deed, words }
}

/// Tools.
pub(super) const TOOLS: &[Binding] = &[
    bind(&["V"], Deed::Take(Tool::Look), "look and move the map"),
    bind(&["1"], Deed::Take(Tool::Raise), "raise the ground"),
    bind(&["2"], Deed::Take(Tool::Lower), "lower the ground"),
    bind(&["3"], Deed::Take(Tool::Water), "pour water"),
    bind(&["4"], Deed::Take(Tool::Drain), "take water away"),
    bind(&["5"], Deed::Take(Tool::Push), "push water along"),
    bind(&["6"], Deed::Take(Tool::Dam), "draw a dam"),
    bind(&["7"], Deed::Take(Tool::Crate), "drop a crate"),
    bind(&["8"], Deed::Take(Tool::Dye), "dye the water"),
    bind(&["9"], Deed::Take(Tool::Source), "place a source"),
    bind(&["0"], Deed::Take(Tool::Gauge), "place a gauge"),
    bind(&["X", "Delete"], Deed::Take(Tool::Remove), "remove what is near"),
    bind(&["["], Deed::Size { up: false }, "smaller brush (Shift+wheel)"),
    bind(&["]"], Deed::Size { up: true }, "larger brush"),
    bind(&["{"], Deed::Amount { up: false }, "less of it (Ctrl+wheel)"),
    bind(&["}"], Deed::Amount { up: true }, "more of it"),
    bind(&["Z", "Ctrl+Z"], Deed::Undo, "take back"),
    bind(&["Y", "Ctrl+Y", "Ctrl+Shift+Z"], Deed::Redo, "do again"),
];

/// Time.
pub(super) const TIME: &[Binding] = &[
    bind(&["Space"], Deed::Pause, "let time pass, or stop it"),
    bind(&["."], Deed::Step, "one step"),
    bind(&["+", "="], Deed::Speed { up: true }, "faster"),
    bind(&["-"], Deed::Speed { up: false }, "slower"),
    bind(&[","], Deed::Moment { forward: false }, "back to the moment kept before"),
    bind(&[";"], Deed::Moment { forward: true }, "on to the next one"),
];

/// Keys for what is seen.
pub(super) const SIGHT: &[Binding] = &[
    bind(&["F", "Home"], Deed::Frame, "the whole map"),
    bind(&["T"], Deed::Tilt, "from above, or tilted"),
    bind(&["R"], Deed::Turn(PI / 12.0), "turn a bit (Shift: back)"),
    bind(&["Shift+R"], Deed::Turn(-PI / 12.0), ""),
    bind(&["PageUp"], Deed::Exaggerate(1.25), "heights drawn higher"),
    bind(&["PageDown"], Deed::Exaggerate(0.8), "heights drawn lower"),
    bind(&["O"], Deed::Overlay { forward: true }, "next overlay (Shift: last)"),
    bind(&["Shift+O"], Deed::Overlay { forward: false }, ""),
    bind(&["I"], Deed::Inspect, "what is below the pointer"),
    bind(&["G"], Deed::Graphs, "charts of the gauges"),
];

/// The rest.
pub(super) const REST: &[Binding] = &[
    bind(&["H", "F1", "?"], Deed::Help, "this sheet"),
    bind(&["Tab"], Deed::Hide, "hide all this"),
    bind(&["F5", "Ctrl+S"], Deed::Save, "save the world"),
    bind(&["F12"], Deed::Screenshot, "save a picture"),
    bind(&["Esc"], Deed::Leave, "put the tool down"),
    bind(&["Ctrl+Q"], Deed::Quit, "quit"),
];

/// Effect of a key, if the display has one for it.
pub(super) fn deed_of(key: &Key, mods: ModifiersState) -> Option<Deed> {
    let typed = name_of(key, mods)?;
    let mut all = [TOOLS, TIME, SIGHT, REST].into_iter().flatten();
    let bound = |binding: &&Binding| binding.keys.contains(&&*typed);
    all.find(bound).map(|binding| binding.deed)
}

/// A key with what is held with it, as the table spells it.
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
    // `{` and `+` are typed with Shift on some keyboards and without on others.
    let has_case = name.chars().all(char::is_alphabetic);
    let shift = if mods.shift_key() && has_case { "Shift+" } else { "" };
    let is_command = mods.control_key() || mods.super_key();
    Some(format!("{}{shift}{name}", if is_command { "Ctrl+" } else { "" }))
}

impl Deed {
    /// Done again while its key is held down.
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
        )
    }
}

/// The key of a tool.
pub(super) fn key_of(tool: Tool) -> &'static str {
    let bound = TOOLS.iter().find(|binding| binding.deed == Deed::Take(tool));
    bound.map_or("", |binding| binding.keys[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(key: &str, mods: ModifiersState) -> Option<Deed> {
        deed_of(&Key::Character(key.into()), mods)
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
            ("z", none, Some(Deed::Undo)),
            ("z", control, Some(Deed::Undo)),
            ("Z", control | shift, Some(Deed::Redo)),
            ("{", shift, Some(Deed::Amount { up: false })),
            ("+", shift, Some(Deed::Speed { up: true })),
            ("+", none, Some(Deed::Speed { up: true })),
            ("O", shift, Some(Deed::Overlay { forward: false })),
            ("s", control, Some(Deed::Save)),
            ("s", none, None),
            ("z", ModifiersState::ALT, None),
        ];
        for (key, mods, expected) in cases {
            assert_eq!(typed(key, mods), expected, "{key} {mods:?}");
        }
        assert_eq!(deed_of(&Key::Named(NamedKey::Tab), none), Some(Deed::Hide));
        assert_eq!(deed_of(&Key::Named(NamedKey::Enter), none), None);
    }

    #[test]
    fn each_tool_has_a_key() {
        for tool in Tool::ALL {
            assert!(!key_of(tool).is_empty(), "{tool:?}");
        }
    }
}
