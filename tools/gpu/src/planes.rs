//! Planes of leaves on a card, by slot.
//!
//! ```text
//! beds, classes           what stays
//! depths, flows           twice: a step reads one and writes the other, then the two change places
//! transfers               of the step under way
//! infiltrated             where the ground takes water
//! layer classes           where cells of a leaf differ under a layer of forcing
//! maps                    flood maps, by the kinds that are kept, in two buffers
//! contents                of tracers, twice: as depths
//! column tables, columns  of sub-grid columns: their tables, and where they stand in a step
//! ```
//!
//! Slot 0 is beyond the world: all of its faces are closed. Flows and transfers of a slot are two
//! planes, over west faces and over south faces. Only the first slots have tables; the slots of
//! leaves of the finest level, and of flat leaves, follow them.
//!
//! Limits:     a buffer for each plane, as large as the largest that the card binds.

use crate::device::Device;
use crate::failure::Failure;
use thalweg::units::OUTSIDE;
use thalweg_engine::grid::{TILE_CELLS, TILE_WIDTH};
use thalweg_engine::sim::forcing::CellClasses;
use thalweg_engine::sim::maps::{MapPlanes, WORD_PLANES};
use thalweg_engine::tile::columns::openings::OPENING_WORDS;
use thalweg_engine::tile::columns::parts::ALL_QUARTERS;
use thalweg_engine::tile::columns::stages::STAGE_WORDS;
use thalweg_engine::tile::columns::{Columns, Openings, Stages};
use thalweg_engine::tile::{CowPlane, Ground, MapKinds, Water};

/// Bytes of a plane of words in a slot.
const PLANE: u64 = 4 * TILE_CELLS as u64;

/// Bytes of the classes of a slot, a byte for each cell.
const CLASSES: u64 = TILE_CELLS as u64;

/// Bytes of the classes of a slot under a layer of forcing, two for each cell.
const LAYER_CLASSES: u64 = 2 * TILE_CELLS as u64;

/// Layers of forcing that a card has classes for.
pub const LAYERS: usize = 4;

/// Planes of words of maps in the first of two buffers.
const FIRST_MAPS: usize = 6;

/// Planes of the tables of sub-grid columns: of stages, of openings over both axes, of the finest
/// cells inside the world in each cell, and one of the far sides and of quarters.
const COLUMN_TABLES: usize = STAGE_WORDS + 2 * OPENING_WORDS + 2;

/// Place of the openings along the far sides in the tables of a slot, and of the quarters.
const FAR: usize = (COLUMN_TABLES - 1) * TILE_CELLS;
const QUARTERS: usize = FAR + 2 * OPENING_WORDS * TILE_WIDTH;

/// Planes of sub-grid columns in a step.
const COLUMN_PLANES: usize = 12;

/// Planes of stages, at the start and at the end of the step, and of how fast these rise; the value
/// that they contain beyond the world.
const STAGES_AND_SLOPES: [(usize, u32); 4] = [
    (0, OUTSIDE.cast_unsigned()),
    (1, 1.0_f32.to_bits()),
    (4, OUTSIDE.cast_unsigned()),
    (5, 1.0_f32.to_bits()),
];

/// Largest number of bytes that are read at once.
const READ_MOST: u64 = 64 << 20;

/// Planes that a world has beside depths and flows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionalPlanes {
    /// True if the ground takes water.
    pub has_ground: bool,
    /// True if cells of some leaf differ under a layer of forcing.
    pub has_layer_classes: bool,
    /// True if columns are sub-grid.
    pub has_columns: bool,
    /// Flood maps that are kept.
    pub maps: MapKinds,
    /// Tracers that the water carries.
    pub tracers: u32,
}

impl OptionalPlanes {
    /// Planes of depths and flows alone.
    pub const BARE: Self = Self {
        has_ground: false,
        has_layer_classes: false,
        has_columns: false,
        maps: MapKinds::NONE,
        tracers: 0,
    };

