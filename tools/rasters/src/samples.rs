//! Facts of the samples of a raster: NoData, scale and offset, unit and direction of heights.
//!
//! Every source of such facts makes one [`Stated`]; [`SampleFacts`] collects them all, and settles
//! them by the order of trust of [`crate::facts`].

use std::path::Path;

use crate::aux_xml::AuxBand;
use crate::crs::key;
use crate::error::RasterError;
use crate::facts::{Claims, Fact, FactSource};
use crate::heights::{HeightDirection, unit_named};
use crate::hints::{Hints, RasterValues};
use crate::length::LengthUnit;
use crate::locating::Located;
use crate::numbers::spelled;
use crate::screen::SampleMeaning;
use crate::stated::Stated;
use crate::vertical;
use crate::void::StoredValue;

/// Facts of the samples of one band, from all sources.
#[derive(Debug)]
pub(crate) struct SampleFacts<'a> {
    path: &'a Path,
    hints: &'a Hints,
    stated: Vec<(FactSource, Stated)>,
}

/// Stored values that spread over a range of heights.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spread {
    /// The stored value of the upper end; that of the lower one is 0.
    pub(crate) stored_max: f64,
    /// Heights of both ends, m.
    pub(crate) range_m: (f64, f64),
}

impl Spread {
    fn stated(self) -> Stated {
        let (low, high) = self.range_m;
        Stated {
            factor: Some((high - low) / self.stored_max),
            offset: Some(low),
            unit: Some(LengthUnit::METRE),
            ..Stated::default()
        }
    }
}

/// Settled facts of samples.
#[derive(Debug, Default)]
pub(crate) struct SettledSamples {
    /// Conversion of stored values to heights in metres, in double precision.
    pub(crate) meaning: SampleMeaning,
    /// True if heights are converted to metres or turned upside down.
    pub(crate) is_converted: bool,
    pub(crate) facts: Vec<Fact>,
    pub(crate) remarks: Vec<String>,
}

impl<'a> SampleFacts<'a> {
    /// Starts with the statements of the user and of files beside the raster.
    pub(crate) fn of(path: &'a Path, hints: &'a Hints) -> Self {
        Self { path, hints, stated: hints.stated.clone() }
    }

    pub(crate) fn add(mut self, source: FactSource, stated: Stated) -> Self {
        self.stated.push((source, stated));
        self
    }

    /// Adds scale, offset and metres of a range of heights over which the samples spread.
    pub(crate) fn add_spread(self, spread: Spread) -> Self {
        let beside = self.hints.of_sidecar(|keys| keys.height_range);
        let beside =
            beside.map_or_else(Stated::default, |range_m| Spread { range_m, ..spread }.stated());
        self.add(FactSource::HEIGHT_RANGE, spread.stated()).add(FactSource::Sidecar, beside)
    }

    /// Adds the statements of the `.aux.xml` file beside the raster.
    pub(crate) fn add_aux(self, band: &AuxBand) -> Result<Self, RasterError> {
        let beside = crate::aux_xml::path_beside(self.path);
        let nodata = band.nodata.as_deref().map(|text| nodata(&beside, "NoDataValue", text));
        let unit = band.unit.as_deref().map(|text| self.unit("its UnitType", text)).transpose()?;
        let stated = Stated {
            nodata: nodata.transpose()?,
            factor: band.scale,
            offset: band.offset,
            unit: unit.flatten(),
            direction: None,
        };
        Ok(self.add(FactSource::AuxXml, stated))
    }

