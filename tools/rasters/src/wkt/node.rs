//! The nodes of a reference system's text: keywords, and the content of their brackets.

use crate::heights::HeightDirection;

/// Deepest nesting that is read.
const DEPTH_MAX: usize = 32;

/// A keyword and the content of its brackets.
#[derive(Debug, Default)]
pub(super) struct WktNode {
    /// The keyword in capitals.
    pub(super) keyword: String,
    arguments: Vec<WktArgument>,
}

#[derive(Debug)]
pub(super) enum WktArgument {
    /// A text in quotes, a number or a word.
    Text(String),
    Node(WktNode),
}

impl WktNode {
    pub(super) fn nodes(&self) -> impl Iterator<Item = &Self> {
        self.arguments.iter().filter_map(|argument| match argument {
            WktArgument::Node(node) => Some(node),
            WktArgument::Text(_) => None,
        })
    }

    pub(super) fn child(&self, keywords: &[&str]) -> Option<&Self> {
        self.nodes().find(|node| keywords.contains(&node.keyword.as_str()))
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        self.arguments.iter().filter_map(|argument| match argument {
            WktArgument::Text(text) => Some(text.as_str()),
            WktArgument::Node(_) => None,
        })
    }

    /// Returns the first text: the name.
    pub(super) fn text(&self) -> Option<&str> {
        self.texts().next()
    }

    /// EPSG's code of the node itself.
    pub(super) fn code(&self) -> Option<u16> {
        let mut texts = self.child(&["AUTHORITY", "ID"])?.texts();
        let is_epsg = texts.next()?.eq_ignore_ascii_case("EPSG");
        texts.next().filter(|_| is_epsg)?.parse().ok()
    }

    /// Returns the unit of the node, or of the first of its axes.
    fn unit_node(&self) -> Option<&Self> {
        const UNITS: [&str; 3] = ["UNIT", "LENGTHUNIT", "ANGLEUNIT"];
        let axis = || self.child(&["AXIS"]).and_then(|axis| axis.child(&UNITS));
        self.child(&UNITS).or_else(axis)
    }

    /// Returns the size of the unit.
    pub(super) fn unit(&self) -> Option<f64> {
        let size: f64 = self.unit_node()?.texts().nth(1)?.parse().ok()?;
        (size.is_normal() && size > 0.0).then_some(size)
    }

    pub(super) fn unit_name(&self) -> Option<&str> {
        self.unit_node()?.text()
    }

    /// Returns the direction of a vertical system: its axis, or the parameter of ESRI.
    pub(super) fn direction(&self) -> Option<HeightDirection> {
        let axis = self.child(&["AXIS"]).and_then(|axis| axis.texts().nth(1));
        match axis.map(str::to_ascii_lowercase).as_deref() {
            Some("down") => return Some(HeightDirection::Down),
            Some("up") => return Some(HeightDirection::Up),
            _ => {}
        }
        let is_direction = |node: &&Self| {
            let name = node.text().unwrap_or_default();
            node.keyword == "PARAMETER" && name.eq_ignore_ascii_case("direction")
        };
        let sign: f64 = self.nodes().find(is_direction)?.texts().nth(1)?.parse().ok()?;
        Some(if sign < 0.0 { HeightDirection::Down } else { HeightDirection::Up })
    }
}

/// Reads a text from its beginning.
pub(super) struct Parser<'a> {
    rest: &'a str,
    depth: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Self { rest: text, depth: 0 }
    }

    /// Returns the text that is not read yet.
    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    /// Passes over white space and, if it is next, over `mark`.
    pub(super) fn take(&mut self, mark: char) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(mark);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn word(&mut self) -> String {
        self.rest = self.rest.trim_start();
        let is_end = |c: char| c.is_whitespace() || "[](),\"".contains(c);
        let (word, rest) = self.rest.split_at(self.rest.find(is_end).unwrap_or(self.rest.len()));
        self.rest = rest;
        word.to_owned()
    }

    pub(super) fn node(&mut self) -> Option<WktNode> {
        let keyword = self.word();
        self.brackets(keyword)
    }

    /// Reads the node of a keyword whose brackets are next.
    fn brackets(&mut self, keyword: String) -> Option<WktNode> {
        if keyword.is_empty() || self.depth == DEPTH_MAX || !(self.take('[') || self.take('(')) {
            return None;
        }
        self.depth += 1;
        let mut node = WktNode { keyword: keyword.to_ascii_uppercase(), arguments: Vec::new() };
        while !(self.take(']') || self.take(')')) {
            node.arguments.push(self.argument()?);
            self.take(',');
        }
        self.depth -= 1;
        Some(node)
    }

    pub(super) fn argument(&mut self) -> Option<WktArgument> {
        if self.take('"') {
            let mut text = String::new();
            loop {
                let (part, rest) = self.rest.split_once('"')?;
                text.push_str(part);
                self.rest = rest;
                // Two quotes inside a text are one.
                let Some(rest) = rest.strip_prefix('"') else {
                    return Some(WktArgument::Text(text));
                };
                text.push('"');
                self.rest = rest;
            }
        }
        let word = self.word();
        self.rest = self.rest.trim_start();
        if self.rest.starts_with(['[', '(']) {
            return self.brackets(word).map(WktArgument::Node);
        }
        (!word.is_empty()).then_some(WktArgument::Text(word))
    }
}
