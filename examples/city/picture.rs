//! The game's window: the map from above, and the facts beside it.

use super::building::{Building, BuildingKind};
use super::map::{self, CityPoint, FOUL, MAP_M, SIZE};
use super::works::CityTool;
use super::{City, CityResult, GOAL, SEASON, SEASONS, SPRINGS, WRECKED_MOST, YEAR};
use ggez::conf::{Backend, NumSamples, WindowMode, WindowSetup};
use ggez::graphics::{
    Canvas, Color, DrawMode, DrawParam, Image, ImageFormat, Mesh, MeshBuilder, Rect, Sampler, Text,
    TextFragment,
};
use ggez::winit::event_loop::EventLoop;
use ggez::{Context, ContextBuilder, GameError};
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use thalweg::world::CellPlace;

/// Pixels of a metre, of the map, and of the words over and under it.
const SCALE: f64 = 1.2;
const MAP: [u32; 2] = [1152, 576];
const HEAD: f32 = 84.0;
const FOOT: f32 = 30.0;
/// Number of frames for which news remain.
const NEWS_FRAMES: u32 = 400;
const WINDOW: Rect = Rect { x: 0.0, y: -HEAD, w: MAP[0] as f32, h: MAP[1] as f32 + HEAD + FOOT };

const INK: Color = Color { r: 0.93, g: 0.93, b: 0.88, a: 1.0 };
const PANEL: Color = Color { r: 0.09, g: 0.11, b: 0.13, a: 1.0 };

/// Opens the window.
pub fn window() -> CityResult<(Context, EventLoop<()>)> {
    let setup = WindowSetup::default().title("City on a flood plain").samples(NumSamples::One);
    let mode = WindowMode::default().dimensions(WINDOW.w, WINDOW.h).resizable(true);
    let builder = ContextBuilder::new("thalweg-city", "thalweg").backend(Backend::OnlyPrimary);
    builder.window_setup(setup).window_mode(mode).build().map_err(|reason| {
        let lacks = match reason {
            GameError::EventLoopError(_) | GameError::WindowCreationError(_) => {
                "there is no display: start it in a graphical session".to_owned()
            }
            GameError::GraphicsInitializationError | GameError::RequestDeviceError(_) => {
                "there is no driver for Vulkan, Metal or DirectX 12: install one (on Debian \
                 mesa-vulkan-drivers)"
                    .to_owned()
            }
            other => other.to_string(),
        };
        format!("no window opens: {lacks}, or play a script with --script MOVES").into()
    })
}

/// Returns the pointer's place on the map.
pub fn place(ctx: &Context) -> CityPoint {
    let (at, (width, height)) = (ctx.mouse.position(), ctx.gfx.drawable_size());
    let x = at.x / width * WINDOW.w + WINDOW.x;
    let y = at.y / height * WINDOW.h + WINDOW.y;
    [f64::from(x) / SCALE, MAP_M[1] - f64::from(y) / SCALE]
}

/// Converts a length of the map to one of the window.
#[expect(clippy::cast_possible_truncation, reason = "f32 is what the window draws with")]
fn pixels(metres: f64) -> f32 {
    (metres * SCALE) as f32
}

/// Converts a place of the map to one of the window.
fn pixel([x, y]: CityPoint) -> [f32; 2] {
    [pixels(x), pixels(MAP_M[1] - y)]
}

/// Saves the last picture of the window.
pub fn save(ctx: &Context, path: &Path) -> CityResult {
    let frame = ctx.gfx.frame();
    let mut pixels = frame.to_pixels(ctx)?;
    if frame.format() == ImageFormat::Bgra8UnormSrgb {
        pixels.chunks_exact_mut(4).for_each(|pixel| pixel.swap(0, 2));
    }
    let file = File::create(path);
    let file = file.map_err(|reason| format!("{} cannot be written: {reason}", path.display()))?;
    let mut encoder = png::Encoder::new(BufWriter::new(file), frame.width(), frame.height());
    encoder.set_color(png::ColorType::Rgba);
    encoder.write_header()?.write_image_data(&pixels)?;
    Ok(())
}

fn mix(from: [f64; 3], to: [f64; 3], part: f64) -> [f64; 3] {
    [0, 1, 2].map(|i| from[i] + (to[i] - from[i]) * part.clamp(0.0, 1.0))
}

