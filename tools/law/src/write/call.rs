//! Calls: of closures, of functions of this law, and of the arithmetic.

use super::{Bound, Result, Scope, Writer, arguments_of, kinds_of, packed};
use crate::home::{Failure, Function, associated};
use crate::value::{Kind, Value};
use syn::{Expr, ReturnType};

impl<'a> Writer<'a> {
    /// Returns the structure that a method is called on, if it is one of this law.
    pub(super) fn receiver(&mut self, scope: &Scope, receiver: &Expr) -> Result<Option<String>> {
        // Only a name may be evaluated twice.
        let (Expr::Path(_) | Expr::Field(_)) = receiver else { return Ok(None) };
        Ok(match self.expr(scope, receiver, false)?.kind() {
            Kind::Structure(owner) => Some(owner),
            Kind::Step => Some("FaceParams".to_owned()),
            _ => None,
        })
    }

    pub(super) fn function_call(
        &mut self,
        scope: &Scope,
        call: &syn::ExprCall,
        is_taken: bool,
    ) -> Result<Value> {
        let Expr::Path(path) = &*call.func else {
            return Err(Failure::beyond(&self.own.name, call));
        };
        let segments: Vec<String> =
            path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let arguments: Vec<&Expr> = call.args.iter().collect();
        let name = match segments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            [.., owner @ ("f32" | "i32" | "u32"), name] => format!("{owner}::{name}"),
            [.., "Self", name] => associated(self.own.owner.as_deref().unwrap_or_default(), name),
            [.., owner, name] if self.home.structure(owner).is_some() => associated(owner, name),
            [.., name] => name.to_owned(),
            [] => return Err(Failure::beyond(&self.own.name, call)),
        };
        self.call(scope, (&name, &arguments), is_taken)
    }

    /// Returns the value of a call of a closure, of a function of this law, or of an operation.
    pub(super) fn call(
        &mut self,
        scope: &Scope,
        (name, arguments): (&str, &[&Expr]),
        is_taken: bool,
    ) -> Result<Value> {
        if let Some(Bound::Closure(closure, inner)) = scope.get(name).cloned() {
            let mut inner = inner;
            for (pattern, argument) in closure.inputs.iter().zip(arguments) {
                self.bound_to(&mut inner, scope, (pattern, argument))?;
            }
            return self.expr(&inner, &closure.body, is_taken);
        }
        if let Some(function) = self.home.function(name) {
            return self.call_of(scope, (function, arguments), is_taken);
        }
        // Arguments of an operation pass through their bits: no sum takes a product up there.
        let values = arguments.iter().map(|argument| self.expr(scope, argument, false));
        let values = values.collect::<Result<Vec<_>>>()?;
        self.operation(name, &values)
    }

    fn call_of(
        &mut self,
        scope: &Scope,
        (function, arguments): (&'a Function, &[&Expr]),
        is_taken: bool,
    ) -> Result<Value> {
        // Parts of several results are followed no further.
        let is_tuple = matches!(&function.signature.output,
            ReturnType::Type(_, kind) if matches!(**kind, syn::Type::Tuple(_)));
        if is_taken || is_tuple {
            self.taken.mark_result(&function.name);
        }
        let mut texts = Vec::new();
        let expected = arguments_of(self.home, function)?;
        for (expected, expr) in expected.into_iter().zip(arguments) {
            let is_taken =
                expected.names.iter().any(|name| self.taken.has_name(&function.name, name));
            let value = self.expr(scope, expr, is_taken)?;
            let values = match (value, &expected.kind) {
                (_, Kind::Step) => continue,
                (several @ Value::Many(_), Kind::Vector(..)) => {
                    let kind = expected.kind.text().unwrap_or_default();
                    vec![Value::new(self.pack(&several, &kind)?, expected.kind.clone())]
                }
                (Value::Many(values), _) => values,
                (one, _) => vec![one],
            };
            for (value, kind) in values.iter().zip(kinds_of(&expected.kind)) {
                let text = value.text_beside(&kind);
                texts.push(text.ok_or_else(|| self.failure("several values in one argument"))?);
            }
        }
        let text = format!("{}({})", function.name, texts.join(", "));
        let ReturnType::Type(_, kind) = &function.signature.output else {
            return Err(self.failure("a call without a result"));
        };
        let kind = self.home.kind(kind, function.owner.as_deref());
        match kind.ok_or_else(|| self.failure("a result of no kind"))? {
            Kind::Tuple(kinds) => {
                let value = Value::new(text, packed(&Kind::Tuple(kinds.clone())));
                let value = self.named("result", value, false)?;
                let parts = (0..kinds.len()).map(|at| self.part(&value, at));
                Ok(Value::Many(parts.collect::<Result<_>>()?))
            }
            kind => Ok(Value::new(text, kind)),
        }
    }

    /// Returns the value of a function of the arithmetic or of the language.
    fn operation(&self, name: &str, values: &[Value]) -> Result<Value> {
        let first = values.first().ok_or_else(|| self.failure(&format!("no `{name}`")))?;
        let kind = match (first, values.get(1)) {
            (Value::Integer(_), Some(second)) => second.kind(),
            _ => first.kind(),
        };
        let texts: Option<Vec<String>> =
            values.iter().map(|value| value.text_beside(&kind)).collect();
        let texts = texts.ok_or_else(|| self.failure(&format!("several values in `{name}`")))?;
        let all = texts.join(", ");
        let is_float = kind == Kind::F32;
        let bits = |to: &str, kind: Kind| Ok(Value::new(format!("bitcast<{to}>({all})"), kind));
        let one = |text: String| Ok(Value::new(text, kind.clone()));
        match name {
            "max" | "min" | "abs" if is_float => one(format!("{name}_f({all})")),
            "flush" | "inverse_cube_root" => one(format!("{name}({all})")),
            "max" | "min" | "abs" | "clamp" if !is_float => one(format!("{name}({all})")),
            "wrapping_abs" => one(format!("abs({all})")),
            "wrapping_neg" => one(format!("(-{all})")),
            "sqrt" => one(format!("SQRT({all})")),
            "copysign" => one(format!(
                "bitcast<f32>((bitcast<u32>({}) & 0x7fffffffu) | (bitcast<u32>({}) & 0x80000000u))",
                texts[0], texts[1]
            )),
            "add" | "wrapping_add" if !is_float => one(format!("({})", texts.join(" + "))),
            "sub" | "wrapping_sub" if !is_float => one(format!("({})", texts.join(" - "))),
            "wrapping_mul" => one(format!("({})", texts.join(" * "))),
            "to_bits" | "cast_unsigned" => bits("u32", Kind::U32),
            "cast_signed" => bits("i32", Kind::I32),
            "f32::from_bits" => bits("f32", Kind::F32),
            "to_int_unchecked" | "i32::from" => self.cast(first, Kind::I32),
            "u32::from" => self.cast(first, Kind::U32),
            _ => Err(self.failure(&format!("`{name}` has no text of a kernel"))),
        }
    }
}
