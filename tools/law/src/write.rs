//! Functions as text.

use crate::home::{Function, Home, LawFailure, Structure, associated};
use crate::taken::SummedNames;
use crate::value::{ConstantNumber, ShaderValue, ValueKind, literal};
use crate::words::is_kept;
use std::collections::{BTreeMap, BTreeSet};
use syn::{
    BinOp, Block, Expr, ExprBinary, ExprClosure, ExprIf, ExprStruct, FnArg, Local, Member, Pat,
    ReturnType, Stmt, UnOp,
};

mod call;

/// Parts of vectors.
const PARTS: [&str; 4] = ["x", "y", "z", "w"];

type Result<T> = std::result::Result<T, LawFailure>;

/// Returns the text of each group: its constants, structures and functions.
pub(crate) fn all(home: &Home, taken: &mut SummedNames) -> Result<Vec<String>> {
    let mut texts = vec![String::new(); home.groups];
    for (name, number, group) in &home.written {
        let kind = number.kind().text().expect("a number has a type");
        texts[*group] += &format!("const {name}: {kind} = {};\n", number.text());
    }
    for Structure { name, fields, group } in &home.structures {
        let fields = fields.iter().map(|(field, kind)| {
            let kind =
                kind.text().ok_or_else(|| LawFailure::new(name, format!("kind of `{field}`")));
            Ok(format!("  {field}: {},\n", kind?))
        });
        texts[*group] += &format!("struct {name} {{\n{}}}\n", fields.collect::<Result<String>>()?);
    }
    for function in &home.functions {
        texts[function.group] += &FunctionWriter::new(home, taken, function).function()?;
    }
    Ok(texts)
}

/// The meaning of a name of the source.
#[derive(Debug, Clone)]
enum NameMeaning {
    Value(ShaderValue),
    Closure(Box<ExprClosure>, Scope),
}

type Scope = BTreeMap<String, NameMeaning>;

/// An argument: its name, its kind, and the names of its numbers in the text.
struct FunctionArgument {
    pattern: Option<Pat>,
    kind: ValueKind,
    names: Vec<String>,
}

/// A function that is being written.
struct FunctionWriter<'a> {
    home: &'a Home,
    taken: &'a mut SummedNames,
    own: &'a Function,
    lines: Vec<String>,
    /// Names in use, and the number of requests for each.
    names: BTreeMap<String, usize>,
    /// Names that change.
    variables: BTreeSet<String>,
}

impl<'a> FunctionWriter<'a> {
    fn new(home: &'a Home, taken: &'a mut SummedNames, own: &'a Function) -> Self {
        let names = BTreeMap::from([("step".to_owned(), 1)]);
        Self { home, taken, own, lines: Vec::new(), names, variables: BTreeSet::new() }
    }

    fn function(&mut self) -> Result<String> {
        let (mut scope, mut arguments) = (Scope::new(), Vec::new());
        for argument in arguments_of(self.home, self.own)? {
            if let Some(Pat::Ident(name)) = &argument.pattern
                && name.mutability.is_some()
            {
                return Err(LawFailure::beyond(&self.own.name, name));
            }
            let parts = argument.names.iter().zip(kinds_of(&argument.kind));
            for (name, kind) in parts.clone() {
                if is_kept(name) {
                    return Err(self.failure(&format!("`{name}` is a word of WGSL")));
                }
                let kind = kind.text().ok_or_else(|| self.failure("an argument of no kind"))?;
                arguments.push(format!("{name}: {kind}"));
                self.names.insert(name.clone(), 1);
            }
            let mut values: Vec<ShaderValue> =
                parts.map(|(name, kind)| ShaderValue::new(name.clone(), kind)).collect();
            let value = match argument.kind {
                ValueKind::Tuple(_) => ShaderValue::Many(values),
                ValueKind::Step => ShaderValue::new("step", ValueKind::Step),
                _ => values.remove(0),
            };
            match argument.pattern {
                Some(pattern) => self.bind(&mut scope, &pattern, value)?,
                None => _ = scope.insert("self".to_owned(), NameMeaning::Value(value)),
            }
        }
        let ReturnType::Type(_, kind) = &self.own.signature.output else {
            return Err(self.failure("no result"));
        };
        let kind = self.home.kind(kind, self.own.owner.as_deref());
        let kind = kind.and_then(|kind| packed(&kind).text());
        let kind = kind.ok_or_else(|| self.failure("a result of no kind"))?;
        let is_taken = self.taken.has_result(&self.own.name);
        let result = self.block(&scope, &self.own.block, is_taken)?;
        let result = self.pack(&result, &kind)?;
        let lines: String = self.lines.iter().map(|line| format!("  {line}\n")).collect();
        let (name, arguments) = (&self.own.name, arguments.join(", "));
        Ok(format!("fn {name}({arguments}) -> {kind} {{\n{lines}  return {result};\n}}\n"))
    }

