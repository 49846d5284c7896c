//! Kinds of values, constant numbers, and values in a text that is being written.

use syn::{BinOp, Lit};

/// A number that is constant when the text is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Number {
    F32(f32),
    I32(i32),
    U32(u32),
    Bool(bool),
}

impl Number {
    pub fn kind(self) -> Kind {
        match self {
            Self::F32(_) => Kind::F32,
            Self::I32(_) => Kind::I32,
            Self::U32(_) => Kind::U32,
            Self::Bool(_) => Kind::Bool,
        }
    }

    /// Returns the number as text. Rust's shortest digits parse to the same bits.
    pub fn text(self) -> String {
        match self {
            // A number beyond the largest has no text: WGSL refuses this one.
            Self::F32(x) => format!("{x:?}f"),
            Self::I32(i32::MIN) => "(-2147483647 - 1)".to_owned(),
            Self::I32(x) => x.to_string(),
            Self::U32(x) => format!("{x}u"),
            Self::Bool(x) => x.to_string(),
        }
    }

    /// Returns the result of an operation on two numbers; `None` if it overflows or has no number.
    pub fn with(self, operation: &BinOp, other: Self) -> Option<Self> {
        let number = match (self, other) {
            (Self::F32(a), Self::F32(b)) => Self::F32(match operation {
                BinOp::Add(_) => a + b,
                BinOp::Sub(_) => a - b,
                BinOp::Mul(_) => a * b,
                BinOp::Div(_) => a / b,
                _ => return None,
            }),
            (Self::I32(a), Self::I32(b)) => Self::I32(match operation {
                BinOp::Add(_) => a.checked_add(b)?,
                BinOp::Sub(_) => a.checked_sub(b)?,
                BinOp::Mul(_) => a.checked_mul(b)?,
                BinOp::Shl(_) => a.checked_shl(u32::try_from(b).ok()?)?,
                _ => return None,
            }),
            _ => return None,
        };
        // WGSL has no text of an infinity.
        (!matches!(number, Self::F32(x) if !x.is_finite())).then_some(number)
    }
}

/// The kind of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    F32,
    I32,
    U32,
    Bool,
    Vector(usize, Box<Kind>),
    Tuple(Vec<Kind>),
    Structure(String),
    /// The constants of the step, which every function of a kernel sees.
    Step,
}

impl Kind {
    /// Returns the kind of a number with such a name.
    pub fn of_number(name: &str) -> Option<Self> {
        Some(match name {
            "f32" => Self::F32,
            "i32" => Self::I32,
            "u32" => Self::U32,
            "bool" => Self::Bool,
            _ => return None,
        })
    }

    /// Returns the type in the text; `None` for a tuple and for the constants of the step, which
    /// have no type.
    pub fn text(&self) -> Option<String> {
        Some(match self {
            Self::F32 => "f32".to_owned(),
            Self::I32 => "i32".to_owned(),
            Self::U32 => "u32".to_owned(),
            Self::Bool => "bool".to_owned(),
            Self::Vector(count, kind) => format!("vec{count}<{}>", kind.text()?),
            Self::Structure(name) => name.clone(),
            Self::Tuple(_) | Self::Step => return None,
        })
    }
}

/// A value.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    One {
        text: String,
        kind: Kind,
    },
    /// A literal or a constant, or the result of an operation on such.
    Known(Number),
    /// An integer literal: it has the kind of the other operand.
    Integer(syn::LitInt),
    Many(Vec<Value>),
}

impl Value {
    pub fn new(text: impl Into<String>, kind: Kind) -> Self {
        Self::One { text: text.into(), kind }
    }

    /// Returns the kind; that of an integer literal by itself is the signed one.
    pub fn kind(&self) -> Kind {
        match self {
            Self::One { kind, .. } => kind.clone(),
            Self::Known(number) => number.kind(),
            Self::Integer(lit) if lit.suffix() == "u32" => Kind::U32,
            Self::Integer(_) => Kind::I32,
            Self::Many(values) => Kind::Tuple(values.iter().map(Self::kind).collect()),
        }
    }

    /// Returns the text, beside a value of a kind; `None` for several values.
    pub fn text_beside(&self, kind: &Kind) -> Option<String> {
        match self {
            Self::One { text, .. } => Some(text.clone()),
            Self::Known(number) => Some(number.text()),
            Self::Integer(lit) => {
                let kind = if *kind == Kind::U32 { Kind::U32 } else { self.kind() };
                let number = literal(&Lit::Int(lit.clone()), &kind);
                number.map(Number::text)
            }
            Self::Many(_) => None,
        }
    }

    /// Returns the text by itself.
    pub fn text(&self) -> Option<String> {
        self.text_beside(&self.kind())
    }

    /// Returns the number, if it is constant.
    pub fn known(&self) -> Option<Number> {
        match self {
            Self::Known(number) => Some(*number),
            _ => None,
        }
    }
}

/// Returns the number of a literal of an expected kind.
pub(crate) fn literal(lit: &Lit, kind: &Kind) -> Option<Number> {
    match (lit, kind) {
        (Lit::Float(lit), _) => lit.base10_parse().ok().map(Number::F32),
        (Lit::Bool(lit), _) => Some(Number::Bool(lit.value)),
        (Lit::Int(lit), Kind::U32) => lit.base10_parse().ok().map(Number::U32),
        (Lit::Int(lit), Kind::I32) => lit.base10_parse().ok().map(Number::I32),
        _ => None,
    }
}
