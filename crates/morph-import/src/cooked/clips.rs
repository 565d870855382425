//! Clips as records and floats, and back.

use std::collections::HashMap;
use std::sync::Arc;

use morph_anim::{Channel, Clip, CubicKey, Curve, CurveError, Keys, Track};
use morph_core::cooked::{Container, CookedError, Section, SectionError, SectionId, SectionKind, Writer};

use super::error::Fault;
use super::records::{ClipRecord, RunRecord, TrackRecord};
use super::runs::{field, run, slice_of};
use super::text::{TextWriter, Texts};

/// Adds the sections of clips, where there are clips.
pub(super) fn add(writer: &mut Writer<'_>, text: &mut TextWriter, clips: &[Clip]) {
    if clips.is_empty() {
        return;
    }
    let mut curves = CurveWriter::default();
    let mut records = Vec::with_capacity(clips.len());
    let mut tracks = Vec::new();
    for clip in clips {
        let first = tracks.len();
        tracks.extend(clip.tracks.iter().map(|track| curves.track(text, track)));
        records.push(ClipRecord {
            name: text.add(&clip.name),
            tracks: run(first, clip.tracks.len()),
        });
    }
    writer.add_owned(SectionId::of_model(SectionKind::CLIPS), &records);
    writer.add_owned(SectionId::of_model(SectionKind::TRACKS), &tracks);
    writer.add_owned(SectionId::of_model(SectionKind::CURVES), &curves.floats);
}

/// Gathers the floats of curves.
#[derive(Default)]
struct CurveWriter {
    floats: Vec<f32>,
    /// Where times are that were written before, by their place in memory: curves share them there too.
    times: HashMap<(*const f32, usize), usize>,
}

impl CurveWriter {
    fn track(&mut self, text: &mut TextWriter, track: &Track) -> TrackRecord {
        let (channel, target, [times, values], interpolation) = match &track.channel {
            Channel::Translation(curve) => (0, None, self.curve(curve), interpolation(curve.keys())),
            Channel::Rotation(curve) => (1, None, self.curve(curve), interpolation(curve.keys())),
            Channel::Scale(curve) => (2, None, self.curve(curve), interpolation(curve.keys())),
            Channel::Weight { target, curve } => (
                3,
                Some(target.as_str()),
                self.curve(curve),
                interpolation(curve.keys()),
            ),
        };
        TrackRecord {
            node: text.add(&track.node),
            target: text.add_optional(target),
            channel,
            interpolation,
            times,
            values,
        }
    }

    fn curve<const N: usize>(&mut self, curve: &Curve<N>) -> [RunRecord; 2] {
        let times = curve.times();
        let first = *self
            .times
            .entry((times.as_ptr(), times.len()))
            .or_insert_with(|| {
                let first = self.floats.len();
                self.floats.extend_from_slice(times);
                first
            });
        let first_value = self.floats.len();
        match curve.keys() {
            Keys::Step(values) | Keys::Linear(values) => self.floats.extend_from_slice(values.as_flattened()),
            Keys::CubicSpline(keys) => {
                for key in keys {
                    let parts = [key.in_tangent, key.value, key.out_tangent];
                    self.floats.extend_from_slice(parts.as_flattened());
                }
            }
        }
        [
            run(first, times.len()),
            run(first_value, self.floats.len() - first_value),
        ]
    }
}

fn interpolation<const N: usize>(keys: &Keys<N>) -> u32 {
    match keys {
        Keys::Step(_) => 0,
        Keys::Linear(_) => 1,
        Keys::CubicSpline(_) => 2,
    }
}

