//! Kinds of values, constant numbers, and values in a text that is being written.

use syn::{BinOp, Lit};

/// A number that is constant when the text is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ConstantNumber {
    F32(f32),
    I32(i32),
    U32(u32),
    Bool(bool),
}

impl ConstantNumber {
    pub fn kind(self) -> ValueKind {
        match self {
            Self::F32(_) => ValueKind::F32,
            Self::I32(_) => ValueKind::I32,
            Self::U32(_) => ValueKind::U32,
            Self::Bool(_) => ValueKind::Bool,
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
pub(crate) enum ValueKind {
    F32,
    I32,
    U32,
    Bool,
    Vector(usize, Box<ValueKind>),
    Tuple(Vec<ValueKind>),
    Structure(String),
    /// The constants of the step, which every function of a kernel sees.
    Step,
}

impl ValueKind {
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
pub(crate) enum ShaderValue {
    One {
        text: String,
        kind: ValueKind,
    },
    /// A literal or a constant, or the result of an operation on such.
    Known(ConstantNumber),
    /// An integer literal: it has the kind of the other operand.
    Integer(syn::LitInt),
    Many(Vec<ShaderValue>),
}

impl ShaderValue {
    pub fn new(text: impl Into<String>, kind: ValueKind) -> Self {
        Self::One { text: text.into(), kind }
    }

    /// Returns the kind; that of an integer literal by itself is the signed one.
    pub fn kind(&self) -> ValueKind {
        match self {
            Self::One { kind, .. } => kind.clone(),
            Self::Known(number) => number.kind(),
            Self::Integer(lit) if lit.suffix() == "u32" => ValueKind::U32,
            Self::Integer(_) => ValueKind::I32,
            Self::Many(values) => ValueKind::Tuple(values.iter().map(Self::kind).collect()),
        }
    }

    /// Returns the text, beside a value of a kind; `None` for several values.
    pub fn text_beside(&self, kind: &ValueKind) -> Option<String> {
        match self {
            Self::One { text, .. } => Some(text.clone()),
            Self::Known(number) => Some(number.text()),
            Self::Integer(lit) => {
                let kind = if *kind == ValueKind::U32 { ValueKind::U32 } else { self.kind() };
                let number = literal(&Lit::Int(lit.clone()), &kind);
                number.map(ConstantNumber::text)
            }
            Self::Many(_) => None,
        }
    }

    /// Returns the text by itself.
    pub fn text(&self) -> Option<String> {
        self.text_beside(&self.kind())
    }

    /// Returns the number, if it is constant.
    pub fn known(&self) -> Option<ConstantNumber> {
        match self {
            Self::Known(number) => Some(*number),
            _ => None,
        }
    }
}

/// Returns the number of a literal of an expected kind.
pub(crate) fn literal(lit: &Lit, kind: &ValueKind) -> Option<ConstantNumber> {
    match (lit, kind) {
        (Lit::Float(lit), _) => lit.base10_parse().ok().map(ConstantNumber::F32),
        (Lit::Bool(lit), _) => Some(ConstantNumber::Bool(lit.value)),
        (Lit::Int(lit), ValueKind::U32) => lit.base10_parse().ok().map(ConstantNumber::U32),
        (Lit::Int(lit), ValueKind::I32) => lit.base10_parse().ok().map(ConstantNumber::I32),
        _ => None,
    }
}
