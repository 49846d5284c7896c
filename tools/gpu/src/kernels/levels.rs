//! The kernels of interfaces between levels.
//!
//! | kernel | answers |
//! | --- | --- |
//! | `note_finer`, `show_present`, `collect` | `forest::interfaces::coarse` |
//! | `fill_cells`, `fill_flows` | `forest::interfaces::halo`, `forest::interfaces::ring` |
//! | `bound_faces` | `forest::interfaces::bounds` |
//! | `end_sides` | the means of `forest::interfaces::coarse`, `sim::borders` |
//! | `keep_before`, `take_moment` | `sim::leaf_steps`, `forest::interfaces::coarse` |
//! | `put_beyond`, `keep_beyond`, `turn_back` | none: where water stands between cycles |
//! | `lay_copies` | none: the ground of their cells |
//! | `class_coarse_tiles`, `class_finer_tiles` | the classes of their cells |
//! | `table_coarse_tiles`, `table_finer_tiles`, `lay_finer_sills` | `tile::columns::rows`: the |
//! | | faces of halo tiles, where columns are sub-grid |
//!
//! Only these kernels write beds, classes and tables, and only for halo tiles.

use crate::arithmetic::Routes;
use crate::device::Device;
use crate::failure::Failure;
use crate::kernels::{
    BoundBuffers, GROUPS_OF_LEAF, RECORDS_OF_ROW, build_text, groups_over, kind_text,
};

/// Counts of the inputs of the kernels of interfaces, on one level.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LevelCounts {
    /// Halo tiles.
    pub halo_tiles: u32,
    /// Entries of each table, in their order.
    pub entries: [u32; TABLES],
}

/// Tables of a level.
pub const TABLES: usize = 11;

/// Workgroups over the classes of a tile.
const CLASS_GROUPS: u32 = 4;

/// Numbers of the tables of a level, as in the text of the kernels.
pub mod table {
    /// Halo tiles in coarser leaves.
    pub const COARSE_TILES: usize = 0;
    /// Halo tiles of finer leaves.
    pub const FINER_TILES: usize = 1;
    /// Leaves beside faster ones.
    pub const VIEWS: usize = 2;
    /// Sides whose transfers are bounded.
    pub const BOUNDS: usize = 3;
    /// Ends of steps.
    pub const ENDS: usize = 4;
    /// Sides whose transfers slower leaves collect.
    pub const COLLECTED: usize = 5;
    /// Far sides of leaves with coarser leaves beyond.
    pub const BEYOND: usize = 6;
    /// Leaves whose sides take contents from registers.
    pub const SETTLED_SIDES: usize = 7;
    /// Halo tiles in coarser leaves, with contents.
    pub const SHOWN_TILES: usize = 8;
    /// Sides over which contents are drawn from coarser leaves.
    pub const DRAWN_SIDES: usize = 9;
    /// Halo tiles in leaves of the level with different steps.
    pub const COPIES: usize = 10;
}

/// The kernels.
#[derive(Debug)]
pub struct LevelKernels {
    note_finer: wgpu::ComputePipeline,
    show_present: wgpu::ComputePipeline,
    bound_faces: wgpu::ComputePipeline,
    end_sides: wgpu::ComputePipeline,
    collect: wgpu::ComputePipeline,
    lay_copies: wgpu::ComputePipeline,
    keep_before: wgpu::ComputePipeline,
    take_moment: wgpu::ComputePipeline,
    put_beyond: wgpu::ComputePipeline,
    keep_beyond: wgpu::ComputePipeline,
    turn_back: wgpu::ComputePipeline,
    fill_cells: wgpu::ComputePipeline,
    fill_flows: wgpu::ComputePipeline,
    class_coarse_tiles: wgpu::ComputePipeline,
    class_finer_tiles: wgpu::ComputePipeline,
    /// Faces of halo tiles in coarser leaves, of halo tiles of finer leaves, and the sills of the
    /// latter, if some columns are sub-grid.
    faces: Option<[wgpu::ComputePipeline; 3]>,
}

/// Commands with the place of their constants and the counts of their level.
type LevelPass<'a> = (u32, &'a LevelCounts);

impl LevelKernels {
    /// Builds the kernels for these bindings: for worlds of flat columns, or with sub-grid ones.
    ///
    /// # Errors
    ///
    /// The card refuses the text.
    pub fn new(
        device: &Device,
        routes: Routes,
        layout: &wgpu::BindGroupLayout,
        has_columns: bool,
    ) -> Result<Self, Failure> {
        let text = text(has_columns, &[]);
        let faces = ["table_coarse_tiles", "table_finer_tiles", "lay_finer_sills"];
        let faces = has_columns.then(|| build_text(device, routes, layout, (&text, faces)));
        let faces = faces.transpose()?;
        let entries = [
            "note_finer",
            "show_present",
            "bound_faces",
            "end_sides",
            "collect",
            "lay_copies",
            "keep_before",
            "take_moment",
            "put_beyond",
            "keep_beyond",
            "turn_back",
            "fill_cells",
            "fill_flows",
            "class_coarse_tiles",
            "class_finer_tiles",
        ];
        let [
            note_finer,
            show_present,
            bound_faces,
            end_sides,
            collect,
            lay_copies,
            keep_before,
            take_moment,
            put_beyond,
            keep_beyond,
            turn_back,
            fill_cells,
            fill_flows,
            class_coarse_tiles,
            class_finer_tiles,
        ] = build_text(device, routes, layout, (&text, entries))?;
        Ok(Self {
            note_finer,
            show_present,
            bound_faces,
            end_sides,
            collect,
            lay_copies,
            keep_before,
            take_moment,
            put_beyond,
            keep_beyond,
            turn_back,
            fill_cells,
            fill_flows,
            class_coarse_tiles,
            class_finer_tiles,
            faces,
        })
    }

