//! The presets: what can be played, with every parameter.

use actix_web::{HttpResponse, get, web};
use mancala_rules::{Parameter, ParameterKind, Preset, Rules, preset, presets};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::Context;
use super::asking::Reading;
use super::error::{ApiError, Problem};
use super::state::RulesObject;

/// A preset.
#[derive(Debug, Serialize, ToSchema)]
pub struct Ruleset {
    /// Its name.
    #[schema(example = "congkak")]
    name: &'static str,
    /// Where this description is.
    #[schema(format = "uri")]
    url: String,
    /// The revision new games are played under.
    #[schema(minimum = 1)]
    revision: u32,
    /// The family of games whose parameters it has.
    family: &'static str,
    /// One line.
    summary: &'static str,
    /// The rules in words.
    rules_in_words: &'static str,
    /// The published text it follows.
    source: &'static str,
    /// Its parameters.
    parameters: Vec<ParameterState>,
    /// Their values unless a game overrides them.
    #[schema(value_type = RulesObject)]
    defaults: Rules,
}

/// A parameter of the rules.
#[derive(Debug, Serialize, ToSchema)]
pub struct ParameterState {
    /// Its name.
    name: &'static str,
    /// What its values are.
    #[serde(rename = "type")]
    kind: &'static str,
    /// Whether null is a value too.
    nullable: bool,
    /// The least number.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    minimum: Option<i64>,
    /// The greatest number.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    maximum: Option<i64>,
    /// The words to choose from.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    choices: Option<&'static [&'static str]>,
    /// The value unless a game overrides it.
    default: Value,
    /// What it decides.
    meaning: &'static str,
}

/// The presets.
#[derive(Debug, Serialize, ToSchema)]
pub struct RulesetList {
    items: Vec<Ruleset>,
}

fn parameter(preset: &Preset, parameter: &Parameter) -> ParameterState {
    let (kind, nullable, range, choices) = match parameter.kind {
        ParameterKind::Integer { min, max, nullable } => (
            "integer",
            nullable,
            Some((i64::from(min), i64::from(max))),
            None,
        ),
        ParameterKind::Choice(choices) => ("string", false, None, Some(choices)),
        ParameterKind::Boolean => ("boolean", false, None, None),
    };
    ParameterState {
        name: parameter.name,
        kind,
        nullable,
        minimum: range.map(|(min, _)| min),
        maximum: range.map(|(_, max)| max),
        choices,
        default: preset.default_of(parameter.name),
        meaning: parameter.meaning,
    }
}

fn ruleset(context: &Context, preset: &'static Preset) -> Ruleset {
    Ruleset {
        name: preset.name,
        url: format!("{}/v1/rulesets/{}", context.public_url, preset.name),
        revision: preset.revision,
        family: preset.family.as_str(),
        summary: preset.summary,
        rules_in_words: preset.rules_in_words,
        source: preset.source,
        parameters: preset
            .parameters()
            .iter()
            .map(|p| parameter(preset, p))
            .collect(),
        defaults: preset.defaults,
    }
}

/// The preset of that name in a path.
pub(super) fn named(name: &str) -> Result<&'static Preset, ApiError> {
    preset(name).ok_or_else(|| ApiError::UnknownRuleset(name.to_owned()))
}

/// The games that can be played
#[utoipa::path(tag = "rulesets", operation_id = "listRulesets", security((), ("token" = [])),
    responses((status = 200, description = "All presets", body = RulesetList)))]
#[get("/v1/rulesets")]
pub(crate) async fn list(context: web::Data<Context>, _caller: Reading) -> HttpResponse {
    let items = presets()
        .iter()
        .map(|preset| ruleset(&context, preset))
        .collect();
    HttpResponse::Ok().json(RulesetList { items })
}

/// One game that can be played, with its parameters and its rules in words
#[utoipa::path(tag = "rulesets", operation_id = "getRuleset", security((), ("token" = [])),
    params(("name" = String, Path, description = "A preset's name", example = "congkak")),
    responses(
        (status = 200, description = "The preset", body = Ruleset),
        (status = 404, description = "`unknown_ruleset`", body = Problem, content_type = "application/problem+json"),
    ))]
#[get("/v1/rulesets/{name}")]
pub(crate) async fn show(
    context: web::Data<Context>,
    _caller: Reading,
    name: web::Path<String>,
) -> Result<HttpResponse, ApiError> {
    Ok(HttpResponse::Ok().json(ruleset(&context, named(&name)?)))
}
