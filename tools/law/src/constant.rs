//! Constants, evaluated as the compiler of the processor does.

use crate::value::{ConstantNumber, ValueKind, literal};
use std::collections::BTreeMap;
use syn::{Expr, Type, UnOp};

/// Numbers by their names.
pub(crate) type Constants = BTreeMap<String, ConstantNumber>;

/// Returns the value of a constant of a type, if it is a number that follows from `known`.
pub(crate) fn value(expr: &Expr, ty: &Type, known: &Constants) -> Option<ConstantNumber> {
    let Type::Path(ty) = ty else { return None };
    of(expr, &ValueKind::of_number(&ty.path.segments.last()?.ident.to_string())?, known)
}

fn of(expr: &Expr, kind: &ValueKind, known: &Constants) -> Option<ConstantNumber> {
    match expr {
        Expr::Paren(expr) => of(&expr.expr, kind, known),
        Expr::Lit(lit) => literal(&lit.lit, kind),
        Expr::Path(path) => known.get(&path.path.segments.last()?.ident.to_string()).copied(),
        Expr::Unary(expr) if matches!(expr.op, UnOp::Neg(_)) => {
            match of(&expr.expr, kind, known)? {
                ConstantNumber::F32(x) => Some(ConstantNumber::F32(-x)),
                ConstantNumber::I32(x) => x.checked_neg().map(ConstantNumber::I32),
                _ => None,
            }
        }
        Expr::Binary(expr) => {
            of(&expr.left, kind, known)?.with(&expr.op, of(&expr.right, kind, known)?)
        }
        _ => None,
    }
}
