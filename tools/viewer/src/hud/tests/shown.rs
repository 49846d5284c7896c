//! Checks of the display: nothing beyond the window, nothing on another, nothing of the machine in
//! films.

use super::*;

#[test]
fn a_world_without_a_file_is_saved_by_its_title() {
    let taken = [PathBuf::from("a-valley.thalweg"), PathBuf::from("a-valley-2.thalweg")];
    let path = free_path("A valley!", |path| taken.iter().any(|other| other == path));
    assert_eq!(path, PathBuf::from("a-valley-3.thalweg"));
    assert_eq!(free_path("…", |_| false), PathBuf::from("world.thalweg"));
    let mut desk = desk();
    let mut hud = desk.hud();
    let first = hud.save_path(&desk.site).expect("no file yet");
    assert_eq!(hud.save_path(&desk.site), Some(first), "the same each time");
    desk.site.file = Some(PathBuf::from("valley.thalweg"));
    assert_eq!(hud.save_path(&desk.site), None);
}

/// All that can be open, at several sizes of the window.
#[test]
fn all_words_are_in_the_window_and_none_is_on_another() {
    let sizes = [[1280.0, 720.0], [800.0, 600.0], [1920.0, 1080.0], [720.0, 480.0], [320.0, 180.0]];
    let cases =
        sizes.into_iter().flat_map(|size| ["ix", "ih", "gi", "6g", "cg"].map(|keys| (size, keys)));
    for (size_px, keys) in cases {
        let mut desk = desk();
        desk.size_px = size_px;
        desk.state.notices = vec!["A short one.".into(), "A long one. ".repeat(20)];
        let mut hud = desk.hud();
        keys.chars().for_each(|key| drop(desk.key(&mut hud, &key.to_string())));
        for overlay in Overlay::ALL {
            assert_eq!(hud.overlay(), overlay);
            let pen = hud.compose(&desk.view());
            for layer in pen.words() {
                check_words(layer, size_px, keys);
            }
            let covered = |(index, panel): (usize, &Rect)| {
                let over = pen.panels[..index].iter().find(|other| other.overlaps(panel));
                over.map(|over| format!("{panel:?} on {over:?}"))
            };
            // The sheet of keys, the last one, lies over all.
            let open = pen.panels.len() - usize::from(keys.contains('h'));
            let hidden = pen.panels[..open].iter().enumerate().find_map(covered);
            assert_eq!(hidden, None, "{overlay:?} of {size_px:?}, keys {keys}");
            desk.key(&mut hud, "o");
        }
    }
}

fn check_words(layer: &[pen::PlacedWords], size_px: [f32; 2], keys: &str) {
    for (index, words) in layer.iter().enumerate() {
        let (area, text) = (words.area(), &words.text);
        let is_in = area.x >= 0.0 && area.right() <= size_px[0] && area.bottom() <= size_px[1];
        assert!(is_in, "{text:?} at {area:?} of {size_px:?}, keys {keys}");
        let other = layer[..index].iter().find(|other| other.area().overlaps(&area));
        assert!(other.is_none(), "{text:?} on {other:?} of {size_px:?}, keys {keys}");
    }
}

#[test]
fn a_film_shows_no_times_on_the_wall() {
    let desk = desk();
    let mut hud = desk.hud();
    let mut words = |fps| {
        let pen = hud.compose(&DisplayView { fps, ..desk.view() });
        pen.words().flatten().map(|words| words.text.clone()).collect::<Vec<_>>().join("\n")
    };
    let (person, film) = (words(60.0), words(0.0));
    for text in [" ms", "fps", "reaches"] {
        assert!(person.contains(text) && !film.contains(text), "{text}");
    }
}

#[test]
fn on_a_fine_screen_all_is_larger_and_pressed_where_it_is_seen() {
    let mut desk = desk();
    let mut hud = desk.hud();
    (desk.size_px, hud.scale) = ([2560.0, 1440.0], 2.0);
    hud.compose(&desk.view());
    let raise =
        hud.buttons.iter().find(|(_, command)| *command == KeyCommand::Take(HandTool::Raise));
    let area = raise.expect("a button").0;
    desk.press(&mut hud, [2.0 * area.x + 10.0, 2.0 * area.y + 10.0]);
    assert_eq!(hud.tool(), HandTool::Raise);
}
