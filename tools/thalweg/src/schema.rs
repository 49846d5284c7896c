//! `thalweg schema`: the JSON Schema of commands, watches, events and checkpoints.

use kit::error::UserError;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{Schema, schema_for};
use serde_json::Value;
use thalweg::world::commands::Entry;
use thalweg::world::{Checkpoint, Event, WIRE_VERSION, Watch};

use crate::args::WireText;

/// Returns the JSON of the schema of a kind of text.
///
/// # Errors
///
/// If the schema cannot be written as text.
pub fn schema(text: WireText) -> Result<String, UserError> {
    let mut schema = match text {
        WireText::Command => schema_for!(Entry),
        WireText::Watch => schema_for!(Watch),
        WireText::Event => schema_for!(Event),
        WireText::Checkpoint => schema_for!(Checkpoint),
    };
    schema.insert("$comment".to_owned(), format!("version {WIRE_VERSION}").into());
    let mut describe = RecursiveTransform(|part: &mut Schema| {
        if let Some(Value::String(text)) = part.get_mut("description") {
            *text = without_links(text);
        }
    });
    describe.transform(&mut schema);
    serde_json::to_string_pretty(&schema)
        .map_err(|error| UserError::from_sentence(format!("cannot print the schema: {error}")))
}

/// Returns a text with the words of each link in place of it: ``[`World`](crate::World)`` is
/// `` `World` ``.
fn without_links(text: &str) -> String {
    let mut text = text.to_owned();
    while let Some(at) = text.find("](crate::") {
        let end = text[at..].find(')').map_or(text.len(), |length| at + length + 1);
        text.replace_range(at..end, "");
        if let Some(begin) = text[..at].rfind('[') {
            text.remove(begin);
        }
    }
    text.replace("[`", "`").replace("`]", "`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_become_their_words() {
        let text =
            "All of [`World::query`](crate::world::World::query), of [`Watch`] ([a](crate::b)).";
        assert_eq!(without_links(text), "All of `World::query`, of `Watch` (a).");
        assert_eq!(without_links("no link"), "no link");
    }
}
