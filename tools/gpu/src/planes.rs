//! Planes of leaves on a card, by slot.
//!
//! ```text
//! beds, classes           what stays
//! depths, flows           twice: a step reads one and writes the other, then the two change places
//! transfers               of the step under way
//! ```
//!
//! Slot 0 lies beyond the world: all of its faces are closed. Flows and transfers of a slot are two
//! planes, over west faces and over south faces.
//!
//! Limits:     a buffer for each plane, as large as the largest that the card binds.

use crate::device::Device;
use crate::failure::Failure;
use thalweg::grid::TILE_CELLS;
use thalweg::tile::{Ground, Water};
use thalweg::units::OUTSIDE;

/// Bytes of a plane of words in a slot.
const PLANE: u64 = 4 * TILE_CELLS as u64;

/// Bytes of the classes of a slot, a byte for each cell.
const CLASSES: u64 = TILE_CELLS as u64;

/// Slots that are read at once: 48 MiB.
const READ_MOST: usize = 1024;

/// Slots that are written before the queue is flushed.
const WRITES_MOST: u32 = 256;

/// Buffers of all slots.
#[derive(Debug)]
pub struct Planes {
    device: Device,
    capacity: u32,
    /// Beds of cells.
    pub beds: wgpu::Buffer,
    /// Depths of cells, before and after a step in turns.
    pub depths: [wgpu::Buffer; 2],
    /// Discharges over faces, likewise.
    pub flows: [wgpu::Buffer; 2],
    /// Transfers over faces.
    pub transfers: wgpu::Buffer,
    /// Roughness classes of cells, four in a word.
    pub classes: wgpu::Buffer,
    /// Which of two holds the state.
    now: usize,
    /// Slots written since the queue was flushed.
    written: u32,
}

impl Planes {
    /// Planes of so many slots.
    ///
    /// # Errors
    ///
    /// The card has no memory for them, or binds no buffers of that size.
    pub fn new(device: &Device, capacity: u32) -> Result<Self, Failure> {
        let largest = u64::from(capacity) * 2 * PLANE;
        let most = device.limits.max_storage_buffer_binding_size.min(device.limits.max_buffer_size);
        if largest > most {
            return Err(Failure::Refused {
                device: device.name(),
                work: format!("planes of {capacity} leaves"),
                reason: format!("it binds buffers of {} MiB at most", most >> 20),
            });
        }
        let usage = wgpu::BufferUsages::STORAGE
            | wgpu::BufferUsages::COPY_DST
            | wgpu::BufferUsages::COPY_SRC;
        let made = device.guard("planes of leaves", |wgpu| {
            let buffer = |label, bytes: u64| {
                wgpu.create_buffer(&wgpu::BufferDescriptor {
                    label: Some(label),
                    size: u64::from(capacity) * bytes,
                    usage,
                    mapped_at_creation: false,
                })
            };
            Self {
                device: device.clone(),
                capacity,
                beds: buffer("beds", PLANE),
                depths: [buffer("depths", PLANE), buffer("depths", PLANE)],
                flows: [buffer("flows", 2 * PLANE), buffer("flows", 2 * PLANE)],
                transfers: buffer("transfers", 2 * PLANE),
                classes: buffer("classes", CLASSES),
                now: 0,
                written: 0,
            }
        })?;
        let outside = vec![OUTSIDE; TILE_CELLS];
        made.device.queue.write_buffer(&made.beds, 0, bytemuck::cast_slice(&outside));
        Ok(made)
    }

    /// Slots that there are.
    pub fn capacity(&self) -> u32 {
        self.capacity
    }

    /// Which of the two buffers of depths and of flows holds the state.
    pub fn now(&self) -> usize {
        self.now
    }

    /// So many steps were done.
    pub fn turn(&mut self, steps: u32) {
        self.now = (self.now + steps as usize) % 2;
    }

    /// The same slots in more room.
    ///
    /// # Errors
    ///
    /// As of [`Planes::new`]; the old ones stay.
    pub fn grow(&mut self, capacity: u32) -> Result<(), Failure> {
        let larger = Self { now: self.now, ..Self::new(&self.device, capacity)? };
        let mut commands = self.device.wgpu.create_command_encoder(&Default::default());
        for (old, new) in self.buffers().into_iter().zip(larger.buffers()) {
            commands.copy_buffer_to_buffer(old, 0, new, 0, old.size());
        }
        self.device.queue.submit([commands.finish()]);
        *self = larger;
        Ok(())
    }

