//! The columns of exported games and rows: the one table that CSV headers, the
//! schema of Parquet files, the data dictionary and its page in `docs` come from.
//!
//! A name and its meaning never change under one [`VERSION`]; a column may be added
//! at the end. NDJSON has the shape of the API instead: `path` says where a column's
//! value stands there.

use std::borrow::Cow;

use mancala_rules::{CongkakRules, Counts, OpeningRule, Rules, Seat};

use super::json::{Game, Parameters};
use super::rows::{Row, SowRow};
use super::time::Time;

/// Which columns these are.
pub const VERSION: u32 = 1;

/// What the values of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A whole number of 32 bits, with a sign.
    Int32,
    /// A whole number of 64 bits, with a sign.
    Int64,
    /// Text.
    Text,
    /// JSON as text.
    Json,
    /// True or false.
    Bool,
    /// A point in time, UTC.
    Time,
}

/// A column.
#[derive(Debug)]
pub struct Column {
    /// In CSV and Parquet.
    pub name: &'static str,
    /// What its values are.
    pub kind: Kind,
    /// What a number counts.
    pub unit: Option<&'static str>,
    /// Whether a value may be missing.
    pub nullable: bool,
    /// Where the value stands in a line of NDJSON.
    pub path: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

/// A column with the way to its value.
pub struct Of<F: 'static> {
    /// The column.
    pub column: Column,
    /// Its value in a line.
    pub of: F,
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
    /// Missing.
    Null,
    /// Of both widths.
    Int(i64),
    /// Text or JSON.
    Text(Cow<'a, str>),
    /// True or false.
    Bool(bool),
    /// A point in time.
    Time(Time),
}

/// A game as a line.
pub struct GameLine<'l, 'a> {
    /// Its place among the records.
    pub record_no: i64,
    /// The game.
    pub game: &'l Game<'a>,
}

/// A row of a game's log as a line.
pub struct RowLine<'l, 'a> {
    /// Of the game.
    pub record_no: i64,
    /// The game's id as text.
    pub game_id: &'l str,
    /// The row.
    pub row: &'l Row<'a>,
}

/// The way from a game to a value.
pub type GameValue = for<'l, 'a> fn(&GameLine<'l, 'a>) -> Value<'l>;
/// The way from a row to a value.
pub type RowValue = for<'l, 'a> fn(&RowLine<'l, 'a>) -> Value<'l>;

macro_rules! columns {
    ($(#[$doc:meta])* $table:ident: $way:ty;
     $($name:ident: $kind:ident $(of $unit:literal)? $(or $null:ident)? at $path:literal,
       $meaning:literal, $value:expr;)*) => {
        $(#[$doc])*
        pub static $table: &[Of<$way>] = &[$(Of {
            column: Column {
                name: stringify!($name),
                kind: Kind::$kind,
                unit: columns!(@unit $($unit)?),
                nullable: columns!(@null $($null)?),
                path: $path,
                meaning: $meaning,
            },
            of: $value,
        }),*];
    };
    (@unit) => { None };
    (@unit $unit:literal) => { Some($unit) };
    (@null) => { false };
    (@null null) => { true };
}

columns! {
    /// The columns of games.
    GAMES: GameValue;
    record_no: Int64 at "record_no",
        "The game's place among the finished public games of its server, from 1, in the order in which they were recorded. A cut-off: nothing is ever added below a number that was given out",
        |line| Value::Int(line.record_no);
    id: Text at "id",
        "The game's id, a UUID",
        |line| Value::Text(line.game.id.to_string().into());
    ruleset: Text at "ruleset",
        "The preset that the game was started from: `congkak`, `congkak-traditional`, `congkak-arena`, `al-manqala`",
        |line| text(&line.game.ruleset);
    revision: Int32 at "revision",
        "The revision of the preset; a published revision never changes its meaning",
        |line| int(line.game.revision);
    rules: Json at "rules",
        "Every parameter that the game was played under, as a JSON object",
        |line| json(&line.game.rules);
    houses: Int32 of "houses" at "rules.houses",
        "Houses a row",
        |line| known(line, |rules| int(rules.houses()));
    seeds: Int32 of "seeds" at "rules.seeds",
        "Seeds in each house at the usual start",
        |line| known(line, |rules| int(rules.seeds()));
    opening_rule: Text or null at "rules.opening",
        "How the first round begins: `alternating`, or `simultaneous`; null in `al-manqala`, where south begins",
        |line| congkak(line, |rules| word(match rules.opening {
            OpeningRule::Alternating => "alternating",
            OpeningRule::Simultaneous => "simultaneous",
        }));
    max_rounds: Int32 of "rounds" or null at "rules.max_rounds",
        "How many rounds at most; null: to the end of the series, and in `al-manqala`",
        |line| congkak(line, |rules| or_null(rules.max_rounds.map(int)));
    start: Text or null at "start",
        "The position that the game began at, as position text; null: the usual start",
        |line| or_null(line.game.start.as_deref().map(text));
    source: Text at "source",
        "Where the game comes from: `played` on this server, `imported`, or `generated` by a program that chose at random",
        |line| word(line.game.source.as_str());
    created_at: Time at "created_at",
        "When the game was created",
        |line| Value::Time(line.game.created_at);
    started_at: Time at "started_at",
        "When both seats were taken",
        |line| Value::Time(line.game.started_at);
    ended_at: Time at "result.ended_at",
        "When the game ended",
        |line| Value::Time(line.game.result.ended_at);
    imported_at: Time or null at "imported_at",
        "When an imported or generated game came to this server; null: it was played here",
        |line| or_null(line.game.imported_at.map(Value::Time));
    south_player: Text or null at "seats.south.player",
        "Who had south's seat: the pseudonym of a player of this server, the same in all games, or the name that an imported record gives; null: not known",
        |line| or_null(line.game.seats.south.player.as_deref().map(text));
    south_kind: Text at "seats.south.kind",
        "What had south's seat: `human`, `bot`, or `anonymous` (whoever held the seat's token)",
        |line| word(line.game.seats.south.kind.as_str());
    north_player: Text or null at "seats.north.player",
        "Who had north's seat, as `south_player`",
        |line| or_null(line.game.seats.north.player.as_deref().map(text));
    north_kind: Text at "seats.north.kind",
        "What had north's seat, as `south_kind`",
        |line| word(line.game.seats.north.kind.as_str());
    clock_per_move: Int32 of "seconds" or null at "clock.per_move",
        "How long the choices of a turn could take; null: as long as they liked",
        |line| or_null(line.game.clock.map(|clock| int(clock.per_move)));
    clock_reserve: Int32 of "seconds" or null at "clock.reserve",
        "What each seat had beyond that in the whole game; null without a clock",
        |line| or_null(line.game.clock.and_then(|clock| clock.reserve).map(int));
    winner: Text at "result.winner",
        "Who won: `south`, `north`, or `draw`",
        |line| word(line.game.result.winner.as_str());
    reason: Text at "result.reason",
        "By what the game ended, such as `most_seeds`, `majority`, `resignation`, `timeout`",
        |line| word(line.game.result.reason.as_str());
    score_south: Int32 of "seeds" at "result.score.south",
        "South's store at the end; seeds left on the board count for nobody after a majority, a resignation, a timeout or an agreement",
        |line| int(line.game.result.score.south);
    score_north: Int32 of "seeds" at "result.score.north",
        "North's store at the end",
        |line| int(line.game.result.score.north);
    ended_by: Text or null at "result.ended_by",
        "The seat that resigned or was late; null: none did",
        |line| or_null(line.game.result.ended_by.map(seat));
    ply: Int32 of "rows" at "ply",
        "Rows of the whole log, also those that were taken back",
        |line| int(line.game.ply);
    plies: Int32 of "choices" at "plies",
        "Choices that led to the end, without those that were taken back",
        |line| int(line.game.plies);
    turn: Int32 of "turns" at "turn",
        "The turn that the game ended in, from 1: a choice and the extra turns it earns are one",
        |line| int(line.game.turn);
    round: Int32 of "rounds" at "round",
        "The round that the game ended in, from 1",
        |line| int(line.game.round);
    position: Text at "position",
        "The last position, as position text",
        |line| text(&line.game.position);
    rounds: Json at "rounds",
        "Totals of the finished rounds and the starter of the last one, as a JSON array",
        |line| json(&line.game.rounds);
}

/// A field that every kind of row has.
macro_rules! each {
    ($line:ident, $field:ident) => {
        match $line.row {
            Row::Sow(row) => row.$field.clone(),
            Row::Takeback(row) => row.$field.clone(),
            Row::End(row) => row.$field.clone(),
        }
    };
}

columns! {
    /// The columns of rows.
    ROWS: RowValue;
    record_no: Int64 at "record_no",
        "The game's place among the records, as in the table of games",
        |line| Value::Int(line.record_no);
    game_id: Text at "game_id",
        "The game's id",
        |line| text(line.game_id);
    ply: Int32 at "ply",
        "The row's number in the game's log, from 1; without `rows=all` numbers of rows that were taken back are missing",
        |line| int(each!(line, ply));
    kind: Text at "kind",
        "What the row is: `sow` (a choice of a house and what followed), `takeback` (play went back), `end` (an end without a choice)",
        |line| word(match line.row {
            Row::Sow(_) => "sow",
            Row::Takeback(_) => "takeback",
            Row::End(_) => "end",
        });
    seat: Text or null at "seat",
        "Who chose, or asked for the takeback; null for an `end`",
        |line| match line.row {
            Row::Sow(row) => seat(row.seat),
            Row::Takeback(row) => seat(row.seat),
            Row::End(_) => Value::Null,
        };
    after_ply: Int32 of "rows" at "after_ply",
        "The log's length that the chooser had seen; both of a pair of opening choices have the same",
        |line| int(each!(line, after_ply));
    house: Int32 or null at "house",
        "The house that was chosen, counted from the seat's left hand, from 1; only of a `sow`",
        |line| sow(line, |row| int(row.house));
    turn: Int32 at "turn",
        "The turn it belongs to, from 1",
        |line| int(each!(line, turn));
    round: Int32 at "round",
        "The round it was played in, from 1",
        |line| int(each!(line, round));
    seeds_sown: Int32 of "seeds" or null at "seeds_sown",
        "Seeds that the seat's hand dropped, over all laps; only of a `sow`",
        |line| sow(line, |row| int(row.seeds_sown));
    lap_count: Int32 of "laps" or null at "lap_count",
        "Laps: the first and every relay; only of a `sow`",
        |line| sow(line, |row| int(row.lap_count));
    captured: Int32 of "seeds" or null at "captured",
        "Seeds captured from houses, without the own last seed; only of a `sow`",
        |line| sow(line, |row| int(row.captured));
    banked: Int32 of "seeds" or null at "banked",
        "Seeds that came into the own store at the end of a lap: captures and a banked last seed, not those dropped there in passing; only of a `sow`",
        |line| sow(line, |row| int(row.banked));
    extra_turn: Bool or null at "extra_turn",
        "Whether the seat chooses again; only of a `sow`",
        |line| sow(line, |row| Value::Bool(row.extra_turn));
    passed: Bool or null at "passed",
        "In `al-manqala`: whether the other seat had nothing to move and passed; only of a `sow`",
        |line| sow(line, |row| Value::Bool(row.passed));
    other_seeds_sown: Int32 of "seeds" or null at "other.seeds_sown",
        "An opening's other hand that went on with a lone choice: the seeds that it dropped; null: there was none",
        |line| other(line, |counts| int(counts.seeds_sown));
    other_lap_count: Int32 of "laps" or null at "other.lap_count",
        "The laps of that other hand",
        |line| other(line, |counts| int(counts.lap_count));
    other_captured: Int32 of "seeds" or null at "other.captured",
        "What that other hand captured",
        |line| other(line, |counts| int(counts.captured));
    other_banked: Int32 of "seeds" or null at "other.banked",
        "What that other hand brought into its store at the end of a lap",
        |line| other(line, |counts| int(counts.banked));
    reason: Text or null at "reason",
        "By what the game ended: `resignation`, `timeout`, `agreement`, `loop`; only of an `end`",
        |line| match line.row {
            Row::End(row) => word(row.reason.as_str()),
            _ => Value::Null,
        };
    by: Text or null at "by",
        "The seat that brought the end about; null for an agreement",
        |line| match line.row {
            Row::End(row) => or_null(row.by.map(seat)),
            _ => Value::Null,
        };
    to_ply: Int32 or null at "to_ply",
        "The row that play goes on after, 0: the start; only of a `takeback`",
        |line| match line.row {
            Row::Takeback(row) => int(row.to_ply),
            _ => Value::Null,
        };
    position: Text or null at "position",
        "The position after the row, as position text; null on the first of a pair of opening choices",
        |line| match line.row {
            Row::Sow(row) => or_null(row.position.as_deref().map(text)),
            Row::Takeback(row) => text(&row.position),
            Row::End(row) => text(&row.position),
        };
    elapsed_ms: Int64 of "milliseconds" or null at "elapsed_ms",
        "Since the choice was owed; null where an imported record does not say",
        |line| or_null(each!(line, elapsed_ms).map(|ms| Value::Int(ms.try_into().unwrap_or(i64::MAX))));
    played_at: Time or null at "played_at",
        "When it became a row; null where an imported record does not say",
        |line| or_null(each!(line, played_at).map(Value::Time));
    source: Text at "source",
        "Who brought it about: `player`, `server` (when a time had passed), or `conditional` (a line that the seat had laid down)",
        |line| word(each!(line, source).as_str());
    taken_back: Bool or null at "taken_back",
        "Whether a later row takes it back; null for an `end`",
        |line| match line.row {
            Row::Sow(row) => Value::Bool(row.taken_back),
            Row::Takeback(row) => Value::Bool(row.taken_back),
            Row::End(_) => Value::Null,
        };
}

fn int<'l>(number: impl TryInto<i64>) -> Value<'l> {
    Value::Int(number.try_into().unwrap_or(i64::MAX))
}

fn text(text: &str) -> Value<'_> {
    Value::Text(Cow::Borrowed(text))
}

fn word<'l>(word: &'static str) -> Value<'l> {
    Value::Text(Cow::Borrowed(word))
}

