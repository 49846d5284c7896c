//! The kernels of a step, line by line beside the functions of the processor.
//!
//! | kernel | answers |
//! | --- | --- |
//! | `transfer_rows` | `flow::transfer` with the proposals of `flow::pipe` or `flow::shallow` |
//! | `limit_rows` | `flow::limiter` |
//! | `discharge_rows` | `flow::depth`, `flow::face`, `sim::borders`, with `flow::pipe` |
//! | | or `flow::half`, `flow::walls`, `flow::bores` and `flow::momentum` |
//! | `step_edges`, `show_edges` | `sim::boundary`, `sim::boundary_step`, where the world is open |
//! | `keep_velocities` | `sim::boundary_step`, there, with shallow water |
//! | `carry_over_boundary` | `sim::boundary_momentum`, likewise |
//! | those of [`rivers`] | `sim::boundary`, `sim::river_faces`, where rivers come in over edges |
//! | `look_for_waves`, `look_over_sides` | `sim::quiet`, `sim::borders`, under a tolerance |
//! | `force_rows` | `sim::forcing`, where something comes or goes |
//! | `look_rows` | `sim::speeds`, `sim::maps`, after the last step of a cycle |
//! | those of [`levels`] | `forest::interfaces`, where leaves of several levels meet |
//! | those of [`columns`] | `tile::columns`, between sub-grid columns |
//! | those of [`tracers`] | `flow::tracer`, where the water carries something |
//!
//! A workgroup steps four rows of a leaf, or 16 × 16 cells with shallow water. A step reads the
//! planes of its start; transfers are limited, and discharges of the pipe cut with them, in place:
//! each face by its one donor. All other results that a step computes in between stay in the
//! workgroup: values that it needs of cells beyond its own are computed again, as the processor
//! does in a halo.

mod build;
pub mod columns;
pub mod levels;
mod method;
pub mod rivers;
pub mod tracers;

pub use method::KernelMethod;

use crate::arithmetic::Routes;
use crate::device::{Device, STORAGE_BUFFERS};
use crate::failure::Failure;
use crate::kernels::build::{StepKernels, build_text};
use crate::kernels::columns::ColumnKernels;
use crate::kernels::levels::{LevelCounts, LevelKernels};
use crate::kernels::tracers::TracerKernels;
use crate::planes::CardPlanes;
use std::sync::OnceLock;

/// Workgroups of one leaf.
const GROUPS_OF_LEAF: u32 = 16;

/// Leaves in one row of workgroups, as in the text; further leaves are in the next row.
const RECORDS_OF_ROW: u32 = 32_768;

/// Cells with faces of the boundary that a workgroup steps.
const EDGE_CELLS_OF_GROUP: u32 = 64;

/// Bytes between the constants of two steps.
pub const STEP_STRIDE: u32 = 256;

