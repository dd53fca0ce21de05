//! What followed on a position in the games that are over.

use actix_web::http::header::{ContentType, IF_NONE_MATCH};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, get, web};
use mancala_rules::{OpeningView, Row, Rules, Seat, Sides, State};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::asking::Reading;
use super::caching::Tag;
use super::error::{ApiError, Problem};
use super::filters::{Filtered, Ground, houses};
use super::params::bad;
use super::state::{LegalMove, RulesObject};
use super::time::Time;
use super::{Context, slots};
use crate::db::{pool, search};
use crate::play::explorer::{self, Explored, Move, Tally};
use crate::record::key;

/// Which position.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct PositionQuery {
    /// A position as text. Its round counts for where a choice leads, and not for
    /// what was played.
    #[param(example = "7,7,7,7,7,7,7/7,7,7,7,7,7,7 0-0 S r1:S")]
    position: Option<String>,
    /// Instead: houses chosen one after another from the ruleset's own start by
    /// whoever is to move; of two secret choices south's first.
    #[param(example = "3,5", pattern = "^([1-9]|1[0-5])(,([1-9]|1[0-5]))*$")]
    play: Option<String>,
}

/// A position, and what followed on it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(example = json!(serde_json::from_str::<serde_json::Value>(include_str!("explorer.json")).ok()))]
pub struct Exploration {
    /// The preset whose games are counted.
    ruleset: &'static str,
    /// Under this revision.
    #[schema(minimum = 1)]
    revision: u32,
    /// With exactly these parameters.
    #[schema(value_type = RulesObject)]
    rules: Rules,
    /// The position as text.
    position: String,
    /// The seats that owe a choice there.
    #[schema(max_items = 2)]
    to_move: Vec<Seat>,
    /// Its houses, stores, burnt houses and frozen hands.
    board: Sides<Row>,
    /// The unfinished simultaneous opening.
    opening: Option<OpeningView>,
    /// The games in which it occurred.
    reached: TallyState,
    /// Every choice that is legal there, the one that was made in most games first. Where
    /// both seats choose in secret: the pairs of choices that were made.
    moves: Vec<MoveState>,
}

/// A choice, and the games in which it was made.
#[derive(Debug, Serialize, ToSchema)]
pub struct MoveState {
    /// The choice; of a pair south's, then north's.
    #[schema(min_items = 1, max_items = 2)]
    choices: Vec<LegalMove>,
    /// The position it leads to.
    position: String,
    /// The games in which it was made in the position asked for. Games that came there
    /// more than once are counted with each choice they made, and once.
    played_here: TallyState,
    /// The games in which the position occurred that it leads to, by whatever way.
    reached_position: ResultsState,
}

/// Games, each counted once.
#[derive(Debug, Serialize, ToSchema)]
pub struct TallyState {
    /// How many there are.
    #[schema(minimum = 0)]
    games: i32,
    /// South won.
    #[schema(minimum = 0)]
    south: i32,
    /// North won.
    #[schema(minimum = 0)]
    north: i32,
    /// Nobody won.
    #[schema(minimum = 0)]
    draws: i32,
    /// Choices in one of them, to two decimals; null without games.
    #[schema(minimum = 0)]
    average_plies: Option<f64>,
    /// When the last of them ended.
    last_played: Option<Time>,
    /// The newest of them, as the list of games has them.
    #[schema(max_items = 3)]
    sample_games: Vec<SampleGame>,
}

/// How games ended.
#[derive(Debug, Serialize, ToSchema)]
pub struct ResultsState {
    /// How many there are.
    #[schema(minimum = 0)]
    games: i32,
    /// South won.
    #[schema(minimum = 0)]
    south: i32,
    /// North won.
    #[schema(minimum = 0)]
    north: i32,
    /// Nobody won.
    #[schema(minimum = 0)]
    draws: i32,
}

/// A game.
#[derive(Debug, Serialize, ToSchema)]
pub struct SampleGame {
    /// A UUIDv7.
    id: Uuid,
    /// Where it is.
    #[schema(format = "uri")]
    url: String,
}

impl ResultsState {
    fn new(tally: Option<&Tally>) -> ResultsState {
        let of = |number: fn(&Tally) -> i32| tally.map_or(0, number);
        ResultsState {
            games: of(|tally| tally.games),
            south: of(|tally| tally.south),
            north: of(|tally| tally.north),
            draws: of(|tally| tally.games - tally.south - tally.north),
        }
    }
}

impl TallyState {
    fn new(tally: Option<&Tally>, public_url: &str) -> TallyState {
        let average = |tally: &Tally| {
            let average = tally.plies as f64 / f64::from(tally.games.max(1));
            (average * 100.0).round() / 100.0
        };
        let samples = tally.map_or(&[][..], |tally| &tally.samples);
        let results = ResultsState::new(tally);
        TallyState {
            games: results.games,
            south: results.south,
            north: results.north,
            draws: results.draws,
            average_plies: tally.map(average),
            last_played: tally.map(|tally| Time(tally.last_at)),
            sample_games: samples
                .iter()
                .map(|&id| SampleGame {
                    id,
                    url: format!("{public_url}/v1/games/{id}"),
                })
                .collect(),
        }
    }
}