/// Reads the clips of a file.
pub(super) fn read(container: &Container<'_>, texts: &Texts<'_>) -> Result<Vec<Clip>, Fault> {
    let Some(section) = container.get(SectionId::of_model(SectionKind::CLIPS)) else {
        for kind in [SectionKind::TRACKS, SectionKind::CURVES] {
            if let Some(section) = container.get(SectionId::of_model(kind)) {
                return Err(section.fault(SectionError::Unexpected).into());
            }
        }
        return Ok(Vec::new());
    };
    let track_section = container.require(SectionId::of_model(SectionKind::TRACKS))?;
    let curve_section = container.require(SectionId::of_model(SectionKind::CURVES))?;
    let records: &[ClipRecord] = section.records()?;
    let tracks: &[TrackRecord] = track_section.records()?;
    let mut curves = CurveReader {
        floats: curve_section.records()?,
        section: track_section,
        shared: HashMap::new(),
    };
    let mut clips = Vec::with_capacity(records.len());
    let mut next = 0;
    for (clip, record) in records.iter().enumerate() {
        let own = super::runs::next_run(tracks, record.tracks, &mut next, "the tracks of clip", clip)
            .map_err(|error| section.fault(error))?;
        let mut read = Vec::with_capacity(own.len());
        for (track, record) in own.iter().enumerate() {
            let at = next - own.len() + track;
            let channel = match curves.channel(record, at, texts)? {
                Ok(channel) => channel,
                Err(error) => return Err(Fault::Track { clip, track, error }),
            };
            read.push(Track {
                node: texts.required(record.node, "the node of track", at, &track_section)?,
                channel,
            });
        }
        check_distinct(&read, next - own.len()).map_err(|error| track_section.fault(error))?;
        clips.push(Clip {
            name: texts.required(record.name, "the name of clip", clip, &section)?,
            tracks: read,
        });
    }
    super::runs::check_end(next, tracks.len(), "the tracks of all clips")
        .map_err(|error| track_section.fault(error))?;
    Ok(clips)
}

/// No two tracks of a clip drive the same.
fn check_distinct(tracks: &[Track], first: usize) -> Result<(), SectionError> {
    let mut seen = HashMap::new();
    for (at, track) in tracks.iter().enumerate() {
        let driven = match &track.channel {
            Channel::Translation(_) => (0, ""),
            Channel::Rotation(_) => (1, ""),
            Channel::Scale(_) => (2, ""),
            Channel::Weight { target, .. } => (3, target.as_str()),
        };
        if let Some(before) = seen.insert((track.node.as_str(), driven), at) {
            return Err(SectionError::DuplicateName {
                what: "what is driven by tracks",
                name: track.node.clone(),
                first: first + before,
                second: first + at,
            });
        }
    }
    Ok(())
}

struct CurveReader<'a> {
    floats: &'a [f32],
    section: Section<'a>,
    /// Times by their place in the file, so that curves share what they shared when they were written.
    shared: HashMap<(u32, u32), Arc<[f32]>>,
}

impl CurveReader<'_> {
    /// The channel of a track: the outer error is of the file, the inner one of the keys.
    fn channel(
        &mut self,
        record: &TrackRecord,
        at: usize,
        texts: &Texts<'_>,
    ) -> Result<Result<Channel, CurveError>, CookedError> {
        let target = texts.optional(record.target, "the target of track", at, &self.section)?;
        let channel = match (record.channel, target) {
            (0, None) => self.curve(record, at)?.map(Channel::Translation),
            (1, None) => self.curve(record, at)?.map(Channel::Rotation),
            (2, None) => self.curve(record, at)?.map(Channel::Scale),
            (3, Some(target)) => self
                .curve(record, at)?
                .map(|curve| Channel::Weight { target, curve }),
            (found, _) => {
                let right =
                    "0 (translation), 1 (rotation) or 2 (scale) without a target, or 3 (weight) with one";
                return Err(self.section.fault(field("the channel", at, found, right)));
            }
        };
        Ok(channel)
    }

    fn curve<const N: usize>(
        &mut self,
        record: &TrackRecord,
        at: usize,
    ) -> Result<Result<Curve<N>, CurveError>, CookedError> {
        let fault = |error| self.section.fault(error);
        let slice = |run, what| slice_of(self.floats, run, what, at).map_err(fault);
        let (times, values) = (
            slice(record.times, "the times of track")?,
            slice(record.values, "the values of track")?,
        );
        let (vectors, left_over) = values.as_chunks::<N>();
        let keys = match record.interpolation {
            0 => Keys::Step(vectors.to_vec()),
            1 => Keys::Linear(vectors.to_vec()),
            2 => Keys::CubicSpline(
                vectors
                    .as_chunks::<3>()
                    .0
                    .iter()
                    .map(|&[in_tangent, value, out_tangent]| CubicKey {
                        in_tangent,
                        value,
                        out_tangent,
                    })
                    .collect(),
            ),
            found => {
                let right = "0 (step), 1 (linear) or 2 (cubic spline)";
                return Err(fault(field("the interpolation", at, found, right)));
            }
        };
        let per_key = if record.interpolation == 2 { 3 } else { 1 };
        if !left_over.is_empty() || vectors.len() != keys.len() * per_key {
            return Err(fault(field(
                "the number of values",
                at,
                record.values.count,
                "a whole number of keys",
            )));
        }
        let times = self
            .shared
            .entry((record.times.first, record.times.count))
            .or_insert_with(|| Arc::from(times));
        Ok(Curve::new(Arc::clone(times), keys))
    }
}