/// Constants of a step, in the layout of the text.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct StepConstants {
    /// Key of the draws of west faces.
    pub key_x: [u32; 2],
    /// Key of the draws of south faces.
    pub key_y: [u32; 2],
    /// 0, which no compiler foresees.
    pub zero: u32,
    /// End of the range of records.
    pub count: u32,
    /// 1 in the last step of a cycle.
    pub is_last: u32,
    /// 1 if cells have roughness classes.
    pub has_classes: u32,
    /// Metres per vertical unit.
    pub unit_m: f32,
    /// Constants of `FaceParams`, from this one on.
    pub gravity_ratio: f32,
    /// Δ/(g Δt), s.
    pub per_gravity_ratio: f32,
    /// g, m/s².
    pub gravity: f32,
    /// Slope of one vertical unit a cell.
    pub slope_of_unit: f32,
    /// Largest `a`, m/s.
    pub gravity_most: f32,
    /// g Δt, m/s.
    pub friction: f32,
    /// Δ/Δt, m/s.
    pub speed_max: f32,
    /// Factor of damped discharges.
    pub damping: f32,
    /// Squared speed below which water is damped, per metre of depth.
    pub damping_wave: f32,
    /// Squared speed below which noise is damped, times metre of depth.
    pub damping_noise: f32,
    /// Vertical units per m²/s.
    pub units_per_flow: f32,
    /// Layers of forcing.
    pub layers: u32,
    /// Direction of each, two bits: see [`direction`].
    pub directions: u32,
    /// Place in the tables of the units that layers move in this step.
    pub rates_at: u32,
    /// Words there from one layer to the next.
    pub rates_stride: u32,
    /// Place in the tables of the cells of inflows.
    pub shares_at: u32,
    /// Place in the tables of the units that inflows bring in this step.
    pub share_units_at: u32,
    /// Depth from which cells count as wet for maps, vertical units.
    pub threshold: i32,
    /// Bits of the time at its end, s.
    pub time_word: u32,
    /// Planes of words of maps in each of two buffers.
    pub map_planes: [u32; 2],
    /// Metres per vertical unit, as used in maps.
    pub map_unit_m: f32,
    /// 1 if layers, inflows or the soil move water.
    pub is_forced: u32,
    /// Cells with faces of the boundary.
    pub edge_cells: u32,
    /// Their place in the tables.
    pub edge_cells_at: u32,
    /// Place in the tables of the stages of boundary laws at the end of the step.
    pub stages_at: u32,
    /// 1 if the pace of water at edges counts: with shallow water.
    pub counts_ends: u32,
    /// Places of the planes of words of maps.
    pub map_places: [u32; 12],
    /// Δt/Δ, s/m.
    pub cells_per_m_s: f32,
    /// 2 g (Δt/Δ)² of one vertical unit of depth.
    pub wave_of_unit: f32,
    /// Depth from which water beside a wall passes on the flow along it, vertical units.
    pub wall_least: i32,
    /// Place in the tables of the bounds of quiet water; 0 without a tolerance of sleep.
    pub quiet_at: u32,
    /// Place in the tables of the ground after Green and Ampt; 0 for no such ground.
    pub soil_at: u32,
    /// First record.
    pub first: u32,
    /// Bookings before the bookings of shares.
    pub shares_base: u32,
    /// Place in the tables of the lists of interfaces.
    pub levels_at: u32,
    /// Bits of [`turns`](crate::acts::turns).
    pub turns: u32,
    /// Part of the step that has passed.
    pub elapsed: f32,
    /// Place in the tables of the discharges that boundary laws let in; 0 without rivers.
    pub rivers_at: u32,
    /// Place in the tables of the words of sub-grid columns: the logarithm of the finest cells in a
    /// cell, the place of the openings of faces of the boundary, and 1 if leaves of the next finer
    /// level have such columns, too; 0 between flat columns.
    pub columns_at: u32,
    /// Place in the tables of the words of tracers; 0 without tracers.
    pub tracers_at: u32,
    /// Padding.
    pub pad: [u32; 3],
}

/// Directions in which a layer of forcing moves its units.
pub mod direction {
    /// Brings units.
    pub const INTO: u32 = 0;
    /// Takes units away.
    pub const OUT: u32 = 1;
    /// Gives units to the ground.
    pub const GROUND: u32 = 2;
}

/// One leaf that is awake, in the layout of the text.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct LeafRecord {
    /// Slots of the leaf and the eight around it, from south-west to north-east.
    pub near: [u32; 9],
    /// Column of the south-west cell.
    pub west: u32,
    /// Row of the south-west cell.
    pub south: u32,
    /// Sides beyond which leaves sleep: bits, west, east, south, north.
    pub asleep: u32,
    /// Class of its cells by layer of forcing; all bits if each cell has its own.
    pub layers: [u32; 4],
    /// First share of an inflow.
    pub shares_from: u32,
    /// Count of shares.
    pub shares_count: u32,
    /// Ticks since its maps were last updated, low and high half.
    pub span: [u32; 2],
    /// Place of the transfers over the boundary on its far sides; all bits for no place.
    pub far_edges: u32,
    /// Bits of [`marks`].
    pub marks: u32,
    /// Parts that move water, and behind them parts that are limited: bits of workgroups.
    pub moving: u32,
    /// Parts whose discharges are needed, likewise.
    pub finished: u32,
    /// For a halo tile, the record of the leaf that owns its west faces; all bits for no leaf.
    pub owner_west: u32,
    /// The same for its south faces.
    pub owner_south: u32,
    /// Place in the buffer of edges of the words that the halo tile to the north reads; all bits
    /// for no place.
    pub north_at: u32,
    /// Place in the buffer of edges of contents that cross its sides; all bits for no place.
    pub crossing: u32,
    /// Slots of leaves of the level with different steps across its sides; all bits for no leaf.
    pub others: [u32; 4],
    /// Slot of the halo tile that leaves with shorter steps see in its place; all bits for no tile.
    pub shown_as: u32,
    /// Padding.
    pub rest: u32,
}

