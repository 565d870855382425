//! What is odd or damaged in a file, and the one place where damage of a part becomes a warning.

use crate::damage::{Damage, Part};
use crate::fault::Fault;
use crate::model::Mesh;
use crate::options::OnDamage;
use crate::warning::{ImportWarning, WarningKind};

/// What a warning takes, about, for the limit on what a file may ask for.
pub(crate) const WARNING_BYTES: u64 = 256;

/// An error that the reader of a part may end with.
pub(crate) trait PartError: Clone + Into<Damage> {
    /// Whether the whole file is refused, whatever part asked: it asks for too much memory or for files that are not
    /// its own, or bytes that it needs are not there.
    fn refuses_the_file(&self) -> bool;
}

/// Counts the memory that a file takes.
pub(crate) trait Account<E> {
    /// Counts memory that the caller is about to take.
    fn spend(&self, bytes: u64) -> Result<(), E>;
}

/// What was found in one file.
#[derive(Debug)]
pub(crate) struct Findings<E> {
    /// What was odd, and what was left out.
    pub(crate) warnings: Vec<ImportWarning>,
    on_damage: OnDamage,
    /// Why the first mesh was left out that was.
    first_lost_mesh: Option<Fault<E>>,
}

impl<E: PartError> Findings<E> {
    /// Nothing yet.
    pub(crate) fn new(on_damage: OnDamage) -> Self {
        Findings {
            warnings: Vec::new(),
            on_damage,
            first_lost_mesh: None,
        }
    }

    /// Tells of something odd.
    pub(crate) fn warn(&mut self, place: String, kind: WarningKind) {
        self.warnings.push(ImportWarning { place, kind });
    }

    /// Reads a part that can be left out. Where it is damaged, a warning says so and stands for all that was found in
    /// it, and what comes back inside is why it was left out. What memory was counted for it stays counted.
    ///
    /// # Errors
    /// Where the damage refuses the file, and where the file asks for too much.
    pub(crate) fn part<T>(
        &mut self,
        part: Part,
        account: &impl Account<E>,
        read: impl FnOnce(&mut Self) -> Result<T, Fault<E>>,
    ) -> Result<Result<T, Fault<E>>, Fault<E>> {
        let warning_count = self.warnings.len();
        let fault = match read(self) {
            Ok(read) => return Ok(Ok(read)),
            Err(fault) => fault,
        };
        if self.on_damage == OnDamage::Refuse || fault.error.refuses_the_file() {
            return Err(fault);
        }
        if let Err(error) = account.spend(WARNING_BYTES) {
            let place = fault.place;
            return Err(Fault { place, error });
        }
        self.warnings.truncate(warning_count);
        let reason = fault.error.clone().into();
        self.warn(fault.place.clone(), WarningKind::LeftOut { part, reason });
        if part == Part::Mesh && self.first_lost_mesh.is_none() {
            self.first_lost_mesh = Some(fault.clone());
        }
        Ok(Err(fault))
    }

    /// Refuses a file that lost its meshes, so that nothing is left to show.
    ///
    /// # Errors
    /// Why the first mesh was left out, where no mesh has vertices.
    pub(crate) fn refuse_if_none_is_left(&mut self, meshes: &[Mesh]) -> Result<(), Fault<E>> {
        let mut primitives = meshes.iter().flat_map(|mesh| &mesh.primitives);
        if primitives.any(|primitive| !primitive.positions.is_empty()) {
            return Ok(());
        }
        self.first_lost_mesh.take().map_or(Ok(()), Err)
    }
}