    fn failure(&self, why: &str) -> LawFailure {
        LawFailure::new(&self.own.name, why)
    }

    /// Returns one text for a value of a kind, also if it has several parts.
    fn pack(&self, value: &ShaderValue, kind: &str) -> Result<String> {
        match value {
            ShaderValue::Many(values) => {
                let parts: Vec<String> =
                    values.iter().map(|value| self.text(value)).collect::<Result<_>>()?;
                Ok(format!("{kind}({})", parts.join(", ")))
            }
            one => self.text(one),
        }
    }

    fn text(&self, value: &ShaderValue) -> Result<String> {
        value.text().ok_or_else(|| self.failure("several values where one is meant"))
    }

    /// Returns an unused name in the text for one of the source.
    fn fresh(&mut self, name: &str) -> String {
        loop {
            let count = self.names.entry(name.to_owned()).or_insert(0);
            *count += 1;
            if *count == 1 && !is_kept(name) {
                return name.to_owned();
            }
            let own = format!("{name}_{count}");
            if *count > 1 && !self.names.contains_key(&own) {
                self.names.insert(own.clone(), 1);
                return own;
            }
        }
    }

    /// Whether a text is a name or a part of one, which needs no name of its own.
    fn is_place(&self, text: &str) -> bool {
        let name = text.split('.').next().unwrap_or(text);
        text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.')
            && !self.variables.contains(name)
    }

    /// Assigns values to the names of a pattern.
    fn bind(&mut self, scope: &mut Scope, pattern: &Pat, value: ShaderValue) -> Result<()> {
        match (pattern, value) {
            (Pat::Wild(_), _) => {}
            (Pat::Type(pattern), value) => self.bind(scope, &pattern.pat, value)?,
            (Pat::Paren(pattern), value) => self.bind(scope, &pattern.pat, value)?,
            (Pat::Ident(pattern), value) => {
                let is_variable = pattern.mutability.is_some();
                let name = pattern.ident.to_string();
                let value = self.named(&name, value, is_variable)?;
                scope.insert(name, NameMeaning::Value(value));
            }
            (Pat::Tuple(pattern), value) => {
                for (at, pattern) in pattern.elems.iter().enumerate() {
                    let part = self.part(&value, at)?;
                    self.bind(scope, pattern, part)?;
                }
            }
            (Pat::Slice(pattern), value) => {
                for (at, pattern) in pattern.elems.iter().enumerate() {
                    let part = self.part(&value, at)?;
                    self.bind(scope, pattern, part)?;
                }
            }
            (Pat::Struct(pattern), value) => {
                let value = self.named("whole", value, false)?;
                for field in &pattern.fields {
                    let part = self.field(&value, &field.member)?;
                    self.bind(scope, &field.pat, part)?;
                }
            }
            (pattern, _) => return Err(LawFailure::beyond(&self.own.name, pattern)),
        }
        Ok(())
    }

    /// Returns a value under a name of its own in the text, if it needs one.
    fn named(&mut self, name: &str, value: ShaderValue, is_variable: bool) -> Result<ShaderValue> {
        if let ShaderValue::Many(values) = value {
            let parts = values.into_iter().enumerate();
            let parts =
                parts.map(|(at, value)| self.named(&format!("{name}_{at}"), value, is_variable));
            return Ok(ShaderValue::Many(parts.collect::<Result<_>>()?));
        }
        let (text, kind) = (self.text(&value)?, value.kind());
        let is_number = matches!(value, ShaderValue::Known(_) | ShaderValue::Integer(_));
        if kind == ValueKind::Step || !is_variable && (is_number || self.is_place(&text)) {
            return Ok(value);
        }
        let own = self.fresh(name);
        let word = if is_variable { "var" } else { "let" };
        self.lines.push(format!("{word} {own} = {text};"));
        if is_variable {
            self.variables.insert(own.clone());
        }
        Ok(ShaderValue::new(own, kind))
    }