#[expect(clippy::cast_possible_truncation, reason = "0 to 255")]
fn byte(part: f64) -> u8 {
    part.clamp(0.0, 255.0) as u8
}

fn colour(rgb: [f64; 3]) -> Color {
    let [r, g, b] = rgb.map(byte);
    Color::from_rgb(r, g, b)
}

/// Pictures that do not change, and the water's texture.
pub struct CityPicture {
    ground: Image,
    water: Image,
    pixels: Vec<u8>,
    /// Number of news that were shown, and frames for which the last of them remains.
    told: (usize, u32),
}

impl CityPicture {
    pub fn new(ctx: &Context) -> Self {
        let [width, height] = SIZE;
        let pixels = vec![0; 4 * (width * height) as usize];
        let format = ImageFormat::Rgba8UnormSrgb;
        let ground = Image::from_pixels(ctx, &ground(), format, MAP[0], MAP[1]);
        let water = Image::from_pixels(ctx, &pixels, format, width, height);
        Self { ground, water, pixels, told: (0, 0) }
    }

    /// Draws the city, and the work that the player is about to build.
    pub fn draw(
        &mut self,
        ctx: &mut Context,
        city: &City,
        (tool, height_m, plan): (CityTool, f64, Option<[CityPoint; 2]>),
    ) -> CityResult {
        self.bring_water_up_to_date(ctx, city);
        let mut canvas = Canvas::from_frame(ctx, PANEL);
        canvas.set_screen_coordinates(WINDOW);
        canvas.set_sampler(Sampler::linear_clamp());
        canvas.draw(&self.ground, DrawParam::default());
        let is_field = |building: &&Building| building.kind == BuildingKind::Farm;
        let mut fields = MeshBuilder::new();
        for farm in city.buildings.iter().filter(is_field) {
            draw_field(&mut fields, farm)?;
        }
        canvas.draw(&Mesh::from_data(ctx, fields.build()), DrawParam::default());
        let [x, y] = [MAP[0] as f32 / SIZE[0] as f32, MAP[1] as f32 / SIZE[1] as f32];
        canvas.draw(&self.water, DrawParam::default().scale([x, y]));
        let mut over = MeshBuilder::new();
        for building in city.buildings.iter().filter(|building| !is_field(building)) {
            draw_house(&mut over, building, city.power_kw > 0.0)?;
        }
        for (name, path) in city.works() {
            draw_works(&mut over, name, &path)?;
        }
        over.circle(DrawMode::stroke(2.5), pixel(map::INTAKE), 6.0, 0.2, INK)?;
        if let Some([from, to]) = plan {
            let to = if tool.is_line() { to } else { from };
            draw_works(&mut over, tool.name(), &[from, to])?;
        }
        for (y, h) in [(-HEAD, HEAD), (MAP[1] as f32, FOOT)] {
            over.rectangle(DrawMode::fill(), Rect { y, h, ..WINDOW }, PANEL)?;
        }
        canvas.draw(&Mesh::from_data(ctx, over.build()), DrawParam::default());
        let mut write = |words: String, x: f32, y: f32, scale: f32| {
            let text = Text::new(TextFragment::new(words).scale(scale).color(INK));
            canvas.draw(&text, DrawParam::default().dest([x, y]));
        };
        let [figures, river] = sayings(city);
        write(figures, 12.0, 8.0 - HEAD, 20.0);
        write(river, 12.0, 34.0 - HEAD, 17.0);
        let line = plan.unwrap_or([[0.0; 2]; 2]);
        write(hint(tool, height_m, line), 12.0, 58.0 - HEAD, 17.0);
        let keys = "1-5 choose, drag builds, right click removes, wheel: height, Z/Y back and \
                    again, space: pause, F: fast";
        let (count, frames) = self.told;
        let frames = if city.news.len() > count { NEWS_FRAMES } else { frames.saturating_sub(1) };
        self.told = (city.news.len(), frames);
        let news = city.news.last().filter(|_| frames > 0).map_or(keys, |news| news);
        write(news.to_owned(), 12.0, MAP[1] as f32 + 7.0, 16.0);
        if let Some(ending) = city.ending {
            write(format!("{ending:?}"), 500.0, 340.0, 64.0);
        }
        Ok(canvas.finish(ctx)?)
    }

