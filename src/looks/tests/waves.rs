//! Waves of the wind.

use super::*;
use crate::looks::{LooksError, WaveOptions, WaveSpectrum, slope_variance};

fn spectrum(options: WaveOptions) -> WaveSpectrum {
    WaveSpectrum::try_new(options).expect("good")
}

/// JONSWAP as it stands in the paper, deep water, summed over frequencies.
fn variance_of_formula(wind_m_s: f64, fetch_m: f64) -> f64 {
    let gravity = 9.81_f64;
    let fetch = gravity * fetch_m / wind_m_s.powi(2);
    let peak_hz = 3.5 * gravity / wind_m_s * fetch.powf(-1.0 / 3.0);
    let alpha = 0.076 * fetch.powf(-0.22);
    let step = peak_hz / 2000.0;
    let of = |hz: f64| {
        let turn = 2.0 * std::f64::consts::PI;
        let width = if hz > peak_hz { 0.09 } else { 0.07 };
        let bell = (-(hz - peak_hz).powi(2) / (2.0 * (width * peak_hz).powi(2))).exp();
        let shape = (-1.25 * (hz / peak_hz).powi(-4)).exp() * 3.3_f64.powf(bell);
        alpha * gravity.powi(2) * turn.powi(-4) * hz.powi(-5) * shape
    };
    (1..40_000).map(|index| of(step * f64::from(index)) * step).sum()
}

#[test]
fn the_variance_is_that_of_the_formula() {
    // Squares of some 12 peak waves: 2 %, and the paper's 3.5 for 22/2π.
    for (wind_m_s, fetch_m, width_m) in
        [(4.0, 1000.0, 20.0), (8.0, 3000.0, 64.0), (15.0, 20_000.0, 300.0)]
    {
        let options = WaveOptions {
            wind_m_s: [0.6 * wind_m_s, 0.8 * wind_m_s],
            fetch_m,
            depth_m: 1.0e4,
            side: 256,
            width_m,
            ..Default::default()
        };
        let waves = spectrum(options);
        let name = format!("{wind_m_s} m/s over {fetch_m} m");
        check_near(waves.height_variance_m2(), variance_of_formula(wind_m_s, fetch_m), 0.03, &name);
    }
}

/// Goal: over depths that waves feel, a wave's variance is that of deep water times the φ of TMA,
/// for wave numbers instead of frequencies.
#[test]
fn shallow_waves_have_the_part_of_the_formula() {
    let of = |depth_m: f64| {
        let lengths_m = [3.0, 40.0];
        spectrum(WaveOptions { wind_m_s: [8.0, 0.0], depth_m, lengths_m, ..Default::default() })
    };
    let power = |waves: &WaveSpectrum, index: usize| {
        let [re, im] = waves.amplitudes_m()[index][0].map(f64::from);
        re * re + im * im
    };
    let (deep, gravity) = (of(1.0e4), 9.81_f64);
    for depth_m in [0.4, 1.0, 3.0] {
        let (shallow, mut seen) = (of(depth_m), 0);
        for index in 1..60 {
            // Along the wind: k, and ω² = g k tanh kd.
            let number = f64::from(shallow.wave_numbers()[index][0]);
            let (tanh, kd) = ((number * depth_m).tanh(), number * depth_m);
            let frequency = (gravity * number * tanh).sqrt();
            let w = frequency * (depth_m / gravity).sqrt();
            let part = match w {
                w if w <= 1.0 => 0.5 * w * w,
                w if w < 2.0 => 1.0 - 0.5 * (2.0 - w).powi(2),
                _ => 1.0,
            };
            // S(ω) dω/dk at the lower frequency, by the one at its own in deep water.
            let jonswap = |frequency: f64| {
                let peak = 22.0 * (gravity * gravity / (8.0 * 3000.0)).cbrt();
                let width = if frequency > peak { 0.09 } else { 0.07 };
                let bell = (-0.5 * ((frequency - peak) / (width * peak)).powi(2)).exp();
                let tail = frequency.powi(-5) * (-1.25 * (peak / frequency).powi(4)).exp();
                tail * 3.3_f64.powf(bell)
            };
            let change = gravity * (tanh + kd * (1.0 - tanh * tanh)) / (2.0 * frequency);
            let own = (gravity * number).sqrt();
            let expected = part * jonswap(frequency) * change / (jonswap(own) * 0.5 * own / number);
            let deep_m2 = power(&deep, index);
            if deep_m2 > 0.0 && expected > 1.0e-6 {
                let found = power(&shallow, index) / deep_m2;
                check_near(found, expected, 1.0e-4, &format!("{depth_m} m, wave {index}"));
                seen += 1;
            }
        }
        assert!(seen > 10, "{depth_m} m: {seen} waves");
    }
}