impl LeafRecord {
    /// A leaf at no place, with empty fields.
    pub const NONE: Self = Self {
        near: [0; 9],
        west: 0,
        south: 0,
        asleep: 0,
        layers: [0; 4],
        shares_from: 0,
        shares_count: 0,
        span: [0; 2],
        far_edges: u32::MAX,
        marks: 0,
        moving: u32::MAX,
        finished: u32::MAX,
        owner_west: u32::MAX,
        owner_south: u32::MAX,
        north_at: u32::MAX,
        crossing: u32::MAX,
        others: [u32::MAX; 4],
        shown_as: u32::MAX,
        rest: 0,
    };
}

/// Bits of [`LeafRecord::marks`].
pub mod marks {
    /// Faster leaves own its west faces.
    pub const FINER_WEST: u32 = 1;
    /// Faster leaves own its south faces.
    pub const FINER_SOUTH: u32 = 2;
    /// Transfers over its west side are given; the next bits are for the remaining sides.
    pub const GIVEN_WEST: u32 = 4;
    /// A leaf of another level is beyond its west side; the next bits are for the remaining sides.
    pub const OTHER_WEST: u32 = 512;
    /// A halo tile.
    pub const HALO_TILE: u32 = 64;
    /// A halo tile with the ground of a leaf of its level.
    pub const COPY: u32 = 8192;
    /// The west faces, which another leaf owns, are closed.
    pub const CLOSED_WEST: u32 = 128;
    /// The south faces, which another leaf owns, are closed.
    pub const CLOSED_SOUTH: u32 = 256;
}

/// Results of the steps of a cycle for one leaf, in the layout of the text.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct LeafReport {
    /// Bits of the largest pace.
    pub pace_max: u32,
    /// Bits of the largest flow depth.
    pub flow_depth_max: u32,
    /// Clamped faces.
    pub clamped: u32,
    /// Limited cells.
    pub limited: u32,
    /// Bits of [`state`].
    pub state: u32,
    /// Bits of the largest pace at edges.
    pub pace_at_ends: u32,
    /// Reserved.
    pub rest: [u32; 2],
}

/// Bits of [`LeafReport::state`].
pub mod state {
    /// A face was too fast or uneven to sleep in the last step.
    pub const ACTIVE: u32 = 1;
    /// Water at a leaf asleep was uneven in some step.
    pub const UNEVEN_EVER: u32 = 2;
    /// Water there was uneven in the last step.
    pub const UNEVEN_LAST: u32 = 4;
    /// A face of the boundary was too busy for its leaf to sleep in some step.
    pub const BUSY: u32 = 16;
    /// Water was not quiet in the last step, under a tolerance of sleep.
    pub const LOUD: u32 = 32;
    /// First of nine bits: the parts that are wet at the end, as
    /// [`WetParts`](thalweg_engine::tile::wet_parts::WetParts).
    pub const WET_PARTS: u32 = 8;
}

/// Kernels of a method.
#[derive(Debug, Default)]
struct MethodKernels {
    /// Kernels of all leaves, in order.
    leaves: StepKernels<3>,
    /// Kernels of shallow water at edges, before and after the leaves.
    edges: StepKernels<2>,
    /// Kernels of rivers that flow in over edges, after the leaves.
    rivers: StepKernels<3>,
}

/// Kernels of a step, for all cards of a device that compute alike.
#[derive(Debug)]
pub struct Kernels {
    routes: Routes,
    layout: wgpu::BindGroupLayout,
    level_layout: wgpu::BindGroupLayout,
    /// Kernels between flat and between sub-grid columns.
    between: [Between; 2],
    /// Kernels of quiet water: its waves, and its sides.
    quiet: StepKernels<2>,
    /// Kernels of interfaces, in worlds of flat and of sub-grid columns.
    levels: [OnceLock<LevelKernels>; 2],
    columns: ColumnKernels,
    tracers: OnceLock<TracerKernels>,
}

/// Kernels of a step between columns of a kind.
#[derive(Debug, Default)]
struct Between {
    /// Phases of the methods, by [`KernelMethod::place`].
    phases: [MethodKernels; 3],
    force: StepKernels<1>,
    look: StepKernels<1>,
    edges: StepKernels<2>,
}

