//! Values by place as a few classes, the form that the engine takes.

/// Values of the classes, and the class of each cell.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ValueClasses {
    /// Value of each class, rising.
    pub values: Vec<f64>,
    /// Index of its class for each cell.
    pub of_cell: Vec<u16>,
}

/// Sorts `cells` into at most `count` classes: exactly if the cells have no more different values,
/// else in even steps from the lowest to the highest, so that no cell is off by more than half a
/// step.
pub(super) fn classify(cells: &[f64], count: u16) -> ValueClasses {
    let mut values: Vec<f64> = Vec::new();
    for &cell in cells {
        if let Err(place) = values.binary_search_by(|value| value.total_cmp(&cell)) {
            values.insert(place, cell);
            if values.len() > usize::from(count) {
                return even_steps(cells, count);
            }
        }
    }
    let class = |cell: &f64| values.partition_point(|value| value < cell);
    let of_cell = cells.iter().map(|cell| index(class(cell))).collect();
    ValueClasses { values, of_cell }
}

fn even_steps(cells: &[f64], count: u16) -> ValueClasses {
    let low = cells.iter().copied().fold(f64::INFINITY, f64::min);
    let high = cells.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let step = (high - low) / f64::from(count - 1);
    let values = (0..count).map(|class| low + f64::from(class) * step).collect();
    let of_cell = cells.iter().map(|cell| nearest((cell - low) / step, count)).collect();
    ValueClasses { values, of_cell }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to count - 1")]
fn nearest(class: f64, count: u16) -> u16 {
    class.round().clamp(0.0, f64::from(count - 1)) as u16
}

fn index(class: usize) -> u16 {
    u16::try_from(class).expect("as many as asked for, a u16")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_stay_exact() {
        let classes = classify(&[0.1, 0.03, 0.1, 0.05], 3);
        assert_eq!(classes.values, [0.03, 0.05, 0.1]);
        assert_eq!(classes.of_cell, [2, 0, 2, 1]);
    }

    #[test]
    fn many_values_are_off_by_half_a_step_at_most() {
        let cells: Vec<f64> = (0..1000).map(|i| f64::from(i).sqrt()).collect();
        let classes = classify(&cells, 100);
        assert_eq!(classes.values.len(), 100);
        let half = 0.5 * (classes.values[1] - classes.values[0]);
        for (cell, &class) in cells.iter().zip(&classes.of_cell) {
            let off = (cell - classes.values[usize::from(class)]).abs();
            assert!(off <= half * 1.000_001, "{cell}: off by {off}");
        }
    }
}