    /// Returns a part of several values, or of a vector.
    fn part(&self, value: &ShaderValue, at: usize) -> Result<ShaderValue> {
        match value {
            ShaderValue::Many(values) => values.get(at).cloned(),
            ShaderValue::One { text, kind: ValueKind::Vector(_, kind) } => PARTS
                .get(at)
                .map(|part| ShaderValue::new(format!("{text}.{part}"), (**kind).clone())),
            _ => None,
        }
        .ok_or_else(|| self.failure("a part of what has none"))
    }

    /// Returns a field of a structure, or a part of several values.
    fn field(&self, value: &ShaderValue, member: &Member) -> Result<ShaderValue> {
        let name = match member {
            Member::Unnamed(index) => return self.part(value, index.index as usize),
            Member::Named(name) => name.to_string(),
        };
        let text = self.text(value)?;
        let kind = match value.kind() {
            ValueKind::Step if name == "face" => return Ok(value.clone()),
            // All constants of a step that laws read are numbers with a fraction.
            ValueKind::Step => Some(ValueKind::F32),
            ValueKind::Structure(owner) => {
                let fields = self.home.structure(&owner);
                let field = fields.and_then(|all| all.iter().find(|(field, _)| *field == name));
                field.map(|(_, kind)| kind.clone())
            }
            _ => None,
        };
        let kind = kind.ok_or_else(|| self.failure(&format!("no field `{name}`")))?;
        Ok(ShaderValue::new(format!("{text}.{name}"), kind))
    }

    /// Returns the value of a block; `is_taken`: a sum takes it up.
    fn block(&mut self, scope: &Scope, block: &Block, is_taken: bool) -> Result<ShaderValue> {
        let mut scope = scope.clone();
        let (last, before) = match block.stmts.split_last() {
            Some((Stmt::Expr(last, None), before)) => (last, before),
            _ => return Err(self.failure("a block without a value")),
        };
        for statement in before {
            match statement {
                Stmt::Local(local) => self.local(&mut scope, local)?,
                Stmt::Item(syn::Item::Const(item)) => {
                    let value = self.expr(&scope, &item.expr, false)?;
                    scope.insert(item.ident.to_string(), NameMeaning::Value(value));
                }
                Stmt::Expr(expr, _) => self.statement(&scope, expr)?,
                other => return Err(LawFailure::beyond(&self.own.name, other)),
            }
        }
        self.expr(&scope, last, is_taken)
    }

    fn local(&mut self, scope: &mut Scope, local: &Local) -> Result<()> {
        let Some(init) = &local.init else { return Err(LawFailure::beyond(&self.own.name, local)) };
        if let (Pat::Ident(name), Expr::Closure(closure)) = (&local.pat, &*init.expr) {
            let closure = NameMeaning::Closure(Box::new(closure.clone()), scope.clone());
            scope.insert(name.ident.to_string(), closure);
            return Ok(());
        }
        if let (Pat::Tuple(pattern), Expr::Tuple(values)) = (&local.pat, &*init.expr) {
            let mut bound = scope.clone();
            for (pattern, value) in pattern.elems.iter().zip(&values.elems) {
                self.bound_to(&mut bound, scope, (pattern, value))?;
            }
            *scope = bound;
            return Ok(());
        }
        let from = scope.clone();
        self.bound_to(scope, &from, (&local.pat, &init.expr))
    }

    /// Assigns the value of an expression to the names of a pattern.
    fn bound_to(
        &mut self,
        scope: &mut Scope,
        from: &Scope,
        (pattern, expr): (&Pat, &Expr),
    ) -> Result<()> {
        let is_taken = match pattern {
            Pat::Ident(pattern) => self.taken.has_name(&self.own.name, &pattern.ident.to_string()),
            // Parts of it are followed no further.
            _ => true,
        };
        let value = self.expr(from, expr, is_taken)?;
        self.bind(scope, pattern, value)
    }