    /// Adds the unit and the direction of heights by the reference systems, each of which may have
    /// some; `unit` is GDAL's of the band.
    pub(crate) fn add_system(
        mut self,
        located: Option<&Located>,
        unit: Option<LengthUnit>,
    ) -> Result<Self, RasterError> {
        let Some(located) = located.filter(|_| self.hints.values != RasterValues::Others) else {
            return Ok(self);
        };
        for (source, heights) in &located.heights {
            self = self.add(*source, heights.stated());
        }
        let Some(crs) = &located.own else { return Ok(self) };
        let is_open = self.hints.height_unit.is_none();
        let code = crs.short(key::VERTICAL_UNIT).filter(|unit| !matches!(unit, 0 | 32_767));
        let own = code.and_then(LengthUnit::of_code);
        if let (Some(code), None, true) = (code, own, is_open) {
            let what = format!(
                "has its heights in the unit of code {code} (geo-key 4099), which is not a unit of \
                 length: {}",
                self.advice_on_unit()
            );
            return Err(RasterError::unsupported(self.path, what));
        }
        if let (Some(own), Some(unit), true) = (own, unit, is_open)
            && (own.metres() - unit.metres()).abs() > 1.0e-3 * own.metres()
        {
            let what = format!(
                "has its heights in {own} (geo-key 4099) and in {unit} (GDAL's unit of the band): \
                 {}",
                self.advice_on_unit()
            );
            return Err(RasterError::damaged(self.path, what));
        }
        let key = Stated { unit: own, ..Stated::default() };
        self = self.add(FactSource::File("geo-key 4099"), key);
        // A compound system may replace its parts.
        for key in [key::VERTICAL, key::PROJECTED, key::GEOGRAPHIC] {
            let code = crs.short(key);
            let heights_of = match key {
                key::VERTICAL => vertical::heights_of_vertical,
                _ => vertical::heights_of,
            };
            let found = code.and_then(|code| Some((code, heights_of(code)?)));
            if let Some((code, (unit, direction))) = found {
                let stated =
                    Stated { unit: Some(unit), direction: Some(direction), ..Stated::default() };
                self = self.add(FactSource::Epsg(code), stated);
                break;
            }
        }
        Ok(self)
    }

    /// Returns the unit of heights that `place` names; `None` if units do not count.
    pub(crate) fn unit(&self, place: &str, text: &str) -> Result<Option<LengthUnit>, RasterError> {
        if self.hints.values == RasterValues::Others {
            return Ok(None);
        }
        let unit = unit_named(text);
        if unit.is_none() && self.hints.height_unit.is_none() {
            return Err(RasterError::unsupported(
                self.path,
                format!(
                    "has its heights in \"{text}\" ({place}), which is not a unit of length: {}",
                    self.advice_on_unit()
                ),
            ));
        }
        Ok(unit)
    }

