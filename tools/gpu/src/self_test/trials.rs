//! Operations with their operands, for the card and for the processor.

use super::words::SeededWords;
use crate::device::Device;
use crate::failure::{Failure, Mismatch};
use thalweg_engine::flow::limiter::share_of;
use thalweg_engine::flow::transfer::{draw, row_key, scaled, wanted_transfer};
use thalweg_engine::units::hash::scramble;
use thalweg_engine::units::maths;

/// One operation: four words in, two words out.
#[derive(Debug, Clone, Copy)]
pub struct Trial {
    /// Name for messages.
    pub name: &'static str,
    /// Two words in WGSL, of the operands `w: vec4<u32>`, or of `a`, `b`, `c`, `d` as floats.
    pub text: &'static str,
    /// Operands within the domain.
    operands: fn(&mut SeededWords) -> [u32; 4],
    /// Words of the processor.
    expected: fn([u32; 4]) -> [u32; 2],
}

/// Quotients alone. A compiler may see through a constant.
pub const DIVISIONS: &[Trial] = &[
    Trial {
        name: "division",
        text: "bits(DIV(a, b)), 0u",
        operands: |words| floats([words.float_or_zero(-50, 50), words.float(-50, 50), 0.0, 0.0]),
        expected: |w| one(real(w[0]) / real(w[1])),
    },
    Trial {
        name: "division of and by a constant",
        text: "bits(DIV(1.0, a)), bits(DIV(b, 3.0))",
        operands: |words| floats([words.float(-90, 90), words.float_or_zero(-90, 90), 0.0, 0.0]),
        expected: |w| [(1.0 / real(w[0])).to_bits(), (real(w[1]) / 3.0).to_bits()],
    },
];

/// Roots alone.
pub const ROOTS: &[Trial] = &[Trial {
    name: "root",
    text: "bits(SQRT(a)), 0u",
    operands: |words| {
        let is_zero = words.below(15) == 0;
        floats([if is_zero { 0.0 } else { words.positive(-99, 127) }, 0.0, 0.0, 0.0])
    },
    expected: |w| one(real(w[0]).sqrt()),
}];

