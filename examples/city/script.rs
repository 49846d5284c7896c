//! A game without a player: moves by the day, `day 12 levee 520 240 600 240 1.5`, one a line.

use super::works::{CityTool, Move};
use super::{CYCLES_A_DAY, City, CityResult, GameEnding, SEASON, SEASONS, YEAR};
use std::collections::VecDeque;
use std::error::Error;
use std::path::PathBuf;

/// Options of the command line.
#[derive(Debug, Default)]
pub struct CityOptions {
    script: Option<VecDeque<(u32, Move)>>,
    /// A day to be shown in the window, and the picture's file.
    shot: Option<(u32, PathBuf)>,
}

/// Carries out the command line.
pub fn run(words: impl Iterator<Item = String>) {
    let outcome = CityOptions::of(words).and_then(|options| match options {
        CityOptions { script: Some(_), shot: None } => tell(options).map(|_| ()),
        _ => super::open(options),
    });
    outcome.unwrap_or_else(give_up);
}

/// Prints why the game cannot continue, and ends it.
pub fn give_up<T>(reason: Box<dyn Error>) -> T {
    eprintln!("city: {reason}");
    std::process::exit(2)
}

/// Plays a script to its end without a window, and returns its outcome.
pub fn tell(mut options: CityOptions) -> CityResult<GameEnding> {
    let mut city = City::new()?;
    loop {
        options.play_today(&mut city)?;
        city.run()?;
        let day = city.day();
        city.news.drain(..).for_each(|news| println!("day {day:>3}: {news}"));
        if city.cycle.is_multiple_of(SEASON * CYCLES_A_DAY) {
            println!("{}", summary(&city, day - 1));
        }
        if let Some(ending) = city.ending {
            return Ok(ending);
        }
    }
}

/// Returns the summary of a season after its last day.
fn summary(city: &City, day: u32) -> String {
    format!(
        "year {}, {:<6}  money {:>4.0}  people {:>3.0}  power {:>4.0} kW  wrecked {}",
        day / YEAR + 1,
        SEASONS[(day % YEAR / SEASON) as usize],
        city.money,
        city.people(),
        city.power_kw,
        city.wrecked(),
    )
}

impl CityOptions {
    /// Reads the words of the command line.
    pub fn of(mut words: impl Iterator<Item = String>) -> CityResult<Self> {
        let mut options = Self::default();
        while let Some(word) = words.next() {
            let value = words.next().ok_or_else(|| format!("{word} needs a value: {OPTIONS}"))?;
            match &*word {
                "--script" => options.script = Some(Self::read(&value)?),
                "--shot" => {
                    let (day, path) = value.split_once('=').ok_or(OPTIONS)?;
                    options.shot = Some((day.parse().map_err(|_| OPTIONS)?, path.into()));
                }
                _ => return Err(format!("{word} is unknown: {OPTIONS}").into()),
            }
        }
        Ok(options)
    }

    fn read(path: &str) -> CityResult<VecDeque<(u32, Move)>> {
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|reason| format!("{path} cannot be read: {reason}"))?;
        Ok(parse(&text).map_err(|reason| format!("{path}, {reason}"))?.into())
    }

    /// True if moves remain to be played.
    pub fn has_script(&self) -> bool {
        self.script.is_some()
    }

    /// Returns the path for today's picture, if one was requested; once. A game that has ended
    /// shows its end instead of later days, and before the first cycle nothing is drawn.
    pub fn shot_of(&mut self, city: &City) -> Option<PathBuf> {
        let is_over = city.ending.is_some();
        let is_due = |due: u32| city.cycle > 0 && (is_over || due <= city.day());
        Some(self.shot.take_if(|(due, _)| is_due(*due))?.1)
    }

    /// Carries out the script's moves for today.
    pub fn play_today(&mut self, city: &mut City) -> CityResult {
        let today = city.day();
        while let Some((day, wanted)) = self.script.as_mut().and_then(|script| {
            let is_due = script.front().is_some_and(|(day, _)| *day <= today);
            if is_due { script.pop_front() } else { None }
        }) {
            city.play(wanted).map_err(|reason| format!("the script, day {day}: {reason}"))?;
        }
        Ok(())
    }
}

const OPTIONS: &str = "give --script MOVES, --shot DAY=PICTURE.png, both or nothing";
const USE: &str = "write levee or dam x y x y height, pump x y x y, drain x y, house x y, \
                   remove x y, undo or redo";

/// Returns the moves of a script with their days, in order.
pub fn parse(text: &str) -> Result<Vec<(u32, Move)>, String> {
    let mut moves: Vec<(u32, Move)> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let words: Vec<&str> = line.split('#').next().unwrap_or("").split_whitespace().collect();
        if words.is_empty() {
            continue;
        }
        let (day, done) = one(&words).map_err(|reason| format!("line {number}: {reason}"))?;
        if moves.last().is_some_and(|&(last, _)| last > day) {
            return Err(format!("line {number}: day {day} comes after a later one: sort the days"));
        }
        moves.push((day, done));
    }
    Ok(moves)
}

fn one(words: &[&str]) -> Result<(u32, Move), String> {
    let ["day", day, word, numbers @ ..] = words else {
        return Err(format!("`{}` is no move: write `day 12 house x y`", words.join(" ")));
    };
    let day = day.parse().map_err(|_| format!("`{day}` is no day: write a whole number"))?;
    let number = |word: &&str| match word.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err(format!("`{word}` is no number: {USE}")),
    };
    let tool = CityTool::ALL.into_iter().find(|tool| tool.name() == *word);
    if tool.is_none() && !["remove", "undo", "redo"].contains(word) {
        return Err(format!("`{word}` is unknown: {USE}"));
    }
    let numbers: Vec<f64> = numbers.iter().map(number).collect::<Result<_, _>>()?;
    let done = match (tool, &numbers[..]) {
        (None, []) if *word == "undo" => Move::Undo,
        (None, []) if *word == "redo" => Move::Redo,
        (None, &[x, y]) if *word == "remove" => Move::Remove([x, y]),
        (Some(tool), &[x, y]) if !tool.is_line() => {
            Move::Build { tool, line: [[x, y]; 2], height_m: 0.0 }
        }
        (Some(tool), &[ax, ay, bx, by, ref height @ ..]) if tool.is_line() && height.len() < 2 => {
            let height_m = height.first().copied().unwrap_or(tool.usual_height_m());
            if height_m < 0.0 {
                return Err(format!("a {word} of {height_m} m would be paid for: build upward"));
            }
            Move::Build { tool, line: [[ax, ay], [bx, by]], height_m }
        }
        _ => return Err(format!("{} numbers do not fit `{word}`: {USE}", numbers.len())),
    };
    Ok((day, done))
}
