//! The classes in which maps draw depths: `5cm,10cm,0.5,1`.

use std::str::FromStr;

use crate::quantity::{Metres, Quantity, read_as_typed};

read_as_typed!(DepthClasses);

/// Most classes that colours can distinguish.
const CLASSES_MAX: usize = 9;

/// Lower bounds of the classes of depth, rising, m.
#[derive(Debug, Clone, PartialEq)]
pub struct DepthClasses(pub Vec<f64>);

impl FromStr for DepthClasses {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let limits = text.split(',').map(|limit| limit.parse().map(Metres::si));
        let limits: Vec<f64> = limits.collect::<Result<_, String>>()?;
        let is_rising = limits.is_sorted_by(|low, high| low < high) && limits[0] > 0.0;
        if is_rising && limits.len() <= CLASSES_MAX {
            return Ok(Self(limits));
        }
        Err(format!(
            "`{text}` are no classes of depth: write one to {CLASSES_MAX} depths above 0 that \
             rise, like 5cm,10cm,50cm,1m"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_rise() {
        let read = |text: &str| text.parse::<DepthClasses>();
        assert_eq!(read("5cm,0.1, 30 cm"), Ok(DepthClasses(vec![0.05, 0.1, 0.3])));
        assert_eq!(read("2mm"), Ok(DepthClasses(vec![0.002])));
        for text in ["", "0,1", "1,1", "2,1", "-1,1", "1,,2", "1,2,3,4,5,6,7,8,9,10"] {
            assert!(read(text).is_err(), "{text}");
        }
        assert!(read("2,1").is_err_and(|wrong| wrong.contains("5cm,10cm")));
    }
}