/// All operations made of products, sums, quotients, roots and words.
pub const OPERATIONS: &[Trial] = &[
    Trial {
        name: "a product in a sum",
        text: "bits(ADD(MUL(a, b), c)), bits(SUB(c, MUL(a, b)))",
        operands: |words| {
            let (a, b) = (words.float(-20, 20), words.float(-20, 20));
            let far = words.float_or_zero(-40, 40);
            let c = if words.below(1) == 0 { words.near(-a * b) } else { far };
            floats([a, b, c, 0.0])
        },
        expected: |w| {
            let [a, b, c, _] = w.map(real);
            [(a * b + c).to_bits(), (c - a * b).to_bits()]
        },
    },
    Trial {
        name: "two products in a sum",
        text: "bits(SUB(MUL(a, b), MUL(c, d))), bits(ADD(MUL(a, b), MUL(c, d)))",
        operands: |words| {
            let (a, b) = (words.float(-20, 20), words.float(-20, 20));
            let (c, d) = (words.float(-20, 20), words.float(-20, 20));
            if words.below(1) == 0 {
                floats([a, b, words.near(b), a])
            } else {
                floats([a, b, c, d])
            }
        },
        expected: |w| {
            let [a, b, c, d] = w.map(real);
            [(a * b - c * d).to_bits(), (a * b + c * d).to_bits()]
        },
    },
    Trial {
        name: "the root of a sum of squares",
        text: "bits(SQRT(ADD(MUL(a, a), MUL(b, b)))), bits(ADD(MUL(a, a), MUL(b, b)))",
        operands: |words| {
            let a = words.float_or_zero(-40, 30);
            let b = if words.below(1) == 0 { words.near(a) } else { words.float(-40, 30) };
            floats([a, maths::flush(b), 0.0, 0.0])
        },
        expected: |w| {
            let sum = real(w[0]) * real(w[0]) + real(w[1]) * real(w[1]);
            [sum.sqrt().to_bits(), sum.to_bits()]
        },
    },
    Trial {
        name: "implicit friction",
        text: "bits(DIV(PRO(2.0, a), ADD(1.0, SQRT(ADD(1.0, MUL(PRO(4.0, b), c)))))), 0u",
        operands: |words| {
            floats([words.float(-30, 20), words.positive(-30, 30), words.positive(-30, 20), 0.0])
        },
        expected: |w| {
            let [a, b, c, _] = w.map(real);
            one(2.0 * a / (1.0 + (1.0 + 4.0 * b * c).sqrt()))
        },
    },
    Trial {
        name: "the inverse cube root",
        text: "bits(inverse_cube_root(a)), 0u",
        operands: |words| floats([words.positive(-100, 100), 0.0, 0.0, 0.0]),
        expected: |w| one(maths::inverse_cube_root(real(w[0]))),
    },
    Trial {
        name: "a chain of products",
        text: "bits(PRO(PRO(PRO(a, b), c), d)), bits(PRO(PRO(a, b), PRO(c, d)))",
        operands: |words| floats([0; 4].map(|_| words.float(-20, 20))),
        expected: |w| {
            let [a, b, c, d] = w.map(real);
            [(a * b * c * d).to_bits(), ((a * b) * (c * d)).to_bits()]
        },
    },
    Trial {
        name: "a chain of sums",
        text: "bits(PRO(0.25, ADD(ADD(a, b), ADD(c, d)))), bits(SUB(APART(ADD(a, b)), a))",
        operands: |words| floats([0; 4].map(|_| words.float_or_zero(-10, 10))),
        expected: |w| {
            let [a, b, c, d] = w.map(real);
            [(0.25 * ((a + b) + (c + d))).to_bits(), ((a + b) - a).to_bits()]
        },
    },
    Trial {
        name: "differences between neighbours",
        text: "bits(PRO(0.5, ADD(APART(SUB(a, b)), SUB(c, a)))), bits(ADD(SUB(a, b), SUB(c, d)))",
        operands: |words| floats([0; 4].map(|_| words.float_or_zero(-10, 10))),
        expected: |w| {
            let [a, b, c, d] = w.map(real);
            [(0.5 * ((a - b) + (c - a))).to_bits(), ((a - b) + (c - d)).to_bits()]
        },
    },
    Trial {
        name: "constants in a chain",
        text: "bits(PRO(0.1, MUL(0.3, a))), bits(ADD(0.1, APART(ADD(0.3, b))))",
        operands: |words| floats([0; 4].map(|_| words.float_or_zero(-10, 10))),
        expected: |w| [(0.1 * (0.3 * real(w[0]))).to_bits(), (0.1 + (0.3 + real(w[1]))).to_bits()],
    },
    Trial {
        name: "a constant in a chain",
        text: "bits(PRO(PRO(a, 0.33333334), PRO(b, c))), bits(PRO(PRO(a, b), PRO(0.3, d)))",
        operands: |words| floats([0; 4].map(|_| words.float(-10, 10))),
        expected: |w| {
            let [a, b, c, d] = w.map(real);
            [((a * 0.333_333_34) * (b * c)).to_bits(), ((a * b) * (0.3 * d)).to_bits()]
        },
    },
    Trial {
        name: "flush and the absolute value",
        text: "bits(flush(a)), bits(abs_f(b))",
        operands: |words| {
            let edge = words.near(maths::FLOW_LEAST);
            let a = if words.below(3) == 0 { -edge } else { words.float_or_zero(-44, -36) };
            floats([a, words.float_or_zero(-100, 100), 0.0, 0.0])
        },
        expected: |w| [maths::flush(real(w[0])).to_bits(), real(w[1]).abs().to_bits()],
    },
    Trial {
        name: "the larger and the smaller",
        text: "bits(max_f(a, b)), bits(min_f(a, b))",
        operands: |words| {
            let a = words.float_or_zero(-50, 50);
            let b = if words.below(1) == 0 { a } else { words.float_or_zero(-50, 50) };
            // For two zeros, cards return either.
            let minus = if b != 0.0 && words.below(1) == 0 { -b } else { b };
            floats([a, minus, 0.0, 0.0])
        },
        expected: |w| {
            let [a, b, ..] = w.map(real);
            [maths::max(a, b).to_bits(), maths::min(a, b).to_bits()]
        },
    },
    Trial {
        name: "an integer as a float",
        text: "bits(f32(bitcast<i32>(w.x))), bits(f32(w.y))",
        operands: |words| [0; 4].map(|_| words.word()),
        expected: |w| [float(w[0].cast_signed().into()).to_bits(), float(w[1].into()).to_bits()],
    },
    Trial {
        name: "the product of two words",
        text: "mul32(w.x, w.y)",
        operands: |words| [0; 4].map(|_| words.word()),
        expected: |w| halves(u64::from(w[0]) * u64::from(w[1])),
    },
    Trial {
        name: "the product of 64-bit words",
        text: "mul64(w.xy, w.zw)",
        operands: |words| [0; 4].map(|_| words.word()),
        expected: |w| halves(whole(w[0], w[1]).wrapping_mul(whole(w[2], w[3]))),
    },
    Trial {
        name: "the sum of 64-bit words",
        text: "add64(w.xy, w.zw)",
        operands: |words| [0; 4].map(|_| words.word()),
        expected: |w| halves(whole(w[0], w[1]).wrapping_add(whole(w[2], w[3]))),
    },
    Trial {
        name: "scramble",
        text: "scramble(w.xy)",
        operands: |words| [0; 4].map(|_| words.word()),
        expected: |w| halves(scramble(whole(w[0], w[1]))),
    },
    Trial {
        name: "the key of a row",
        text: "row_key(w.xy, w.z)",
        operands: |words| [0; 4].map(|_| words.word()),
        expected: |w| row_key(whole(w[0], w[1]), w[2]).into(),
    },
    Trial {
        name: "a draw",
        text: "bits(draw(w.x, w.yz)), 0u",
        operands: |words| [0; 4].map(|_| words.word()),
        expected: |w| one(draw(w[0], (w[1], w[2]))),
    },
    Trial {
        name: "a rounded transfer",
        text: "bitcast<u32>(wanted_transfer(a, w.y, w.zw)), 0u",
        operands: |words| {
            let a = words.float_or_zero(-40, 40).to_bits();
            [a, words.word(), words.word(), words.word()]
        },
        expected: |w| [wanted_transfer(real(w[0]), w[1], (w[2], w[3])).cast_unsigned(), 0],
    },
    Trial {
        name: "a scaled discharge",
        text: "bits(scaled(a, bitcast<i32>(w.y), bitcast<i32>(w.z))), 0u",
        operands: |words| {
            let wanted = words.below(1 << 30).max(1);
            let moved = words.below(wanted);
            let q = words.float_or_zero(-40, 30).to_bits();
            if words.below(1) == 0 { [q, wanted, moved, 0] } else { [q, !wanted, !moved, 0] }
        },
        expected: |w| one(scaled(real(w[0]), w[1].cast_signed(), w[2].cast_signed())),
    },
    Trial {
        name: "a share of a depth",
        text: "share_of(w.x, w.y, w.zw), 0u",
        operands: |words| {
            let dv = words.word();
            let others: u64 = (0..3).map(|_| u64::from(words.word())).sum();
            let wanted = (u64::from(dv) + others).max(1);
            let most = u32::try_from(wanted - 1).unwrap_or(u32::MAX);
            let [low, high] = halves(wanted);
            [dv, words.below(most), low, high]
        },
        expected: |w| halves(share_of(w[0], u64::from(w[1]), whole(w[2], w[3]))),
    },
];

