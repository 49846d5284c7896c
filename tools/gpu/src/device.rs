//! A graphics card, opened for computing.
//!
//! Guarantees: a card that is lost, refuses a call or has no memory left gives a [`Failure`], and
//!             no panic (`a_bad_kernel_is_refused_and_nothing_panics`).
//! Limits:     errors outside of [`Device::guard`] are recorded only by a device that is watched:
//!             one from [`Device::open`], or after [`Device::watch`].
//! Source:     own.

use crate::failure::Failure;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::Duration;

/// A card with its queue.
#[derive(Debug, Clone)]
pub struct Device {
    /// Name, kind and driver of the card.
    pub info: wgpu::AdapterInfo,
    /// Sizes and counts that were granted.
    pub limits: wgpu::Limits,
    /// Device that makes buffers and kernels.
    pub wgpu: wgpu::Device,
    /// Queue that takes work.
    pub queue: wgpu::Queue,
    /// First error of the driver.
    lost: Arc<Mutex<Option<String>>>,
    is_given_up: Arc<AtomicBool>,
}

/// Storage buffers that the kernels of a stage bind.
pub const STORAGE_BUFFERS: u32 = 18;

/// Storage buffers that they bind in worlds with tracers: requested if the card has as many.
pub const WITH_CONTENTS: u32 = STORAGE_BUFFERS + 2;

/// Time within which the answer to a finished copy arrives.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

impl Device {
    /// Opens the fastest card of the system, through Vulkan, Metal or Direct3D 12; if the system
    /// has no card, a driver in software.
    ///
    /// # Errors
    ///
    /// No card, or one that does not open.
    pub fn open() -> Result<Self, Failure> {
        Self::open_as(|_| true)
    }

    /// Opens the fastest card of the system, and no driver in software.
    ///
    /// # Errors
    ///
    /// The errors of [`open`](Self::open).
    pub fn open_hardware() -> Result<Self, Failure> {
        Self::open_as(is_hardware)
    }

