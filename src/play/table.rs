//! A stored game with its seats: whom it lets in, and as which seat.

use chrono::{DateTime, Utc};
use mancala_rules::Seat;
use sqlx::PgConnection;
use uuid::Uuid;

use super::{Caller, PlayError, stored};
use crate::db;
use crate::db::deadlines::Deadline;
use crate::db::games::Game;
use crate::db::seats::{Around, Glance, Invitation, Seat as SeatRow};
use crate::db::together::Reads;

/// How often a game that changes while it is read is read again.
const MOST_READS: u32 = 10;

/// A game and who sits at it.
#[derive(Debug, Clone)]
pub struct Table {
    /// The game's own row.
    pub game: Game,
    /// Its two slots, the creator's first.
    pub seats: Vec<SeatRow>,
    /// How its free seat may be taken.
    pub invitation: Option<Invitation>,
    /// What its seats have left, where it is played by a clock.
    pub clocks: Vec<Deadline>,
}

impl Table {
    /// The game under its lock, if `caller` may see it, and what is around it.
    pub(super) async fn lock(
        db: &mut PgConnection,
        caller: &Caller,
        game_id: Uuid,
    ) -> Result<(Table, Around), PlayError> {
        let game = db::games::lock(db, game_id)
            .await?
            .ok_or(PlayError::NoSuchGame)?;
        let found = db::seats::of_locked(db, game_id).await?;
        let (seats, around) = found.ok_or_else(|| stored::corrupt("a game without seats"))?;
        let table = Table::with_seats(db, vec![game], seats).await?.pop();
        let table = table.ok_or_else(|| stored::corrupt("a game without a table"))?;
        Ok((table.seen_by(caller)?, around))
    }

    /// The game, if `caller` may see it, as one moment has it, without its clocks and its
    /// invitation.
    pub(super) async fn glance(
        reads: &Reads,
        caller: &Caller,
        game_id: Uuid,
    ) -> Result<(Table, Around), PlayError> {
        let (table, around) = glanced(reads, game_id).await?;
        Ok((table.seen_by(caller)?, around))
    }

    /// Whether it has a clock, an invitation, or somebody on holiday.
    pub(super) fn has_times(&self) -> bool {
        let game = &self.game;
        game.progress.status == "open"
            || game.clock_per_move.is_some()
            || self.seats.iter().any(|seat| seat.vacation_until.is_some())
    }

    /// The game, if `caller` may see it.
    pub(super) async fn find(
        db: &mut PgConnection,
        caller: &Caller,
        game_id: Uuid,
    ) -> Result<Table, PlayError> {
        let mut reads = 0;
        loop {
            let game = db::games::find(db, game_id)
                .await?
                .ok_or(PlayError::NoSuchGame)?;
            let table = Table::of(db, game).await?;
            reads += 1;
            if table.is_of_one_time() || reads == MOST_READS {
                return table.seen_by(caller);
            }
        }
    }

    /// Whether the clocks that run, or stand still with some time left, are those
    /// of the seats that owe a choice.
    /// Without the lock the game may have changed between two statements.
    fn is_of_one_time(&self) -> bool {
        let to_move = self.game.progress.to_move.as_str();
        let fits = |clock: &Deadline| {
            let owes = clock.move_by.is_some() || clock.left_us.is_some();
            owes == (to_move == "both" || to_move == clock.seat)
        };
        self.clocks.iter().all(fits)
    }

    /// Whoever may see it.
    pub(super) async fn of(db: &mut PgConnection, game: Game) -> Result<Table, PlayError> {
        let table = Table::all(db, vec![game]).await?.pop();
        table.ok_or_else(|| stored::corrupt("a game without seats"))
    }

    /// The tables of these games, in their order.
    pub(super) async fn all(
        db: &mut PgConnection,
        games: Vec<Game>,
    ) -> Result<Vec<Table>, PlayError> {
        let ids: Vec<Uuid> = games.iter().map(|game| game.game_id).collect();
        let seats = db::seats::of_games(db, &ids).await?;
        Table::with_seats(db, games, seats).await
    }

