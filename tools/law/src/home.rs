//! Constants, structures and functions of the sources.

use crate::constant::{self, Constants};
use crate::value::{ConstantNumber, ValueKind};
use crate::words::is_kept;
use quote::ToTokens;
use std::path::Path;
use std::rc::Rc;
use syn::{Block, Field, ImplItem, Item, ItemImpl, Signature};

/// A file below `src`, and the names that are requested from it: `Face`, `advance_face`,
/// `FlowDepth::of`.
pub type WantedNames<'a> = (&'a str, &'a [&'a str]);

/// A part of a function that has no text, and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LawFailure {
    /// A file, or a function.
    pub place: String,
    /// The fault there.
    pub why: String,
}

impl LawFailure {
    pub(crate) fn new(place: impl Into<String>, why: impl Into<String>) -> Self {
        Self { place: place.into(), why: why.into() }
    }

    /// Returns the failure of an expression, a pattern or a type that has no text.
    pub(crate) fn beyond(place: &str, part: &impl ToTokens) -> Self {
        Self::new(place, format!("`{}` has no text of a kernel", part.to_token_stream()))
    }
}

impl std::fmt::Display for LawFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.place, self.why)
    }
}

impl std::error::Error for LawFailure {}

/// A function.
#[derive(Debug)]
pub(crate) struct Function {
    /// Name in the text.
    pub name: String,
    /// The structure that it belongs to.
    pub owner: Option<String>,
    pub signature: Signature,
    pub block: Block,
    pub group: usize,
    /// Constants that it sees.
    pub constants: Rc<Constants>,
}

/// Fields of a structure.
pub(crate) type StructureFields = Vec<(String, ValueKind)>;

/// A structure.
#[derive(Debug)]
pub(crate) struct Structure {
    pub name: String,
    pub fields: StructureFields,
    pub group: usize,
}

/// All that was read.
#[derive(Debug, Default)]
pub(crate) struct Home {
    /// Constants of the files that all functions see.
    pub limits: Constants,
    /// Constants that the text contains by their names, each with its group.
    pub written: Vec<(String, ConstantNumber, usize)>,
    pub structures: Vec<Structure>,
    pub functions: Vec<Function>,
    /// Number of groups.
    pub groups: usize,
}

impl Home {
    pub fn read(
        root: &Path,
        constants: &[&str],
        groups: &[&[WantedNames<'_>]],
    ) -> Result<Self, LawFailure> {
        let mut home = Self { groups: groups.len(), ..Self::default() };
        let mut everywhere =
            Constants::from([("SQRT_2".to_owned(), ConstantNumber::F32(std::f32::consts::SQRT_2))]);
        for file in constants {
            add_constants(&mut everywhere, &parse(root, file)?.items);
        }
        home.limits.clone_from(&everywhere);
        let wanted = groups.iter().enumerate();
        let wanted = wanted.flat_map(|(group, wanted)| wanted.iter().map(move |one| (group, one)));
        for (group, (file, names)) in wanted {
            let items = parse(root, file)?.items;
            let mut constants = everywhere.clone();
            add_constants(&mut constants, &items);
            let constants = Rc::new(constants);
            for name in *names {
                let found = items.iter().try_fold(false, |found, item| {
                    Ok::<bool, LawFailure>(found | home.add(item, (name, group), &constants)?)
                })?;
                if !found {
                    return Err(LawFailure::new(format!("src/{file}"), format!("no `{name}`")));
                }
            }
        }
        Ok(home)
    }

    pub fn structure(&self, name: &str) -> Option<&StructureFields> {
        self.structures.iter().find(|own| own.name == name).map(|own| &own.fields)
    }

    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|function| function.name == name)
    }

