//! A new game, and the seats and invitations it begins with.

use chrono::{DateTime, Duration, Utc};
use mancala_rules::{Position, Preset, Seat};
use serde_json::{Map, Value};
use sqlx::PgConnection;
use uuid::Uuid;

use super::stored::corrupt;
use super::table::Table;
use super::who::{hash, new_token, random, seat_token};
use super::{Caller, PlayError, View, clock, events, players, simulate, stored, view};
use crate::db;
use crate::db::games::Game;

/// What a creator asks for.
#[derive(Debug)]
pub struct NewGame {
    /// The ruleset it starts from.
    pub preset: &'static Preset,
    /// Parameters that differ from it.
    pub overrides: Map<String, Value>,
    /// A start other than the usual one.
    pub start: Option<Position>,
    /// The creator's seat; none: it is drawn when the game starts.
    pub seat: Option<Seat>,
    /// Who is to have the other seat.
    pub opponent: Opponent,
    /// How long a choice may take; none: as long as it likes.
    pub clock: Option<Clock>,
    /// Whether a player's holiday stops the player's clock.
    pub allow_vacation: bool,
    /// How long the game waits for somebody to join.
    pub open_for: Duration,
    /// Whether only its seats may see it.
    pub private: bool,
    /// A name of the creator's choice.
    pub label: Option<String>,
    /// A name for the creator alone.
    pub external_ref: Option<String>,
}

/// How long choices may take, in seconds.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    /// For the choices of a turn.
    pub per_move: i32,
    /// Beyond that, in the whole game.
    pub reserve: Option<i32>,
}

/// Who is to have the other seat.
#[derive(Debug)]
pub enum Opponent {
    /// Whoever the creator hands its token to.
    TokenHolder,
    /// The player of this handle, who must join.
    Player(String),
    /// Anyone.
    Open,
    /// Whoever brings the invite token.
    Invited,
}

/// A new game and its secrets, shown once and kept as hashes only.
#[derive(Debug)]
pub struct Created {
    /// The game.
    pub view: View,
    /// The tokens that come with it.
    pub tokens: Tokens,
}

/// The secrets of a new game.
#[derive(Debug)]
pub enum Tokens {
    /// South's and north's: nobody else is to join.
    Both {
        /// South's.
        south: String,
        /// North's.
        north: String,
    },
    /// Somebody is to join.
    Own {
        /// The creator's, who has no account.
        seat: Option<String>,
        /// What an invited one brings.
        invite: Option<String>,
    },
}

/// Makes a game.
pub async fn create(
    db: &mut PgConnection,
    caller: &Caller,
    new: NewGame,
) -> Result<Created, PlayError> {
    if new.private && matches!(new.opponent, Opponent::Open) {
        return Err(PlayError::BadInvitation(
            "a private game cannot be open to anyone: use an invite".into(),
        ));
    }
    let rules = new.preset.rules(&new.overrides)?;
    let state = simulate::start(rules, new.start.as_ref())?;
    let now = db::now(db).await?;
    let mut progress = stored::progress(&state, 0, now)?;
    let starts = matches!(new.opponent, Opponent::TokenHolder);
    if !starts {
        progress.status = "open".into();
        progress.to_move = "nobody".into();
        progress.owed_since = None;
    }
    let game = Game {
        game_id: Uuid::now_v7(),
        ruleset: new.preset.name.into(),
        revision: i32::try_from(new.preset.revision).map_err(corrupt)?,
        rules: rules.to_json(),
        start_position: state.position_text(),
        custom_start: new.start.is_some(),
        visibility: if new.private { "private" } else { "public" }.into(),
        label: new.label,
        external_ref: new.external_ref,
        created_at: now,
        started_at: starts.then_some(now),
        clock_per_move: new.clock.map(|clock| clock.per_move),
        clock_reserve: new.clock.and_then(|clock| clock.reserve),
        previous_game: None,
        next_game: None,
        allow_vacation: new.allow_vacation,
        paused_at: None,
        paused_until: None,
        source: "played".into(),
        packed: false,
        lines_laid: 0,
        progress,
    };
    db::games::insert(db, &game).await?;
    let expires_at = now + new.open_for;
    let tokens = seat_all(db, caller, &game, new.seat, new.opponent, expires_at).await?;
    let game_id = game.game_id;
    let mut table = Table::of(db, game).await?;
    if starts {
        clock::start(db, &mut table, &state, now).await?;
    }
    events::created(db, &table, now).await?;
    if starts {
        events::started(db, &table, &state, now).await?;
    }
    let creator = Caller::Seat { game_id, slot: 1 };
    Ok(Created {
        view: view::of_table(db, &creator, table).await?,
        tokens,
    })
}

