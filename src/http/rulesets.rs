//! The presets: what can be played, with every parameter.

use actix_web::{HttpResponse, get, web};
use mancala_rules::{Parameter, ParameterKind, Preset, Rules, preset, presets};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::Context;
use super::asking::Reading;
use super::error::{ApiError, Problem};
use super::language::{self, Language};
use super::state::RulesObject;
use crate::render::words::Lang;

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
    /// What people call it, in the language asked for, as are the other words.
    title: String,
    /// One line.
    summary: String,
    /// The rules in words: paragraphs, parted by an empty line.
    rules_in_words: String,
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
    meaning: String,
}

/// The presets.
#[derive(Debug, Serialize, ToSchema)]
pub struct RulesetList {
    items: Vec<Ruleset>,
}

fn parameter(preset: &Preset, parameter: &Parameter, lang: Lang) -> ParameterState {
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
        meaning: lang.text(&format!("parameter-{}", parameter.name)),
    }
}

fn ruleset(context: &Context, preset: &'static Preset, lang: Lang) -> Ruleset {
    let words = format!("ruleset-{}", preset.name);
    Ruleset {
        name: preset.name,
        url: format!("{}/v1/rulesets/{}", context.public_url, preset.name),
        revision: preset.revision,
        family: preset.family.as_str(),
        title: lang.text(&words),
        summary: lang.text(&format!("{words}.summary")),
        rules_in_words: lang.text(&format!("{words}.rules")),
        source: preset.source,
        parameters: preset
            .parameters()
            .iter()
            .map(|p| parameter(preset, p, lang))
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
pub(crate) async fn list(
    context: web::Data<Context>,
    _caller: Reading,
    Language(lang): Language,
) -> HttpResponse {
    let items = presets()
        .iter()
        .map(|preset| ruleset(&context, preset, lang))
        .collect();
    HttpResponse::Ok()
        .insert_header(language::header(lang))
        .json(RulesetList { items })
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
    Language(lang): Language,
    name: web::Path<String>,
) -> Result<HttpResponse, ApiError> {
    let ruleset = ruleset(&context, named(&name)?, lang);
    Ok(HttpResponse::Ok()
        .insert_header(language::header(lang))
        .json(ruleset))
}