    /// Writes an assignment, or a loop of a constant number of rounds.
    fn statement(&mut self, scope: &Scope, expr: &Expr) -> Result<()> {
        match expr {
            Expr::ForLoop(each) => {
                let rounds = match &*each.expr {
                    Expr::Range(range) => range.end.as_deref(),
                    _ => None,
                };
                let Some(Expr::Lit(rounds)) = rounds else {
                    return Err(LawFailure::beyond(&self.own.name, &each.expr));
                };
                let Some(ConstantNumber::U32(rounds)) = literal(&rounds.lit, &ValueKind::U32)
                else {
                    return Err(LawFailure::beyond(&self.own.name, rounds));
                };
                for _ in 0..rounds {
                    for statement in &each.body.stmts {
                        let Stmt::Expr(expr, _) = statement else {
                            return Err(LawFailure::beyond(&self.own.name, statement));
                        };
                        self.statement(scope, expr)?;
                    }
                }
            }
            Expr::Assign(assign) => {
                let target = self.target(scope, &assign.left)?;
                let is_taken = self.taken.has_name(&self.own.name, &target);
                let value = self.expr(scope, &assign.right, is_taken)?;
                let value = self.text(&value)?;
                self.lines.push(format!("{target} = {value};"));
            }
            Expr::Binary(binary) if assigned(&binary.op).is_some() => {
                let op = assigned(&binary.op).expect("just seen");
                let target = self.target(scope, &binary.left)?;
                let is_taken = self.taken.has_name(&self.own.name, &target);
                let binary = ExprBinary { op, ..binary.clone() };
                let value = self.binary(scope, &binary, is_taken)?;
                let value = self.text(&value)?;
                self.lines.push(format!("{target} = {value};"));
            }
            other => return Err(LawFailure::beyond(&self.own.name, other)),
        }
        Ok(())
    }

    /// Returns the variable that an assignment changes: a name, and no part of one.
    fn target(&mut self, scope: &Scope, expr: &Expr) -> Result<String> {
        let Expr::Path(_) = expr else { return Err(LawFailure::beyond(&self.own.name, expr)) };
        let target = self.expr(scope, expr, false)?;
        self.text(&target)
    }

    /// Returns the value of an expression; `is_taken`: a sum takes it up.
    fn expr(&mut self, scope: &Scope, expr: &Expr, is_taken: bool) -> Result<ShaderValue> {
        match expr {
            Expr::Paren(expr) => self.expr(scope, &expr.expr, is_taken),
            Expr::Group(expr) => self.expr(scope, &expr.expr, is_taken),
            Expr::Reference(expr) => self.expr(scope, &expr.expr, is_taken),
            Expr::Block(expr) => self.block(scope, &expr.block, is_taken),
            Expr::Unsafe(expr) => self.block(scope, &expr.block, is_taken),
            Expr::Lit(lit) => match &lit.lit {
                syn::Lit::Int(lit) => Ok(ShaderValue::Integer(lit.clone())),
                other => literal(other, &ValueKind::F32)
                    .map(ShaderValue::Known)
                    .ok_or_else(|| LawFailure::beyond(&self.own.name, expr)),
            },
            Expr::Path(path) => self.path(scope, path, is_taken),
            Expr::Field(field) => {
                let base = self.expr(scope, &field.base, false)?;
                let value = self.field(&base, &field.member)?;
                self.look_at(&value, is_taken);
                Ok(value)
            }
            Expr::Index(index) => {
                let base = self.expr(scope, &index.expr, false)?;
                let Expr::Lit(at) = &*index.index else {
                    return Err(LawFailure::beyond(&self.own.name, expr));
                };
                let Some(ConstantNumber::U32(at)) = literal(&at.lit, &ValueKind::U32) else {
                    return Err(LawFailure::beyond(&self.own.name, expr));
                };
                let value = self.part(&base, at as usize)?;
                self.look_at(&value, is_taken);
                Ok(value)
            }
            Expr::Unary(unary) => self.unary(scope, unary, is_taken),
            Expr::Cast(cast) => {
                let value = self.expr(scope, &cast.expr, false)?;
                let kind = self.home.kind(&cast.ty, None);
                let kind = kind.ok_or_else(|| LawFailure::beyond(&self.own.name, expr))?;
                self.cast(&value, kind)
            }
            Expr::Tuple(tuple) => {
                let parts = tuple.elems.iter().map(|expr| self.expr(scope, expr, is_taken));
                Ok(ShaderValue::Many(parts.collect::<Result<_>>()?))
            }
            Expr::Array(array) => {
                let parts = array.elems.iter().map(|expr| self.expr(scope, expr, is_taken));
                let parts = parts.collect::<Result<_>>()?;
                self.vector(parts)
            }
            Expr::If(choice) => self.choice(scope, choice, is_taken),
            Expr::Binary(binary) => self.binary(scope, binary, is_taken),
            Expr::MethodCall(call) => {
                let mut arguments = vec![&*call.receiver];
                arguments.extend(&call.args);
                let own = self.receiver(scope, &call.receiver)?;
                let name = own.map_or(call.method.to_string(), |owner| {
                    associated(&owner, &call.method.to_string())
                });
                // These methods of `std` may return either of two zeros, and different results for
                // a NaN.
                let value = self.call(scope, (&name, &arguments), is_taken)?;
                if matches!(&*name, "max" | "min" | "clamp") && value.kind() == ValueKind::F32 {
                    return Err(LawFailure::beyond(&self.own.name, &call.method));
                }
                Ok(value)
            }
            Expr::Call(call) => self.function_call(scope, call, is_taken),
            Expr::Struct(literal) => self.structure(scope, literal),
            other => Err(LawFailure::beyond(&self.own.name, other)),
        }
    }