fn seat<'l>(seat: Seat) -> Value<'l> {
    word(seat.as_str())
}

fn or_null(value: Option<Value<'_>>) -> Value<'_> {
    value.unwrap_or(Value::Null)
}

fn json<'l>(value: &impl serde::Serialize) -> Value<'l> {
    Value::Text(serde_json::to_string(value).unwrap_or_default().into())
}

/// Of the parameters; a game that is exported has those of a ruleset.
fn known<'l>(line: &GameLine<'l, '_>, of: impl Fn(&Rules) -> Value<'l>) -> Value<'l> {
    match &line.game.rules {
        Parameters::Known(rules) => of(rules),
        Parameters::Given(_) => Value::Null,
    }
}

fn congkak<'l>(line: &GameLine<'l, '_>, of: impl Fn(&CongkakRules) -> Value<'l>) -> Value<'l> {
    known(line, |rules| match rules {
        Rules::Congkak(rules) => of(rules),
        Rules::AlManqala(_) => Value::Null,
    })
}

fn sow<'l, 'a>(line: &RowLine<'l, 'a>, of: impl Fn(&'l SowRow<'a>) -> Value<'l>) -> Value<'l> {
    match line.row {
        Row::Sow(row) => of(row),
        _ => Value::Null,
    }
}

fn other<'l>(line: &RowLine<'l, '_>, of: impl Fn(&Counts) -> Value<'l>) -> Value<'l> {
    sow(line, |row| or_null(row.other.as_ref().map(&of)))
}