    /// Returns advice on a unit in doubt: options on samples apply to the map only.
    fn advice_on_unit(&self) -> &'static str {
        match self.hints.values {
            RasterValues::Lengths => {
                "say which unit they have with --height-unit m (or ft, us-ft, cm, mm, km)"
            }
            _ => "write the true one into the file (gdal_edit.py -units m)",
        }
    }

    /// Settles all facts.
    pub(crate) fn settle(self) -> SettledSamples {
        let mut settled = SettledSamples::default();
        settled.meaning.values = self.hints.values;
        self.settle_nodata(&mut settled);
        self.settle_scale(&mut settled);
        let colours = Claims::of("encoding")
            .add(FactSource::ENCODING, self.hints.encoding)
            .add(FactSource::Sidecar, self.hints.of_sidecar(|keys| keys.encoding));
        settled.facts.extend(colours.settle().map(|(_, fact)| fact));
        if self.hints.values != RasterValues::Others {
            self.settle_heights(&mut settled);
        }
        for fact in &mut settled.facts {
            fact.source = self.hints.origin(fact.source);
            for (source, _) in &mut fact.contradicted {
                *source = self.hints.origin(*source);
            }
        }
        settled
    }

    fn claims<T: Clone + PartialEq + std::fmt::Display>(
        &self,
        name: &'static str,
        of: impl Fn(&Stated) -> Option<T>,
    ) -> Claims<T> {
        let stated = self.stated.iter();
        stated.fold(Claims::of(name), |claims, (source, stated)| claims.add(*source, of(stated)))
    }

    fn settle_nodata(&self, settled: &mut SettledSamples) {
        const NAME: &str = "NoData";
        let said = self.hints.nodata.clone().unwrap_or_default();
        let claims = || self.claims(NAME, |stated| stated.nodata.map(StoredValue));
        let declared = claims().settle();
        let mut values = said.values.clone();
        let option = FactSource::NODATA;
        let fact = match declared {
            Some((_, fact)) if said.is_undone => {
                let contradicted = claims().overruled();
                Some(Fact { value: said.to_string(), source: option, contradicted, ..fact })
            }
            Some((value, fact)) => {
                settled.meaning.declared =
                    Some(value.0).filter(|_| fact.source != FactSource::Guess);
                // Values that the user adds count beside the file's own.
                let is_new = values.iter().any(|said| StoredValue(*said) != value);
                values.push(value.0);
                values.extend(self.nodata_besides(value, fact.source));
                let both = format!("{said} besides {value}");
                let said_too =
                    is_new.then_some(Fact { value: both, source: option, ..fact.clone() });
                Some(said_too.unwrap_or(fact))
            }
            None if said.values.is_empty() && !said.is_undone => None,
            None => {
                let (value, contradicted) = (said.to_string(), Vec::new());
                Some(Fact { name: NAME, value, source: option, contradicted })
            }
        };
        let fact = fact.map(|mut fact| {
            let is_option = self.hints.nodata.is_some() && self.hints.origin(option) == option;
            let beside = self.hints.of_sidecar(|keys| keys.nodata.clone());
            let beside = beside.filter(|keys| is_option && *keys != said);
            let beside = beside.map(|keys| (FactSource::Sidecar, keys.to_string()));
            fact.contradicted.splice(0..0, beside);
            with_counting(fact, &values, &said.values)
        });
        settled.facts.extend(fact);
        settled.meaning.nodata = values;
    }

    /// Returns the NoData values that count beside the chosen one: a mosaic's list and its rasters
    /// may have one each.
    fn nodata_besides(&self, chosen: StoredValue, source: FactSource) -> impl Iterator<Item = f64> {
        let is_file = |source: &FactSource| matches!(source, FactSource::File(_));
        let is_of_file = is_file(&source);
        let listed = &self.hints.stated;
        let counts = move |said: &&(FactSource, Stated)| {
            listed.contains(*said) || (is_of_file && is_file(&said.0))
        };
        let besides = self.stated.iter().filter(counts);
        let values = besides.filter_map(|(_, stated)| stated.nodata);
        values.filter(move |value| StoredValue(*value) != chosen)
    }

    fn settle_scale(&self, settled: &mut SettledSamples) {
        let factor = self.claims("scale", |stated| stated.factor).settle();
        let offset = self.claims("offset", |stated| stated.offset).settle();
        if factor.is_some() || offset.is_some() {
            let number = |claim: &Option<(f64, Fact)>, usual| claim.as_ref().map_or(usual, |c| c.0);
            settled.meaning.scale = Some((number(&factor, 1.0), number(&offset, 0.0)));
        }
        settled.facts.extend(factor.into_iter().chain(offset).map(|(_, fact)| fact));
    }

    fn settle_heights(&self, settled: &mut SettledSamples) {
        let unit = self.claims("height unit", |stated| stated.unit);
        let said = self.hints.height_unit.map(|unit| unit.0);
        let unit = unit.add(FactSource::Option("--height-unit"), said);
        let unit = unit.add(FactSource::Guess, Some(LengthUnit::METRE)).settle();
        let direction = self.claims("direction", |stated| stated.direction);
        let direction = direction.add(FactSource::Option("--heights-are"), self.hints.direction);
        let direction = direction.settle().filter(|_| self.hints.values == RasterValues::Lengths);
        let shown = self.path.display();
        if let Some((unit, fact)) = unit {
            if unit != LengthUnit::METRE {
                settled.meaning.stretch(unit.metres());
                settled.is_converted = true;
                let words =
                    format!("{shown} has its heights in {unit}: they are converted to metres");
                settled.remarks.push(words);
            }
            settled.facts.push(fact);
        }
        if let Some((direction, fact)) = direction {
            if direction == HeightDirection::Down {
                settled.meaning.stretch(-1.0);
                settled.is_converted = true;
                settled.remarks.push(format!(
                    "{shown} has depths, positive down ({}): a height is minus the depth (choose \
                     with --heights-are heights)",
                    fact.source
                ));
            }
            settled.facts.push(fact);
        }
    }
}