    /// Marks a place that a sum takes up.
    fn look_at(&mut self, value: &ShaderValue, is_taken: bool) {
        match value {
            ShaderValue::One { text, .. } if is_taken => self.taken.mark(&self.own.name, text),
            ShaderValue::Many(values) => {
                values.iter().for_each(|value| self.look_at(value, is_taken));
            }
            _ => {}
        }
    }

    fn vector(&self, parts: Vec<ShaderValue>) -> Result<ShaderValue> {
        let kind = parts.first().map(ShaderValue::kind);
        let kind = kind.ok_or_else(|| self.failure("a vector of nothing"))?;
        let vector = ValueKind::Vector(parts.len(), Box::new(kind));
        let name = vector.text().ok_or_else(|| self.failure("a vector of no numbers"))?;
        Ok(ShaderValue::new(self.pack(&ShaderValue::Many(parts), &name)?, vector))
    }

    fn path(&mut self, scope: &Scope, path: &syn::ExprPath, is_taken: bool) -> Result<ShaderValue> {
        let segments = &path.path.segments;
        let name = segments.last().expect("a path has a name").ident.to_string();
        if segments.len() == 1
            && let Some(NameMeaning::Value(value)) = scope.get(&name)
        {
            let value = value.clone();
            self.look_at(&value, is_taken);
            return Ok(value);
        }
        let is_limit = segments.len() > 1 && segments[segments.len() - 2].ident == "limits";
        let constants = if is_limit { &self.home.limits } else { &*self.own.constants };
        let number = constants.get(&name).copied().map(ShaderValue::Known);
        number.ok_or_else(|| self.failure(&format!("no name `{name}`")))
    }

    fn unary(
        &mut self,
        scope: &Scope,
        unary: &syn::ExprUnary,
        is_taken: bool,
    ) -> Result<ShaderValue> {
        let value = self.expr(scope, &unary.expr, is_taken)?;
        let sign = match unary.op {
            UnOp::Neg(_) => "-",
            UnOp::Not(_) => "!",
            _ => return Ok(value),
        };
        if let (ShaderValue::Known(ConstantNumber::F32(x)), "-") = (&value, sign) {
            return Ok(ShaderValue::Known(ConstantNumber::F32(-x)));
        }
        Ok(ShaderValue::new(format!("({sign}{})", self.text(&value)?), value.kind()))
    }

