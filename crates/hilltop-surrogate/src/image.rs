//! Networks for candidates that are arrays: a convolution, then a dense layer.
//!
//! An image, a spectrum or a field has neighbours, which the list of its numbers does not say. A network that begins with a
//! convolution looks at every patch with the same weights; Dai et al. (*Sample-Then-Optimize Batch Neural Thompson Sampling*,
//! `NeurIPS` 2022, §5.4) use 64 filters and a dense layer of 64 units for images, which is the default here.

use hilltop_core::{Error, Result, Space};
use hilltop_nn::{Activation, Architecture, Convolution, Parameterisation};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The description of a network for arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ImageNetwork {
    /// Filters of the convolution.
    pub filters: usize,
    /// Extent of a patch in every direction.
    pub kernel: usize,
    /// The distance from a patch to the next.
    pub stride: usize,
    /// Units of the dense layer behind the convolution.
    pub units: usize,
}

impl Default for ImageNetwork {
    fn default() -> Self {
        Self {
            filters: 64,
            kernel: 3,
            stride: 1,
            units: 64,
        }
    }
}

impl ImageNetwork {
    /// Whether there are such networks.
    pub fn check(&self) -> Result<()> {
        let settings = [
            ("filters", self.filters),
            ("kernel", self.kernel),
            ("stride", self.stride),
            ("units", self.units),
        ];
        match settings.into_iter().find(|(_, value)| *value == 0) {
            Some((setting, value)) => Err(refused(setting, value, "a whole number above 0".into())),
            None => Ok(()),
        }
    }

    /// The network for arrays of a shape: `[length]`, `[rows, columns]` or `[rows, columns, channels]`.
    pub fn architecture(
        &self,
        shape: &[usize],
        activation: Activation,
        parameterisation: Parameterisation,
    ) -> Result<Architecture> {
        self.check()?;
        if parameterisation == Parameterisation::Antisymmetric {
            self.check_even()?;
        }
        let (image, kernel) = match *shape {
            [length] => ([1, length, 1], [1, self.kernel]),
            [rows, columns] => ([rows, columns, 1], [self.kernel; 2]),
            [rows, columns, channels] => ([rows, columns, channels], [self.kernel; 2]),
            _ => return Err(unusable(&format!("arrays of shape {shape:?} have none"))),
        };
        let least = if shape.len() == 1 {
            image[1]
        } else {
            image[0].min(image[1])
        };
        if self.kernel > least {
            let allowed = format!("at most {least}, the least extent of the shape {shape:?}");
            return Err(refused("kernel", self.kernel, allowed));
        }
        let convolution = Convolution {
            image,
            kernel,
            stride: self.stride,
            filters: self.filters,
        };
        let inputs = image.iter().product();
        let dense = Architecture::new(inputs, &[self.units], activation, parameterisation);
        let architecture = dense.with_convolution(convolution);
        architecture.check().map_err(|error| unusable(&error.to_string()))?;
        Ok(architecture)
    }

    fn check_even(&self) -> Result<()> {
        let odd = [("filters", self.filters), ("units", self.units)];
        match odd.into_iter().find(|(_, value)| value % 2 == 1) {
            Some((setting, value)) => {
                let allowed = "an even number where parameterisation = antisymmetric".into();
                Err(refused(setting, value, allowed))
            }
            None => Ok(()),
        }
    }

    /// The default with a kernel that fits into arrays of a shape.
    fn fitting(shape: &[usize]) -> Self {
        let least = shape.iter().take(2).copied().min().unwrap_or(1);
        let kernel = Self::default().kernel.min(least);
        Self {
            kernel,
            ..Self::default()
        }
    }
}

/// Whether a network begins with a convolution. In a study file `"auto"`, `true`, `false`, or a table of settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Imaging {
    /// Where the candidates have a shape.
    #[default]
    Auto,
    /// Never: arrays are lists of numbers.
    Off,
    /// Always, like this.
    On(ImageNetwork),
}

