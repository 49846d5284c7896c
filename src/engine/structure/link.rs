//! The list of all kinds of links.

use crate::structure::culvert::{Culvert, CulvertLaw};
use crate::structure::drain::{Drain, DrainLaw};
use crate::structure::end::{FlowLaw, LinkSpec};
use crate::structure::error::{Fault, StructureError, StructureId, StructureKind};
use crate::structure::frame::StructureFrame;
use crate::structure::pump::{Pump, PumpLaw};
use serde::{Deserialize, Serialize};

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident: $law:ty,)*) => {
        /// Link between two places, or between a place and the outside of the world. [`LinkSpec`]
        /// has the methods that all kinds share.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(rename_all = "snake_case")]
        pub enum Link {
            $($(#[$doc])* $kind($kind),)*
        }

        /// Law of a link, which determines its discharge; the kinds are in the same order.
        #[derive(Debug, Clone, PartialEq, Serialize)]
        pub enum LinkLaw {
            $($(#[$doc])* $kind(Box<$law>),)*
        }

        $(impl From<$kind> for Link {
            fn from(link: $kind) -> Self {
                Self::$kind(link)
            }
        })*

        impl Link {
            /// Returns the specification of the link's kind.
            #[must_use]
            pub fn spec(&self) -> &dyn LinkSpec {
                match self { $(Self::$kind(link) => link,)* }
            }

            /// Returns the specification of the link's kind, to change.
            pub fn spec_mut(&mut self) -> &mut dyn LinkSpec {
                match self { $(Self::$kind(link) => link,)* }
            }

            /// Returns the law of the link; its numbers are [checked](LinkSpec::check).
            ///
            /// # Errors
            ///
            /// [`Fault`] states why the link cannot be in a world of this frame.
            pub fn law(&self, frame: &StructureFrame<'_>) -> Result<LinkLaw, Fault> {
                Ok(match self {
                    $(Self::$kind(link) => LinkLaw::$kind(Box::new(link.law(frame)?)),)*
                })
            }
        }

        impl LinkLaw {
            /// Returns the law of the link's kind.
            #[must_use]
            pub fn law(&self) -> &dyn FlowLaw {
                match self { $(Self::$kind(law) => &**law,)* }
            }
        }
    };
}

kinds! {
    /// A culvert or pipe.
    Culvert: CulvertLaw,
    /// A pump.
    Pump: PumpLaw,
    /// A drain.
    Drain: DrainLaw,
}

impl Link {
    /// Returns the name of the link.
    #[must_use]
    pub fn name(&self) -> &str {
        self.spec().name()
    }

    /// Returns the identity of the link.
    #[must_use]
    pub fn id(&self) -> StructureId {
        StructureId { kind: StructureKind::Link, name: self.name().to_owned() }
    }

    /// Returns the error for a fault of the link.
    #[must_use]
    pub fn error(&self, fault: Fault) -> StructureError {
        StructureKind::Link.error(self.name(), fault)
    }

    /// Returns the positions of the beginning and the end, m; `None` for an end out of the world.
    #[must_use]
    pub fn points_m(&self) -> ([f64; 2], Option<[f64; 2]>) {
        let ends = self.spec().ends();
        (ends[0].point_m, ends.get(1).map(|end| end.point_m))
    }
}
