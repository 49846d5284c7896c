//! The kernels as they are built: hot loops compute in vectors.
//!
//! A loop that the compiler leaves scalar has the same bits, so no other test sees it: west faces
//! were computed one at a time for months.

#[cfg(all(target_arch = "x86_64", target_os = "linux", not(debug_assertions)))]
mod executable;

/// Goal: no loop of a step computes one face at a time. Method: scalar instructions among this
/// program's own, in the steps of all versions but the baseline and of all methods.
#[test]
#[cfg(all(target_arch = "x86_64", target_os = "linux", not(debug_assertions)))]
fn steps_compute_in_vectors() {
    use executable::Executable;
    use thalweg_engine::flow::solver::Solver;
    use thalweg_engine::flow::versions::{Extra, versions};

    // As many as rustc 1.95 leaves, flat and sub-grid, and 14 more: faces east of the last column,
    // which a tile beside finer ones owns, are computed one at a time. A block of faces of which
    // one product is scalar has 28.
    let methods = [
        ("pipe", Solver::Pipe, Extra::Nothing, [168, 288]),
        ("shallow water", Solver::ShallowWater, Extra::Nothing, [188, 422]),
        ("shallow water with terms", Solver::ShallowWater, Extra::Terms, [206, 440]),
        ("pipe of a fluid", Solver::Pipe, Extra::Fluid, [274, 516]),
        ("shallow water of a fluid", Solver::ShallowWater, Extra::Fluid, [237, 471]),
    ];
    if versions().len() == 1 {
        println!("skipped: this processor runs the baseline alone");
        return;
    }
    let executable = Executable::own();
    let mut failures = Vec::new();
    for version in versions().iter().filter(|version| version.name != "baseline") {
        for (method, solver, extra, most) in methods {
            let steps = version.both(solver, extra).into_iter().zip(most);
            for ((step, most), columns) in steps.zip(["flat", "sub-grid"]) {
                let kernel = executable.kernel(step as usize);
                let count = kernel.scalars();
                let case = format!("{method}, {columns} columns, {}: {count}", version.name);
                println!("{case} scalar instructions");
                if count > most {
                    failures.push(format!(
                        "{case} scalar instructions, {most} at most: look for vinsertps and for \
                         runs of vmulss in objdump -d --disassemble={} {}, and for the loop in \
                         src/tiles/flow that was last changed",
                        kernel.name,
                        std::env::current_exe().expect("this program has a file").display()
                    ));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
#[cfg(not(all(target_arch = "x86_64", target_os = "linux", not(debug_assertions))))]
fn steps_compute_in_vectors() {
    println!("skipped: only a release build for x86-64 Linux has the kernels that are read");
}