    /// Returns the bytes of the contents of a slot.
    fn content_bytes(self) -> u64 {
        2 * PLANE * u64::from(self.tracers)
    }

    /// Returns which planes of words of maps are kept.
    fn kept(self) -> [bool; WORD_PLANES] {
        MapPlanes::has_words(self.maps)
    }

    /// Returns the places of the planes of words of maps in their buffers, all bits if one is not
    /// kept; then the counts of the two buffers.
    pub fn map_places(self) -> ([u32; 12], [u32; 2]) {
        let (mut places, mut counts) = ([u32::MAX; 12], [0; 2]);
        for (plane, is_kept) in self.kept().into_iter().enumerate() {
            let count = &mut counts[usize::from(plane >= FIRST_MAPS)];
            if is_kept {
                places[plane] = *count;
                *count += 1;
            }
        }
        (places, counts)
    }
}

/// Numbers of slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// All slots, with the one beyond the world.
    pub slots: u32,
    /// The first of these, with room for tables of columns, if any.
    pub tabled: u32,
}

impl Room {
    /// The slot beyond the world.
    pub const LEAST: Self = Self { slots: 1, tabled: 1 };
}

/// Planes of a leaf that are read and written at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PlaneGroup {
    /// Depths, discharges and contents.
    Water,
    /// Depth that the ground took.
    Infiltrated,
    /// Flood maps.
    Maps,
}

/// Largest number of slots that are written before the queue is flushed.
const WRITES_MOST: u32 = 256;

/// Buffers of all slots.
#[derive(Debug)]
pub struct CardPlanes {
    device: Device,
    room: Room,
    /// Beds of cells.
    pub beds: wgpu::Buffer,
    /// Depths of cells, before and after a step in turns.
    pub depths: [wgpu::Buffer; 2],
    /// Discharges over faces, before and after a step in turns.
    pub flows: [wgpu::Buffer; 2],
    /// Transfers over faces.
    pub transfers: wgpu::Buffer,
    /// Roughness classes of cells, four in a word.
    pub classes: wgpu::Buffer,
    /// Depth that the ground took.
    pub infiltrated: wgpu::Buffer,
    /// Classes of cells by layer of forcing, two in a word.
    pub layer_classes: wgpu::Buffer,
    /// Flood maps.
    pub maps: [wgpu::Buffer; 2],
    /// Contents of cells by tracer, as depths.
    pub contents: [wgpu::Buffer; 2],
    /// Tables of sub-grid columns.
    pub column_tables: wgpu::Buffer,
    /// Sub-grid columns in a step.
    pub columns: wgpu::Buffer,
    /// Planes beside depths and flows.
    pub shape: OptionalPlanes,
    /// Index of the buffer, of two, with the state.
    now: usize,
    /// Slots written since the queue was flushed.
    written: u32,
}

