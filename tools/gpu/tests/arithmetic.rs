//! The arithmetic of a card against the functions of thalweg.
//!
//! Where there is no card, a test says so and passes, unless `THALWEG_VULKAN` is set.

use gpu::arithmetic::{Barrier, Route, Routes, source};
use gpu::self_test::{ALL, choose, choose_from, compare};
use gpu::{Device, Failure};
use std::time::Instant;

fn device() -> Option<Device> {
    match Device::open() {
        Ok(device) => Some(device),
        Err(failure) => {
            assert!(std::env::var_os("THALWEG_VULKAN").is_none(), "{failure}");
            println!("skipped: no graphics device");
            None
        }
    }
}

/// Operations of a list of trials that differ with these routes, each on `count` words.
fn wrong(device: &Device, routes: Routes, count: u32, seed: u64) -> Vec<&'static str> {
    let text = |body: &str| source(routes, body);
    let differs = |trial| compare(device, &text, &[trial], count, seed).expect("a card");
    ALL.iter().filter_map(|&trial| differs(trial)).map(|mismatch| mismatch.operation).collect()
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
    for (seed, &trial) in (1..).zip(ALL) {
        let found = compare(&device, &text, &[trial], 1 << 20, seed).expect("a card");
        assert_eq!(found.map(|mismatch| mismatch.to_string()), None, "seed {seed}");
    }
    assert_eq!(device.lost(), None);
}

/// Goal: a route that passes for quotients and roots passes for all that is made of them, and the
/// integers are right on any card. Method: 10⁶ words on each route.
#[test]
fn each_route_is_right_or_wrong_as_a_whole() {
    let Some(device) = device() else { return };
    for (route, barrier) in Route::ALL
        .into_iter()
        .flat_map(|route| [Barrier::Products, Barrier::All].map(|barrier| (route, barrier)))
    {
        let routes = Routes { division: route, root: route, barrier };
        let wrong = wrong(&device, routes, 1 << 20, 77);
        println!("{routes}: {}", if wrong.is_empty() { "exact".into() } else { wrong.join(", ") });
        assert!(
            route != Route::Integer || barrier != Barrier::All || wrong.is_empty(),
            "{wrong:?}"
        );
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

/// Goal: the self-test catches a compiler that contracts. Method: one sum after the other is written
/// with a fused multiply-add, or what is one where the card has none.
#[test]
fn a_contraction_is_caught() {
    let Some(device) = device() else { return };
    let right = choose(&device).expect("a card that can");
    let sums = [
        ("ADD(MUL(a, b), c)", "fma(a, b, c)", "a product in a sum"),
        ("SUB(MUL(a, b), MUL(c, d))", "fma(a, b, -MUL(c, d))", "two products in a sum"),
        ("ADD(MUL(a, a), MUL(b, b))", "fma(a, a, MUL(b, b))", "the root of a sum of squares"),
        (
            "SUB(1.3333334, MUL(x_third, PRO(PRO(y, y), y)))",
            "fma(-x_third, PRO(PRO(y, y), y), 1.3333334)",
            "the inverse cube root",
        ),
    ];
    for (sum, fused, operation) in sums {
        let text = |routes: Routes, body: &str| source(routes, body).replace(sum, fused);
        let found = compare(&device, &|body| text(right, body), ALL, 1 << 14, 5).expect("a card");
        assert_eq!(found.map(|mismatch| mismatch.operation), Some(operation));
        let failure = choose_from(&device, &text).expect_err("no barrier helps");
        assert!(matches!(failure, Failure::Differs { .. }), "{failure}");
    }
}

/// Goal: what each barrier is for. Method: without one, the differences are printed; a card need not
/// have any.
#[test]
fn a_card_without_a_barrier_is_measured() {
    let Some(device) = device() else { return };
    let routes = choose(&device).expect("a card that can");
    let wrong = wrong(&device, Routes { barrier: Barrier::Nothing, ..routes }, 1 << 18, 3);
    println!(
        "without a barrier: {}",
        if wrong.is_empty() { "exact".into() } else { wrong.join(", ") }
    );
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
