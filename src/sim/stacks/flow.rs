//! Water that moves in a step, with its contents.

use crate::flow::tracer::share;
use crate::sim::cell_store::CellStore;
use crate::sim::stacks::net::{Now, StackNet};
use crate::sim::table::LeafTable;

impl StackNet {
    /// Moves what the passages move, out of nodes and planes and into them.
    pub(super) fn flow(&mut self, leaves: &mut LeafTable) {
        let mut now = std::mem::take(&mut self.now);
        if now.contents.is_empty() {
            self.flow_water(&mut now, leaves);
        } else {
            self.flow_with_contents(&mut now, leaves);
        }
        self.now = now;
    }

    fn flow_water(&self, now: &mut Now, leaves: &mut LeafTable) {
        let Now { awake, depth, moved, .. } = now;
        for at in awake.iter().flat_map(|&slot| self.slots[slot].passages.clone()) {
            let units = moved[at];
            if units != 0 {
                let [a, b] = self.passages[at].ends.map(|node| node as usize);
                depth[a] -= units;
                depth[b] += units;
            }
        }
        for (node, own) in self.nodes.iter().enumerate().skip(self.covered) {
            let plane = &leaves.water[own.leaf].depth;
            if plane[usize::from(own.cell)] != depth[node] {
                leaves.water[own.leaf].depth[usize::from(own.cell)] = depth[node];
            }
        }
    }

    /// Moves water and contents: a node gives of what it held when the step began, face after face,
    /// and what comes to it is put in when all have given.
    fn flow_with_contents(&self, now: &mut Now, leaves: &mut LeafTable) {
        let tracers = now.contents.len();
        let mut came: Vec<(u32, i32, Vec<i64>)> = Vec::new();
        let Now { awake, depth, moved, contents, .. } = now;
        for at in awake.iter().flat_map(|&slot| self.slots[slot].passages.clone()) {
            let units = moved[at];
            if units == 0 {
                continue;
            }
            let [a, b] = self.passages[at].ends;
            let (giver, taker) = if units > 0 { (a, b) } else { (b, a) };
            let own = &self.nodes[giver as usize];
            let units = units.abs();
            let carried: Vec<i64> = if own.is_open {
                let water = &mut *leaves.water[own.leaf];
                CellStore::open(water, usize::from(own.cell)).take_all(units)
            } else {
                let held = depth[giver as usize];
                (0..tracers)
                    .map(|tracer| {
                        let content = &mut contents[tracer][giver as usize];
                        let carried = share(*content, units, held);
                        *content -= carried;
                        carried
                    })
                    .collect()
            };
            depth[giver as usize] -= units;
            came.push((taker, units, carried));
        }
        for (taker, units, carried) in came {
            let own = &self.nodes[taker as usize];
            depth[taker as usize] += units;
            if own.is_open {
                let water = &mut *leaves.water[own.leaf];
                let mut store = CellStore::open(water, usize::from(own.cell));
                store.give(units, |tracer| carried[tracer]);
            } else {
                for (tracer, content) in carried.into_iter().enumerate() {
                    contents[tracer][taker as usize] += content;
                }
            }
        }
    }
}
