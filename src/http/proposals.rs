//! What a seat may propose, as clients write it: by itself, or with a choice.

use chrono::{DateTime, SubsecRound, Utc};
use serde::de::value::MapAccessDeserializer;
use serde::de::{IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use super::error::ApiError;
use super::forms::{self, Field, given};
use super::params;
use crate::play::offers::Proposal;

/// What an offer proposes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OfferKind {
    /// The game ends in a draw.
    Draw,
    /// Al-manqala: the rest only circles; halve what lies on the board.
    Split,
    /// Play goes on after an earlier row of the log, `to_ply`.
    Takeback,
    /// All clocks stand still, to `until` or until one resumes.
    Pause,
    /// When the game is over: another one, with seats swapped.
    Rematch,
}

/// An offer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfferRequest {
    kind: OfferKind,
    #[serde(default, deserialize_with = "given")]
    to_ply: Option<i32>,
    #[serde(default, deserialize_with = "given")]
    until: Option<DateTime<Utc>>,
    #[serde(default, deserialize_with = "given")]
    after_ply: Option<i32>,
}

/// An offer that comes with a choice: its kind alone, or an object.
#[derive(Debug)]
pub struct OfferInput {
    kind: OfferKind,
    to_ply: Option<i32>,
    until: Option<DateTime<Utc>>,
}

/// The forms of an offer; `further` fields may stand beside each.
fn proposals(further: impl Fn() -> Vec<Field>) -> Vec<RefOr<Schema>> {
    let form = |kind: &str, meaning, must: Vec<Field>, may: Vec<Field>| {
        let kind = [("kind", forms::only(Type::String, kind))];
        let must = kind.into_iter().chain(must).collect();
        forms::form(meaning, must, may.into_iter().chain(further()).collect())
    };
    let to_ply = forms::count("The row that play is to go on after; 0: the start.", 0);
    let until = forms::time("When the pause ends by itself.");
    vec![
        form("draw", "The game ends in a draw.", vec![], vec![]),
        form(
            "split",
            "Al-manqala: the rest only circles; halve what lies on the board.",
            vec![],
            vec![],
        ),
        form(
            "takeback",
            "Play goes on after an earlier row of the log, within the round and after the opening.",
            vec![("to_ply", to_ply)],
            vec![],
        ),
        form(
            "pause",
            "All clocks stand still, until then or until one of the seats resumes.",
            vec![],
            vec![("until", until)],
        ),
        form(
            "rematch",
            "When the game is over: another one, with seats swapped.",
            vec![],
            vec![],
        ),
    ]
}

impl PartialSchema for OfferRequest {
    fn schema() -> RefOr<Schema> {
        let meaning = "The `ply` of the state that the sender saw; the present one if left out.";
        let after_ply = || vec![("after_ply", forms::count(meaning, 0))];
        forms::one_of("An offer.", proposals(after_ply))
    }
}

impl ToSchema for OfferRequest {}

impl PartialSchema for OfferInput {
    fn schema() -> RefOr<Schema> {
        let mut forms = proposals(Vec::new);
        forms.push(forms::words(&["draw", "split", "pause", "rematch"]));
        forms::one_of(
            "An offer that comes with a choice: a word, or an object.",
            forms,
        )
    }
}

impl ToSchema for OfferInput {}

impl<'de> Deserialize<'de> for OfferInput {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        /// The object.
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Fields {
            kind: OfferKind,
            #[serde(default, deserialize_with = "given")]
            to_ply: Option<i32>,
            #[serde(default, deserialize_with = "given")]
            until: Option<DateTime<Utc>>,
        }

        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = Fields;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a kind of offer or an object")
            }

            fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<Fields, E> {
                Ok(Fields {
                    kind: OfferKind::deserialize(word.into_deserializer())?,
                    to_ply: None,
                    until: None,
                })
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Fields, A::Error> {
                Fields::deserialize(MapAccessDeserializer::new(map))
            }
        }

        let fields = json.deserialize_any(Either)?;
        Ok(OfferInput {
            kind: fields.kind,
            to_ply: fields.to_ply,
            until: fields.until,
        })
    }
}

impl OfferInput {
    pub(super) fn read(self) -> Result<Proposal, ApiError> {
        proposal(self.kind, self.to_ply, self.until, "offer.")
    }
}

impl OfferRequest {
    /// What is proposed, and about which position.
    pub(super) fn read(self) -> Result<(Proposal, Option<i32>), ApiError> {
        let after_ply = self.after_ply.map(|ply| params::ply("after_ply", ply));
        let proposal = proposal(self.kind, self.to_ply, self.until, "")?;
        Ok((proposal, after_ply.transpose()?))
    }
}

/// What is proposed; `place`: where its fields stand in the body.
fn proposal(
    kind: OfferKind,
    to_ply: Option<i32>,
    until: Option<DateTime<Utc>>,
    place: &str,
) -> Result<Proposal, ApiError> {
    let bad = |field: &str, why| Err(params::bad(&format!("{place}{field}"), why));
    // As it is stored: what is proposed again is the same.
    let until = until.map(|until| until.trunc_subsecs(6));
    match (kind, to_ply, until) {
        (OfferKind::Takeback, None, _) => bad("to_ply", "a takeback must name it"),
        (OfferKind::Takeback, Some(to_ply), None) => Ok(Proposal::Takeback {
            to_ply: params::ply(&format!("{place}to_ply"), to_ply)?,
        }),
        (_, Some(_), None) => bad("to_ply", "belongs to a takeback"),
        (OfferKind::Pause, None, until) => Ok(Proposal::Pause { until }),
        (_, _, Some(_)) => bad("until", "belongs to a pause"),
        (OfferKind::Draw, None, None) => Ok(Proposal::Draw),
        (OfferKind::Split, None, None) => Ok(Proposal::Split),
        (OfferKind::Rematch, None, None) => Ok(Proposal::Rematch),
    }
}
