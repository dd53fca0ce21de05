//! An event as a reader sees it: facts from the log, words made here.

use mancala_rules::{Seat, Sides};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;
use uuid::Uuid;

use super::params::exact;
use super::seating::{SeatState, seated};
use super::time::Time;
use crate::db::event_pages::Audience;
use crate::db::events::Event;
use crate::play::Caller;
use crate::play::table::Table;
use crate::play::who::Identity;
use crate::render::summary;
use crate::render::words::Lang;

/// Something that happened in a game.
#[derive(Debug, Serialize, ToSchema)]
pub struct EventState {
    /// Names it for ever, and is its cursor: send it back as `after`.
    #[schema(example = "1.345")]
    pub(super) id: String,
    /// What happened.
    #[serde(rename = "type")]
    #[schema(example = "turn.started")]
    pub(super) kind: String,
    /// In which game.
    game_id: Uuid,
    /// The rows of the log by then.
    #[schema(minimum = 0)]
    ply: i32,
    /// When.
    at: Time,
    /// The reader's seats that it is for.
    r#for: Vec<ForSeat>,
    /// What a message needs.
    data: EventData,
}

/// A line of a stream.
#[derive(ToSchema)]
#[serde(untagged)]
#[allow(dead_code)]
pub enum EventLine {
    /// Something that happened.
    Event(Box<EventState>),
    /// Nothing did, for a while.
    Heartbeat(Heartbeat),
}

/// A sign that the stream is alive.
#[derive(Debug, Serialize, ToSchema)]
pub struct Heartbeat {
    /// Always `heartbeat`.
    #[serde(rename = "type")]
    kind: HeartbeatWord,
    /// The cursor up to here: send it back as `after`.
    #[schema(example = "1.345")]
    id: String,
}

/// The type of a heartbeat.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum HeartbeatWord {
    /// No event.
    Heartbeat,
}

impl Heartbeat {
    pub(super) fn new(cursor: Cursor) -> Heartbeat {
        Heartbeat {
            kind: HeartbeatWord::Heartbeat,
            id: cursor.to_string(),
        }
    }
}

/// A seat that an event is for.
#[derive(Debug, Serialize, ToSchema)]
pub struct ForSeat {
    /// The seat; null: it is not drawn yet.
    seat: Option<Seat>,
    /// Whose it is, by the reference of the bot that reads: send it as
    /// `Mancala-Act-As`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    external_ref: Option<String>,
}

/// What a message about an event needs.
#[derive(Debug, Serialize, ToSchema)]
pub struct EventData {
    /// A few words, in the language asked for.
    title: String,
    /// One line, in the language asked for.
    summary: String,
    /// Where the game is.
    #[schema(format = "uri")]
    url: String,
    /// Who sits where.
    seats: Sides<Option<SeatState>>,
    /// When the seat that the event is about, else the first that owes a choice,
    /// loses; null: never, or nobody owes one.
    #[schema(value_type = Option<Time>)]
    deadline: Option<String>,
    /// Facts of this type of event, such as `seat`, `house` or `winner`.
    #[schema(value_type = BTreeMap<String, Value>)]
    facts: Map<String, Value>,
}

/// Who reads, and what.
#[derive(Clone)]
pub(super) struct Reader {
    pub(super) caller: Caller,
    pub(super) audience: Audience,
    pub(super) lang: Lang,
}

impl Reader {
    /// A player who reads their own log, or also the logs of those it plays for.
    pub(super) fn of(player_id: Uuid, managed: bool, lang: Lang) -> Reader {
        let identity = Identity {
            player_id,
            token_id: Uuid::nil(),
            scopes: Vec::new(),
            expires_at: None,
            bot: None,
        };
        Reader {
            lang,
            caller: Caller::Player(identity),
            audience: match managed {
                true => Audience::Bot(player_id),
                false => Audience::Player(player_id),
            },
        }
    }
}

/// A place in the log.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor {
    pub(super) epoch: i32,
    pub(super) position: i64,
}

impl std::fmt::Display for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.epoch, self.position)
    }
}

impl std::str::FromStr for Cursor {
    type Err = ();

    fn from_str(text: &str) -> Result<Cursor, ()> {
        let (epoch, position) = text.split_once('.').ok_or(())?;
        Ok(Cursor {
            epoch: exact(epoch).ok_or(())?,
            position: exact(position).ok_or(())?,
        })
    }
}

/// The reader's seats among those that an event is for; all of them for somebody
/// who has none.
fn addressees(seats: &[String], table: &Table, reader: &Reader) -> Vec<ForSeat> {
    let addressed = seats.iter().filter_map(|seat| seat.parse::<Seat>().ok());
    let own = table.seats_of(&reader.caller);
    let bot = match reader.audience {
        Audience::Bot(bot) => Some(bot),
        Audience::Player(_) | Audience::Game(_) => None,
    };
    let managed: Vec<ForSeat> = table
        .seats
        .iter()
        .filter(|row| bot.is_some() && row.owner_id == bot)
        .map(|row| ForSeat {
            seat: row.seat.as_deref().and_then(|seat| seat.parse().ok()),
            external_ref: row.external_ref.clone(),
        })
        .collect();
    let stranger = own.is_empty() && managed.is_empty();
    let plain = |seat| ForSeat {
        seat: Some(seat),
        external_ref: None,
    };
    let own = addressed
        .clone()
        .filter(|seat| stranger || own.contains(seat))
        .map(plain);
    let addressed: Vec<Seat> = addressed.collect();
    let managed = managed.into_iter().filter(|to| match to.seat {
        Some(seat) => addressed.contains(&seat),
        // What is told before the seats are drawn is for both.
        None => true,
    });
    own.chain(managed).collect()
}

impl EventState {
    pub(super) fn new(
        event: &Event,
        table: &Table,
        reader: &Reader,
        epoch: i32,
        url: &str,
    ) -> EventState {
        let seats = Sides {
            south: seated(table, Seat::South),
            north: seated(table, Seat::North),
        };
        let name = |seat: Seat| seats[seat].as_ref().and_then(|state| state.player.clone());
        let names = Seat::ALL.map(name);
        let words = summary::words(reader.lang, &event.kind, &event.data, names);
        let facts = event.data.as_object().cloned().unwrap_or_default();
        EventState {
            id: Cursor {
                epoch,
                position: event.position,
            }
            .to_string(),
            kind: event.kind.clone(),
            game_id: event.game_id,
            ply: event.ply,
            at: Time(event.at),
            r#for: addressees(&event.seats, table, reader),
            data: EventData {
                title: words.title,
                summary: words.summary,
                url: format!("{url}/v1/games/{}", event.game_id),
                seats,
                deadline: facts
                    .get("deadline")
                    .and_then(Value::as_str)
                    .map(ToOwned::to_owned),
                facts,
            },
        }
    }
}