impl CardPlanes {
    /// Makes planes for `room` slots.
    ///
    /// # Errors
    ///
    /// The card has no memory for them, or binds no buffers of that size.
    pub fn new(device: &Device, room: Room, shape: OptionalPlanes) -> Result<Self, Failure> {
        let Room { slots, tabled } = room;
        let (_, [a, b]) = shape.map_places();
        let maps = [a, b].map(|count| u64::from(count) * PLANE);
        let of = |is_there: bool, bytes: u64| if is_there { bytes } else { 0 };
        let tables = of(shape.has_columns, COLUMN_TABLES as u64 * PLANE);
        let contents = shape.content_bytes();
        let largest = maps[0].max(maps[1]).max(2 * PLANE).max(contents);
        check_room(device, room, [largest, tables])?;
        let usage = wgpu::BufferUsages::STORAGE
            | wgpu::BufferUsages::COPY_DST
            | wgpu::BufferUsages::COPY_SRC;
        let made = device.guard("planes of leaves", |wgpu| {
            let buffer_of = |label, slots: u32, bytes: u64| {
                wgpu.create_buffer(&wgpu::BufferDescriptor {
                    label: Some(label),
                    // A binding cannot be empty.
                    size: (u64::from(slots) * bytes).max(PLANE),
                    usage,
                    mapped_at_creation: false,
                })
            };
            let buffer = |label, bytes| buffer_of(label, slots, bytes);
            let columns = of(shape.has_columns, COLUMN_PLANES as u64 * PLANE);
            Self {
                device: device.clone(),
                room,
                beds: buffer("beds", PLANE),
                depths: [buffer("depths", PLANE), buffer("depths", PLANE)],
                flows: [buffer("flows", 2 * PLANE), buffer("flows", 2 * PLANE)],
                transfers: buffer("transfers", 2 * PLANE),
                classes: buffer("classes", CLASSES),
                infiltrated: buffer("infiltrated", of(shape.has_ground, PLANE)),
                layer_classes: buffer(
                    "layer classes",
                    of(shape.has_layer_classes, LAYERS as u64 * LAYER_CLASSES),
                ),
                maps: maps.map(|bytes| buffer("maps", bytes)),
                contents: [(); 2].map(|()| buffer("contents", contents)),
                column_tables: buffer_of("tables of columns", tabled, tables),
                columns: buffer_of("columns", tabled, columns),
                shape,
                now: 0,
                written: 0,
            }
        })?;
        made.put_outside();
        Ok(made)
    }

    /// Writes the ground beyond the world.
    fn put_outside(&self) {
        let queue = &self.device.queue;
        let outside = vec![OUTSIDE; TILE_CELLS];
        queue.write_buffer(&self.beds, 0, bytemuck::cast_slice(&outside));
        if self.shape.has_columns {
            let (cells, faces) = (Stages::flat(TILE_CELLS), Openings::closed(TILE_CELLS));
            let words = table_words(&cells, [&faces, &faces], |_| 0);
            queue.write_buffer(&self.column_tables, 0, bytemuck::cast_slice(&words));
            for (plane, word) in STAGES_AND_SLOPES {
                let words = vec![word; TILE_CELLS];
                let at = plane as u64 * PLANE;
                queue.write_buffer(&self.columns, at, bytemuck::cast_slice(&words));
            }
        }
    }

    /// Returns the numbers of slots.
    pub fn room(&self) -> Room {
        self.room
    }

    /// Returns the index of the buffer of depths and of flows, of two, with the state.
    pub fn now(&self) -> usize {
        self.now
    }

    /// Counts `steps` steps as done.
    pub fn turn(&mut self, steps: u32) {
        self.now = (self.now + steps as usize) % 2;
    }

    /// Makes room for more slots.
    ///
    /// # Errors
    ///
    /// The errors of [`CardPlanes::new`]; the old planes stay.
    pub fn grow(&mut self, room: Room) -> Result<(), Failure> {
        let larger = Self { now: self.now, ..Self::new(&self.device, room, self.shape)? };
        let mut commands = self.device.wgpu.create_command_encoder(&Default::default());
        for (old, new) in self.buffers().into_iter().zip(larger.buffers()) {
            commands.copy_buffer_to_buffer(old, 0, new, 0, old.size().min(new.size()));
        }
        self.device.queue.submit([commands.finish()]);
        *self = larger;
        Ok(())
    }

    /// Returns the buffers whose planes stay from step to step.
    fn buffers(&self) -> Vec<&wgpu::Buffer> {
        let Self { beds, depths: [a, b], flows: [c, d], transfers, classes, .. } = self;
        let Self { infiltrated, layer_classes, maps: [e, f], column_tables, .. } = self;
        let rest = [infiltrated, layer_classes, e, f, column_tables];
        let water = [beds, a, b, c, d, transfers, classes];
        water.into_iter().chain(rest).chain(&self.contents).collect()
    }