/// Kinds of kernels that a cycle needs beside the kernels of its leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelNeeds {
    /// True if the world is open somewhere.
    pub edges: bool,
    /// True if rivers flow in over its edges.
    pub rivers: bool,
    /// True if layers, inflows or the soil move water.
    pub force: bool,
    /// True if maps are kept.
    pub look: bool,
    /// True if leaves fall asleep under a tolerance.
    pub quiet: bool,
    /// True if leaves of several levels meet.
    pub levels: bool,
    /// Whether leaves with flat columns are stepped, and leaves with sub-grid ones.
    pub kinds: [bool; 2],
    /// True if some leaf that is awake, or beside one, has sub-grid columns.
    pub columns: bool,
    /// True if the water carries tracers.
    pub tracers: bool,
}

/// Planes and buffers as kernels bind them.
#[derive(Debug)]
pub struct BoundBuffers {
    /// For steps of leaves.
    steps: wgpu::BindGroup,
    /// For interfaces between levels.
    levels: wgpu::BindGroup,
    /// Contents of the water, beside the planes of steps, if it carries any.
    contents: Option<wgpu::BindGroup>,
}

/// One step of the leaves of a level.
#[derive(Debug, Clone, Copy)]
pub struct LevelStep<'a> {
    /// Method.
    pub method: KernelMethod,
    /// Number of its constants; the constants of its halo tiles follow, if it has any.
    pub number: u32,
    /// The constants.
    pub constants: &'a StepConstants,
    /// Interfaces of the level.
    pub counts: LevelCounts,
    /// Leaves asleep or apart beside the leaves of the level, if columns are sub-grid: their
    /// constants follow all constants of the step.
    pub beside: u32,
    /// Kernels of interfaces, if some cycle needed them.
    pub levels: Option<&'a LevelKernels>,
}

/// Leaves of a step: the place of their constants, and their number.
type LeafBatch = (u32, u32);

impl LevelStep<'_> {
    /// Returns the leaves of the level, halo tiles, and leaves asleep or apart beside the level.
    fn groups(&self) -> [LeafBatch; 3] {
        let Self { number, constants, counts: LevelCounts { halo_tiles, .. }, beside, .. } = *self;
        let behind = number + 1 + u32::from(halo_tiles > 0);
        let own = constants.count - constants.first;
        [(number, own), (number + 1, halo_tiles), (behind, beside)]
            .map(|(number, count)| (number * STEP_STRIDE, count))
    }
}

/// Buffers of a cycle beside the planes.
#[derive(Debug)]
pub struct CycleBuffers {
    /// Constants of its steps.
    pub steps: wgpu::Buffer,
    /// Leaves that are awake.
    pub records: wgpu::Buffer,
    /// Results.
    pub reports: wgpu::Buffer,
    /// Squares of Manning's n by class, units of forcing and cells of inflows.
    pub tables: wgpu::Buffer,
    /// Volumes that layers and shares of inflows moved, pairs of words.
    pub bookings: wgpu::Buffer,
    /// Faces of the boundary.
    pub edges: wgpu::Buffer,
}

impl Kernels {
    /// Makes the bindings of kernels; no kernel is built yet.
    ///
    /// # Errors
    ///
    /// The card binds too few buffers.
    pub fn new(device: &Device, routes: Routes) -> Result<Self, Failure> {
        if device.limits.max_storage_buffers_per_shader_stage < STORAGE_BUFFERS {
            return Err(Failure::Refused {
                device: device.name(),
                work: "the kernels of a step".into(),
                reason: format!(
                    "they bind {STORAGE_BUFFERS} storage buffers: ask for as many when the device \
                     is opened"
                ),
            });
        }
        let [layout, level_layout] = device
            .guard("the bindings of a step", |device| [true, false].map(|is| layout(device, is)))?;
        Ok(Self {
            routes,
            layout,
            level_layout,
            between: Default::default(),
            quiet: StepKernels::default(),
            levels: Default::default(),
            columns: ColumnKernels::default(),
            tracers: OnceLock::new(),
        })
    }

