//! The arithmetic of thalweg as text of a kernel, with the same bits.
//!
//! ```text
//! MUL(a, b)   a product that a sum or a difference takes up
//! PRO(a, b)   a product that none takes up
//! ADD, SUB    sums and differences
//! APART(x)    a sum or a difference, part of which another takes away again
//! DIV, SQRT   IEEE quotient and root, on a route
//! ```
//!
//! A compiler of kernels may contract `a * b + c` into one operation that rounds once, and a
//! division may be off by some units of the last place. A [`CompilerBarrier`] keeps products and
//! sums apart: the result goes through an exclusive or with a zero that the compiler cannot
//! foresee. A [`Route`] makes quotient and root exact. [`choose`](crate::self_test::choose) finds
//! both.
//!
//! The body of a kernel follows these conventions:
//!
//! - `fn ZERO() -> u32` is defined by the body and returns 0 out of a uniform buffer, never a
//!   constant. Bindings are the body's own affair, and so are all names that [`source`] does not
//!   define.
//! - A body contains no `*`, `+`, `-` and `/` of floats, `sqrt`, `max`, `min` and `abs`; it uses
//!   `MUL`, `PRO`, `ADD`, `SUB`, `DIV`, `SQRT`, `max_f`, `min_f` and `abs_f`. A change of the sign
//!   and comparisons are exact as they are.
//! - Two constants that are not powers of two, of the text or of a uniform buffer, do not meet in a
//!   product or in a sum.
//! - Floats in buffers are `u32` words. 64-bit words are `vec2<u32>`, the low word first.
//!
//! | function | thalweg | domain |
//! | --- | --- | --- |
//! | `MUL`, `PRO`, `ADD`, `SUB` | `*`, `*`, `+`, `-` | no subnormal comes in or out |
//! | `DIV(a, b)` | `/` | \|a\| is +0 or 2⁻¹⁰⁰ … 2¹⁰⁰, \|b\| and \|a / b\| 2⁻¹⁰⁰ … 2¹⁰⁰ |
//! | `SQRT(x)` | `sqrt` | +0, or 2⁻⁹⁹ … 2¹²⁷ |
//! | `flush`, `abs_f` | `units::maths` | no subnormal, no NaN |
//! | `max_f`, `min_f` | `units::maths` | the same; of +0 and −0 either |
//! | `inverse_cube_root` | `units::maths` | 2⁻¹⁰⁰ … 2¹⁰⁰ |
//! | `mul32`, `mul64`, `add64` | `wrapping_mul`, `wrapping_add` of `u64` | all words |
//! | `scramble` | `units::hash` | all words |
//! | `row_key`, `draw` | `flow::transfer` | all words |
//! | `bounded`, `round_unbiased`, `octaves` | `flow::transfer` | no subnormal, no NaN |
//! | `wanted_transfer` | `flow::transfer` | no subnormal, no NaN |
//! | `limited`, `carried`, `mass` | `flow::transport` | no subnormal, no NaN |
//! | `scaled` | `flow::transfer` | wanted ≠ 0, or moved = wanted, or moved = 0 |
//! | `share_of` | `flow::limiter` | dv ≤ wanted, left < wanted ≤ 2³⁴ |
//!
//! Quotients and products below the domain may be subnormals, 0 or −0: `flush` makes each of them
//! the 0 of thalweg.
//!
//! Guarantees: on routes that the self-test chose, the bits of thalweg within the domain
//!             (`tests/arithmetic.rs` of this crate).
//! Limits:     a card flushes subnormals as it likes, and infinities and NaN are not promised.
//! Source:     own; quotient and root by `fma` after Markstein (1990), Computation of elementary
//!             functions on the IBM RISC System/6000 processor.

use std::fmt;

/// Way to an exact quotient or root, the cheapest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// The operation of the card itself, if the card rounds as IEEE 754 requires.
    Native,
    /// An estimate corrected by fused multiply-adds, if the card has them.
    Fma,
    /// An estimate corrected by the remainder in integers: works on any card.
    Integer,
}

impl Route {
    /// All routes, the cheapest first.
    pub const ALL: [Self; 3] = [Self::Native, Self::Fma, Self::Integer];
}

/// Results that the compiler must not see through, the fewest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompilerBarrier {
    /// No results: for measurements and tests of the self-test, which never chooses it.
    Nothing,
    /// Products that a sum takes up, against contraction.
    Products,
    /// Products, quotients, roots and sums, against compilers that also reorder.
    All,
}

/// Choices that make the arithmetic of a card exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Routes {
    /// Way to a quotient.
    pub division: Route,
    /// Way to a root.
    pub root: Route,
    /// Results that the compiler does not see through.
    pub barrier: CompilerBarrier,
}

impl fmt::Display for Routes {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let name = |route| match route {
            Route::Native => "native",
            Route::Fma => "fma",
            Route::Integer => "integer",
        };
        let barrier = match self.barrier {
            CompilerBarrier::Nothing => "nothing",
            CompilerBarrier::Products => "products",
            CompilerBarrier::All => "all results",
        };
        let (division, root) = (name(self.division), name(self.root));
        write!(f, "division {division}, root {root}, barrier on {barrier}")
    }
}

/// Returns the text of a module: the arithmetic by `routes`, then `body`, which defines
/// `fn ZERO() -> u32`.
#[must_use]
pub fn source(routes: Routes, body: &str) -> String {
    let division = match routes.division {
        Route::Native => binary("DIV", "/", routes.barrier == CompilerBarrier::All),
        Route::Fma => include_str!("division_fma.wgsl").to_owned(),
        Route::Integer => include_str!("division_integer.wgsl").to_owned(),
    };
    let root = match routes.root {
        Route::Native => unary("SQRT", "sqrt(x)", routes.barrier == CompilerBarrier::All),
        Route::Fma => include_str!("root_fma.wgsl").to_owned(),
        Route::Integer => include_str!("root_integer.wgsl").to_owned(),
    };
    let (common, numbers) = (include_str!("common.wgsl"), law!("numbers"));
    [&operations(routes.barrier), &division, &root, common, numbers, body].join("\n")
}

/// Returns the text of the operations that every other function is made of.
fn operations(barrier: CompilerBarrier) -> String {
    let is_all = barrier == CompilerBarrier::All;
    let is_barred = barrier != CompilerBarrier::Nothing;
    [
        unary("OPAQUE", "x", is_barred),
        // A result under two barriers has no barrier at all.
        unary("APART", "x", is_barred && !is_all),
        binary("MUL", "*", is_barred),
        binary("PRO", "*", is_all),
        binary("ADD", "+", is_all),
        binary("SUB", "-", is_all),
    ]
    .concat()
}

fn binary(name: &str, operator: &str, is_barred: bool) -> String {
    let result = barred(&format!("a {operator} b"), is_barred);
    format!("fn {name}(a: f32, b: f32) -> f32 {{\n  return {result};\n}}\n")
}

fn unary(name: &str, value: &str, is_barred: bool) -> String {
    let result = barred(value, is_barred);
    format!("fn {name}(x: f32) -> f32 {{\n  return {result};\n}}\n")
}

fn barred(value: &str, is_barred: bool) -> String {
    if is_barred { format!("bitcast<f32>(bitcast<u32>({value}) ^ ZERO())") } else { value.into() }
}
