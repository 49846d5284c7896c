//! Textures of one layer, without smaller copies.

use wgpu::{Device, Queue, Texture, TextureFormat, TextureUsages};

/// A texture that shaders read.
pub(super) fn sampled(device: &Device, format: TextureFormat, size: [u32; 2]) -> Texture {
    texture(device, format, size, TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST)
}

/// A texture for a use.
pub(super) fn texture(
    device: &Device,
    format: TextureFormat,
    [width, height]: [u32; 2],
    usage: TextureUsages,
) -> Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    })
}

/// Writes a part of a texture: where, and how large.
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