    /// Builds the kernels of a method, and all further kernels that a cycle needs.
    ///
    /// # Errors
    ///
    /// The card refuses the text.
    pub fn make(
        &self,
        device: &Device,
        method: KernelMethod,
        needs: KernelNeeds,
    ) -> Result<(), Failure> {
        for (kind, is_needed) in [false, true].into_iter().zip(needs.kinds) {
            if is_needed {
                self.make_kind(device, method, needs, kind)?;
            }
        }
        let of = (device, self.routes, &self.layout);
        let (quiet, bounds) = (include_str!("quiet.wgsl"), include_str!("quiet_bounds.wgsl"));
        let text =
            || with_tiles(false, &[include_str!("faces.wgsl"), law!("quiet"), bounds, quiet]);
        self.quiet.make(needs.quiet, of, text, ["look_for_waves", "look_over_sides"])?;
        let levels = &self.levels[usize::from(needs.columns)];
        if needs.levels && levels.get().is_none() {
            let (routes, layout) = (self.routes, &self.level_layout);
            let _ = levels.set(LevelKernels::new(device, routes, layout, needs.columns)?);
        }
        if needs.tracers && self.tracers.get().is_none() {
            let _ = self.tracers.set(TracerKernels::new(device)?);
        }
        if let Some(tracers) = self.tracers.get().filter(|_| needs.tracers) {
            tracers.make(needs, (device, self.routes), [&self.layout, &self.level_layout])?;
        }
        Ok(())
    }

    /// Builds the kernels of a method between flat columns, or between sub-grid ones.
    fn make_kind(
        &self,
        device: &Device,
        method: KernelMethod,
        needs: KernelNeeds,
        kind: bool,
    ) -> Result<(), Failure> {
        let of = (device, self.routes, &self.layout);
        let Between { force, look, edges: steps, .. } = self.between(kind);
        let MethodKernels { leaves, edges, rivers } = self.phases_of(method, kind);
        let text = || with_tiles(kind, &[&method.text()]);
        leaves.make(true, of, text, ["transfer_rows", "limit_rows", "discharge_rows"])?;
        let is_shallow = needs.edges && method != KernelMethod::Pipe;
        edges.make(is_shallow, of, text, ["keep_velocities", "carry_over_boundary"])?;
        rivers.make(needs.rivers, of, || rivers::text(method, kind), rivers::ENTRIES)?;
        let alone = [include_str!("force_alone.wgsl"), include_str!("edges_alone.wgsl")];
        let text = || with_tiles(kind, &[alone[0], include_str!("force.wgsl")]);
        force.make(needs.force, of, text, ["force_rows"])?;
        let text = || with_tiles(kind, &[include_str!("look.wgsl")]);
        look.make(needs.look, of, text, ["look_rows"])?;
        let bounds = include_str!("quiet_bounds.wgsl");
        let laws = [law!("quiet"), law!("edges")].join("\n");
        let own = [bounds, alone[1], include_str!("edge_faces.wgsl"), include_str!("edges.wgsl")];
        let own = own.join("\n");
        let text = || with_tiles(kind, &[&KernelMethod::Pipe.text(), &laws, &own]);
        steps.make(needs.edges, of, text, ["step_edges", "show_edges"])?;
        self.columns.make(kind, of)
    }

    /// Returns the kernels between sub-grid columns, or between flat ones.
    fn between(&self, has_columns: bool) -> &Between {
        &self.between[usize::from(has_columns)]
    }

    fn phases_of(&self, method: KernelMethod, has_columns: bool) -> &MethodKernels {
        &self.between(has_columns).phases[method.place()]
    }

    /// Binds planes and buffers: for steps from the first of the two buffers of depths and flows,
    /// and from the second.
    pub fn bind(
        &self,
        device: &wgpu::Device,
        planes: &CardPlanes,
        cycle: &CycleBuffers,
    ) -> [BoundBuffers; 2] {
        [0, 1].map(|from| {
            let of = |layout| bind(device, layout, (planes, from), cycle);
            let contents = self.tracers.get().map(|tracers| tracers.bind(device, planes, from));
            BoundBuffers { steps: of(&self.layout), levels: of(&self.level_layout), contents }
        })
    }

    /// Copies the contents of the leaves of a level, if any, back from one of two buffers into the
    /// other.
    pub fn turn_contents_back(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        bound: &BoundBuffers,
        (offset, constants): (u32, &StepConstants),
    ) {
        if let Some(tracers) = self.carrying(constants) {
            tracers.turn_back(pass, bound, (offset, constants.count - constants.first));
        }
    }