/// Words of a workgroup.
const GROUP: u32 = 256;

/// Returns the first operands, of `count` of each trial, for which the arithmetic that `text` puts
/// before the body of a kernel has different bits from the processor. `count` is rounded up to a
/// multiple of 256.
///
/// # Errors
///
/// The device is lost, or refuses the kernel.
pub fn compare(
    device: &Device,
    text: &dyn Fn(&str) -> String,
    trials: &[Trial],
    count: u32,
    seed: u64,
) -> Result<Option<Mismatch>, Failure> {
    let groups = count.div_ceil(GROUP);
    let mut words = SeededWords::new(seed);
    let mut operands = Vec::new();
    for trial in trials {
        operands.extend((0..groups * GROUP).map(|_| (trial.operands)(&mut words)));
    }
    let results = run(device, &text(&body(trials)), &operands, trials.len())?;
    let each = operands.len() / trials.len();
    for ((trial, operands), results) in
        trials.iter().zip(operands.chunks(each)).zip(results.chunks(2 * each))
    {
        for (&operands, got) in operands.iter().zip(results.chunks(2)) {
            let (got, expected) = ([got[0], got[1]], (trial.expected)(operands));
            if got != expected {
                return Ok(Some(Mismatch { operation: trial.name, operands, got, expected }));
            }
        }
    }
    Ok(None)
}

