//! The ids of buttons: at most 64 bytes that say all there is to a press.

use mancala_rules::Seat;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::play::View;

/// Ids of buttons, for `POST /v1/actions`.
#[derive(Debug, Serialize, ToSchema)]
pub struct Actions {
    /// Asks whether to give the game up, for either seat; null when it does not run.
    #[schema(max_length = 64)]
    resign: Option<String>,
    /// For each open offer, the buttons of the other seat.
    offers: Vec<OfferActions>,
}

/// The buttons that answer an offer.
#[derive(Debug, Serialize, ToSchema)]
pub struct OfferActions {
    /// The offer's number.
    #[schema(minimum = 1)]
    id: i32,
    /// Accepts it.
    #[schema(max_length = 64)]
    accept: String,
    /// Declines it.
    #[schema(max_length = 64)]
    decline: String,
}

impl Actions {
    pub(super) fn new(view: &View) -> Option<Actions> {
        let (game, after_ply) = (view.table.game.game_id, view.ply);
        let runs = matches!(view.status(), "opening" | "playing");
        let answers = |offer: i32| OfferActions {
            id: offer,
            accept: Action::Accept { offer, after_ply }.id(game),
            decline: Action::Decline { offer }.id(game),
        };
        view.present.then(|| Actions {
            resign: runs.then(|| Action::Resign { after_ply }.id(game)),
            offers: view
                .offers
                .iter()
                .map(|offer| answers(offer.offer_no))
                .collect(),
        })
    }
}

/// What a button stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    /// A choice of a house after a row.
    Move { after_ply: i32, house: u32 },
    /// The other seat's offer is accepted.
    Accept { offer: i32, after_ply: i32 },
    /// It is declined.
    Decline { offer: i32 },
    /// Whether to give the game up.
    Resign { after_ply: i32 },
    /// This seat, which was asked, gives the game up.
    Resigned { after_ply: i32, seat: Seat },
}

impl Action {
    /// Its id in a game.
    pub(super) fn id(self, game: Uuid) -> String {
        match self {
            Action::Move { after_ply, house } => format!("m:{game}:{after_ply}:{house}"),
            Action::Accept { offer, after_ply } => format!("a:{game}:{offer}:{after_ply}"),
            Action::Decline { offer } => format!("d:{game}:{offer}"),
            Action::Resign { after_ply } => format!("r:{game}:{after_ply}"),
            Action::Resigned { after_ply, seat } => format!("R:{game}:{after_ply}:{seat}"),
        }
    }

    /// What an id stands for, in which game: ids in the very form they are given in.
    pub(super) fn read(id: &str) -> Option<(Uuid, Action)> {
        let (rest, seat) = match id.rsplit_once(':') {
            Some((rest, seat)) if rest.starts_with('R') => (rest, seat.parse().ok()),
            _ => (id, None),
        };
        let mut parts = rest.split(':');
        let (kind, game) = (parts.next()?, Uuid::try_parse(parts.next()?).ok()?);
        let numbers: Vec<i32> = parts.map(|part| part.parse().ok()).collect::<Option<_>>()?;
        let action = match (kind, numbers.as_slice()) {
            ("m", &[after_ply, house]) => Action::Move {
                after_ply,
                house: house.try_into().ok()?,
            },
            ("a", &[offer, after_ply]) => Action::Accept { offer, after_ply },
            ("d", &[offer]) => Action::Decline { offer },
            ("r", &[after_ply]) => Action::Resign { after_ply },
            ("R", &[after_ply]) => Action::Resigned {
                after_ply,
                seat: seat?,
            },
            _ => return None,
        };
        (action.id(game) == id && numbers.iter().all(|number| *number >= 0))
            .then_some((game, action))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_as_they_are_written() {
        let game = Uuid::try_parse("01935f3e-7b2a-7000-8000-000000000000").unwrap_or_default();
        let (after_ply, offer) = (i32::MAX, i32::MAX);
        for action in [
            Action::Move {
                after_ply: 0,
                house: 1,
            },
            Action::Move {
                after_ply,
                house: 15,
            },
            Action::Accept { offer, after_ply },
            Action::Decline { offer },
            Action::Resign { after_ply },
            Action::Resigned {
                after_ply,
                seat: Seat::North,
            },
        ] {
            let id = action.id(game);
            assert!(id.len() <= 64, "{id}");
            assert_eq!(Action::read(&id), Some((game, action)));
        }
        for other in [
            "",
            "m",
            "m:01935f3e-7b2a-7000-8000-000000000000",
            "m:01935f3e-7b2a-7000-8000-000000000000:0",
            "m:01935f3e-7b2a-7000-8000-000000000000:0:1:",
            "m:01935f3e-7b2a-7000-8000-000000000000:0:1:2",
            "m:01935f3e-7b2a-7000-8000-000000000000:00:1",
            "m:01935f3e-7b2a-7000-8000-000000000000:+0:1",
            "m:01935f3e-7b2a-7000-8000-000000000000:-1:1",
            "m:01935f3e-7b2a-7000-8000-000000000000:0:-1",
            "m:01935f3e-7b2a-7000-8000-000000000000:2147483648:1",
            "m:01935F3E-7B2A-7000-8000-000000000000:0:1",
            "m:01935f3e7b2a70008000000000000000:0:1",
            "M:01935f3e-7b2a-7000-8000-000000000000:0:1",
            "d:01935f3e-7b2a-7000-8000-000000000000:1:2",
            "x:01935f3e-7b2a-7000-8000-000000000000:0",
            "R:01935f3e-7b2a-7000-8000-000000000000:0",
            "R:01935f3e-7b2a-7000-8000-000000000000:0:east",
            "r:01935f3e-7b2a-7000-8000-000000000000:0:south",
        ] {
            assert_eq!(Action::read(other), None, "{other}");
        }
    }
}
