//! Samples as tables for a person.

use std::fmt::Write as _;

use super::{Sample, Sampled};
use crate::table::Align::{Left, Right};
use crate::table::Table;
use crate::text::{brief, counted, number, printable};

/// More times than this are shown in part.
const SHOWN_TIMES: usize = 10;

/// The weights by target over time, and how many nodes move.
pub(super) fn text(samples: &Sampled) -> String {
    let clip = &samples.clip;
    let name = if clip.name.is_empty() {
        String::new()
    } else {
        format!(" \"{}\"", brief(&clip.name))
    };
    // Writing to a string cannot fail, here and below.
    let mut text = format!(
        "{}: clip {}{name}, {} s, {}\n",
        printable(&samples.file),
        clip.index,
        number(f64::from(clip.duration)),
        counted(samples.samples.len(), "sample", "samples"),
    );
    let Some(first) = samples.samples.first() else {
        return text;
    };
    // What is driven is the same at all times. Of many times some are shown, evenly over the clip.
    let step = samples.samples.len().div_ceil(SHOWN_TIMES).max(1);
    let shown: Vec<_> = samples.samples.iter().step_by(step).collect();
    if !first.weights.is_empty() {
        let mut heads = vec![("node".to_owned(), Left), ("target".to_owned(), Left)];
        heads.extend(
            shown
                .iter()
                .map(|it| (format!("{} s", number(f64::from(it.time))), Right)),
        );
        let heads: Vec<(&str, _)> = heads
            .iter()
            .map(|(head, align)| (head.as_str(), *align))
            .collect();
        let mut table = Table::new(&heads);
        for (node, targets) in &first.weights {
            for target in targets.keys() {
                let weight = |it: &&Sample| it.weights.get(node).and_then(|of| of.get(target)).copied();
                let mut cells = vec![brief(node), brief(target)];
                cells.extend(
                    shown
                        .iter()
                        .map(|it| weight(it).map_or(String::new(), |w| number(f64::from(w)))),
                );
                table.row(cells);
            }
        }
        text.push_str(&table.lines(0));
    }
    if shown.len() < samples.samples.len() {
        let _ = writeln!(text, "one of {step} samples is shown; --json has all");
    }
    if !first.nodes.is_empty() {
        let nodes = counted(first.nodes.len(), "node moves", "nodes move");
        let _ = writeln!(text, "{nodes}; --json says how");
    }
    if first.weights.is_empty() && first.nodes.is_empty() {
        text.push_str("the clip drives nothing in this model\n");
    }
    text
}