    /// Adds an item if it has a name, or an associated function of `Type::name`.
    fn add(
        &mut self,
        item: &Item,
        (name, group): (&str, usize),
        constants: &Rc<Constants>,
    ) -> Result<bool, LawFailure> {
        match item {
            Item::Struct(item) if item.ident == name => {
                let fields = item.fields.iter().map(|field| self.field(name, field));
                let fields = fields.collect::<Result<_, _>>()?;
                self.structures.push(Structure { name: name.to_owned(), fields, group });
            }
            Item::Const(item) if item.ident == name => {
                let number = constants.get(name).ok_or_else(|| LawFailure::beyond(name, item))?;
                self.written.push((name.to_owned(), *number, group));
            }
            Item::Fn(item) if item.sig.ident == name => self.functions.push(Function {
                name: name.to_owned(),
                owner: None,
                signature: item.sig.clone(),
                block: (*item.block).clone(),
                group,
                constants: Rc::clone(constants),
            }),
            Item::Impl(item) if item.trait_.is_none() => {
                return Ok(self.add_method(item, (name, group), constants));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn add_method(
        &mut self,
        item: &ItemImpl,
        (name, group): (&str, usize),
        constants: &Rc<Constants>,
    ) -> bool {
        let Some((owner, name)) = name.split_once("::") else { return false };
        let is_owner = item.self_ty.to_token_stream().to_string() == owner;
        let found = item.items.iter().find_map(|item| match item {
            ImplItem::Fn(item) if is_owner && item.sig.ident == name => Some(item),
            _ => None,
        });
        let Some(found) = found else { return false };
        self.functions.push(Function {
            name: associated(owner, name),
            owner: Some(owner.to_owned()),
            signature: found.sig.clone(),
            block: found.block.clone(),
            group,
            constants: Rc::clone(constants),
        });
        true
    }

    fn field(&self, owner: &str, field: &Field) -> Result<(String, ValueKind), LawFailure> {
        let name =
            field.ident.as_ref().ok_or_else(|| LawFailure::beyond(owner, field))?.to_string();
        if is_kept(&name) {
            return Err(LawFailure::new(owner, format!("`{name}` is a word of WGSL")));
        }
        let kind = self.kind(&field.ty, None).ok_or_else(|| LawFailure::beyond(owner, field))?;
        Ok((name, kind))
    }

    /// Returns the kind of a type, if it has one.
    pub fn kind(&self, ty: &syn::Type, owner: Option<&str>) -> Option<ValueKind> {
        match ty {
            syn::Type::Reference(ty) => self.kind(&ty.elem, owner),
            syn::Type::Tuple(ty) => {
                let kinds = ty.elems.iter().map(|ty| self.kind(ty, owner));
                Some(ValueKind::Tuple(kinds.collect::<Option<_>>()?))
            }
            syn::Type::Array(ty) => {
                let count = ty.len.to_token_stream().to_string().parse().ok()?;
                Some(ValueKind::Vector(count, Box::new(self.kind(&ty.elem, owner)?)))
            }
            syn::Type::Path(ty) => match ty.path.segments.last()?.ident.to_string().as_str() {
                "Self" => Some(ValueKind::Structure(owner?.to_owned())),
                "FaceParams" | "StepParams" => Some(ValueKind::Step),
                name => ValueKind::of_number(name).or_else(|| {
                    self.structure(name).map(|_| ValueKind::Structure(name.to_owned()))
                }),
            },
            _ => None,
        }
    }
}

/// Adds constants that are numbers which can be computed here; the rest is not needed.
fn add_constants(known: &mut Constants, items: &[Item]) {
    for item in items {
        if let Item::Const(item) = item
            && let Some(number) = constant::value(&item.expr, &item.ty, known)
        {
            known.insert(item.ident.to_string(), number);
        }
    }
}

/// Returns the name in the text of a function that belongs to a structure: `flow_depth_of`.
pub(crate) fn associated(owner: &str, name: &str) -> String {
    let mut text = String::new();
    for letter in owner.chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    text + "_" + name
}

fn parse(root: &Path, file: &str) -> Result<syn::File, LawFailure> {
    let place = || format!("src/{file}");
    let text = std::fs::read_to_string(root.join("src").join(file));
    let text = text.map_err(|error| LawFailure::new(place(), error.to_string()))?;
    syn::parse_file(&text).map_err(|error| LawFailure::new(place(), error.to_string()))
}