/// Goal: a wave's phase turns by its frequency, near the dispersion's, times the time between.
#[test]
fn a_wave_turns_by_its_frequency() {
    let options = WaveOptions { wind_m_s: [8.0, 0.0], depth_m: 1.0, ..Default::default() };
    let waves = spectrum(options);
    let side = options.side;
    for index in [12, 20, 30_usize] {
        let number = waves.wave_numbers()[index];
        let frequency = f64::from(waves.frequencies()[index]);
        let k = f64::from(number[0]);
        check_near(frequency, (9.81 * k * k.tanh()).sqrt(), 0.03, "rounded to the period");
        // The wave's own part of the heights: Σ h e^{−ik·x}, without that which runs back.
        let part = |time_s: f64| {
            let heights = waves.heights_m_at(time_s);
            let mut sum = [0.0; 2];
            for (at, height) in heights.iter().enumerate() {
                let texel = f64::from(u32::try_from(at % side).expect("few"));
                let (sin, cos) = (k * options.width_m / 128.0 * texel).sin_cos();
                sum[0] += f64::from(*height) * cos;
                sum[1] -= f64::from(*height) * sin;
            }
            sum
        };
        for (from_s, span_s) in [(3.0, 0.4), (50.0, 1.1)] {
            let ([a, b], [c, d]) = (part(from_s), part(from_s + span_s));
            let turned = (a * d - b * c).atan2(a * c + b * d);
            let expected = -frequency * span_s;
            let off = (turned - expected).rem_euclid(2.0 * std::f64::consts::PI);
            let off = off.min(2.0 * std::f64::consts::PI - off);
            assert!(off < 0.01, "wave {index}: {turned}, not {expected}");
        }
    }
}

#[test]
fn waves_never_get_lower_with_the_fetch() {
    let mut before = 0.0;
    for fetch_m in [1.0e3, 1.0e4, 1.0e5, 1.7e5, 1.75e5, 5.0e5, 2.0e6, 1.0e9] {
        let wind_m_s = [10.0, 0.0];
        let options = WaveOptions { wind_m_s, fetch_m, width_m: 2000.0, ..Default::default() };
        let significant_m = 4.0 * spectrum(options).height_variance_m2().sqrt();
        assert!(significant_m >= before, "{fetch_m} m: {significant_m} after {before}");
        before = significant_m;
    }
    // The full sea of Pierson and Moskowitz has 0.21 U²/g; γ of 3.3 makes it higher.
    assert!((2.2..3.0).contains(&before), "{before}");
}

#[test]
fn heights_and_slopes_have_the_variance_of_the_spectrum_and_come_back() {
    for (side, width_m, depth_m) in [(64, 40.0, 100.0), (128, 30.0, 1.0), (32, 9.0, 100.0)] {
        let options = WaveOptions { side, width_m, depth_m, ..Default::default() };
        let waves = spectrum(options);
        let count = f64::from(u32::try_from(side * side).expect("few"));
        for time_s in [0.0, 3.7, 151.0] {
            let (heights, slopes) = (waves.heights_m_at(time_s), waves.slopes_at(time_s));
            let square = |v: &f32| f64::from(*v).powi(2);
            let name = format!("{side}, {time_s} s");
            let mean = heights.iter().map(square).sum::<f64>() / count;
            check_near(mean, waves.height_variance_m2(), 1.0e-3, &name);
            let mean = slopes.iter().flatten().map(square).sum::<f64>() / count;
            check_near(mean, waves.slope_variance(), 1.0e-3, &name);
            let later = waves.heights_m_at(time_s + 200.0);
            let off = heights.iter().zip(&later).map(|(a, b)| (a - b).abs());
            assert!(off.fold(0.0, f32::max) < 1.0e-3, "{name}");
        }
    }
}

#[test]
fn slopes_are_those_of_the_heights() {
    let options = WaveOptions { lengths_m: [8.0, 1.0e9], width_m: 64.0, ..Default::default() };
    let waves = spectrum(options);
    let (heights, slopes) = (waves.heights_m_at(9.0), waves.slopes_at(9.0));
    let at = |x: usize, y: usize| heights[(y % 128) * 128 + x % 128];
    let most = slopes.iter().flatten().fold(0.0, |most: f32, slope| most.max(slope.abs()));
    for (x, y) in (0..128).flat_map(|y| (0..128).map(move |x| (x, y))) {
        // Texels of 0.5 m; waves of 16 texels at least.
        let found = [at(x + 1, y) - at(x + 127, y), at(x, y + 1) - at(x, y + 127)];
        for (found, slope) in found.iter().zip(slopes[y * 128 + x]) {
            assert!((found - slope).abs() < 0.05 * most, "{x}, {y}: {found} {slope}");
        }
    }
}

