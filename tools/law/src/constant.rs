//! Constants, worked out as the compiler of the processor does.

use crate::home::Constants;
use crate::value::Kind;
use syn::{BinOp, Expr, Lit, Type, UnOp};

/// A number that is known when the text is written.
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

    /// The number as text. Rust's shortest digits come back as the same bits.
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

    /// Two numbers put together; `None` if the operation is none of numbers, or goes too far.
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

/// The value of a constant of a type, if it is a number that follows from these.
pub(crate) fn value(expr: &Expr, ty: &Type, known: &Constants) -> Option<Number> {
    let Type::Path(ty) = ty else { return None };
    of(expr, &Kind::of_number(&ty.path.segments.last()?.ident.to_string())?, known)
}

fn of(expr: &Expr, kind: &Kind, known: &Constants) -> Option<Number> {
    match expr {
        Expr::Paren(expr) => of(&expr.expr, kind, known),
        Expr::Lit(lit) => literal(&lit.lit, kind),
        Expr::Path(path) => known.get(&path.path.segments.last()?.ident.to_string()).copied(),
        Expr::Unary(expr) if matches!(expr.op, UnOp::Neg(_)) => {
            match of(&expr.expr, kind, known)? {
                Number::F32(x) => Some(Number::F32(-x)),
                Number::I32(x) => x.checked_neg().map(Number::I32),
                _ => None,
            }
        }
        Expr::Binary(expr) => {
            of(&expr.left, kind, known)?.with(&expr.op, of(&expr.right, kind, known)?)
        }
        _ => None,
    }
}

/// A literal where a kind of number is meant.
pub(crate) fn literal(lit: &Lit, kind: &Kind) -> Option<Number> {
    match (lit, kind) {
        (Lit::Float(lit), _) => lit.base10_parse().ok().map(Number::F32),
        (Lit::Bool(lit), _) => Some(Number::Bool(lit.value)),
        (Lit::Int(lit), Kind::U32) => lit.base10_parse().ok().map(Number::U32),
        (Lit::Int(lit), Kind::I32) => lit.base10_parse().ok().map(Number::I32),
        _ => None,
    }
}
