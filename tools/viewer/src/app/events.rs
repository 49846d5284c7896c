//! Input of a person at the window.

use ggez::event::EventHandler;
use ggez::input::keyboard::KeyInput;
use ggez::input::mouse::MouseButton;
use ggez::{Context, GameResult};
use kit::interrupt;

use super::App;
use crate::hud::Hud;

impl EventHandler for App {
    fn update(&mut self, ctx: &mut Context) -> GameResult {
        if interrupt::is_asked() {
            ctx.request_quit();
            return Ok(());
        }
        self.keep(ctx);
        if let Some(film) = &mut self.film {
            if film.is_over() {
                film.end();
                ctx.request_quit();
            } else {
                self.roll(ctx);
            }
            return Ok(());
        }
        let since = ctx.time.delta();
        while let Some(state) = self.session.try_state() {
            self.take(ctx, state);
        }
        self.fly(ctx);
        let is_running = self.state.as_ref().is_some_and(|state| state.figures.is_running);
        self.clock.pass(since, is_running);
        if self.tour.is_none() {
            self.steering.pass(&mut self.camera, &ctx.keyboard, since, self.session.site());
        }
        self.rise(Some(since));
        self.look();
        self.now += since;
        self.ask(ctx, Hud::tick);
        Ok(())
    }

    fn draw(&mut self, ctx: &mut Context) -> GameResult {
        self.paint(ctx)
    }

    fn key_down_event(
        &mut self,
        ctx: &mut Context,
        input: KeyInput,
        is_repeated: bool,
    ) -> GameResult {
        let key = input.event.logical_key.clone();
        if !self.is_film && (!is_repeated || Hud::repeats(&key)) {
            self.ask(ctx, |hud, view| hud.key(&key, input.mods, view));
        }
        Ok(())
    }

    fn mouse_button_down_event(
        &mut self,
        ctx: &mut Context,
        button: MouseButton,
        x: f32,
        y: f32,
    ) -> GameResult {
        if self.is_film {
            return Ok(());
        }
        let requests = self.with_view(ctx, |hud, _, view| hud.press(button, view)).flatten();
        match requests {
            Some(requests) => self.grant(ctx, requests),
            None => self.steering.press(button, [x, y]),
        }
        Ok(())
    }

    fn mouse_button_up_event(
        &mut self,
        ctx: &mut Context,
        _: MouseButton,
        _: f32,
        _: f32,
    ) -> GameResult {
        self.steering.release();
        self.ask(ctx, Hud::release);
        Ok(())
    }

    fn mouse_motion_event(
        &mut self,
        _: &mut Context,
        x: f32,
        y: f32,
        _: f32,
        _: f32,
    ) -> GameResult {
        self.steering.drag(&mut self.camera, [x, y]);
        Ok(())
    }

    fn mouse_wheel_event(&mut self, ctx: &mut Context, x: f32, y: f32) -> GameResult {
        let mods = ctx.keyboard.active_modifiers;
        // With Shift some systems turn the wheel sideways.
        let clicks = if y == 0.0 && mods.shift_key() { x } else { y };
        if clicks == 0.0 || self.is_film {
            return Ok(());
        }
        let pointer = ctx.mouse.position();
        if !self.hud.wheel(clicks, mods) {
            self.steering.zoom(clicks, [pointer.x, pointer.y]);
        }
        Ok(())
    }

    fn resize_event(&mut self, _: &mut Context, width: f32, height: f32) -> GameResult {
        self.camera.size_px = [width.max(1.0), height.max(1.0)];
        Ok(())
    }

    fn quit_event(&mut self, ctx: &mut Context) -> GameResult<bool> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "pixels")]
        let size_px = [ctx.gfx.size().0 as u32, ctx.gfx.size().1 as u32];
        let mut left = self.left.borrow_mut();
        (left.size_px, left.costs) = (Some(size_px), self.meter.costs());
        Ok(false)
    }
}