    /// The tables of these games, whose seats are known.
    async fn with_seats(
        db: &mut PgConnection,
        games: Vec<Game>,
        seats: Vec<SeatRow>,
    ) -> Result<Vec<Table>, PlayError> {
        let ids: Vec<Uuid> = games.iter().map(|game| game.game_id).collect();
        let waiting = games.iter().any(|game| game.progress.status == "open");
        let invitations = match waiting {
            true => db::seats::invitations(db, &ids).await?,
            false => Vec::new(),
        };
        let clocked = games.iter().any(|game| game.clock_per_move.is_some());
        let clocks = match clocked {
            true => db::deadlines::of_games(db, &ids).await?,
            false => Vec::new(),
        };
        let table = |game: Game| Table {
            clocks: Vec::new(),
            seats: seats
                .iter()
                .filter(|seat| seat.game_id == game.game_id)
                .cloned()
                .collect(),
            invitation: invitations
                .iter()
                .find(|i| i.game_id == game.game_id)
                .cloned(),
            game,
        };
        let mut tables: Vec<Table> = games.into_iter().map(table).collect();
        for table in &mut tables {
            let own = clocks.iter().filter(|c| c.game_id == table.game.game_id);
            let mut own: Vec<Deadline> = own.cloned().collect();
            for clock in &mut own {
                let away = table.away_until(&clock.seat).is_some();
                clock.frozen = table.game.paused_at.is_some() || away;
            }
            table.clocks = own;
        }
        Ok(tables)
    }

    /// Until when the player of `seat` is on a holiday that stops the clock here.
    pub fn away_until(&self, seat: &str) -> Option<DateTime<Utc>> {
        let here = |row: &&SeatRow| row.seat.as_deref() == Some(seat);
        let row = self.seats.iter().find(here);
        row.filter(|_| self.game.allow_vacation)?.vacation_until
    }

    /// Whether a pause or a holiday is over that has not been ended yet.
    pub(super) fn has_stood_still(&self, now: DateTime<Utc>) -> bool {
        let holidays = self.seats.iter().filter_map(|seat| seat.vacation_until);
        let mut ends = holidays.chain(self.game.paused_until);
        ends.any(|until| until <= now)
    }

    /// Whether that holiday lasts longer than `at`.
    pub(super) fn is_away(&self, seat: &str, at: DateTime<Utc>) -> bool {
        self.away_until(seat).is_some_and(|until| until > at)
    }

    /// A private game is not there for others.
    fn seen_by(self, caller: &Caller) -> Result<Table, PlayError> {
        match self.game.visibility == "public" || self.slot_of(caller).is_some() {
            true => Ok(self),
            false => Err(PlayError::NoSuchGame),
        }
    }

    /// The slot that is this caller's, taken or only offered to them.
    pub(super) fn slot_of(&self, caller: &Caller) -> Option<&SeatRow> {
        self.seats.iter().find(|seat| match caller {
            Caller::Nobody => false,
            Caller::Seat { game_id, slot } => *game_id == seat.game_id && *slot == seat.slot,
            Caller::Player(identity) => seat.player_id == Some(identity.player_id),
        })
    }

    /// The slot this caller has taken.
    pub(super) fn taken_by(&self, caller: &Caller) -> Result<&SeatRow, PlayError> {
        let slot = self.slot_of(caller).filter(|seat| seat.joined_at.is_some());
        slot.ok_or(PlayError::NotSeated)
    }

    /// The seat this caller plays; none before it is drawn.
    pub fn seat_of(&self, caller: &Caller) -> Option<Seat> {
        let taken = self.taken_by(caller).ok()?;
        taken.seat.as_deref()?.parse().ok()
    }

    /// The seats that are this caller's, taken or offered to them by name.
    pub fn seats_of(&self, caller: &Caller) -> Vec<Seat> {
        let slot = self.slot_of(caller).into_iter();
        slot.filter_map(|slot| slot.seat.as_deref()?.parse().ok())
            .collect()
    }

    /// The seat this caller may act for; none before it is drawn. An error for
    /// whoever has not taken one.
    pub(super) fn acting_seat(&self, caller: &Caller) -> Result<Option<Seat>, PlayError> {
        let taken = self.taken_by(caller)?;
        taken
            .seat
            .as_deref()
            .map(str::parse)
            .transpose()
            .map_err(stored::corrupt)
    }
}

/// Whether `caller` may see the game.
pub async fn check_visible(reads: &Reads, caller: &Caller, game_id: Uuid) -> Result<(), PlayError> {
    Table::glance(reads, caller, game_id).await.map(drop)
}

/// The table of a game, whoever may see it, without its clocks and its invitation.
pub async fn seats_of(reads: &Reads, game_id: Uuid) -> Result<Table, PlayError> {
    Ok(glanced(reads, game_id).await?.0)
}

async fn glanced(reads: &Reads, game_id: Uuid) -> Result<(Table, Around), PlayError> {
    let found = reads.games.of(game_id).await?;
    let Glance {
        game,
        seats,
        around,
    } = found.ok_or(PlayError::NoSuchGame)?;
    let table = Table {
        game,
        seats,
        invitation: None,
        clocks: Vec::new(),
    };
    Ok((table, around))
}

/// The tables of these games, whoever may see them.
pub async fn of_ids(db: &mut PgConnection, ids: &[Uuid]) -> Result<Vec<Table>, PlayError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let games = db::games::of_ids(db, ids).await?;
    Table::all(db, games).await
}
