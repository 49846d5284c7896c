//! Kinds of values, and values in a text that is being written.

use crate::constant::Number;

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
    /// The kind of a number with such a name.
    pub fn of_number(name: &str) -> Option<Self> {
        Some(match name {
            "f32" => Self::F32,
            "i32" => Self::I32,
            "u32" => Self::U32,
            "bool" => Self::Bool,
            _ => return None,
        })
    }

    /// The type in the text; `None` for what stands as several values there, or as none.
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
    /// A number that is known, as it stands or worked out from such.
    Known(Number),
    /// An integer literal, whose kind the other side of its operation tells.
    Integer(syn::LitInt),
    Many(Vec<Value>),
}

impl Value {
    pub fn new(text: impl Into<String>, kind: Kind) -> Self {
        Self::One { text: text.into(), kind }
    }

    /// The kind; that of an integer literal by itself is the signed one.
    pub fn kind(&self) -> Kind {
        match self {
            Self::One { kind, .. } => kind.clone(),
            Self::Known(number) => number.kind(),
            Self::Integer(lit) if lit.suffix() == "u32" => Kind::U32,
            Self::Integer(_) => Kind::I32,
            Self::Many(values) => Kind::Tuple(values.iter().map(Self::kind).collect()),
        }
    }

    /// The text, beside a value of a kind; `None` for several values.
    pub fn text_beside(&self, kind: &Kind) -> Option<String> {
        match self {
            Self::One { text, .. } => Some(text.clone()),
            Self::Known(number) => Some(number.text()),
            Self::Integer(lit) => {
                let kind = if *kind == Kind::U32 { Kind::U32 } else { self.kind() };
                let number = crate::constant::literal(&syn::Lit::Int(lit.clone()), &kind);
                number.map(Number::text)
            }
            Self::Many(_) => None,
        }
    }

    /// The text by itself.
    pub fn text(&self) -> Option<String> {
        self.text_beside(&self.kind())
    }

    /// The number, if it is known.
    pub fn known(&self) -> Option<Number> {
        match self {
            Self::Known(number) => Some(*number),
            _ => None,
        }
    }
}
