//! Products that a sum takes up and that must not be contracted with it.

use std::collections::BTreeSet;

/// Names, fields and results that a sum takes up.
#[derive(Debug, Default)]
pub(crate) struct SummedNames(BTreeSet<String>);

impl SummedNames {
    /// Returns the number of marks, which only grows.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether a sum takes up a name of a function, or one that was made of it (`h_2`).
    pub fn has_name(&self, function: &str, name: &str) -> bool {
        let whole = format!("{function}/{name}");
        let made = format!("{whole}_");
        let is_number = |rest: &str| rest.chars().all(|c| c.is_ascii_digit() || c == '_');
        let all = self.0.range(whole.clone()..).take_while(|key| key.starts_with(&whole));
        all.filter_map(|key| (*key == whole).then_some("").or_else(|| key.strip_prefix(&made)))
            .any(is_number)
    }

    /// Whether a sum takes up a field of such a name.
    pub fn has_field(&self, field: &str) -> bool {
        self.0.contains(&format!(".{field}"))
    }

    /// Whether a sum takes up the result of a function.
    pub fn has_result(&self, function: &str) -> bool {
        self.0.contains(&format!("{function}()"))
    }

    /// Marks the result of a function.
    pub fn mark_result(&mut self, function: &str) {
        self.0.insert(format!("{function}()"));
    }

    /// Marks a place in the text of a function: a name, or a field or a part of one.
    pub fn mark(&mut self, function: &str, place: &str) {
        match place.rsplit_once('.') {
            Some((of, field)) => {
                // A structure may have a field that is called like a part of a vector.
                if matches!(field, "x" | "y" | "z" | "w") {
                    self.mark(function, of);
                }
                self.0.insert(format!(".{field}"));
            }
            None => {
                self.0.insert(format!("{function}/{place}"));
            }
        }
    }

    /// Marks everything that a handwritten text may pass to a sum, by any name: each field that it
    /// reads and each result that it calls for.
    pub fn add_driver(&mut self, text: &str) {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        for word in text.split(|c: char| !(is_part(c) || c == '.' || c == '(')) {
            for field in word.split('.').skip(1) {
                let field = field.split('(').next().unwrap_or(field);
                self.0.insert(format!(".{field}"));
            }
            for function in word.split('(').rev().skip(1) {
                let function = function.rsplit('.').next().unwrap_or(function);
                self.mark_result(function);
            }
        }
    }
}