    /// Adds the kernel by which leaves note the water of faster ones.
    pub fn begin(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        bound: &BoundBuffers,
        level: LevelPass<'_>,
    ) {
        run(pass, bound, &self.note_finer, level, (table::FINER_TILES, GROUPS_OF_LEAF));
        if let Some([_, _, sills]) = &self.faces {
            run(pass, bound, sills, level, (table::FINER_TILES, GROUPS_OF_LEAF));
        }
    }

    /// Adds the kernel by which leaves note the water of leaves with shorter steps, after all
    /// movements before the step.
    pub fn begun(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        bound: &BoundBuffers,
        level: LevelPass<'_>,
    ) {
        run(pass, bound, &self.keep_before, level, (table::COPIES, GROUPS_OF_LEAF));
    }

    /// Adds the kernel by which leaves show faster ones the water of this moment.
    pub fn show(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        bound: &BoundBuffers,
        level: LevelPass<'_>,
    ) {
        run(pass, bound, &self.show_present, level, (table::VIEWS, GROUPS_OF_LEAF));
    }

    /// Fills the halo tiles in slower leaves.
    pub fn before_step(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        bound: &BoundBuffers,
        level: LevelPass<'_>,
    ) {
        for kernel in [&self.fill_cells, &self.fill_flows] {
            run(pass, bound, kernel, level, (table::COARSE_TILES, GROUPS_OF_LEAF));
        }
        run(pass, bound, &self.take_moment, level, (table::COPIES, GROUPS_OF_LEAF));
    }

    /// Bounds transfers over faces between levels.
    pub fn bound_faces(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        bound: &BoundBuffers,
        level: LevelPass<'_>,
    ) {
        run(pass, bound, &self.bound_faces, level, (table::BOUNDS, 1));
    }

    /// Collects transfers for slower leaves, before transfers over the boundary of the world are
    /// added; settles registers, and puts faces that faster leaves own in place.
    pub fn after_step(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        bound: &BoundBuffers,
        level: LevelPass<'_>,
    ) {
        run(pass, bound, &self.collect, level, (table::COLLECTED, 1));
        run(pass, bound, &self.end_sides, level, (table::ENDS, 1));
    }

    /// Puts discharges over far sides in the place where a cycle reads them, and beds, classes of
    /// cells and tables of faces of halo tiles.
    pub fn open(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        bound: &BoundBuffers,
        level: LevelPass<'_>,
        [has_classes, has_columns]: [bool; 2],
    ) {
        run(pass, bound, &self.put_beyond, level, (table::BEYOND, 1));
        run(pass, bound, &self.lay_copies, level, (table::COPIES, GROUPS_OF_LEAF));
        if let Some([coarse, finer, _]) = self.faces.as_ref().filter(|_| has_columns) {
            run(pass, bound, coarse, level, (table::COARSE_TILES, GROUPS_OF_LEAF));
            run(pass, bound, finer, level, (table::FINER_TILES, GROUPS_OF_LEAF));
        }
        if has_classes {
            run(pass, bound, &self.class_coarse_tiles, level, (table::COARSE_TILES, CLASS_GROUPS));
            run(pass, bound, &self.class_finer_tiles, level, (table::FINER_TILES, CLASS_GROUPS));
        }
    }

    /// Keeps discharges over far sides at the end of a cycle.
    pub fn keep_beyond(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        bound: &BoundBuffers,
        level: LevelPass<'_>,
    ) {
        run(pass, bound, &self.keep_beyond, level, (table::BEYOND, 1));
    }

    /// Copies the water of some leaves back from one of two buffers into the other.
    pub fn turn_back(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        bound: &BoundBuffers,
        (offset, leaves): (u32, u32),
    ) {
        let [x, y, z] = groups_over(leaves);
        pass.set_bind_group(0, &bound.levels, &[offset]);
        pass.set_pipeline(&self.turn_back);
        pass.dispatch_workgroups(x, y, z);
    }
}

/// Returns the text of a module of interfaces between levels, in worlds of flat or with sub-grid
/// columns, with these parts behind.
pub fn text(has_columns: bool, parts: &[&str]) -> String {
    let mut tiles = include_str!("tiles.wgsl").to_owned();
    for written in ["beds", "classes", "column_tables"] {
        tiles = tiles.replace(&format!("read> {written}"), &format!("read_write> {written}"));
    }
    let kind = kind_text(has_columns);
    let own = [
        include_str!("columns.wgsl"),
        law!("faces"),
        include_str!("levels.wgsl"),
        include_str!("halo.wgsl"),
        include_str!("halo_faces.wgsl"),
    ];
    [&[&kind[..], &tiles], &own[..], parts].concat().join("\n")
}

/// Runs a kernel over the entries of a table, with a number of workgroups for each.
pub(super) fn run(
    pass: &mut wgpu::ComputePass<'_>,
    bound: &BoundBuffers,
    kernel: &wgpu::ComputePipeline,
    (offset, counts): LevelPass<'_>,
    (table, groups): (usize, u32),
) {
    let count = counts.entries[table];
    if count == 0 {
        return;
    }
    pass.set_bind_group(0, &bound.levels, &[offset]);
    pass.set_pipeline(kernel);
    pass.dispatch_workgroups(groups, count.min(RECORDS_OF_ROW), count.div_ceil(RECORDS_OF_ROW));
}