#[test]
fn waves_run_with_the_wind_and_are_as_steep_as_is_asked() {
    for wind_m_s in [[6.0, 0.0], [-6.0, 0.0], [0.0, 6.0], [-3.0, -5.0]] {
        let wanted = 0.4 * slope_variance(6.0);
        let options = WaveOptions { wind_m_s, slope_variance: Some(wanted), ..Default::default() };
        let waves = spectrum(options);
        check_near(waves.slope_variance(), wanted, 1.0e-9, "slopes");
        // What moves with c has ∂h/∂t = −c·∇h.
        let (before, after) = (waves.heights_m_at(10.0), waves.heights_m_at(10.02));
        let slopes = waves.slopes_at(10.01);
        let rise = before.iter().zip(&after).map(|(a, b)| b - a);
        let along =
            slopes.iter().map(|[x, y]| f64::from(*x) * wind_m_s[0] + f64::from(*y) * wind_m_s[1]);
        let sum: f64 = rise.zip(along).map(|(rise, along)| f64::from(rise) * along).sum();
        assert!(sum < 0.0, "{wind_m_s:?}: {sum}");
    }
}

/// Goal: whatever is not refused has finite waves, and none where the wind raises none so long.
#[test]
fn waves_are_finite_at_any_depth_time_and_wind() {
    let long = [1.2, 61.0];
    let good = WaveOptions { side: 32, width_m: 61.0, ..Default::default() };
    let of = |wind_m_s: f64, lengths_m| WaveOptions {
        wind_m_s: [wind_m_s, 0.0],
        lengths_m,
        slope_variance: Some(0.01),
        ..good
    };
    let cases = [
        ("fathomless", true, WaveOptions { depth_m: f64::MAX, ..good }),
        ("a breath", false, WaveOptions { wind_m_s: [1.0e-200, 0.0], ..good }),
        ("a breeze", true, of(3.0, long)),
        ("long waves of half a metre a second", false, of(0.5, long)),
        ("waves that no square has", false, of(5.0, [100.0, 200.0])),
        ("no slopes", false, WaveOptions { slope_variance: Some(0.0), ..good }),
    ];
    for (name, has_waves, options) in cases {
        let waves = spectrum(options);
        let amplitudes = waves.amplitudes_m().as_flattened().as_flattened();
        assert!(amplitudes.iter().all(|part| part.is_finite()), "{name}");
        assert!(waves.frequencies().iter().all(|frequency| frequency.is_finite()), "{name}");
        let variances = [waves.height_variance_m2(), waves.slope_variance()];
        assert!(variances.iter().all(|of| (*of > 0.0) == has_waves), "{name}: {variances:?}");
        for time_s in [-1.0e300, 0.0, f64::MAX, f64::NAN, f64::INFINITY] {
            let heights = waves.heights_m_at(time_s);
            assert!(heights.iter().all(|height| height.is_finite()), "{name}: {time_s} s");
        }
        assert_eq!(waves.heights_m_at(f64::NAN), waves.heights_m_at(0.0), "{name}");
    }
}

#[test]
fn options_out_of_range_are_refused_by_name() {
    let good = WaveOptions::default();
    let cases = [
        ("wind_m_s", WaveOptions { wind_m_s: [f64::NAN, 0.0], ..good }),
        ("fetch_m", WaveOptions { fetch_m: 0.0, ..good }),
        ("depth_m", WaveOptions { depth_m: -1.0, ..good }),
        ("side", WaveOptions { side: 100, ..good }),
        ("side", WaveOptions { side: 8192, ..good }),
        ("width_m", WaveOptions { width_m: f64::INFINITY, ..good }),
        ("lengths_m[1]", WaveOptions { lengths_m: [2.0, 1.0], ..good }),
        ("lengths_m[1]", WaveOptions { lengths_m: [2.0, 2.0], ..good }),
        ("wind_m_s", WaveOptions { wind_m_s: [1.0e200, 0.0], ..good }),
        ("wind_m_s", WaveOptions { depth_m: 1.0e-300, ..good }),
        ("period_s", WaveOptions { period_s: 0.0, ..good }),
        ("slope_variance", WaveOptions { slope_variance: Some(-1.0), ..good }),
    ];
    for (expected, options) in cases {
        let error = WaveSpectrum::try_new(options).expect_err(expected);
        assert!(matches!(error, LooksError::Number { name, .. } if name == expected), "{error}");
    }
    let calm = spectrum(WaveOptions { wind_m_s: [0.0; 2], ..good });
    assert!(calm.heights_m_at(1.0).iter().all(|height| height.abs() <= 0.0));
}