    /// Draws water by its depth, with its effluent, into the existing texture.
    fn bring_water_up_to_date(&mut self, ctx: &Context, city: &City) {
        let [width, height] = SIZE;
        let cells = (0..height).rev().flat_map(|y| (0..width).map(move |x| CellPlace { x, y }));
        for (place, pixel) in cells.zip(self.pixels.chunks_exact_mut(4)) {
            let depth_m = city.world.water().depth_m(place).unwrap_or(0.0);
            let foul = city.world.water().concentration("effluent", place).unwrap_or(0.0) / FOUL;
            let speed_m_s = city.world.water().speed_m_s(place).unwrap_or(0.0);
            let clear = mix([122.0, 168.0, 186.0], [22.0, 66.0, 118.0], depth_m / 3.0);
            let clear = mix(clear, [196.0, 218.0, 222.0], 0.09 * (speed_m_s - 1.0));
            let tinted = mix(clear, [96.0, 84.0, 16.0], 0.8 * (foul - 0.4));
            let alpha = 255.0 * (0.45 + 0.7 * depth_m).min(0.93) * (depth_m / 0.06).min(1.0);
            pixel[..3].copy_from_slice(&tinted.map(byte));
            pixel[3] = byte(alpha);
        }
        ctx.gfx.wgpu().queue.write_texture(
            self.water.wgpu().texture().as_image_copy(),
            &self.pixels,
            wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(4 * width),
                rows_per_image: None,
            },
            wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        );
    }
}

/// Draws the ground with the light from the north-west.
fn ground() -> Vec<u8> {
    let mut pixels = Vec::with_capacity(4 * (MAP[0] * MAP[1]) as usize);
    for row in 0..MAP[1] {
        for column in 0..MAP[0] {
            let [x, y] = [f64::from(column) / SCALE, MAP_M[1] - f64::from(row) / SCALE];
            let up = map::height_m([x, y]);
            let east = map::height_m([x + 2.0, y]) - up;
            let north = map::height_m([x, y + 2.0]) - up;
            let light = 1.0 + 0.3 * (east - north).clamp(-1.3, 1.3);
            let above = up - 10.0 - 0.002 * (MAP_M[0] - x);
            let grass = mix([128.0, 148.0, 88.0], [84.0, 110.0, 64.0], above / 9.0);
            let land = mix(grass, [140.0, 132.0, 106.0], (above - 16.0) / 30.0);
            let sand = mix(land, [172.0, 158.0, 120.0], -1.6 * above);
            pixels.extend(sand.map(|part| byte(part * light)));
            pixels.push(255);
        }
    }
    pixels
}

/// Returns a square around a place, `beyond_m` outside the building's walls, or inside if below 0.
fn square(building: &Building, beyond_m: f64) -> Rect {
    let half_m = building.half_m() + beyond_m;
    let [x, y] = pixel([building.at[0] - half_m, building.at[1] + half_m]);
    let side = pixels(2.0 * half_m);
    Rect::new(x, y, side, side)
}

fn draw_field(mesh: &mut MeshBuilder, farm: &Building) -> CityResult {
    let crop = mix([92.0, 80.0, 60.0], [206.0, 180.0, 84.0], farm.worth);
    mesh.rectangle(DrawMode::fill(), square(farm, 0.0), colour(crop))?;
    let furrow = colour(mix(crop, [80.0, 90.0, 40.0], 0.4));
    for row in 0..6_u8 {
        let Rect { x, y, w, .. } = square(farm, 0.0);
        let y = y + (f32::from(row) + 0.5) * w / 6.0;
        mesh.line(&[[x, y], [x + w, y]], 2.0, furrow)?;
    }
    Ok(())
}