    fn open_as(is_good: impl Fn(&wgpu::AdapterInfo) -> bool) -> Result<Self, Failure> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends: wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12,
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        });
        let fastest = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..Default::default()
        };
        let adapter = pollster::block_on(instance.request_adapter(&fastest))
            .map_err(|error| Failure::NoAdapter { reason: error.to_string() })?;
        // A driver in software is the last choice: a card would have been taken first.
        let info = adapter.get_info();
        if !is_good(&info) {
            let reason = format!("{} is a driver in software", name(&info));
            return Err(Failure::NoAdapter { reason });
        }
        let limits = limits(&adapter.limits());
        let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
            label: Some("thalweg"),
            required_features: wgpu::Features::empty(),
            required_limits: limits.clone(),
            experimental_features: wgpu::ExperimentalFeatures::disabled(),
            memory_hints: wgpu::MemoryHints::Performance,
            trace: wgpu::Trace::Off,
        }))
        .map_err(|error| {
            let reason = error.to_string();
            Failure::NotOpened { device: name(&info), reason }
        })?;
        let opened = Self::of(info, limits, device, queue);
        opened.watch();
        Ok(opened)
    }

    /// Wraps a device that its owner, for example a renderer, shares. The owner's handlers of
    /// errors stay: only failed waits and reads count as [`lost`](Self::lost), unless
    /// [`watch`](Self::watch) is called.
    #[must_use]
    pub fn of(
        info: wgpu::AdapterInfo,
        limits: wgpu::Limits,
        wgpu: wgpu::Device,
        queue: wgpu::Queue,
    ) -> Self {
        Self { info, limits, wgpu, queue, lost: Arc::default(), is_given_up: Arc::default() }
    }

    /// Replaces the handlers of errors of this device by ones that record the first error.
    pub fn watch(&self) {
        let record = Arc::clone(&self.lost);
        self.wgpu.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            held(&record).get_or_insert(error.to_string());
        }));
        let record = Arc::clone(&self.lost);
        self.wgpu.set_device_lost_callback(move |_, message| {
            held(&record).get_or_insert(message);
        });
    }

    /// Returns this device for a user that may give it up while other users go on.
    #[must_use]
    pub fn alone(&self) -> Self {
        Self { is_given_up: Arc::default(), ..self.clone() }
    }

    /// Marks the device as lost: users that compute with it on another thread stop at their next
    /// call.
    pub fn give_up(&self) {
        self.is_given_up.store(true, Ordering::Relaxed);
    }

    /// Returns the first reason why results of this device cannot be trusted any more.
    #[must_use]
    pub fn lost(&self) -> Option<String> {
        let is_given_up = self.is_given_up.load(Ordering::Relaxed);
        held(&self.lost).clone().or_else(|| is_given_up.then(|| "it is given up".to_owned()))
    }

    /// Returns the name for messages: `NVIDIA H200 (NVIDIA 580.82, Vulkan)`.
    #[must_use]
    pub fn name(&self) -> String {
        name(&self.info)
    }

    /// Runs the calls of the work that is named `work`, and returns their errors.
    ///
    /// # Errors
    ///
    /// The device is lost, or a call was refused: then the device keeps all that it had.
    pub fn guard<T>(
        &self,
        work: &str,
        calls: impl FnOnce(&wgpu::Device) -> T,
    ) -> Result<T, Failure> {
        self.check()?;
        let filters = [
            wgpu::ErrorFilter::OutOfMemory,
            wgpu::ErrorFilter::Validation,
            wgpu::ErrorFilter::Internal,
        ];
        let scopes = filters.map(|filter| self.wgpu.push_error_scope(filter));
        let made = calls(&self.wgpu);
        let mut first = None;
        // Scopes are popped in the reverse order.
        for scope in scopes.into_iter().rev() {
            first = pollster::block_on(scope.pop()).or(first);
        }
        let Some(error) = first else { return Ok(made) };
        // Polling shows whether a device is lost; an error of it is in `error` too.
        drop(self.wgpu.poll(wgpu::PollType::Poll));
        self.check()?;
        let (device, work) = (self.name(), work.to_owned());
        Err(Failure::Refused { device, work, reason: error.to_string() })
    }

    /// Builds the kernel `entry` of the module with this text. Without a layout, bindings that the
    /// kernel does not use are left out.
    ///
    /// # Errors
    ///
    /// The device is lost, or refuses the text.
    pub fn kernel(
        &self,
        text: &str,
        entry: &str,
        layout: Option<&wgpu::PipelineLayout>,
    ) -> Result<wgpu::ComputePipeline, Failure> {
        self.guard(&format!("the kernel {entry}"), |device| {
            let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(entry),
                source: wgpu::ShaderSource::Wgsl(text.into()),
            });
            device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(entry),
                layout,
                module: &module,
                entry_point: Some(entry),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            })
        })
    }

    /// Waits until all work is done.
    ///
    /// # Errors
    ///
    /// The device is lost.
    pub fn wait(&self) -> Result<(), Failure> {
        if let Err(error) = self.wgpu.poll(wgpu::PollType::wait_indefinitely()) {
            held(&self.lost).get_or_insert(error.to_string());
        }
        self.check()
    }

    /// Waits, and returns `bytes` bytes of a buffer as words. Both numbers are multiples of 4, and
    /// the buffer has `COPY_SRC`.
    ///
    /// # Errors
    ///
    /// The device is lost, or has no memory for a copy.
    pub fn read(&self, buffer: &wgpu::Buffer, from: u64, bytes: u64) -> Result<Vec<u32>, Failure> {
        let [words] = self.copied("a copy of its results", [(buffer, from, bytes)], |_| {})?;
        Ok(words)
    }

    /// Submits commands, waits, and returns `bytes` bytes of the beginning of each buffer as words.
    /// The numbers are multiples of 4, and the buffers have `COPY_SRC`.
    ///
    /// # Errors
    ///
    /// The device is lost, refuses the commands, or has no memory for a copy.
    pub fn results<const N: usize>(
        &self,
        work: &str,
        parts: [(&wgpu::Buffer, u64); N],
        commands: impl FnOnce(&mut wgpu::CommandEncoder),
    ) -> Result<[Vec<u32>; N], Failure> {
        self.copied(work, parts.map(|(buffer, bytes)| (buffer, 0, bytes)), commands)
    }

    /// Submits commands, waits, and returns parts of buffers: from a byte on, a number of bytes.
    fn copied<const N: usize>(
        &self,
        work: &str,
        parts: [(&wgpu::Buffer, u64, u64); N],
        commands: impl FnOnce(&mut wgpu::CommandEncoder),
    ) -> Result<[Vec<u32>; N], Failure> {
        let all: u64 = parts.iter().map(|(_, _, bytes)| bytes).sum();
        let copy = self.guard(work, |device| {
            let copy = device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("copy"),
                size: all.max(wgpu::COPY_BUFFER_ALIGNMENT),
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            let mut encoder = device.create_command_encoder(&Default::default());
            commands(&mut encoder);
            let mut to = 0;
            for (buffer, from, bytes) in parts.into_iter().filter(|(_, _, bytes)| *bytes > 0) {
                encoder.copy_buffer_to_buffer(buffer, from, &copy, to, bytes);
                to += bytes;
            }
            self.queue.submit([encoder.finish()]);
            copy
        })?;
        let (sender, receiver) = mpsc::channel();
        // A receiver that is gone no longer waits for the answer.
        copy.map_async(wgpu::MapMode::Read, .., move |answer| drop(sender.send(answer)));
        self.wait()?;
        // Another user of the device may have taken the answer, and not passed it on yet.
        if let Ok(Ok(())) = receiver.recv_timeout(ANSWER_WITHIN) {
            let words: Vec<u32> = bytemuck::pod_collect_to_vec(&copy.get_mapped_range(..));
            copy.unmap();
            let mut rest = &words[..];
            return Ok(parts.map(|(_, _, bytes)| {
                let words = usize::try_from(bytes / 4).expect("words in memory");
                let (own, others) = rest.split_at(words);
                rest = others;
                own.to_vec()
            }));
        }
        held(&self.lost).get_or_insert("a copy of its results did not come back".into());
        self.check()?;
        Ok([const { Vec::new() }; N])
    }

    fn check(&self) -> Result<(), Failure> {
        let lost = |reason| Failure::Lost { device: self.name(), reason };
        self.lost().map_or(Ok(()), |reason| Err(lost(reason)))
    }
}