/// Names values that count beside the chosen one as such, and not as contradictions; `said` are the
/// values of an option, which the fact shows already.
fn with_counting(mut fact: Fact, values: &[f64], said: &[f64]) -> Fact {
    let words =
        |values: &[f64]| values.iter().map(|value| StoredValue(*value).to_string()).collect();
    let (counting, mut shown): (Vec<String>, Vec<String>) = (words(values), words(said));
    fact.contradicted.retain(|(_, value)| {
        let counts = counting.contains(value);
        if counts && !shown.contains(value) {
            fact.value = format!("{} and {value}", fact.value);
            shown.push(value.clone());
        }
        !counts
    });
    fact
}

/// Returns the NoData value that a text of a file spells.
pub(crate) fn nodata(path: &Path, place: &str, text: &str) -> Result<f64, RasterError> {
    spelled(text).ok_or_else(|| {
        let what = format!(
            "its {place} is '{text}', which is not a number: correct it, or delete it and say \
             --nodata"
        );
        RasterError::damaged(path, what)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heights::HeightUnit;
    use crate::void::NoData;

    fn feet() -> Option<LengthUnit> {
        LengthUnit::of_code(9002)
    }

    /// Every combination of sources, each with a value of its own: the most trusted one wins, and
    /// all others are named.
    #[test]
    fn every_combination_follows_the_order_of_trust() {
        let path = Path::new("a.tif");
        let sources = [
            FactSource::Sidecar,
            FactSource::File("geo-key 4099"),
            FactSource::Epsg(6360),
            FactSource::Prj,
            FactSource::AuxXml,
        ];
        for chosen in 0_u32..1 << 6 {
            let has = |bit: usize| chosen >> bit & 1 == 1;
            let value = |bit: usize| 10.0 + bit as f64;
            let unit = |bit: usize| LengthUnit::of_metres(0.1 * value(bit));
            let mut hints = Hints::default();
            if has(5) {
                hints.height_unit = unit(5).map(HeightUnit);
                hints.nodata = Some(NoData { values: Vec::new(), is_undone: true });
            }
            let mut samples = SampleFacts::of(path, &hints);
            // The order of adding must not matter: last first.
            for bit in (0..5).rev().filter(|bit| has(*bit)) {
                let stated = Stated {
                    nodata: Some(value(bit)),
                    factor: Some(value(bit)),
                    unit: unit(bit),
                    ..Stated::default()
                };
                samples = samples.add(sources[bit], stated);
            }
            let SettledSamples { meaning, facts, .. } = samples.settle();
            let count = (0..5).filter(|bit| has(*bit)).count();
            let first = (0..5).find(|bit| has(*bit));
            let fact = |name: &str| facts.iter().find(|fact| fact.name == name);
            let named = |name: &str| fact(name).map_or(0, |fact| fact.contradicted.len());
            let said = usize::from(has(5));
            assert_eq!(named("NoData"), (count + said).saturating_sub(1), "{chosen:b}");
            assert_eq!(named("height unit"), (count + said).saturating_sub(1), "{chosen:b}");
            assert_eq!(named("scale"), count.saturating_sub(1), "{chosen:b}");
            let expected: Vec<f64> = first.filter(|_| !has(5)).map(value).into_iter().collect();
            assert_eq!(meaning.nodata, expected, "{chosen:b}");
            let unit_m = if has(5) { 1.5 } else { first.map_or(1.0, |bit| 0.1 * value(bit)) };
            let factor = first.map_or(1.0, value);
            let found = meaning.scale.unwrap_or((1.0, 0.0)).0;
            assert!((found - unit_m * factor).abs() < 1.0e-9, "{chosen:b}: {found}");
            let source = fact("height unit").map(|fact| fact.source);
            let expected = first.map_or(FactSource::Guess, |bit| sources[bit]);
            let option = has(5).then_some(FactSource::Option("--height-unit"));
            assert_eq!(source, Some(option.unwrap_or(expected)), "{chosen:b}");
        }
    }

    #[test]
    fn nodata_of_the_user_is_added_or_undoes_the_declared_one() {
        let path = Path::new("a.tif");
        for (said, values, words) in [
            (None, vec![0.0], "0 (GDAL_NODATA)"),
            (Some("-9999"), vec![-9999.0, 0.0], "-9999 besides 0 (--nodata)"),
            (Some("0"), vec![0.0, 0.0], "0 (GDAL_NODATA)"),
            (Some("none"), vec![], "none (--nodata), not 0 (GDAL_NODATA)"),
            (Some("none,-1"), vec![-1.0], "none,-1 (--nodata), not 0 (GDAL_NODATA)"),
        ] {
            let nodata = said.map(|text| text.parse().expect("sound"));
            let hints = Hints { nodata, ..Hints::default() };
            let stated = Stated::nodata(Some(0.0));
            let samples =
                SampleFacts::of(path, &hints).add(FactSource::File("GDAL_NODATA"), stated);
            let SettledSamples { meaning, facts, .. } = samples.settle();
            assert_eq!((meaning.nodata, facts[0].to_string().as_str()), (values, words));
        }
    }

    /// Goal: a value that counts is no contradiction, from any source; one that does not is.
    #[test]
    fn nodata_that_counts_is_no_contradiction() {
        let path = Path::new("a.tif");
        for (said, vrt, values, words) in [
            (Some("10"), None, vec![10.0, 90.0], "10 besides 90 (--nodata)"),
            (None, None, vec![90.0], "90 (GDAL_NODATA), not 10 (.aux.xml)"),
            (
                Some("none"),
                Some(90.0),
                vec![],
                "none (--nodata), not 90 (NODATA of the VRT), not 90 (GDAL_NODATA), \
                 not 10 (.aux.xml)",
            ),
            (
                None,
                Some(20.0),
                vec![20.0, 90.0],
                "20 and 90 (NODATA of the VRT), not 10 (.aux.xml)",
            ),
            (Some("none,90"), None, vec![90.0], "none,90 (--nodata), not 10 (.aux.xml)"),
        ] {
            let nodata = said.map(|text| text.parse().expect("sound"));
            let listed = (FactSource::File("NODATA of the VRT"), Stated::nodata(vrt));
            let hints = Hints { nodata, stated: vec![listed], ..Hints::default() };
            let samples = SampleFacts::of(path, &hints)
                .add(FactSource::File("GDAL_NODATA"), Stated::nodata(Some(90.0)))
                .add(FactSource::AuxXml, Stated::nodata(Some(10.0)));
            let SettledSamples { meaning, facts, .. } = samples.settle();
            assert_eq!((meaning.nodata, facts[0].to_string().as_str()), (values, words));
        }
    }

    /// Goal: the range of heights overrules a scale of the file, and a note names that scale.
    #[test]
    fn samples_spread_over_the_heights() {
        let (path, hints) = (Path::new("a.png"), Hints::default());
        let spread = Spread { stored_max: 65_535.0, range_m: (85.0, 85.0 + 65_535.0 / 16.0) };
        let aux = AuxBand { scale: Some(0.5), offset: Some(7.0), ..AuxBand::default() };
        let samples =
            SampleFacts::of(path, &hints).add_spread(spread).add_aux(&aux).expect("sound");
        let SettledSamples { meaning, facts, .. } = samples.settle();
        assert_eq!(meaning.scale, Some((1.0 / 16.0, 85.0)));
        let sentences: Vec<String> = facts.iter().filter_map(Fact::contradiction).collect();
        assert_eq!(
            sentences,
            [
                "the scale is 0.0625 (--height-range), and not 0.5 (.aux.xml)",
                "the offset is 85 (--height-range), and not 7 (.aux.xml)",
            ]
        );
    }

    #[test]
    fn depths_become_heights_unless_the_user_objects() {
        let path = Path::new("a.tif");
        for (direction, values, factor) in [
            (None, RasterValues::Lengths, -0.3048),
            (Some(HeightDirection::Up), RasterValues::Lengths, 0.3048),
            (None, RasterValues::Depths, 0.3048),
        ] {
            let hints = Hints { direction, values, ..Hints::default() };
            let down = Some(HeightDirection::Down);
            let stated = Stated { unit: feet(), direction: down, ..Stated::default() };
            let settled =
                SampleFacts::of(path, &hints).add(FactSource::Epsg(8051), stated).settle();
            let (found, _) = settled.meaning.scale.expect("feet");
            assert!((found - factor).abs() < 1.0e-12, "{direction:?}: {found}");
            assert_eq!(settled.remarks.len(), if factor < 0.0 { 2 } else { 1 });
        }
    }
}