    /// Writes the ground of a slot.
    pub fn put_ground(&mut self, slot: u32, level: u8, ground: &Ground) {
        let queue = &self.device.queue;
        queue.write_buffer(&self.beds, place(slot, PLANE), bytemuck::cast_slice(&ground.bed));
        let none = [0; TILE_CELLS];
        let classes = ground.roughness.as_deref().unwrap_or(&none);
        queue.write_buffer(&self.classes, place(slot, CLASSES), classes);
        if let Some(columns) = ground.columns.as_deref().filter(|_| self.shape.has_columns) {
            let words = words_of_columns(columns, level);
            let at = place(slot, COLUMN_TABLES as u64 * PLANE);
            queue.write_buffer(&self.column_tables, at, bytemuck::cast_slice(&words));
        }
        self.flush();
    }

    /// Writes the water of a slot, before any transfer.
    pub fn put_water(&mut self, slot: u32, water: &Water) {
        let queue = &self.device.queue;
        // A leaf that is not stepped stays the same in both.
        for (depths, flows) in self.depths.iter().zip(&self.flows) {
            queue.write_buffer(depths, place(slot, PLANE), bytemuck::cast_slice(&water.depth));
            let at = place(slot, 2 * PLANE);
            queue.write_buffer(flows, at, bytemuck::cast_slice(&water.flow_x));
            queue.write_buffer(flows, at + PLANE, bytemuck::cast_slice(&water.flow_y));
        }
        for (tracer, plane) in (0..).zip(&water.contents) {
            let at = place(slot, self.shape.content_bytes()) + tracer * 2 * PLANE;
            for contents in &self.contents {
                queue.write_buffer(contents, at, bytemuck::cast_slice(plane));
            }
        }
        let none = [0_i32; 2 * TILE_CELLS];
        let at = place(slot, 2 * PLANE);
        queue.write_buffer(&self.transfers, at, bytemuck::cast_slice(&none));
        self.flush();
    }

    /// Writes the water of a slot into the buffers of one of two turns.
    pub fn put_in_turn(&mut self, slot: u32, water: &Water, is_turned: bool) {
        let queue = &self.device.queue;
        let turn = (self.now + usize::from(is_turned)) % 2;
        let (depths, flows) = (&self.depths[turn], &self.flows[turn]);
        queue.write_buffer(depths, place(slot, PLANE), bytemuck::cast_slice(&water.depth));
        let at = place(slot, 2 * PLANE);
        queue.write_buffer(flows, at, bytemuck::cast_slice(&water.flow_x));
        queue.write_buffer(flows, at + PLANE, bytemuck::cast_slice(&water.flow_y));
        let at = place(slot, self.shape.content_bytes());
        for (tracer, plane) in (0..).zip(&water.contents) {
            let at = at + tracer * 2 * PLANE;
            queue.write_buffer(&self.contents[turn], at, bytemuck::cast_slice(plane));
        }
        self.flush();
    }

    /// Reads the water of slots out of the buffers of one of two turns.
    ///
    /// # Errors
    ///
    /// The card is lost.
    pub fn read_in_turn(&self, slots: &[u32], is_turned: bool) -> Result<Vec<Water>, Failure> {
        let turn = (self.now + usize::from(is_turned)) % 2;
        let words = self.read_from(turn, PlaneGroup::Water, slots)?;
        Ok(words.iter().map(|words| water_of(words)).collect())
    }

    /// Writes the classes of the cells of a slot under a layer of forcing, where they differ.
    pub fn put_layer_classes(&mut self, slot: u32, layer: usize, classes: &CellClasses) {
        let words: Vec<u16> = (0..TILE_CELLS).map(|cell| classes.at(cell)).collect();
        let at = place(slot, LAYERS as u64 * LAYER_CLASSES) + layer as u64 * LAYER_CLASSES;
        self.device.queue.write_buffer(&self.layer_classes, at, bytemuck::cast_slice(&words));
        self.flush();
    }

    /// Writes the depth that the ground of a slot took.
    pub fn put_infiltrated(&mut self, slot: u32, plane: &CowPlane<i32>) {
        let (at, bytes) = (place(slot, PLANE), bytemuck::cast_slice(plane));
        self.device.queue.write_buffer(&self.infiltrated, at, bytes);
        self.flush();
    }

