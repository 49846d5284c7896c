//! Calls: of closures, of functions of this law, and of the arithmetic.

use super::{FunctionWriter, NameMeaning, Result, Scope, arguments_of, kinds_of, packed};
use crate::home::{Function, LawFailure, associated};
use crate::value::{ShaderValue, ValueKind};
use syn::{Expr, ReturnType};

impl<'a> FunctionWriter<'a> {
    /// Returns the structure that a method is called on, if it is one of this law.
    pub(super) fn receiver(&mut self, scope: &Scope, receiver: &Expr) -> Result<Option<String>> {
        // Only a name may be evaluated twice.
        let (Expr::Path(_) | Expr::Field(_)) = receiver else { return Ok(None) };
        Ok(match self.expr(scope, receiver, false)?.kind() {
            ValueKind::Structure(owner) => Some(owner),
            ValueKind::Step => Some("FaceParams".to_owned()),
            _ => None,
        })
    }

    pub(super) fn function_call(
        &mut self,
        scope: &Scope,
        call: &syn::ExprCall,
        is_taken: bool,
    ) -> Result<ShaderValue> {
        let Expr::Path(path) = &*call.func else {
            return Err(LawFailure::beyond(&self.own.name, call));
        };
        let segments: Vec<String> =
            path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let arguments: Vec<&Expr> = call.args.iter().collect();
        let name = match segments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            [.., owner @ ("f32" | "i32" | "u32"), name] => format!("{owner}::{name}"),
            [.., "Self", name] => associated(self.own.owner.as_deref().unwrap_or_default(), name),
            [.., owner, name] if self.home.structure(owner).is_some() => associated(owner, name),
            [.., name] => name.to_owned(),
            [] => return Err(LawFailure::beyond(&self.own.name, call)),
        };
        self.call(scope, (&name, &arguments), is_taken)
    }

    /// Returns the value of a call of a closure, of a function of this law, or of an operation.
    pub(super) fn call(
        &mut self,
        scope: &Scope,
        (name, arguments): (&str, &[&Expr]),
        is_taken: bool,
    ) -> Result<ShaderValue> {
        if let Some(NameMeaning::Closure(closure, inner)) = scope.get(name).cloned() {
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
    ) -> Result<ShaderValue> {
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
                (_, ValueKind::Step) => continue,
                (several @ ShaderValue::Many(_), ValueKind::Vector(..)) => {
                    let kind = expected.kind.text().unwrap_or_default();
                    vec![ShaderValue::new(self.pack(&several, &kind)?, expected.kind.clone())]
                }
                (ShaderValue::Many(values), _) => values,
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
            ValueKind::Tuple(kinds) => {
                let value = ShaderValue::new(text, packed(&ValueKind::Tuple(kinds.clone())));
                let value = self.named("result", value, false)?;
                let parts = (0..kinds.len()).map(|at| self.part(&value, at));
                Ok(ShaderValue::Many(parts.collect::<Result<_>>()?))
            }
            kind => Ok(ShaderValue::new(text, kind)),
        }
    }

    /// Returns the value of a function of the arithmetic or of the language.
    fn operation(&self, name: &str, values: &[ShaderValue]) -> Result<ShaderValue> {
        let first = values.first().ok_or_else(|| self.failure(&format!("no `{name}`")))?;
        let kind = match (first, values.get(1)) {
            (ShaderValue::Integer(_), Some(second)) => second.kind(),
            _ => first.kind(),
        };
        let texts: Option<Vec<String>> =
            values.iter().map(|value| value.text_beside(&kind)).collect();
        let texts = texts.ok_or_else(|| self.failure(&format!("several values in `{name}`")))?;
        let all = texts.join(", ");
        let is_float = kind == ValueKind::F32;
        let bits =
            |to: &str, kind: ValueKind| Ok(ShaderValue::new(format!("bitcast<{to}>({all})"), kind));
        let one = |text: String| Ok(ShaderValue::new(text, kind.clone()));
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
            "to_bits" | "cast_unsigned" => bits("u32", ValueKind::U32),
            "cast_signed" => bits("i32", ValueKind::I32),
            "f32::from_bits" => bits("f32", ValueKind::F32),
            "to_int_unchecked" | "i32::from" => self.cast(first, ValueKind::I32),
            "u32::from" => self.cast(first, ValueKind::U32),
            _ => Err(self.failure(&format!("`{name}` has no text of a kernel"))),
        }
    }
}