fn held(record: &Mutex<Option<String>>) -> MutexGuard<'_, Option<String>> {
    record.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns true for a card; false for a driver that computes on the processor.
fn is_hardware(info: &wgpu::AdapterInfo) -> bool {
    info.device_type != wgpu::DeviceType::Cpu
}

fn name(info: &wgpu::AdapterInfo) -> String {
    let api = match info.backend {
        wgpu::Backend::Vulkan => "Vulkan",
        wgpu::Backend::Metal => "Metal",
        wgpu::Backend::Dx12 => "Direct3D 12",
        _ => "another interface",
    };
    // A name may end in the chip or the compiler, which the driver's words contain too.
    let card = info.name.split(" (").next().unwrap_or(&info.name);
    let parts = [&info.driver, &info.driver_info].map(|part| part.trim());
    let driver: Vec<&str> =
        parts.into_iter().filter(|part| !part.is_empty() && *part != card).collect();
    if driver.is_empty() {
        format!("{card} ({api})")
    } else {
        format!("{card} ({}, {api})", driver.join(" "))
    }
}

/// Returns the limits of WebGPU, with storage and workgroup memory as large as on the card.
fn limits(card: &wgpu::Limits) -> wgpu::Limits {
    let usual = wgpu::Limits::default();
    wgpu::Limits {
        max_storage_buffer_binding_size: card.max_storage_buffer_binding_size,
        max_buffer_size: card.max_buffer_size,
        max_storage_buffers_per_shader_stage: card
            .max_storage_buffers_per_shader_stage
            .min(WITH_CONTENTS)
            .max(usual.max_storage_buffers_per_shader_stage),
        max_compute_workgroup_storage_size: card.max_compute_workgroup_storage_size,
        ..usual
    }
}
