//! Products that a sum takes up: what must not be contracted with it.

use std::collections::BTreeSet;

/// Names, fields and results that a sum takes up.
#[derive(Debug, Default)]
pub(crate) struct Taken(BTreeSet<String>);

impl Taken {
    /// How much is known: it only grows.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether a sum takes up a name of a function.
    pub fn has_name(&self, function: &str, name: &str) -> bool {
        self.0.contains(&format!("{function}/{name}"))
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

    /// Marks what the sums in a text take up that is written by hand: fields, and results that
    /// stand in a sum or in a name that does.
    pub fn add_driver(&mut self, text: &str) {
        let sums = ["ADD(", "SUB("].into_iter().flat_map(|sum| text.match_indices(sum));
        let operands = sums.flat_map(|(at, sum)| arguments(&text[at + sum.len()..]));
        let operands: Vec<&str> = operands.map(without_index).collect();
        let names: BTreeSet<&str> = operands.iter().copied().filter(|o| is_place(o)).collect();
        for operand in operands {
            match operand.split_once('(') {
                Some((function, _)) if is_place(function) => self.mark_result(function),
                _ if is_place(operand) && operand.contains('.') => self.mark("", operand),
                _ => {}
            }
        }
        for line in text.lines() {
            let Some((name, value)) = line.trim().split_once(" = ") else { continue };
            let name = without_index(name.rsplit("let ").next().unwrap_or(name));
            if names.contains(name)
                && let Some((function, _)) = value.split_once('(')
            {
                self.mark_result(function);
            }
        }
    }
}

/// Arguments of a call, from behind its parenthesis.
fn arguments(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut all) = (0, 0, Vec::new());
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' if depth == 0 => {
                all.push(text[from..at].trim());
                break;
            }
            ')' => depth -= 1,
            ',' if depth == 0 => {
                all.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    all.into_iter().map(|argument| argument.trim_start_matches('-')).collect()
}

/// The name of an array, without the place in it.
fn without_index(text: &str) -> &str {
    text.split_once('[').map_or(text, |(name, _)| name)
}

/// Whether a text is a name, or a field of one.
fn is_place(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.')
}