fn draw_house(mesh: &mut MeshBuilder, building: &Building, is_lit: bool) -> CityResult {
    let whole = match building.kind {
        BuildingKind::Plant => [128.0, 104.0, 142.0],
        _ => [196.0, 92.0, 62.0],
    };
    let roof = mix([46.0, 42.0, 42.0], whole, (building.worth - 0.3) / 0.7);
    mesh.rectangle(DrawMode::fill(), square(building, 0.0), colour(roof.map(|part| 0.6 * part)))?;
    mesh.rectangle(DrawMode::fill(), square(building, -2.0), colour(roof))?;
    let Rect { x, y, w, h } = square(building, -2.0);
    let ridge = colour(roof.map(|part| 0.75 * part));
    if building.is_wrecked() {
        mesh.line(&[[x, y], [x + w, y + h]], 2.5, INK)?;
        mesh.line(&[[x, y + h], [x + w, y]], 2.5, INK)?;
    } else if building.kind == BuildingKind::Plant {
        for part in [0.3, 0.7] {
            mesh.circle(DrawMode::fill(), [x + part * w, y + 0.4 * h], 5.0, 0.2, ridge)?;
        }
    } else {
        mesh.line(&[[x, y + h / 2.0], [x + w, y + h / 2.0]], 2.0, ridge)?;
        if is_lit && building.people > 1.0 {
            let window = Rect::new(x + 0.62 * w, y + 0.62 * h, 4.0, 4.0);
            mesh.rectangle(DrawMode::fill(), window, Color::from_rgb(255, 226, 120))?;
        }
    }
    Ok(())
}

/// Draws works by the first word of their name.
fn draw_works(mesh: &mut MeshBuilder, name: &str, path: &[CityPoint]) -> CityResult {
    let points: Vec<[f32; 2]> = path.iter().map(|&at| pixel(at)).collect();
    let [from, to] = [points[0], points[points.len() - 1]];
    let is_line = (from[0] - to[0]).hypot(from[1] - to[1]) > 1.0;
    let dark = Color::from_rgb(40, 34, 28);
    let steel = Color::from_rgb(226, 190, 70);
    match name.split(' ').next() {
        Some("levee") if is_line => {
            mesh.line(&points, 6.0, dark)?;
            mesh.line(&points, 3.0, Color::from_rgb(190, 152, 96))?;
        }
        Some("dam") if is_line => {
            mesh.line(&points, 11.0, dark)?;
            mesh.line(&points, 7.0, Color::from_rgb(204, 204, 200))?;
        }
        Some("pump") => {
            if is_line {
                mesh.line(&points, 2.5, steel)?;
                mesh.circle(DrawMode::stroke(2.0), to, 4.0, 0.2, steel)?;
            }
            mesh.circle(DrawMode::fill(), from, 6.0, 0.2, steel)?;
        }
        Some("drain") => {
            mesh.circle(DrawMode::fill(), from, 6.0, 0.2, dark)?;
            mesh.circle(DrawMode::stroke(1.5), from, 6.0, 0.2, steel)?;
        }
        Some("house") => {
            draw_house(mesh, &Building::new(BuildingKind::House, path[0]), false)?;
        }
        _ => {}
    }
    Ok(())
}

/// Returns the figures of today, and the state of the river.
fn sayings(city: &City) -> [String; 2] {
    let (day, season) = (city.day() % YEAR, (city.day() % YEAR / SEASON) as usize);
    let year = (city.day() / YEAR) as usize;
    let figures = format!(
        "year {} {}, day {:>2}   money {:.0}   people {:.0} of {GOAL:.0}   power {:.0} kW   \
         wrecked {} of {WRECKED_MOST}",
        year + 1,
        SEASONS[season],
        day % SEASON + 1,
        city.money,
        city.people(),
        city.power_kw,
        city.wrecked(),
    );
    let peak = SPRINGS[year.min(SPRINGS.len() - 1)];
    let river = match (YEAR - SEASON).checked_sub(day) {
        Some(days) if days > 0 => format!("in {days} days the river rises to {peak} m³/s"),
        _ => format!("the river is in flood: {peak} m³/s"),
    };
    let foul =
        if map::is_foul(&city.world, map::INTAKE) { ", and the town drinks it foul" } else { "" };
    [figures, format!("{river}{foul}")]
}

/// Returns the name and cost of the tool in hand.
fn hint(tool: CityTool, height_m: f64, line: [CityPoint; 2]) -> String {
    let all = CityTool::ALL.into_iter().zip(1..);
    let names = all.map(|(one, number)| match one == tool {
        true => format!("[{number} {}]", one.name()),
        false => format!("{number} {}", one.name()),
    });
    let height = if height_m > 0.0 { format!(", {height_m:.1} m") } else { String::new() };
    let cost = tool.cost(line, height_m);
    let cost = if cost > 0.0 { format!(": {cost:.0}") } else { String::new() };
    format!("{}{height}{cost}", names.collect::<Vec<_>>().join("  "))
}
