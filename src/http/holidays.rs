//! Holidays and pauses: times in which clocks stand still.

use actix_web::{HttpResponse, delete, post, put, web};
use chrono::{DateTime, Utc};
use mancala_rules::Seat;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Context;
use super::asking::{Known, Owner};
use super::error::{ApiError, Problem};
use super::params::{Body, GameId};
use super::state::GameState;
use super::time::Time;
use crate::play::budget;
use crate::play::vacations::{self, Holiday};
use crate::play::{View, pause};

/// A player's holiday, and what is left for others.
#[derive(Debug, Serialize, ToSchema)]
pub struct VacationState {
    /// Until when the player is on holiday; null: they are not.
    until: Option<Time>,
    /// The holidays of this calendar year (UTC).
    budget: BudgetState,
}

/// The holidays of a calendar year.
#[derive(Debug, Serialize, ToSchema)]
pub struct BudgetState {
    /// The year.
    #[schema(example = 2026)]
    year: i32,
    /// Seconds of holidays that a year has.
    #[schema(minimum = 0, example = 2592000)]
    seconds: i64,
    /// Seconds that are left of it after the present holiday as it is planned.
    #[schema(minimum = 0)]
    left: i64,
}

impl VacationState {
    pub(super) fn new(holiday: &Holiday) -> VacationState {
        VacationState {
            until: holiday.until.map(Time),
            budget: BudgetState {
                year: holiday.budget.year,
                seconds: budget::A_YEAR.num_seconds(),
                left: holiday.budget.left.num_seconds(),
            },
        }
    }
}

/// A holiday.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct VacationRequest {
    /// When it shall end.
    #[schema(value_type = String, format = DateTime, example = "2026-12-24T18:00:00Z")]
    until: DateTime<Utc>,
}

/// Go on holiday from now on, or change when the present holiday ends
///
/// Until then the player's clocks stand still in all games that allow it
/// (`allow_vacation`), with what is left to them. A player may move all the same.
#[utoipa::path(tag = "me", operation_id = "setVacation", request_body = VacationRequest,
    responses(
        (status = 200, description = "The holiday", body = VacationState),
        (status = 403, description = "`seat_token`, `missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`vacation_budget`", body = Problem, content_type = "application/problem+json"),
    ), security(("token" = [])))]
#[put("/v1/me/vacation")]
pub(crate) async fn set(
    context: web::Data<Context>,
    Owner(identity): Owner,
    Body(body): Body<VacationRequest>,
) -> Result<HttpResponse, ApiError> {
    let holiday = vacations::set(&context.pool, &identity, body.until).await?;
    Ok(HttpResponse::Ok().json(VacationState::new(&holiday)))
}

/// Be back from holiday; also when there is none
///
/// The clocks go on with exactly what was left to them. What is left of the
/// planned time goes back to the budget.
#[utoipa::path(tag = "me", operation_id = "endVacation",
    responses(
        (status = 200, description = "No holiday", body = VacationState),
        (status = 403, description = "`seat_token`, `missing_scope`", body = Problem, content_type = "application/problem+json"),
    ), security(("token" = [])))]
#[delete("/v1/me/vacation")]
pub(crate) async fn end(
    context: web::Data<Context>,
    Owner(identity): Owner,
) -> Result<HttpResponse, ApiError> {
    let holiday = vacations::end(&context.pool, &identity).await?;
    Ok(HttpResponse::Ok().json(VacationState::new(&holiday)))
}

/// End a pause by agreement; also when there is none
///
/// The clocks go on with exactly what was left to them.
#[utoipa::path(tag = "games", operation_id = "resumeGame",
    params(("id" = Uuid, Path, description = "The game")),
    responses(
        (status = 200, description = "The game, which goes on", body = GameState),
        (status = 403, description = "`not_seated`, `missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`not_started`, `game_over`", body = Problem, content_type = "application/problem+json"),
    ), security(("token" = [])))]
#[post("/v1/games/{id}/resume")]
pub(crate) async fn resume(
    context: web::Data<Context>,
    Known(caller): Known,
    GameId(id): GameId,
) -> Result<HttpResponse, ApiError> {
    let view = pause::resume(&context.pool, &caller, id).await?;
    Ok(HttpResponse::Ok().json(GameState::new(&view, &context.public_url)))
}

/// Why a clock stands still, and until when.
#[derive(Debug, Serialize, ToSchema)]
pub struct PausedState {
    /// When it goes on by itself; null: when one of the seats resumes.
    until: Option<Time>,
    /// By whom.
    by: PausedBy,
}

/// By whom a clock stands still.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PausedBy {
    /// Both seats have agreed on a pause.
    Agreement,
    /// South owes a choice and is on holiday.
    South,
    /// North owes a choice and is on holiday.
    North,
}

impl PausedState {
    /// By agreement, or because of the holiday of a seat that owes a choice; of
    /// two the longer one.
    pub(super) fn new(view: &View) -> Option<PausedState> {
        let (table, progress) = (&view.table, &view.table.game.progress);
        if !view.present || progress.ended_at.is_some() {
            return None;
        }
        if table.game.paused_at.is_some() {
            return Some(PausedState {
                until: table.game.paused_until.map(Time),
                by: PausedBy::Agreement,
            });
        }
        let still = table.clocks.iter().filter(|clock| clock.left_us.is_some());
        let away = still.filter_map(|clock| Some((table.away_until(&clock.seat)?, &clock.seat)));
        let (until, seat) = away.max()?;
        Some(PausedState {
            until: Some(Time(until)),
            by: match seat.parse().ok()? {
                Seat::South => PausedBy::South,
                Seat::North => PausedBy::North,
            },
        })
    }
}