    /// Writes the flood maps of a slot.
    pub fn put_maps(&mut self, slot: u32, maps: &MapPlanes) {
        let (places, counts) = self.shape.map_places();
        for (plane, words) in maps.words().into_iter().enumerate() {
            let Some(words) = words else { continue };
            let buffer = usize::from(plane >= FIRST_MAPS);
            let at = u64::from(slot * counts[buffer] + places[plane]) * PLANE;
            self.device.queue.write_buffer(&self.maps[buffer], at, bytemuck::cast_slice(&words));
        }
        self.flush();
    }

    /// Submits the written planes from time to time: the queue keeps copies until then.
    fn flush(&mut self) {
        self.written += 1;
        if self.written == WRITES_MOST {
            self.device.queue.submit([]);
            self.written = 0;
        }
    }

    /// Reads a part of slots: the words of each.
    ///
    /// # Errors
    ///
    /// The card is lost.
    pub fn read(&self, part: PlaneGroup, slots: &[u32]) -> Result<Vec<Vec<u32>>, Failure> {
        self.read_from(self.now, part, slots)
    }

    /// Reads a part of slots, water in one of the two buffers.
    fn read_from(
        &self,
        turn: usize,
        part: PlaneGroup,
        slots: &[u32],
    ) -> Result<Vec<Vec<u32>>, Failure> {
        let bytes: u64 = self.pieces((part, turn), 0).iter().map(|(_, _, bytes)| bytes).sum();
        let mut words = Vec::with_capacity(slots.len());
        if bytes == 0 {
            return Ok(vec![Vec::new(); slots.len()]);
        }
        let most = usize::try_from(READ_MOST / bytes).expect("64 MiB");
        for slots in slots.chunks(most) {
            words.extend(self.read_some((part, turn), slots, bytes)?);
        }
        Ok(words)
    }