    fn buffers(&self) -> [&wgpu::Buffer; 7] {
        let Self { beds, depths: [a, b], flows: [c, d], transfers, classes, .. } = self;
        [beds, a, b, c, d, transfers, classes]
    }

    /// Writes the ground of a slot.
    pub fn put_ground(&mut self, slot: u32, ground: &Ground) {
        let queue = &self.device.queue;
        queue.write_buffer(&self.beds, place(slot, PLANE), bytemuck::cast_slice(&ground.bed));
        let none = [0; TILE_CELLS];
        let classes = ground.roughness.as_deref().unwrap_or(&none);
        queue.write_buffer(&self.classes, place(slot, CLASSES), classes);
        self.flush();
    }

    /// Writes the water of a slot, which nothing has crossed yet.
    pub fn put_water(&mut self, slot: u32, water: &Water) {
        let queue = &self.device.queue;
        // Who does not step stays as he is in both.
        for (depths, flows) in self.depths.iter().zip(&self.flows) {
            queue.write_buffer(depths, place(slot, PLANE), bytemuck::cast_slice(&water.depth));
            let at = place(slot, 2 * PLANE);
            queue.write_buffer(flows, at, bytemuck::cast_slice(&water.flow_x));
            queue.write_buffer(flows, at + PLANE, bytemuck::cast_slice(&water.flow_y));
        }
        let none = [0_i32; 2 * TILE_CELLS];
        let at = place(slot, 2 * PLANE);
        queue.write_buffer(&self.transfers, at, bytemuck::cast_slice(&none));
        self.flush();
    }

    /// Submits what was written, now and then: the queue keeps copies until then.
    fn flush(&mut self) {
        self.written += 1;
        if self.written == WRITES_MOST {
            self.device.queue.submit([]);
            self.written = 0;
        }
    }

    /// Reads the water of slots.
    ///
    /// # Errors
    ///
    /// The card is lost.
    pub fn read(&self, slots: &[u32]) -> Result<Vec<Water>, Failure> {
        let mut water = Vec::with_capacity(slots.len());
        for slots in slots.chunks(READ_MOST) {
            water.extend(self.read_some(slots)?);
        }
        Ok(water)
    }

    fn read_some(&self, slots: &[u32]) -> Result<Vec<Water>, Failure> {
        let bytes = slots.len() as u64 * 3 * PLANE;
        let packed = self.device.guard("a copy of planes", |wgpu| {
            let packed = wgpu.create_buffer(&wgpu::BufferDescriptor {
                label: Some("packed"),
                size: bytes,
                usage: wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            let mut commands = wgpu.create_command_encoder(&Default::default());
            for (&slot, to) in slots.iter().zip((0..).step_by(3 * PLANE as usize)) {
                let (depths, flows) = (&self.depths[self.now], &self.flows[self.now]);
                let (from, both) = (place(slot, PLANE), place(slot, 2 * PLANE));
                commands.copy_buffer_to_buffer(depths, from, &packed, to, PLANE);
                commands.copy_buffer_to_buffer(flows, both, &packed, to + PLANE, 2 * PLANE);
            }
            self.device.queue.submit([commands.finish()]);
            packed
        })?;
        let words = self.device.read(&packed, 0, bytes)?;
        let (leaves, _) = words.as_chunks::<{ 3 * TILE_CELLS }>();
        let water = leaves.iter().map(|words| {
            let [depth, flow_x, flow_y] = [0, 1, 2].map(|plane| {
                let from = plane * TILE_CELLS;
                &words[from..from + TILE_CELLS]
            });
            Water {
                depth: bytemuck::cast_slice::<u32, i32>(depth).into(),
                flow_x: bytemuck::cast_slice::<u32, f32>(flow_x).into(),
                flow_y: bytemuck::cast_slice::<u32, f32>(flow_y).into(),
                contents: Vec::new(),
            }
        });
        Ok(water.collect())
    }
}

fn place(slot: u32, bytes: u64) -> u64 {
    u64::from(slot) * bytes
}
