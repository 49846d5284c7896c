//! The arithmetic of a card against the functions of thalweg.
//!
//! Where there is no card, a test says so and passes, unless `THALWEG_VULKAN` is set.

use gpu::arithmetic::{CompilerBarrier, Route, Routes, source};
use gpu::self_test::{DIVISIONS, OPERATIONS, ROOTS, Trial, choose, choose_from, compare};
use gpu::{Device, Failure};
use std::cell::Cell;
use std::time::Instant;

fn trials() -> impl Iterator<Item = Trial> {
    [DIVISIONS, ROOTS, OPERATIONS].into_iter().flatten().copied()
}

fn device() -> Option<Device> {
    testkit::graphics(Device::open())
}

/// Operations of a list of trials that differ with these routes, each on `count` words.
fn wrong(device: &Device, routes: Routes, count: u32, seed: u64) -> Vec<&'static str> {
    let text = |body: &str| source(routes, body);
    let differs = |trial| compare(device, &text, &[trial], count, seed).expect("a card");
    trials().filter_map(differs).map(|mismatch| mismatch.operation).collect()
}

/// Goal: the promise of the arithmetic. Method: 10⁶ words of each operation on the chosen routes,
/// with another seed than that of the choice.
#[test]
fn the_chosen_routes_have_the_bits_of_thalweg() {
    let Some(device) = device() else { return };
    let start = Instant::now();
    let routes = choose(&device).expect("a card that can");
    println!("{}: {routes}, chosen in {:?}", device.name(), start.elapsed());
    let text = |body: &str| source(routes, body);
    for (seed, trial) in (1..).zip(trials()) {
        let found = compare(&device, &text, &[trial], 1 << 20, seed).expect("a card");
        assert_eq!(found.map(|mismatch| mismatch.to_string()), None, "seed {seed}");
    }
    assert_eq!(device.lost(), None);
}

/// Goal: a stronger barrier only helps, and integers behind the strongest are right on any card.
/// Method: 130,000 words on each route; what differs is printed.
#[test]
fn a_stronger_barrier_only_helps() {
    let Some(device) = device() else { return };
    for route in Route::ALL {
        let mut before: Option<Vec<&str>> = None;
        for barrier in [CompilerBarrier::Nothing, CompilerBarrier::Products, CompilerBarrier::All] {
            let routes = Routes { division: route, root: route, barrier };
            let wrong = wrong(&device, routes, 1 << 17, 77);
            println!("{routes}: {wrong:?}");
            if let Some(before) = before {
                assert!(wrong.iter().all(|name| before.contains(name)), "{routes}: {wrong:?}");
            }
            before = Some(wrong);
        }
        assert!(route != Route::Integer || before.is_some_and(|wrong| wrong.is_empty()));
    }
}

/// Goal: the self-test passes over a division that is off. Method: the quotient as a product with
/// the reciprocal, which is off by a unit for some words; then the same on every route.
#[test]
fn a_wrong_division_is_passed_over() {
    let Some(device) = device() else { return };
    let off = "fn DIV(a: f32, b: f32) -> f32 {\n  return MUL(a, OPAQUE(1.0 / b));\n}\n";
    let without = |text: &str| text.replace("fn DIV(", "fn EXACT_DIV(") + off;
    let text = |routes: Routes, body: &str| {
        let text = source(routes, body);
        if routes.division == Route::Native { without(&text) } else { text }
    };
    let routes = choose_from(&device, &text).expect("other routes");
    assert_ne!(routes.division, Route::Native, "{routes}");

    let text = |routes: Routes, body: &str| without(&source(routes, body));
    let failure = choose_from(&device, &text).expect_err("no route is right");
    let Failure::Differs { mismatch, .. } = &failure else { panic!("{failure}") };
    assert_eq!(mismatch.operation, "division");
    assert!(failure.to_string().contains(&device.name()), "{failure}");
    println!("{failure}");
}

/// Goal: the integer routes need no good division of the card. Method: estimates that are off by as
/// much as the remainders put right, but for one unit that a card may be off by itself.
#[test]
fn integers_put_an_estimate_right() {
    let Some(device) = device() else { return };
    let routes =
        Routes { division: Route::Integer, root: Route::Integer, barrier: CompilerBarrier::All };
    for (quotient, root) in [("+ 2u", "+ 4u"), ("- 2u", "- 4u"), ("+ 1u", "- 1u")] {
        let off = |text: String, estimate: &str, by: &str| {
            assert!(text.contains(estimate), "{estimate}");
            text.replace(estimate, &format!("{estimate} {by}"))
        };
        let text = |body: &str| {
            let text = off(source(routes, body), "u32(ratio * 8388608.0)", quotient);
            off(text, "u32(estimate * 8388608.0)", root)
        };
        for trials in [DIVISIONS, ROOTS] {
            let found = compare(&device, &text, trials, 1 << 18, 9).expect("a card");
            assert_eq!(found.map(|mismatch| mismatch.to_string()), None, "{quotient}, {root}");
        }
    }
}