    fn cast(&self, value: &ShaderValue, kind: ValueKind) -> Result<ShaderValue> {
        let (from, text) = (value.kind(), self.text(value)?);
        let to = kind.text().ok_or_else(|| self.failure("a cast to no number"))?;
        let text = match (&from, &kind) {
            (from, to) if from == to => text,
            (ValueKind::I32, ValueKind::U32) | (ValueKind::U32, ValueKind::I32) => {
                format!("bitcast<{to}>({text})")
            }
            (ValueKind::Bool, ValueKind::I32) => format!("select(0, 1, {text})"),
            (ValueKind::Bool, ValueKind::U32) => format!("select(0u, 1u, {text})"),
            _ => format!("{to}({text})"),
        };
        Ok(ShaderValue::new(text, kind))
    }

    fn binary(
        &mut self,
        scope: &Scope,
        binary: &ExprBinary,
        is_taken: bool,
    ) -> Result<ShaderValue> {
        let op = &binary.op;
        let is_sum = matches!(op, BinOp::Add(_) | BinOp::Sub(_));
        let left = self.expr(scope, &binary.left, is_sum)?;
        let right = self.expr(scope, &binary.right, is_sum)?;
        if let (Some(a), Some(b)) = (left.known(), right.known())
            && let Some(number) = a.with(op, b)
        {
            return Ok(ShaderValue::Known(number));
        }
        let is_shift = matches!(op, BinOp::Shl(_) | BinOp::Shr(_));
        let kind = match &left {
            ShaderValue::Integer(_) if !is_shift => right.kind(),
            _ => left.kind(),
        };
        let beside = if is_shift { ValueKind::U32 } else { kind.clone() };
        let several = || LawFailure::beyond(&self.own.name, binary);
        let l = left.text_beside(&kind).ok_or_else(several)?;
        let mut r = right.text_beside(&beside).ok_or_else(several)?;
        if is_shift && !matches!(right, ShaderValue::Integer(_)) && right.kind() == ValueKind::I32 {
            r = format!("bitcast<u32>({r})");
        }
        if kind == ValueKind::F32
            && let Some(name) = of_floats(op, is_taken)
        {
            return Ok(ShaderValue::new(format!("{name}({l}, {r})"), kind));
        }
        let (sign, is_bool) = sign_of(op).ok_or_else(several)?;
        Ok(ShaderValue::new(
            format!("({l} {sign} {r})"),
            if is_bool { ValueKind::Bool } else { kind },
        ))
    }

    /// Returns one of two values: both are computed if each is no more than names and signs.
    fn choice(&mut self, scope: &Scope, choice: &ExprIf, is_taken: bool) -> Result<ShaderValue> {
        let condition = self.expr(scope, &choice.cond, false)?;
        let condition = self.text(&condition)?;
        let Some((_, other)) = &choice.else_branch else {
            return Err(LawFailure::beyond(&self.own.name, choice));
        };
        // The value has this name in the text, if it needs branches.
        let name = self.fresh("chosen");
        let is_taken = is_taken || self.taken.has_name(&self.own.name, &name);
        let before = std::mem::take(&mut self.lines);
        let yes = self.block(scope, &choice.then_branch, is_taken)?;
        let of_yes = std::mem::take(&mut self.lines);
        let no = self.expr(scope, other, is_taken)?;
        let of_no = std::mem::replace(&mut self.lines, before);
        let kind = match &yes {
            ShaderValue::Integer(_) => no.kind(),
            _ => yes.kind(),
        };
        let parts = kinds_of(&kind);
        let [yes, no] = [yes, no].map(|value| match value {
            ShaderValue::Many(values) => values,
            one => vec![one],
        });
        let texts = yes.iter().zip(&no).zip(&parts).map(|((yes, no), kind)| {
            let texts = yes.text_beside(kind).zip(no.text_beside(kind));
            texts.ok_or_else(|| self.failure("several values where one is meant"))
        });
        let texts = texts.collect::<Result<Vec<_>>>()?;
        let is_plain = |text: &str| !text.contains('(') || text.starts_with("(-");
        let are_plain = texts.iter().all(|(yes, no)| is_plain(yes) && is_plain(no));
        let can_select = !parts.iter().any(|kind| matches!(kind, ValueKind::Structure(_)));
        let values = if of_yes.is_empty() && of_no.is_empty() && are_plain && can_select {
            let values = texts.iter().zip(&parts).map(|((yes, no), kind)| {
                ShaderValue::new(format!("select({no}, {yes}, {condition})"), kind.clone())
            });
            values.collect::<Vec<_>>()
        } else {
            self.branches((&condition, &name), (&texts, &parts), [of_yes, of_no])?
        };
        Ok(match kind {
            ValueKind::Tuple(_) => ShaderValue::Many(values),
            _ => values.into_iter().next().expect("one for its kind"),
        })
    }

