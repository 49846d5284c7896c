//! Textures, with smaller copies or without.

use wgpu::{Device, Queue, Texture, TextureFormat, TextureUsages};

/// Makes a texture that shaders read.
pub(super) fn sampled(device: &Device, format: TextureFormat, size: [u32; 2]) -> Texture {
    texture(device, format, size, TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST)
}

/// Makes a square texture that shaders read, with all smaller copies down to one texel.
pub(super) fn sampled_at_all_sizes(device: &Device, format: TextureFormat, side: u32) -> Texture {
    let usage = TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST;
    with_copies(device, format, [side; 2], (usage, side.ilog2() + 1))
}

/// Makes a texture for a use.
pub(super) fn texture(
    device: &Device,
    format: TextureFormat,
    size: [u32; 2],
    usage: TextureUsages,
) -> Texture {
    with_copies(device, format, size, (usage, 1))
}

fn with_copies(
    device: &Device,
    format: TextureFormat,
    [width, height]: [u32; 2],
    (usage, mip_level_count): (TextureUsages, u32),
) -> Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    })
}

/// Writes a part of a texture, at a place and of a size.
pub(super) fn write(
    queue: &Queue,
    texture: &Texture,
    (at, size): ([u32; 2], [u32; 2]),
    bytes: &[u8],
) {
    let origin = wgpu::Origin3d { x: at[0], y: at[1], z: 0 };
    let target = wgpu::TexelCopyTextureInfo { origin, ..texture.as_image_copy() };
    let layout = wgpu::TexelCopyBufferLayout {
        offset: 0,
        bytes_per_row: u32::try_from(bytes.len()).ok().map(|count| count / size[1]),
        rows_per_image: None,
    };
    let extent = wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 };
    queue.write_texture(target, bytes, layout, extent);
}

/// Writes a square texture of four numbers a texel and its smaller copies, each the mean of four
/// texels of the one before.
pub(super) fn write_all_sizes<T: bytemuck::Pod>(
    queue: &Queue,
    texture: &Texture,
    mut texels: Vec<[f32; 4]>,
    put: impl Fn(f32) -> T,
) {
    for (level, side) in (0..).zip((0..texture.mip_level_count()).map(|l| texture.width() >> l)) {
        let numbers: Vec<T> = texels.as_flattened().iter().map(|number| put(*number)).collect();
        let bytes: &[u8] = bytemuck::cast_slice(&numbers);
        let target = wgpu::TexelCopyTextureInfo { mip_level: level, ..texture.as_image_copy() };
        let layout = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: u32::try_from(bytes.len()).ok().map(|count| count / side),
            rows_per_image: None,
        };
        let extent = wgpu::Extent3d { width: side, height: side, depth_or_array_layers: 1 };
        queue.write_texture(target, bytes, layout, extent);
        texels = halved(&texels, side as usize);
    }
}

/// Returns the means of each four texels of a square.
fn halved(texels: &[[f32; 4]], side: usize) -> Vec<[f32; 4]> {
    let half = side / 2;
    let mean = |index: usize| {
        let from = 2 * (index / half) * side + 2 * (index % half);
        let four = [from, from + 1, from + side, from + side + 1].map(|texel| texels[texel]);
        [0, 1, 2, 3].map(|channel| 0.25 * four.iter().map(|texel| texel[channel]).sum::<f32>())
    };
    (0..half * half).map(mean).collect()
}
