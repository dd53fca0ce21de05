//! The key of a position: one number for the same board under the same rules,
//! whatever led there. Round, starter and ticks are not part of it.
//!
//! 64 bits of XXH3: among 36 million different positions the chance that any two
//! share a key is 1 in 28,000. Keys are stored: what goes into one never changes.

use mancala_rules::{BadPosition, Rules, Saved, Sides, State};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Makes the keys of one game's positions.
#[derive(Debug, Clone, Copy)]
pub struct Keys {
    seed: u64,
}

impl Keys {
    /// For games of this ruleset, revision and parameters.
    #[must_use]
    pub fn new(ruleset: &str, revision: u32, rules: &Rules) -> Keys {
        // The parameters in the order in which they are declared, which is fixed.
        let rules = serde_json::to_string(rules).unwrap_or_default();
        let text = format!("{ruleset} {revision} {rules}");
        Keys {
            seed: xxh3_64(text.as_bytes()),
        }
    }

    /// The key of this state's position. Signed, as PostgreSQL has its numbers.
    #[must_use]
    pub fn of(&self, state: &State) -> i64 {
        let mut bytes = [0; State::MOST_KEY_BYTES];
        let length = state.key_bytes(&mut bytes);
        xxh3_64_with_seed(&bytes[..length], self.seed).cast_signed()
    }
}

/// The state of a position text under these rules, with nothing behind it.
///
/// # Errors
/// When it is no position, or none of these rules.
pub fn position(rules: Rules, text: &str) -> Result<State, BadPosition> {
    let nothing = Saved {
        position: text,
        turn: 1,
        rounds: &[],
        seen: &[],
        result: None,
        committed: Sides {
            south: None,
            north: None,
        },
    };
    State::restore(rules, nothing)
}

#[cfg(test)]
mod tests;