    /// Returns the variables that one of two branches sets.
    fn branches(
        &mut self,
        (condition, name): (&str, &str),
        (texts, kinds): (&[(String, String)], &[ValueKind]),
        [of_yes, of_no]: [Vec<String>; 2],
    ) -> Result<Vec<ShaderValue>> {
        let mut values = Vec::new();
        for (at, kind) in kinds.iter().enumerate() {
            let name = if at == 0 { name.to_owned() } else { self.fresh(name) };
            let kind_text = kind.text().ok_or_else(|| self.failure("a choice of no kind"))?;
            self.lines.push(format!("var {name}: {kind_text};"));
            values.push(ShaderValue::new(name, kind.clone()));
        }
        let mut branch = |begin: &str, lines: Vec<String>, texts: Vec<&String>| {
            self.lines.push(begin.to_owned());
            self.lines.extend(lines.into_iter().map(|line| format!("  {line}")));
            for (value, text) in values.iter().zip(texts) {
                self.lines.push(format!("  {} = {text};", value.text().expect("a name")));
            }
        };
        branch(&format!("if ({condition}) {{"), of_yes, texts.iter().map(|(yes, _)| yes).collect());
        branch("} else {", of_no, texts.iter().map(|(_, no)| no).collect());
        self.lines.push("}".to_owned());
        Ok(values)
    }

    fn structure(&mut self, scope: &Scope, literal: &ExprStruct) -> Result<ShaderValue> {
        let name = literal.path.segments.last().map(|segment| segment.ident.to_string());
        let name = match (name.as_deref(), &self.own.owner) {
            (Some("Self"), Some(owner)) => owner.clone(),
            (Some(name), _) => name.to_owned(),
            _ => return Err(LawFailure::beyond(&self.own.name, literal)),
        };
        let rest = literal.rest.as_ref().map(|rest| self.expr(scope, rest, false)).transpose()?;
        let rest = rest.map(|rest| self.named("rest", rest, false)).transpose()?;
        let Some(fields) = self.home.structure(&name) else {
            return Err(LawFailure::beyond(&self.own.name, literal));
        };
        let mut texts = Vec::new();
        for (field, kind) in fields {
            let given = literal.fields.iter().find(|given| match &given.member {
                Member::Named(own) => own == field,
                Member::Unnamed(_) => false,
            });
            let value = match (given, &rest) {
                (Some(given), _) => {
                    let is_taken = self.taken.has_field(field);
                    self.expr(scope, &given.expr, is_taken)?
                }
                (None, Some(rest)) => {
                    ShaderValue::new(format!("{}.{field}", self.text(rest)?), kind.clone())
                }
                (None, None) => return Err(self.failure(&format!("`{name}` without `{field}`"))),
            };
            let text = value.text_beside(kind);
            texts.push(text.ok_or_else(|| self.failure("several values in a field"))?);
        }
        Ok(ShaderValue::new(format!("{name}({})", texts.join(", ")), ValueKind::Structure(name)))
    }
}

/// Returns the kinds of the numbers that a value of a kind becomes in the text.
fn kinds_of(kind: &ValueKind) -> Vec<ValueKind> {
    match kind {
        ValueKind::Tuple(kinds) => kinds.clone(),
        ValueKind::Step => Vec::new(),
        one => vec![one.clone()],
    }
}

