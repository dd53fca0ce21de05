//! Choices tried on a board that is stored nowhere.

use actix_web::{HttpResponse, post, web};
use mancala_rules::Seat;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use super::asking::Reading;
use super::error::{ApiError, Problem};
use super::forms::{self, RuleValue, given};
use super::games::{StartInput, read_start};
use super::params::{Body, Object, bad};
use super::rulesets::named;
use super::state::SimulatedState;
use crate::play::PlayError;
use crate::play::simulate::{self, Action};

/// The most choices one call may try.
const MOST_CHOICES: usize = 1000;

/// What to try.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "choices": [{ "seat": "south", "house": 2 }] }))]
pub struct SimulateRequest {
    /// Parameters that differ from the preset.
    #[schema(value_type = BTreeMap<String, RuleValue>, example = json!({ "houses": 5 }))]
    #[serde(default, deserialize_with = "forms::distinct")]
    rules: Map<String, Value>,
    /// Another start than the usual one.
    #[schema(value_type = Option<StartInput>)]
    #[serde(default)]
    start: Option<Value>,
    /// In order.
    #[schema(max_items = 1000)]
    #[schema(value_type = Vec<ChoiceInput>)]
    #[serde(default)]
    choices: Vec<Object<ChoiceInput>>,
}

/// A seat's choice of a house (`seat` and `house`), a seat's `resign`, or the
/// agreed `split`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChoiceInput {
    #[serde(default, deserialize_with = "given")]
    seat: Option<Seat>,
    #[serde(default, deserialize_with = "given")]
    house: Option<u32>,
    #[serde(default, deserialize_with = "given")]
    action: Option<ActionInput>,
}

impl PartialSchema for ChoiceInput {
    fn schema() -> RefOr<Schema> {
        let seat = || ("seat", forms::named("Seat"));
        let house = ObjectBuilder::new()
            .schema_type(Type::Integer)
            .description(Some("Counted from the seat's left hand."))
            .minimum(Some(1))
            .maximum(Some(15));
        let form = |meaning, fields| forms::form(meaning, fields, Vec::new());
        let action = |word: &str| ("action", forms::only(Type::String, word));
        forms::one_of(
            "What a seat, or both, may do.",
            vec![
                form(
                    "A seat's choice of a house.",
                    vec![seat(), ("house", house.into())],
                ),
                form("A seat gives up.", vec![seat(), action("resign")]),
                form(
                    "Both agree to halve the board (al-manqala).",
                    vec![action("split")],
                ),
            ],
        )
    }
}

impl ToSchema for ChoiceInput {}

/// What a choice may be other than a house.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionInput {
    /// `seat` gives up.
    Resign,
    /// Both agree to halve the board (al-manqala).
    Split,
}

/// Every state that was passed.
#[derive(Debug, Serialize, ToSchema)]
pub struct Simulation {
    /// The state before any choice, then one after each.
    states: Vec<SimulatedState>,
}

fn action(index: usize, choice: &ChoiceInput) -> Result<Action, ApiError> {
    match (&choice.action, choice.seat, choice.house) {
        (None, Some(seat), Some(house)) => Ok(Action::Sow { seat, house }),
        (Some(ActionInput::Resign), Some(seat), None) => Ok(Action::Resign(seat)),
        (Some(ActionInput::Split), None, None) => Ok(Action::Split),
        _ => Err(bad(
            &format!("choices[{index}]"),
            "takes `seat` and `house`, or `seat` and the action `resign`, or the action `split` alone",
        )),
    }
}

/// Try choices on a board; nothing is stored
///
/// After the first of two secret choices of a simultaneous opening the state is
/// unchanged and its trace empty; the second's trace has both hands.
#[utoipa::path(tag = "rulesets", operation_id = "simulate", security((), ("token" = [])), request_body = SimulateRequest,
    params(("name" = String, Path, description = "A preset's name", example = "congkak")),
    responses(
        (status = 200, description = "Every state", body = Simulation),
        (status = 404, description = "`unknown_ruleset`", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`illegal_move` with its `index`, `bad_rules`, `bad_start`",
         body = Problem, content_type = "application/problem+json"),
    ))]
#[post("/v1/rulesets/{name}/simulate")]
pub(crate) async fn run(
    _caller: Reading,
    name: web::Path<String>,
    Body(body): Body<SimulateRequest>,
) -> Result<HttpResponse, ApiError> {
    let preset = named(&name)?;
    if body.choices.len() > MOST_CHOICES {
        return Err(bad(
            "choices",
            &format!("at most {MOST_CHOICES} choices can be tried at once"),
        ));
    }
    let choices = body
        .choices
        .iter()
        .enumerate()
        .map(|(i, Object(choice))| action(i, choice));
    let choices: Vec<_> = choices.collect::<Result<_, _>>()?;
    let rules = preset.rules(&body.rules).map_err(PlayError::from)?;
    let start = simulate::start(rules, read_start(body.start.as_ref())?.as_ref())?;
    let states = simulate::run(start, choices).await??;
    let states = states
        .into_iter()
        .map(|step| SimulatedState::new(&step.state, step.trace))
        .collect();
    Ok(HttpResponse::Ok().json(Simulation { states }))
}