    /// Returns the kernels of contents, in a step of water that carries any.
    fn carrying(&self, constants: &StepConstants) -> Option<&TracerKernels> {
        self.tracers.get().filter(|_| constants.tracers_at != 0)
    }

    /// Returns the kernels of rivers in such a step.
    fn of_rivers(&self, method: KernelMethod, of: &StepConstants) -> [&wgpu::ComputePipeline; 3] {
        let has_columns = of.columns_at != 0;
        let [let_in, carry, take] = self.phases_of(method, has_columns).rivers.get();
        let carrying = self.carrying(of);
        [carrying.map_or(let_in, |tracers| tracers.rivers(has_columns)), carry, take]
    }

    /// Returns the kernel of forcing in such a step.
    fn of_forcing(&self, of: &StepConstants) -> &wgpu::ComputePipeline {
        let has_columns = of.columns_at != 0;
        match self.carrying(of) {
            Some(tracers) => tracers.force(has_columns),
            None => &self.between(has_columns).force.get()[0],
        }
    }

    /// Returns the kernels of interfaces between levels, in a world of flat columns or with
    /// sub-grid ones, if some cycle needed them.
    pub fn levels(&self, has_columns: bool) -> Option<&LevelKernels> {
        self.levels[usize::from(has_columns)].get()
    }

    /// Adds the movements over the boundary of the world before a step of a level to the commands.
    pub fn begin(&self, pass: &mut wgpu::ComputePass<'_>, bound: &BoundBuffers, of: LevelStep<'_>) {
        let LevelStep { method, number, constants, counts, .. } = of;
        if let Some(tracers) = self.carrying(constants) {
            tracers.begin(pass, bound, (number * STEP_STRIDE, &counts));
        }
        if constants.edge_cells == 0 {
            return;
        }
        let has_columns = constants.columns_at != 0;
        let phases = self.phases_of(method, has_columns);
        let of_shallow = (method != KernelMethod::Pipe).then(|| &phases.edges.get()[0]);
        let of_all = match self.carrying(constants) {
            Some(tracers) => tracers.edges(has_columns),
            None => &self.between(has_columns).edges.get()[0],
        };
        bound.set_contents(pass);
        for kernel in [Some(of_all), of_shallow].into_iter().flatten() {
            pass.set_bind_group(0, &bound.steps, &[number * STEP_STRIDE]);
            pass.set_pipeline(kernel);
            pass.dispatch_workgroups(constants.edge_cells.div_ceil(EDGE_CELLS_OF_GROUP), 1, 1);
        }
    }

    /// Adds a step of a level to the commands. The kernels of the method were made.
    pub fn step(&self, pass: &mut wgpu::ComputePass<'_>, bound: &BoundBuffers, of: LevelStep<'_>) {
        let LevelStep { method, constants, counts, levels, .. } = of;
        let [(own, count), (halo, halo_count), _] = of.groups();
        let has_columns = constants.columns_at != 0;
        let (of_leaves, of_halo) = (groups_over(count), groups_over(halo_count));
        let looks = constants.map_planes != [0; 2] && constants.is_last != 0;
        let has_edges = constants.edge_cells != 0;
        let run = |pass: &mut wgpu::ComputePass<'_>,
                   kernel: &wgpu::ComputePipeline,
                   offset: u32,
                   [x, y, z]: [u32; 3]| {
            pass.set_bind_group(0, &bound.steps, &[offset]);
            pass.set_pipeline(kernel);
            pass.dispatch_workgroups(x, y, z);
        };
        let of_edges = [constants.edge_cells.div_ceil(EDGE_CELLS_OF_GROUP), 1, 1];
        let (between, phases) = (self.between(has_columns), self.phases_of(method, has_columns));
        if let Some(levels) = levels {
            levels.before_step(pass, bound, (own, &counts));
        }
        let [move_water, limit, finish] = phases.leaves.get();
        for (kernel, bounds) in [(move_water, true), (limit, false), (finish, false)] {
            // Stages are computed before the first kernel and, once more, before the last.
            if has_columns && kernel != limit {
                self.columns.stand(kernel == finish, pass, bound, of);
            }
            run(pass, kernel, own, of_leaves);
            if halo_count > 0 {
                run(pass, kernel, halo, of_halo);
            }
            if let Some(levels) = levels.filter(|_| bounds) {
                levels.bound_faces(pass, bound, (own, &counts));
            }
        }
        let [_, row, rows] = of_leaves;
        let is_tolerant = constants.quiet_at != 0;
        if is_tolerant && constants.is_last != 0 {
            run(pass, &self.quiet.get()[0], own, [1, row, rows]);
        }
        if is_tolerant {
            run(pass, &self.quiet.get()[1], own, [1, row, rows]);
        }
        if let Some(tracers) = self.carrying(constants) {
            tracers.step(pass, bound, (own, &counts), of_leaves);
        }
        if let Some(levels) = levels {
            levels.after_step(pass, bound, (own, &counts));
        }
        if has_edges && method != KernelMethod::Pipe {
            let carry_over_boundary = &phases.edges.get()[1];
            let cells = constants.edge_cells;
            let rows = cells.div_ceil(RECORDS_OF_ROW);
            run(pass, carry_over_boundary, own, [cells.min(RECORDS_OF_ROW), rows, 1]);
        }
        if has_edges && constants.rivers_at != 0 {
            rivers::step(self.of_rivers(method, constants), pass, bound, of);
        }
        if constants.is_forced != 0 {
            run(pass, self.of_forcing(constants), own, of_leaves);
        }
        if looks && has_edges {
            run(pass, &between.edges.get()[1], own, of_edges);
        }
        if looks {
            run(pass, &between.look.get()[0], own, of_leaves);
        }
    }
}