/// `a * b + c` with one rounding, but for a few words: not all cards fuse `fma`. The error of the
/// product after Dekker (1971), that of the sum after Knuth.
const FUSED: &str = "
fn FUSED(a: f32, b: f32, c: f32) -> f32 {
  let product = OPAQUE(a * b);
  let shifted_a = OPAQUE(a * 4097.0);
  let shifted_b = OPAQUE(b * 4097.0);
  let high_a = OPAQUE(shifted_a - OPAQUE(shifted_a - a));
  let high_b = OPAQUE(shifted_b - OPAQUE(shifted_b - b));
  let low_a = OPAQUE(a - high_a);
  let low_b = OPAQUE(b - high_b);
  let rest = OPAQUE(OPAQUE(high_a * high_b) - product);
  let inner = OPAQUE(OPAQUE(rest + OPAQUE(high_a * low_b)) + OPAQUE(low_a * high_b));
  let product_error = OPAQUE(inner + OPAQUE(low_a * low_b));
  let sum = OPAQUE(product + c);
  let part = OPAQUE(sum - product);
  let sum_error = OPAQUE(OPAQUE(product - OPAQUE(sum - part)) + OPAQUE(c - part));
  return OPAQUE(sum + OPAQUE(sum_error + product_error));
}
";

/// Goal: the self-test catches a compiler that contracts. Method: one sum after the other is
/// written as one that rounds once.
#[test]
fn a_contraction_is_caught() {
    let Some(device) = device() else { return };
    let right = choose(&device).expect("a card that can");
    let sums = [
        ("ADD(MUL(a, b), c)", "FUSED(a, b, c)", "a product in a sum"),
        ("SUB(MUL(a, b), MUL(c, d))", "FUSED(a, b, -MUL(c, d))", "two products in a sum"),
        ("ADD(MUL(a, a), MUL(b, b))", "FUSED(a, a, MUL(b, b))", "the root of a sum of squares"),
        (
            "SUB(1.3333334f, MUL(x_third, PRO(PRO(y, y), y)))",
            "FUSED(-x_third, PRO(PRO(y, y), y), 1.3333334)",
            "the inverse cube root",
        ),
    ];
    for (sum, fused, operation) in sums {
        let is_there = Cell::new(false);
        let text = |routes: Routes, body: &str| {
            let text = source(routes, body);
            is_there.set(is_there.get() || text.contains(sum));
            text.replace(sum, fused) + FUSED
        };
        let found =
            compare(&device, &|body| text(right, body), OPERATIONS, 1 << 14, 5).expect("a card");
        assert!(is_there.get(), "no {sum}");
        assert_eq!(found.map(|mismatch| mismatch.operation), Some(operation));
        let failure = choose_from(&device, &text).expect_err("no barrier helps");
        assert!(matches!(failure, Failure::Differs { .. }), "{failure}");
    }
}

#[test]
fn a_device_that_was_destroyed_is_lost() {
    let Some(device) = device() else { return };
    device.wgpu.destroy();
    let failure = choose(&device).expect_err("no device");
    assert!(matches!(failure, Failure::Lost { .. }), "{failure}");
    assert!(device.lost().is_some());
}

#[test]
fn a_bad_kernel_is_refused_and_nothing_panics() {
    let Some(device) = device() else { return };
    let failure = device.kernel("fn compare() {", "compare", None).expect_err("no kernel");
    assert!(matches!(failure, Failure::Refused { .. }), "{failure}");
    let enormous = wgpu::BufferDescriptor {
        label: None,
        size: device.limits.max_buffer_size + 4,
        usage: wgpu::BufferUsages::STORAGE,
        mapped_at_creation: false,
    };
    let failure = device.guard("a buffer", |gpu| gpu.create_buffer(&enormous)).expect_err("size");
    assert!(matches!(failure, Failure::Refused { .. }), "{failure}");
    assert_eq!(device.lost(), None);

    // Outside of a guard an error is recorded, and the device counts as lost.
    drop(device.wgpu.create_buffer(&enormous));
    assert!(device.lost().is_some());
    assert!(matches!(device.wait(), Err(Failure::Lost { .. })));
    assert!(matches!(choose(&device), Err(Failure::Lost { .. })));
}
