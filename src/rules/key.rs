//! A position in a few bytes: equal exactly for positions that play on alike
//! within their round. Round, starter and ticks are left out.

use crate::MAX_HOUSES;
use crate::congkak::{Opening, Progress};
use crate::seat::Seat;
use crate::state::{Stage, State};

impl State {
    /// As many bytes as [`State::key_bytes`] ever writes.
    pub const MOST_KEY_BYTES: usize = 4 * (MAX_HOUSES as usize + 1) + 4 + 1 + 2 * 4;

    /// Writes the position: the seeds of all houses and both stores, which houses
    /// are burnt, who is to move, and in an unfinished opening how far each seat
    /// is. Secret choices are no part of it. Says how many bytes it wrote.
    ///
    /// What is written never changes its meaning: hashes of it are stored.
    pub fn key_bytes(&self, bytes: &mut [u8; Self::MOST_KEY_BYTES]) -> usize {
        let mut length = 0;
        let mut put = |part: &[u8]| {
            bytes[length..length + part.len()].copy_from_slice(part);
            length += part.len();
        };
        let cells = 2 * usize::from(self.board.houses()) + 2;
        let mut burnt = 0u32;
        for cell in 0..cells {
            put(&self.board.seeds(cell).to_le_bytes());
            burnt |= u32::from(self.board.is_burnt(cell)) << cell;
        }
        put(&burnt.to_le_bytes());
        match &self.stage {
            Stage::Playing(Seat::South) => put(b"S"),
            Stage::Playing(Seat::North) => put(b"N"),
            Stage::Finished(None) => put(b"-"),
            Stage::Opening(opening) => {
                put(b"O");
                put(&hands(opening));
            }
            Stage::Finished(Some(opening)) => {
                put(b"o");
                put(&hands(opening));
            }
        }
        length
    }
}

/// How far both seats are in an opening.
fn hands(opening: &Opening) -> [u8; 8] {
    let mut bytes = [0; 8];
    for (hand, seat) in bytes.chunks_exact_mut(4).zip(Seat::ALL) {
        match opening.seats[seat] {
            Progress::Owes { .. } => hand[0] = b'?',
            Progress::Done { .. } => hand[0] = b'.',
            Progress::Sows { seeds, at } => {
                hand[0] = b'@';
                hand[1..3].copy_from_slice(&seeds.to_le_bytes());
                // A cell is one of 32.
                hand[3] = at as u8;
            }
        }
    }
    bytes
}
