//! Memory of leaves beside leaves with steps of a different length, kept for the next cycle.

use crate::forest::interfaces::LeafInterfaces;
use crate::forest::interfaces::coarse::CoarseView;
use crate::tile::Water;

/// Spare views and water. New memory is allocated page by page, which needs more time than a step
/// of a border.
#[derive(Debug, Clone, Default)]
pub struct Spare {
    views: Vec<CoarseView>,
    waters: Vec<Water>,
}

impl Spare {
    /// Returns a view with any contents, for a leaf whose step begins it.
    #[must_use]
    pub fn view(&mut self) -> Box<CoarseView> {
        Box::new(self.views.pop().unwrap_or_default())
    }

    /// Returns water of any depths and discharges.
    #[must_use]
    pub fn water(&mut self) -> Box<Water> {
        Box::new(self.waters.pop().unwrap_or_else(Water::dry))
    }

    /// Removes from a leaf the memory that it needed for one cycle. A view for finer leaves stays.
    pub fn take(&mut self, own: &mut LeafInterfaces) {
        if own.moment.is_some() {
            self.views.extend(own.coarse_view.take().map(|view| *view));
        }
        let waters = own.moment.take().into_iter().chain(own.before.take());
        self.waters.extend(waters.map(|water| *water));
    }
}