/// Returns the kind of a result or an argument in the text: a vector for several numbers of a kind.
fn packed(kind: &ValueKind) -> ValueKind {
    match kind {
        ValueKind::Tuple(kinds) if kinds.windows(2).all(|pair| pair[0] == pair[1]) => {
            match &kinds[0] {
                number @ (ValueKind::F32 | ValueKind::I32 | ValueKind::U32) => {
                    ValueKind::Vector(kinds.len(), Box::new(number.clone()))
                }
                _ => kind.clone(),
            }
        }
        other => other.clone(),
    }
}

/// Returns the arguments of a function, with their names in the text.
fn arguments_of(home: &Home, function: &Function) -> Result<Vec<FunctionArgument>> {
    let owner = function.owner.as_deref();
    let mut all = Vec::new();
    for input in &function.signature.inputs {
        let beyond = || LawFailure::beyond(&function.name, input);
        let (pattern, kind) = match input {
            FnArg::Receiver(_) if owner == Some("FaceParams") => (None, ValueKind::Step),
            FnArg::Receiver(_) => {
                (None, ValueKind::Structure(owner.ok_or_else(beyond)?.to_owned()))
            }
            FnArg::Typed(typed) => {
                let kind = home.kind(&typed.ty, owner).ok_or_else(beyond)?;
                (Some((*typed.pat).clone()), kind)
            }
        };
        let kind = packed(&kind);
        let own = match &pattern {
            None => "own".to_owned(),
            Some(pattern) => pattern_name(pattern),
        };
        let names = match kinds_of(&kind).len() {
            1 => vec![own],
            count => (0..count).map(|at| format!("{own}_{at}")).collect(),
        };
        all.push(FunctionArgument { pattern, kind, names });
    }
    Ok(all)
}

/// Returns a name for the parts of a pattern: its names, joined.
fn pattern_name(pattern: &Pat) -> String {
    let joined = |patterns: &mut dyn Iterator<Item = &Pat>| {
        patterns.map(pattern_name).collect::<Vec<_>>().join("_")
    };
    match pattern {
        Pat::Ident(name) => name.ident.to_string(),
        Pat::Tuple(tuple) => joined(&mut tuple.elems.iter()),
        Pat::Slice(slice) => joined(&mut slice.elems.iter()),
        _ => "part".to_owned(),
    }
}

/// Returns the operation of `a op= b`.
fn assigned(op: &BinOp) -> Option<BinOp> {
    use syn::token::{Caret, Minus, Or, Plus, Star};
    Some(match op {
        BinOp::AddAssign(_) => BinOp::Add(Plus::default()),
        BinOp::SubAssign(_) => BinOp::Sub(Minus::default()),
        BinOp::MulAssign(_) => BinOp::Mul(Star::default()),
        BinOp::BitXorAssign(_) => BinOp::BitXor(Caret::default()),
        BinOp::BitOrAssign(_) => BinOp::BitOr(Or::default()),
        _ => return None,
    })
}

/// Returns the function of an operation on floats that rounds.
fn of_floats(op: &BinOp, is_taken: bool) -> Option<&'static str> {
    Some(match op {
        BinOp::Add(_) => "ADD",
        BinOp::Sub(_) => "SUB",
        BinOp::Div(_) => "DIV",
        BinOp::Mul(_) if is_taken => "MUL",
        BinOp::Mul(_) => "PRO",
        _ => return None,
    })
}

/// Returns the sign of an operation, and whether its result is true or false.
fn sign_of(op: &BinOp) -> Option<(&'static str, bool)> {
    Some(match op {
        BinOp::Add(_) => ("+", false),
        BinOp::Sub(_) => ("-", false),
        BinOp::Mul(_) => ("*", false),
        BinOp::Div(_) => ("/", false),
        BinOp::Shl(_) => ("<<", false),
        BinOp::Shr(_) => (">>", false),
        BinOp::BitAnd(_) => ("&", false),
        BinOp::BitOr(_) => ("|", false),
        BinOp::BitXor(_) => ("^", false),
        BinOp::And(_) => ("&&", true),
        BinOp::Or(_) => ("||", true),
        BinOp::Eq(_) => ("==", true),
        BinOp::Ne(_) => ("!=", true),
        BinOp::Lt(_) => ("<", true),
        BinOp::Le(_) => ("<=", true),
        BinOp::Gt(_) => (">", true),
        BinOp::Ge(_) => (">=", true),
        _ => return None,
    })
}
