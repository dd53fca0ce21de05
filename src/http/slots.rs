//! How many exports and searches go on at a time. An export that its client has not read
//! from for a minute makes room for another.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::sync::{Semaphore, SemaphorePermit};

use super::error::ApiError;
use super::filters::Filters;

/// Exports at a time.
const MOST: usize = 4;
/// How long a client may leave an export unread when others wait.
const PATIENCE: Duration = Duration::from_secs(60);

/// Those that go on: when each was last read from.
#[derive(Default)]
pub struct Slots {
    taken: Mutex<Vec<(u64, Instant)>>,
    next: std::sync::atomic::AtomicU64,
}

/// One of them.
pub(super) struct Slot {
    slots: Arc<Slots>,
    number: u64,
}

impl Slots {
    /// Takes one.
    ///
    /// # Errors
    /// [`ApiError::Unavailable`] when there is none.
    pub(super) fn take(self: &Arc<Slots>) -> Result<Slot, ApiError> {
        self.take_at(Instant::now())
    }

    fn take_at(self: &Arc<Slots>, now: Instant) -> Result<Slot, ApiError> {
        let Ok(mut taken) = self.taken.lock() else {
            return Err(ApiError::Unavailable);
        };
        if taken.len() >= MOST {
            taken.retain(|(_, read)| now.duration_since(*read) < PATIENCE);
        }
        if taken.len() >= MOST {
            return Err(ApiError::Unavailable);
        }
        let number = self.next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        taken.push((number, now));
        Ok(Slot {
            slots: self.clone(),
            number,
        })
    }
}

impl Slot {
    /// Its client reads. Whether it may go on.
    pub(super) fn read(&self) -> bool {
        self.read_at(Instant::now())
    }

    fn read_at(&self, now: Instant) -> bool {
        let Ok(mut taken) = self.slots.taken.lock() else {
            return false;
        };
        let mine = taken.iter_mut().find(|(number, _)| *number == self.number);
        mine.is_some_and(|(_, read)| {
            *read = now;
            true
        })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if let Ok(mut taken) = self.slots.taken.lock() {
            taken.retain(|(number, _)| *number != self.number);
        }
    }
}

/// Searches that may read many games, at a time: the connections are for those who
/// play, too.
static SEARCHES: Semaphore = Semaphore::const_new(3);

/// Waits until one more search may go on, for as long as the request may take. A query
/// of no filters but these, if there are any, is answered by an index, and need not wait.
pub(super) async fn turn(
    query: &str,
    cheap: &[&str],
) -> Result<Option<SemaphorePermit<'static>>, ApiError> {
    let pairs = Filters::pairs(query);
    if !cheap.is_empty() && pairs.iter().all(|(name, _)| cheap.contains(&name.as_str())) {
        return Ok(None);
    }
    let turn = SEARCHES.acquire().await;
    turn.map(Some).map_err(|_| ApiError::Unavailable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_nobody_reads_makes_room() {
        let slots = Arc::new(Slots::default());
        let start = Instant::now();
        let take = |now| slots.take_at(now).ok();
        let mut taken: Vec<Slot> = (0..MOST).filter_map(|_| take(start)).collect();
        assert_eq!(taken.len(), MOST);
        assert!(take(start).is_none());
        drop(taken.pop());
        taken.extend(take(start));
        assert!(take(start).is_none());

        assert!(taken[0].read_at(start + PATIENCE / 2));
        let later = start + PATIENCE;
        let more: Vec<Slot> = (0..MOST).filter_map(|_| take(later)).collect();
        assert_eq!(more.len(), MOST - 1);
        assert!(taken[0].read_at(later) && !taken[1].read_at(later));
        drop(taken);
        assert!(take(later).is_some() && more.iter().all(|slot| slot.read_at(later)));
    }
}
