//! Functions in Rust and their texts.

use law::{LawFailure, LawSource, WantedNames};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder that has the text as the file `law.rs` in its folder `src`.
struct Sources(PathBuf);

impl Sources {
    fn new(name: &str, text: &str) -> Self {
        // Tests run side by side, and may give two cases one name.
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = format!("law-{name}-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        std::fs::create_dir_all(folder.join("src")).expect("a folder");
        std::fs::write(folder.join("src/law.rs"), text).expect("a file");
        Self(folder)
    }

    fn texts(&self, names: &[&str], drivers: &[String]) -> Result<String, LawFailure> {
        let wanted: &[WantedNames<'_>] = &[("law.rs", names)];
        let texts = LawSource::read(&self.0, &[], &[wanted])?.with_drivers(drivers).texts()?;
        Ok(texts.concat())
    }
}

impl Drop for Sources {
    fn drop(&mut self) {
        // Nothing asks whether it is gone.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The text of functions.
fn text_of(name: &str, source: &str, names: &[&str]) -> String {
    Sources::new(name, source).texts(names, &[]).expect("a text")
}

/// Goal: a product that a sum takes up is one that no compiler may contract, wherever it goes in
/// between. Method: products that go into a sum directly, by a name, by a branch, as an argument,
/// in a field, as a result, in a sum that is written by hand; and one that none takes up.
#[test]
fn products_are_followed_into_sums() {
    let sum = "fn sum(a: f32, b: f32) -> f32 { a + b }\n";
    let pair = "struct Pair { x: f32, y: f32 }\n";
    for (case, body, product) in [
        ("straight", "fn f(a: f32, b: f32, c: f32) -> f32 { a * b - c }", "MUL"),
        ("name", "fn f(a: f32, b: f32, c: f32) -> f32 { let p = a * b; let q = -p; q + c }", "MUL"),
        (
            "branch",
            "fn f(a: f32, b: f32, c: f32) -> f32 {\n\
             let p = if c > 0.0 { a * b } else { c };\n\
             p + c }",
            "MUL",
        ),
        ("argument", "fn f(a: f32, b: f32, c: f32) -> f32 { sum(c, a * b) }", "MUL"),
        (
            "field",
            "fn g(a: f32, b: f32) -> Pair { Pair { x: a * b, y: b } }\n\
             fn f(a: f32, b: f32) -> f32 { let Pair { x, .. } = g(a, b); x + b }",
            "MUL",
        ),
        (
            "result",
            "fn g(a: f32, b: f32) -> f32 { a * b }\nfn f(a: f32, b: f32) -> f32 { g(a, b) + b }",
            "MUL",
        ),
        ("none", "fn f(a: f32, b: f32, c: f32) -> f32 { let p = a * b; p / c }", "PRO"),
    ] {
        let names: &[&str] =
            if body.contains("fn g(") { &["sum", "Pair", "g", "f"] } else { &["sum", "f"] };
        let text = text_of(case, &format!("{sum}{pair}{body}"), names);
        let found = ["MUL(", "PRO("].map(|of| text.matches(of).count());
        let wanted = if product == "MUL" { [1, 0] } else { [0, 1] };
        assert_eq!(found, wanted, "{case}:\n{text}");
    }
    let source = "struct Pair { one: f32, other: f32 }\n\
        fn f(a: f32, b: f32) -> f32 { a * b }\n\
        fn g(a: f32, b: f32) -> Pair { Pair { one: a * b, other: b } }\n";
    let source = Sources::new("driver", source);
    for (driver, products) in [
        ("let x = SQRT(a);", ["PRO", "PRO"]),
        ("var x = f(a, b);\nlet river = x;\nlet y = SUB(river, c);", ["MUL", "PRO"]),
        ("return ADD(c, -f(a, b));", ["MUL", "PRO"]),
        ("let y = SUB(all[place].one, c);", ["PRO", "MUL"]),
    ] {
        let text = source.texts(&["Pair", "f", "g"], &[driver.to_owned()]).expect("a text");
        let wanted = format!("{}(a, b);\n", products[0]);
        assert!(text.contains(&wanted), "{driver}\n{text}");
        let wanted = format!("Pair({}(a, b), b);\n", products[1]);
        assert!(text.contains(&wanted), "{driver}\n{text}");
    }
}

/// Goal: each name of the text is that of one value. Method: names that are bound again, also in a
/// branch, such that one is already made as another would be, parts of what changes afterwards, and
/// words of WGSL; the text of each by hand.
#[test]
fn names_are_of_one_value() {
    for (case, source, text) in [
        (
            "again",
            "fn f(a: f32, b: f32) -> f32 { let h_2 = a / b; let h = b / a; let h = h / h_2; h }",
            "  let h_2 = DIV(a, b);\n  let h = DIV(b, a);\n  let h_3 = DIV(h, h_2);\n\
             \x20 return h_3;\n",
        ),
        (
            "part",
            "fn f(a: f32, b: f32) -> f32 {\n\
             let mut v = [a, b]; let x = v[0]; v = [b, a]; x + v[0] }",
            "  var v = vec2<f32>(a, b);\n  let x = v.x;\n  v = vec2<f32>(b, a);\n\
             \x20 return ADD(x, v.x);\n",
        ),
        (
            "word",
            "fn f(a: f32) -> f32 { let active = a / 2.0; active }",
            "  let active_2 = DIV(a, 2.0f);\n  return active_2;\n",
        ),
    ] {
        let whole = text_of(case, source, &["f"]);
        assert!(whole.contains(text), "{case}:\n{whole}");
    }
}

/// Goal: numbers of the source come into the text with their bits. Method: constants, also worked
/// out of others, as literals of the text; a change of one unit in the last place changes it.
#[test]
fn constants_keep_their_bits() {
    let source = |most: f32| {
        format!(
            "const MOST: f32 = {most:?};\n\
             const HALF: f32 = 0.5 * MOST;\n\
             const COUNT: i32 = 3 << 4;\n\
             fn f(a: f32, n: i32) -> bool {{ a > HALF && n < COUNT && 1.0 / 3.0 > a }}\n"
        )
    };
    let most = 0.3_f32;
    let above = f32::from_bits(most.to_bits() + 1);
    let texts = [most, above].map(|most| text_of("bits", &source(most), &["f"]));
    assert_ne!(texts[0], texts[1]);
    for (text, most) in texts.iter().zip([most, above]) {
        let numbers = text.split(|c: char| !(c.is_ascii_digit() || c == '.'));
        let bits: Vec<u32> = numbers
            .filter(|n| n.contains('.'))
            .map(|n| n.parse::<f32>().expect(n).to_bits())
            .collect();
        assert_eq!(bits, [(0.5 * most).to_bits(), (1.0_f32 / 3.0).to_bits()], "{text}");
        assert!(text.contains("(n < 48)"), "{text}");
    }
    let text = text_of("named", &source(most), &["COUNT", "HALF", "f"]);
    let wanted = format!("const COUNT: i32 = 48;\nconst HALF: f32 = {:?}f;\nfn f(", 0.5 * most);
    assert!(text.starts_with(&wanted), "{text}");
}

/// Goal: what has no text is named with its function, and nothing is guessed.
#[test]
fn what_has_no_text_is_an_error() {
    for (case, source, place, part) in [
        ("loop", "fn f(a: f32) -> f32 { while a > 0.0 {} a }", "f", "while"),
        ("call", "fn f(a: f32) -> f32 { a.powf(2.0) }", "f", "powf"),
        ("name", "fn f(a: f32) -> f32 { a + OTHER }", "f", "OTHER"),
        ("type", "fn f(a: f64) -> f64 { a }", "f", "f64"),
        ("maximum", "fn f(a: f32) -> f32 { a.max(1.0) }", "f", "max"),
        ("argument", "fn f(mut a: f32) -> f32 { a += 1.0; a }", "f", "mut a"),
        ("word", "fn f(active: f32) -> f32 { active }", "f", "`active` is a word"),
        ("missing", "fn g(a: f32) -> f32 { a }", "src/law.rs", "no `f`"),
    ] {
        let failure = Sources::new(case, source).texts(&["f"], &[]).expect_err(case);
        assert_eq!(failure.place, place, "{failure}");
        assert!(failure.why.contains(part), "{failure}");
    }
}