    fn read_some(
        &self,
        part: (PlaneGroup, usize),
        slots: &[u32],
        bytes: u64,
    ) -> Result<Vec<Vec<u32>>, Failure> {
        let all = slots.len() as u64 * bytes;
        let packed = self.device.guard("a copy of planes", |wgpu| {
            let packed = wgpu.create_buffer(&wgpu::BufferDescriptor {
                label: Some("packed"),
                size: all,
                usage: wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            let mut commands = wgpu.create_command_encoder(&Default::default());
            let mut to = 0;
            for &slot in slots {
                for (buffer, from, bytes) in self.pieces(part, slot) {
                    commands.copy_buffer_to_buffer(buffer, from, &packed, to, bytes);
                    to += bytes;
                }
            }
            self.device.queue.submit([commands.finish()]);
            packed
        })?;
        let words = self.device.read(&packed, 0, all)?;
        let of_slot = usize::try_from(bytes / 4).expect("words of a slot");
        Ok(words.chunks(of_slot).map(<[u32]>::to_vec).collect())
    }

    /// Returns the places of the planes of a part of a slot, water in one of two buffers: buffer,
    /// place and bytes.
    fn pieces(
        &self,
        (part, turn): (PlaneGroup, usize),
        slot: u32,
    ) -> Vec<(&wgpu::Buffer, u64, u64)> {
        match part {
            PlaneGroup::Water => {
                let (depths, flows) = (&self.depths[turn], &self.flows[turn]);
                let both = place(slot, 2 * PLANE);
                let (contents, bytes) = (&self.contents[turn], self.shape.content_bytes());
                let mut pieces =
                    vec![(depths, place(slot, PLANE), PLANE), (flows, both, 2 * PLANE)];
                if bytes > 0 {
                    pieces.push((contents, place(slot, bytes), bytes));
                }
                pieces
            }
            PlaneGroup::Infiltrated => vec![(&self.infiltrated, place(slot, PLANE), PLANE)],
            PlaneGroup::Maps => {
                let (_, counts) = self.shape.map_places();
                let kept = self.maps.iter().zip(counts).filter(|(_, count)| *count > 0);
                let piece = |(buffer, count): (_, u32)| {
                    let bytes = u64::from(count) * PLANE;
                    (buffer, place(slot, bytes), bytes)
                };
                kept.map(piece).collect()
            }
        }
    }
}

/// Checks whether a card binds buffers of these bytes a slot, and a slot with tables.
fn check_room(
    device: &Device,
    Room { slots, tabled }: Room,
    [of_slot, of_tabled]: [u64; 2],
) -> Result<(), Failure> {
    let most = device.limits.max_storage_buffer_binding_size.min(device.limits.max_buffer_size);
    // Places in the kernels are u32.
    let most = most.min(4 << 32);
    if (u64::from(slots) * of_slot).max(u64::from(tabled) * of_tabled) <= most {
        return Ok(());
    }
    Err(Failure::Refused {
        device: device.name(),
        work: format!("planes of {slots} leaves, {tabled} with tables"),
        reason: format!("it binds buffers of {} MiB at most", most >> 20),
    })
}

/// Returns the planes of the tables of a tile of a level, in order.
fn words_of_columns(columns: &Columns, level: u8) -> Vec<u32> {
    let inside = |cell: usize| match &columns.parts {
        Some(parts) => parts.inside(cell),
        None => 1 << (2 * level),
    };
    let mut words = table_words(&columns.stages, [&columns.faces[0], &columns.faces[1]], inside);
    for (axis, far) in columns.far.iter().enumerate() {
        for (i, table) in far.faces.iter().enumerate() {
            for (word, value) in table.words().into_iter().enumerate() {
                words[FAR + (axis * OPENING_WORDS + word) * TILE_WIDTH + i] = value;
            }
        }
    }
    for cell in 0..TILE_CELLS {
        let quarters = columns.parts.as_ref().map_or(ALL_QUARTERS, |parts| parts.quarters(cell));
        words[QUARTERS + cell / 8] |= u32::from(quarters) << (4 * (cell % 8));
    }
    words
}

fn table_words(stages: &Stages, faces: [&Openings; 2], inside: impl Fn(usize) -> u32) -> Vec<u32> {
    let mut words = vec![0; COLUMN_TABLES * TILE_CELLS];
    let mut put = |plane: usize, cell: usize, word| words[plane * TILE_CELLS + cell] = word;
    for cell in 0..TILE_CELLS {
        let openings = faces.map(|faces| faces.faces[cell].words());
        let all = stages.cells[cell].words().into_iter().chain(openings.into_iter().flatten());
        all.chain([inside(cell)]).enumerate().for_each(|(plane, word)| put(plane, cell, word));
    }
    words
}

/// Returns the water in the words of its part.
pub fn water_of(words: &[u32]) -> Water {
    let [depth, flow_x, flow_y] = [0, 1, 2].map(|plane| {
        let from = plane * TILE_CELLS;
        &words[from..from + TILE_CELLS]
    });
    let content = |words: &[u32]| -> CowPlane<i64> {
        let pairs = words.as_chunks::<2>().0.iter();
        let contents = pairs.map(|pair| i64::from(pair[1]) << 32 | i64::from(pair[0]));
        contents.collect::<Vec<i64>>().into()
    };
    Water {
        depth: bytemuck::cast_slice::<u32, i32>(depth).into(),
        flow_x: bytemuck::cast_slice::<u32, f32>(flow_x).into(),
        flow_y: bytemuck::cast_slice::<u32, f32>(flow_y).into(),
        contents: words[3 * TILE_CELLS..].chunks(2 * TILE_CELLS).map(content).collect(),
    }
}

/// Returns the flood maps in the words of their part.
pub fn maps_of(words: &[u32], shape: OptionalPlanes) -> MapPlanes {
    let mut planes = words.chunks(TILE_CELLS);
    let words = shape.kept().map(|is_kept| if is_kept { planes.next() } else { None });
    MapPlanes::of_words(shape.maps, words)
}

fn place(slot: u32, bytes: u64) -> u64 {
    u64::from(slot) * bytes
}