/// Returns the workgroups over a number of records.
fn groups_over(records: u32) -> [u32; 3] {
    [GROUPS_OF_LEAF, records.min(RECORDS_OF_ROW), records.div_ceil(RECORDS_OF_ROW)]
}

/// Binds planes and buffers for steps from one of two buffers of depths and flows.
fn bind(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    (planes, from): (&CardPlanes, usize),
    cycle: &CycleBuffers,
) -> wgpu::BindGroup {
    let to = 1 - from;
    let constants = wgpu::BufferBinding {
        buffer: &cycle.steps,
        offset: 0,
        size: std::num::NonZeroU64::new(size_of::<StepConstants>() as u64),
    };
    let buffers = [
        &planes.beds,
        &planes.depths[from],
        &planes.flows[from],
        &planes.transfers,
        &cycle.records,
        &planes.depths[to],
        &planes.flows[to],
        &cycle.reports,
        &planes.classes,
        &cycle.tables,
        &cycle.bookings,
        &planes.infiltrated,
        &planes.layer_classes,
        &planes.maps[0],
        &planes.maps[1],
        &cycle.edges,
        &planes.column_tables,
        &planes.columns,
    ];
    let mut entries = vec![wgpu::BindGroupEntry {
        binding: 0,
        resource: wgpu::BindingResource::Buffer(constants),
    }];
    entries.extend((1..).zip(buffers).map(|(binding, buffer)| wgpu::BindGroupEntry {
        binding,
        resource: buffer.as_entire_binding(),
    }));
    device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("step"),
        layout,
        entries: &entries,
    })
}

/// Returns the text of a module of these parts, after the common text, between sub-grid or flat
/// columns.
fn with_tiles(has_columns: bool, parts: &[&str]) -> String {
    let kind = kind_text(has_columns);
    let all = [include_str!("tiles.wgsl"), include_str!("columns.wgsl"), law!("faces")];
    [&[&kind[..]], &all[..], parts].concat().join("\n")
}

/// Returns the kind of columns, as in the text.
fn kind_text(has_columns: bool) -> String {
    format!("const COLUMNS: bool = {has_columns};\n")
}

/// Returns the bindings of all kernels: constants, and the buffers of [`bind`] in their order.
fn layout(device: &wgpu::Device, keeps_ground: bool) -> wgpu::BindGroupLayout {
    let entry = |binding, ty, has_dynamic_offset| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset, min_binding_size: None },
        count: None,
    };
    let mut entries = vec![entry(0, wgpu::BufferBindingType::Uniform, true)];
    for binding in 1..=STORAGE_BUFFERS {
        let read_only =
            matches!(binding, 5 | 10 | 13) || keeps_ground && matches!(binding, 1 | 9 | 17);
        entries.push(entry(binding, wgpu::BufferBindingType::Storage { read_only }, false));
    }
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("step"),
        entries: &entries,
    })
}
