//! In which order channels are evaluated, so that parents come before what they drive.

use super::channel::Channel;

/// The channels in an order in which every parent is driven before it is read, or the channels of a loop.
///
/// `driver_of` has the channel that drives each slot.
/// Independent channels keep the order given (Kahn 1962, "Topological sorting of large networks").
pub(super) fn order(channels: &[Channel], driver_of: &[Option<usize>]) -> Result<Vec<usize>, Vec<usize>> {
    let parents = |channel: usize| {
        channels[channel]
            .driver
            .parent_slots()
            .filter_map(|slot| driver_of[slot])
    };
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); channels.len()];
    let mut missing: Vec<usize> = vec![0; channels.len()];
    for (channel, missing) in missing.iter_mut().enumerate() {
        for parent in parents(channel) {
            children[parent].push(channel);
            *missing += 1;
        }
    }
    let mut order: Vec<usize> = (0..channels.len()).filter(|&it| missing[it] == 0).collect();
    let mut next = 0;
    while let Some(&channel) = order.get(next) {
        next += 1;
        for &child in &children[channel] {
            missing[child] -= 1;
            if missing[child] == 0 {
                order.push(child);
            }
        }
    }
    let Some(stuck) = missing.iter().position(|&count| count > 0) else {
        return Ok(order);
    };
    // Each stuck channel has a stuck parent, so walking to parents comes back to where it has been.
    let mut path = vec![stuck];
    loop {
        let last = path[path.len() - 1];
        let Some(parent) = parents(last).find(|&parent| missing[parent] > 0) else {
            return Err(path);
        };
        if let Some(start) = path.iter().position(|&it| it == parent) {
            path.drain(..start);
            // The walk went from child to parent; a reader wants the parent first.
            path.reverse();
            return Err(path);
        }
        path.push(parent);
    }
}
