//! `thalweg schema`: the JSON Schema of commands, watches, events and checkpoints.

use kit::error::UserError;
use schemars::schema_for;
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
    serde_json::to_string_pretty(&schema)
        .map_err(|error| UserError::from_sentence(format!("cannot print the schema: {error}")))
}