impl Imaging {
    /// The network for the arrays of a space, or none where its points go to dense layers as they are.
    pub fn network(&self, space: &Space) -> Result<Option<ImageNetwork>> {
        match (self, space.shape()) {
            (Self::Off, _) | (Self::Auto, None) => Ok(None),
            (Self::Auto, Some(shape)) => Ok(Some(ImageNetwork::fitting(shape))),
            (Self::On(_), None) => Err(Error::Setting {
                setting: "convolution".into(),
                value: "on".into(),
                allowed: "only candidates with a shape are arrays; add `shape = [rows, columns]` to [candidates]"
                    .into(),
            }),
            (Self::On(network), Some(shape)) => {
                network.architecture(shape, Activation::Erf, Parameterisation::Ntk)?;
                Ok(Some(*network))
            }
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Typed {
    Flag(bool),
    Word(String),
    Table(serde_json::Map<String, serde_json::Value>),
}

impl Serialize for Imaging {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Auto => serializer.serialize_str("auto"),
            Self::Off => serializer.serialize_bool(false),
            Self::On(network) => network.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Imaging {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Typed::deserialize(deserializer) {
            Ok(Typed::Flag(false)) => Ok(Self::Off),
            Ok(Typed::Flag(true)) => Ok(Self::On(ImageNetwork::default())),
            Ok(Typed::Word(word)) if word == "auto" => Ok(Self::Auto),
            Ok(Typed::Table(table)) => {
                let network = ImageNetwork::deserialize(serde_json::Value::Object(table));
                network
                    .map(Self::On)
                    .map_err(|error| D::Error::custom(format!("convolution: {error}")))
            }
            _ => Err(D::Error::custom(
                "convolution is \"auto\", true, false or a table such as { filters = 64, kernel = 3 }",
            )),
        }
    }
}

fn refused(setting: &str, value: usize, allowed: String) -> Error {
    Error::Setting {
        setting: format!("convolution.{setting}"),
        value: value.to_string(),
        allowed,
    }
}

fn unusable(detail: &str) -> Error {
    Error::Setting {
        setting: "convolution".into(),
        value: "on".into(),
        allowed: detail.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use hilltop_core::{Candidates, Value};
    use serde_json::json;

    fn images(shape: &[usize]) -> Space {
        let count = shape.iter().product::<usize>();
        let rows = (0..3).map(|row| (0..count).map(|k| Value::Int((row * k) as i64)).collect());
        let names = (0..count).map(|k| format!("p{k}"));
        let candidates = Candidates::from_rows(names, rows.collect()).unwrap();
        Space::finite(candidates.with_shape(shape).unwrap())
    }

    fn complaint(typed: serde_json::Value, space: &Space) -> String {
        let imaging: Imaging = serde_json::from_value(typed).unwrap();
        imaging.network(space).unwrap_err().to_string()
    }

    #[test]
    fn arrays_get_a_convolution_and_other_spaces_none() {
        let network = Imaging::Auto.network(&images(&[8, 8])).unwrap().unwrap();
        assert_eq!(network, ImageNetwork::default());
        assert_eq!(Imaging::Auto.network(&images(&[2, 5, 3])).unwrap().unwrap().kernel, 2);
        assert_eq!(Imaging::Auto.network(&Space::unit_box(64)).unwrap(), None);
        assert_eq!(Imaging::Off.network(&images(&[8, 8])).unwrap(), None);
        let line = network
            .architecture(&[7], Activation::Erf, Parameterisation::Ntk)
            .unwrap();
        assert_eq!(line.convolution.unwrap().sites(), 5);
    }

    #[test]
    fn what_does_not_fit_is_refused_by_name() {
        let space = images(&[8, 5]);
        assert_eq!(
            complaint(json!({ "kernel": 6 }), &space),
            "convolution.kernel = 6 is not allowed: at most 5, the least extent of the shape [8, 5]"
        );
        for setting in ["filters", "kernel", "stride", "units"] {
            let message = complaint(json!({ setting: 0 }), &space);
            assert_eq!(
                message,
                format!("convolution.{setting} = 0 is not allowed: a whole number above 0")
            );
        }
        assert!(complaint(json!(true), &Space::unit_box(4)).contains("add `shape = [rows, columns]`"));
        let odd = ImageNetwork {
            filters: 5,
            ..ImageNetwork::default()
        };
        let message = odd
            .architecture(&[8, 8], Activation::Erf, Parameterisation::Antisymmetric)
            .unwrap_err();
        assert!(message.to_string().contains("convolution.filters = 5"), "{message}");
    }

    #[test]
    fn a_choice_survives_being_written_and_read() {
        for imaging in [
            Imaging::Auto,
            Imaging::Off,
            Imaging::On(ImageNetwork {
                units: 7,
                ..ImageNetwork::default()
            }),
        ] {
            let typed = serde_json::to_value(imaging).unwrap();
            assert_eq!(serde_json::from_value::<Imaging>(typed).unwrap(), imaging);
        }
        for wrong in [json!("yes"), json!(3), json!({ "filter": 3 }), json!({ "filters": -1 })] {
            assert!(
                serde_json::from_value::<Imaging>(wrong)
                    .unwrap_err()
                    .to_string()
                    .contains("convolution")
            );
        }
    }
}