/// Writes the seats, the invitation and the tokens.
async fn seat_all(
    db: &mut PgConnection,
    caller: &Caller,
    game: &Game,
    seat: Option<Seat>,
    opponent: Opponent,
    expires_at: DateTime<Utc>,
) -> Result<Tokens, PlayError> {
    let (game_id, now) = (game.game_id, game.created_at);
    let creator = caller.player_id();
    hold(db, creator).await?;
    let starts = matches!(opponent, Opponent::TokenHolder);
    let seat = match seat {
        None if starts => Some(drawn()?),
        seat => seat,
    };
    let first = seat.map(Seat::as_str);
    let second = seat.map(|seat| seat.other().as_str());
    let invited = match &opponent {
        Opponent::Player(handle) => Some(invited(db, creator, handle).await?),
        _ => None,
    };
    db::seats::insert(db, game_id, 1, first, creator, Some(now)).await?;
    db::seats::insert(db, game_id, 2, second, invited, starts.then_some(now)).await?;

    if starts {
        let own = new_seat_token(db, game_id, 1, now).await?;
        let other = new_seat_token(db, game_id, 2, now).await?;
        return Ok(match seat {
            Some(Seat::North) => Tokens::Both {
                south: other,
                north: own,
            },
            _ => Tokens::Both {
                south: own,
                north: other,
            },
        });
    }
    let (kind, invite) = match opponent {
        Opponent::Player(_) => ("player", None),
        Opponent::Invited => ("invite", Some(new_token()?)),
        Opponent::Open | Opponent::TokenHolder => ("open", None),
    };
    let invite_hash = invite.as_deref().map(hash);
    let invite_hash = invite_hash.as_ref().map(|hash| hash.as_slice());
    db::seats::insert_invitation(db, game_id, kind, invite_hash, expires_at).await?;
    let own = match creator {
        None => Some(new_seat_token(db, game_id, 1, now).await?),
        Some(_) => None,
    };
    Ok(Tokens::Own { seat: own, invite })
}

/// The player that a creator names as the opponent.
async fn invited(
    db: &mut PgConnection,
    creator: Option<Uuid>,
    handle: &str,
) -> Result<Uuid, PlayError> {
    let unknown =
        || PlayError::BadInvitation(format!("`opponent.player`: there is no player {handle:?}"));
    let player = players::by_handle(db, handle)
        .await
        .map_err(|cause| match cause {
            PlayError::NoSuchPlayer(_) => unknown(),
            other => other,
        })?;
    if !db::players::hold(db, player.player_id).await? {
        return Err(unknown());
    }
    match creator == Some(player.player_id) {
        true => Err(PlayError::BadInvitation(
            "`opponent.player` is the creator".into(),
        )),
        false => Ok(player.player_id),
    }
}

/// The caller, if it is a player, must not leave while a seat is given.
pub(super) async fn hold(db: &mut PgConnection, player: Option<Uuid>) -> Result<(), PlayError> {
    match player {
        Some(player_id) if !db::players::hold(db, player_id).await? => Err(PlayError::PlayerLeft),
        _ => Ok(()),
    }
}

/// A seat by lot.
pub(super) fn drawn() -> Result<Seat, PlayError> {
    let [bits] = random()?;
    Ok(if bits & 1 == 0 {
        Seat::South
    } else {
        Seat::North
    })
}

/// A new token for a slot, stored as its hash.
pub(super) async fn new_seat_token(
    db: &mut PgConnection,
    game_id: Uuid,
    slot: i16,
    now: DateTime<Utc>,
) -> Result<String, PlayError> {
    let token = new_token()?;
    db::tokens::insert(db, &hash(&token), &seat_token(game_id, slot, now)).await?;
    Ok(token)
}