/// Returns the kernel of these trials: a row of workgroups for each.
fn body(trials: &[Trial]) -> String {
    let mut cases = String::new();
    for (index, trial) in trials.iter().enumerate() {
        cases += &format!("    case {index}u: {{ result = vec2<u32>({}); }}\n", trial.text);
    }
    include_str!("trials.wgsl").replace("@CASES@", &cases)
}

/// Runs the kernel `text` for these operands, and returns the results.
fn run(
    device: &Device,
    text: &str,
    operands: &[[u32; 4]],
    trials: usize,
) -> Result<Vec<u32>, Failure> {
    let kernel = device.kernel(text, "compare", None)?;
    let bytes = size_of_val(operands) as u64 / 2;
    let rows = u32::try_from(trials).expect("some twenty");
    let groups = u32::try_from(operands.len()).expect("fewer than 2³²") / GROUP / rows;
    let results = device.guard("the operands of the self-test", |gpu| {
        let buffer = |size, usage| {
            let usage = usage | wgpu::BufferUsages::COPY_DST;
            gpu.create_buffer(&wgpu::BufferDescriptor {
                label: Some("self-test"),
                size,
                usage,
                mapped_at_creation: false,
            })
        };
        let zero = buffer(16, wgpu::BufferUsages::UNIFORM);
        let cases = buffer(2 * bytes, wgpu::BufferUsages::STORAGE);
        let results = buffer(bytes, wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC);
        device.queue.write_buffer(&zero, 0, &[0; 16]);
        device.queue.write_buffer(&cases, 0, bytemuck::cast_slice(operands));
        let entries = [&zero, &cases, &results];
        let entries: Vec<_> = (0..)
            .zip(entries)
            .map(|(binding, buffer)| wgpu::BindGroupEntry {
                binding,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        let bindings = gpu.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("self-test"),
            layout: &kernel.get_bind_group_layout(0),
            entries: &entries,
        });
        let mut commands = gpu.create_command_encoder(&Default::default());
        let mut pass = commands.begin_compute_pass(&Default::default());
        pass.set_pipeline(&kernel);
        pass.set_bind_group(0, &bindings, &[]);
        pass.dispatch_workgroups(groups, rows, 1);
        drop(pass);
        device.queue.submit([commands.finish()]);
        results
    })?;
    device.read(&results, 0, bytes)
}

fn real(word: u32) -> f32 {
    f32::from_bits(word)
}

fn floats(numbers: [f32; 4]) -> [u32; 4] {
    numbers.map(f32::to_bits)
}

fn one(result: f32) -> [u32; 2] {
    [result.to_bits(), 0]
}

fn whole(low: u32, high: u32) -> u64 {
    u64::from(low) | (u64::from(high) << 32)
}

#[expect(clippy::cast_possible_truncation, reason = "low half, then high half")]
fn halves(word: u64) -> [u32; 2] {
    [word as u32, (word >> 32) as u32]
}

#[expect(clippy::cast_precision_loss, reason = "rounds as the solver does")]
fn float(word: i64) -> f32 {
    word as f32
}
