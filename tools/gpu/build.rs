//! Writes the functions of a face and of a cell as text of the kernels, from `src` of thalweg.

use law::{LawFailure, LawSource, WantedNames};
use std::path::{Path, PathBuf};

/// Files of constants that functions name.
const CONSTANTS: &[&str] = &["tiles/units/limits.rs"];

/// Functions of numbers alone, which every kernel has.
const NUMBERS: &[WantedNames<'_>] = &[
    ("tiles/units/limits.rs", &["DEPTH_DRY_M", "SLEEP_STAGE_DIFFERENCE"]),
    ("tiles/units/maths.rs", &["FLOW_LEAST", "inverse_cube_root"]),
    (
        "tiles/flow/transfer.rs",
        &["draw", "bounded", "round_unbiased", "wanted_transfer", "scaled", "octaves"],
    ),
    ("tiles/flow/transport.rs", &["limited", "carried", "mass"]),
];

/// Functions of a face, which know the constants of the step.
const FACES: &[WantedNames<'_>] = &[
    ("tiles/tile/columns/openings.rs", &["FaceOpening"]),
    (
        "tiles/flow/face.rs",
        &[
            "FlowDepth",
            "Face",
            "FlowDepth::of",
            "FlowDepth::through",
            "FlowDepth::finish",
            "FaceParams::speed_most",
            "slowed",
            "froude_most",
            "froude_channel",
            "carried_part",
        ],
    ),
];

/// The face of the pipe.
const PIPE: &[WantedNames<'_>] = &[(
    "tiles/flow/pipe.rs",
    &[
        "OldFace",
        "PushedFace",
        "uphill",
        "shallower",
        "shallower_over",
        "push_face",
        "bound_face",
        "advance_face",
    ],
)];

/// The face of shallow water.
const SHALLOW: &[WantedNames<'_>] = &[
    ("tiles/units/limits.rs", &["CELLS_A_STEP", "FALL", "GAP"]),
    ("tiles/flow/shallow.rs", &["speed_over", "depth_half"]),
    ("tiles/flow/half.rs", &["held"]),
    ("tiles/flow/walls.rs", &["ColumnPair", "ColumnPair::is_wall", "ColumnPair::is_closed"]),
    ("tiles/flow/bores.rs", &["known", "uneven", "thrust_of"]),
    ("tiles/flow/tables.rs", &["is_gap"]),
];

/// Bounds of quiet water.
const QUIET: &[WantedNames<'_>] = &[(
    "engine/sim/quiet.rs",
    &[
        "RUNOFF_FACES",
        "Quiet",
        "Quiet::is_active",
        "Quiet::is_deep",
        "Quiet::is_swift",
        "Quiet::runs_off",
    ],
)];

/// Open edges.
const EDGES: &[WantedNames<'_>] = &[(
    "engine/sim/boundary.rs",
    &[
        "SLOPE_SURE",
        "WEIR",
        "WEIR_SHIFT",
        "RISE_SHIFT",
        "SEA_SHIFT",
        "BUSY_SPEED",
        "returning",
        "leaving_wave",
        "open_star",
        "fastest",
        "with_along",
        "open_discharge",
    ],
)];

/// Each group and the name of its text.
const GROUPS: [(&str, &[WantedNames<'_>]); 6] = [
    ("numbers", NUMBERS),
    ("faces", FACES),
    ("pipe", PIPE),
    ("shallow", SHALLOW),
    ("quiet", QUIET),
    ("edges", EDGES),
];

fn main() -> Result<(), LawFailure> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = own.join("../..");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo gives it"));
    let wanted = GROUPS.iter().flat_map(|(_, wanted)| wanted.iter().map(|(file, _)| file));
    let read = CONSTANTS.iter().chain(wanted).map(|file| root.join("src").join(file));
    for place in [own.join("build.rs"), own.join("src/kernels")].into_iter().chain(read) {
        println!("cargo::rerun-if-changed={}", place.display());
    }
    // Long tests of the card run at full size.
    println!("cargo::rustc-check-cfg=cfg(full_card)");
    println!("cargo::rerun-if-env-changed=THALWEG_FULL_CARD");
    if std::env::var_os("THALWEG_FULL_CARD").is_some() {
        println!("cargo::rustc-cfg=full_card");
    }
    let law = LawSource::read(&root, CONSTANTS, &GROUPS.map(|(_, wanted)| wanted))?;
    let texts = law.with_drivers(&drivers(&own.join("src/kernels"))).texts()?;
    for ((name, _), text) in GROUPS.into_iter().zip(texts) {
        std::fs::write(out.join(format!("{name}.wgsl")), text).expect("cargo's folder is there");
    }
    Ok(())
}

/// Kernels that are written by hand, which call the functions.
fn drivers(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).expect("the kernels are there");
    let paths = files.map(|file| file.expect("a file").path());
    let texts = paths.filter(|path| path.extension().is_some_and(|ext| ext == "wgsl"));
    texts.map(|path| std::fs::read_to_string(path).expect("a text")).collect()
}