impl MoveState {
    fn new(found: &Move, public_url: &str) -> MoveState {
        let choices = found.choices.iter();
        MoveState {
            choices: choices
                .map(|&(seat, house)| LegalMove::plain(seat, house))
                .collect(),
            position: found.state.position_text(),
            played_here: TallyState::new(found.played.as_ref(), public_url),
            reached_position: ResultsState::new(found.reached.as_ref()),
        }
    }
}

impl Exploration {
    fn new(ground: &Ground, state: &State, found: &Explored, public_url: &str) -> Exploration {
        let position = state.position();
        Exploration {
            ruleset: ground.preset.name,
            revision: ground.revision,
            rules: ground.rules,
            position: position.to_string(),
            to_move: state.to_move(),
            board: position.board,
            opening: position.opening,
            reached: TallyState::new(found.reached.as_ref(), public_url),
            moves: found
                .moves
                .iter()
                .map(|found| MoveState::new(found, public_url))
                .collect(),
        }
    }
}

impl PositionQuery {
    async fn state(&self, rules: Rules) -> Result<State, ApiError> {
        let state = match (&self.position, &self.play) {
            (Some(_), Some(_)) => {
                return Err(bad("play", "comes in place of `position`, not with it"));
            }
            (Some(text), None) => {
                key::position(rules, text).map_err(|cause| bad("position", &cause.to_string()))?
            }
            (None, None) => State::start(rules),
            (None, Some(text)) => {
                let play = houses("play", text)?;
                explorer::follow(State::start(rules), play).await??
            }
        };
        let committed = state.committed();
        if committed.south.is_some() || committed.north.is_some() {
            let message = "ends with south's choice of a pair: north's is missing";
            return Err(bad("play", message));
        }
        Ok(state)
    }
}

/// What followed on a position in finished public games
///
/// The position is given as text (`position`) or by the way there (`play`); else it is
/// the ruleset's own start. Counted are the games of exactly this ruleset, revision
/// and parameters (`rules` names those that differ from the preset's) in which the same
/// board occurred with the same seat to move, by whatever way and in whatever round, on
/// the line that was not taken back; each game once. With other filters: those of them
/// that fit.
///
/// A game is counted some seconds after its end. Without filters the answer comes from
/// an index at once. With filters every game is read in which the position occurred:
/// for one that very many games went through that may take longer than a request has,
/// which is then answered with 503 and never with a part of the count.
#[utoipa::path(tag = "games", operation_id = "explore", params(super::filters::Filters, PositionQuery),
    responses(
        (status = 200, description = "The position and its choices", body = Exploration,
         headers(("Mancala-As-Of" = String, description = "Where a replica has answered: whatever happened before this time is counted"))),
        (status = 304, description = "The client has it: `If-None-Match` named its `ETag`"),
        (status = 403, description = "`missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`illegal_move` with its `index` in `play`",
         body = Problem, content_type = "application/problem+json"),
    ), security((), ("token" = [])))]
#[get("/v1/explorer")]
pub(crate) async fn show(
    request: HttpRequest,
    context: web::Data<Context>,
    Reading(_caller): Reading,
    Filtered(filters, query): Filtered<PositionQuery>,
) -> Result<HttpResponse, ApiError> {
    let ground = filters.ground("`ruleset` says whose games are to be explored")?;
    let state = query.state(ground.rules).await?;
    let cheap = ["ruleset", "rules", "revision"];
    let turn = slots::turn(request.query_string(), &cheap).await?;
    let moment = context.research.moment().await?;
    // Of pairs it asks twice; a filter's statement is not kept prepared, which a pooler
    // takes in a transaction alone.
    let one_moment = explorer::is_of_pairs(&state) || turn.is_some();
    let mut plain;
    let mut snapshot;
    let db = if one_moment {
        snapshot = pool::snapshot(&context.research.pool).await?;
        &mut *snapshot
    } else {
        plain = context.research.pool.acquire().await?;
        &mut *plain
    };
    let filter = filters.on(db).await?;
    let query = request.query_string();
    let asked = format!("{query} {filter:?}");
    let tag = |last: i64| Tag::new(&["explorer", &context.public_url, &asked, &last.to_string()]);
    let known = request.headers().contains_key(IF_NONE_MATCH);
    if known || turn.is_none() && context.kept.has(query) {
        let last = search::last_record(db).await?;
        if let Some(answer) = tag(last).known(&request) {
            return Ok(moment.on(answer));
        }
        if let Some(answer) = context.kept.get(query, last) {
            return Ok(moment.on(tag(last).on(json(answer))));
        }
    }
    let found = explorer::explore(db, ground.keys(), &state, &filter).await?;
    let answer = Exploration::new(&ground, &state, &found, &context.public_url);
    let unwritable = |cause: serde_json::Error| ApiError::Internal(cause.to_string());
    let answer = Bytes::from(serde_json::to_vec(&answer).map_err(unwritable)?);
    if turn.is_none() {
        context.kept.keep(query, found.last_record, answer.clone());
    }
    Ok(moment.on(tag(found.last_record).on(json(answer))))
}

fn json(answer: Bytes) -> HttpResponse {
    HttpResponse::Ok()
        .content_type(ContentType::json())
        .body(answer)
}
