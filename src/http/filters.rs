//! The filter of lists, counts, exports and the explorer: one language, one reading.

use std::future::{Ready, ready};
use std::sync::LazyLock;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use chrono::{DateTime, Datelike, NaiveDate, Utc};
use mancala_rules::{Preset, Reason, Rules, preset, presets};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use sqlx::PgConnection;
use utoipa::{IntoParams, ToSchema};

use super::error::ApiError;
use super::lists::StatusWord;
use super::params::{self, bad, read_query};
use crate::play::search::{Filter, Range};
use crate::play::{PlayError, players};
use crate::record::key::{self, Keys};
use crate::record::{Kind, Origin};

/// The most choices an opening may name.
const LONGEST_OPENING: usize = 1_000;

/// Which games. All that is named must fit; private games never do.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Filters {
    /// Only games that stand so; `open` is the lobby.
    #[param(inline)]
    pub(super) status: Option<StatusWord>,
    /// Only games of this preset.
    #[param(example = "congkak")]
    pub(super) ruleset: Option<String>,
    /// Only games under this revision of the preset.
    #[param(minimum = 1)]
    revision: Option<i32>,
    /// Only games with these parameters, as `houses:5,opening:simultaneous`.
    #[param(example = "houses:7,seeds:7")]
    pub(super) rules: Option<String>,
    /// Only games of the player of this handle.
    #[param(pattern = "^[A-Za-z0-9_-]{2,30}$")]
    player: Option<String>,
    /// Only games with such a player; two with a comma: of these two.
    #[param(
        example = "human,bot",
        pattern = "^(human|bot|anonymous)(,(human|bot|anonymous))?$"
    )]
    kind: Option<String>,
    /// Only games with this result.
    #[param(inline)]
    result: Option<ResultWord>,
    /// Only games that ended for this reason.
    #[param(inline)]
    reason: Option<Reason>,
    /// Only games made at this time or later: RFC 3339, or a day, which begins at
    /// midnight UTC.
    #[param(example = "2026-11-30")]
    created_since: Option<String>,
    /// Only games made before this time.
    created_before: Option<String>,
    /// Only finished games that ended at this time or later.
    ended_since: Option<String>,
    /// Only finished games that ended before this time.
    ended_before: Option<String>,
    /// Only games with at least so many choices, none of them taken back.
    #[param(minimum = 0)]
    min_plies: Option<i32>,
    /// Only games with at most so many choices.
    #[param(minimum = 0)]
    max_plies: Option<i32>,
    /// Only games with at least so many rounds.
    #[param(minimum = 0)]
    min_rounds: Option<i32>,
    /// Only games with at most so many rounds.
    #[param(minimum = 0)]
    max_rounds: Option<i32>,
    /// Only games whose scores are at least so many seeds apart.
    #[param(minimum = 0)]
    min_margin: Option<i32>,
    /// Only games whose scores are at most so many seeds apart.
    #[param(minimum = 0)]
    max_margin: Option<i32>,
    /// Only games with a choice of at least so many laps.
    #[param(minimum = 0)]
    min_relay: Option<i32>,
    /// Only games whose longest relay has at most so many laps.
    #[param(minimum = 0)]
    max_relay: Option<i32>,
    /// Only games in which at least so many houses were burnt at a time.
    #[param(minimum = 0)]
    min_burnt: Option<i32>,
    /// Only games in which never more houses were burnt at a time.
    #[param(minimum = 0)]
    max_burnt: Option<i32>,
    /// Only games that begin with these houses, whoever chose them: of a pair of
    /// secret choices south's first.
    #[param(example = "3,5,2", pattern = "^([1-9]|1[0-5])(,([1-9]|1[0-5]))*$")]
    opening: Option<String>,
    /// Only games in which this position occurred, by whatever way: position text,
    /// with `ruleset` and, where they differ from the preset, `rules`. Its round and
    /// starter do not count.
    reached: Option<String>,
    /// Only games of this name.
    #[param(
        min_length = 1,
        max_length = 100,
        pattern = r"^[^\u0000-\u0008\u000b-\u001f\u007f-\u009f]*$"
    )]
    label: Option<String>,
    /// Only games from there.
    #[param(inline)]
    source: Option<Origin>,
}

/// Who won.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResultWord {
    /// South won.
    South,
    /// North won.
    North,
    /// Nobody did.
    Draw,
}

impl ResultWord {
    fn as_str(self) -> &'static str {
        match self {
            ResultWord::South => "south",
            ResultWord::North => "north",
            ResultWord::Draw => "draw",
        }
    }
}

impl Filters {
    /// What is asked for, with its words read.
    pub(super) async fn read(&self, db: &mut PgConnection) -> Result<Filter, ApiError> {
        let filter = self.words()?;
        let Some(handle) = &self.player else {
            return Ok(filter);
        };
        match players::by_handle(db, handle).await {
            Err(PlayError::NoSuchPlayer(_)) => Err(bad("player", "there is no such player")),
            found => Ok(Filter {
                player_id: Some(found?.player_id),
                ..filter
            }),
        }
    }

    /// What is asked for, but for the player.
    pub(super) fn words(&self) -> Result<Filter, ApiError> {
        let preset = self.preset()?;
        let overrides = self.overrides(preset)?;
        let reached = match &self.reached {
            None => None,
            Some(text) => {
                let ground = self.ground("`reached` needs it: whose position is it?")?;
                let state = key::position(ground.rules, text);
                let state = state.map_err(|cause| bad("reached", &cause.to_string()))?;
                Some(ground.keys().of(&state))
            }
        };
        Ok(Filter {
            status: self.status.map(|status| status.as_str().into()),
            ruleset: preset.map(|preset| preset.name.into()),
            revision: self.revision()?,
            rules: (!overrides.is_empty()).then_some(Value::Object(overrides)),
            player_id: None,
            kinds: self.kinds()?,
            winner: self.result.map(|result| result.as_str().into()),
            reason: self.reason.map(|reason| reason.as_str().into()),
            created_since: time("created_since", self.created_since.as_deref())?,
            created_before: time("created_before", self.created_before.as_deref())?,
            ended_since: time("ended_since", self.ended_since.as_deref())?,
            ended_before: time("ended_before", self.ended_before.as_deref())?,
            label: params::text("label", self.label.clone(), 100)?,
            source: self.source.map(|source| source.as_str().into()),
            margin: range("margin", self.min_margin, self.max_margin)?,
            plies: range("plies", self.min_plies, self.max_plies)?,
            rounds: range("rounds", self.min_rounds, self.max_rounds)?,
            relay: range("relay", self.min_relay, self.max_relay)?,
            burnt: range("burnt", self.min_burnt, self.max_burnt)?,
            opening: self.opening.as_deref().map(opening).transpose()?,
            reached,
        })
    }

    /// As [`Filters::read`], of games on one ground: what that says of a game already
    /// is not asked for again.
    pub(super) async fn on(&self, db: &mut PgConnection) -> Result<Filter, ApiError> {
        Ok(Filter {
            ruleset: None,
            revision: None,
            rules: None,
            ..self.read(db).await?
        })
    }

    /// The ground that is named whole.
    pub(super) fn ground(&self, needed: &str) -> Result<Ground, ApiError> {
        let preset = self.preset()?.ok_or_else(|| bad("ruleset", needed))?;
        Ok(Ground {
            preset,
            revision: self.revision()?.map_or(preset.revision, i32::unsigned_abs),
            rules: full(preset, &self.overrides(Some(preset))?)?,
        })
    }

    fn revision(&self) -> Result<Option<i32>, ApiError> {
        match self.revision {
            Some(..1) => Err(bad("revision", "must not be below 1")),
            revision => Ok(revision),
        }
    }

    /// The preset that is named, if one is.
    pub(super) fn preset(&self) -> Result<Option<&'static Preset>, ApiError> {
        let Some(name) = &self.ruleset else {
            return Ok(None);
        };
        let found = preset(name);
        found
            .map(Some)
            .ok_or_else(|| bad("ruleset", "there is no such ruleset"))
    }

    /// The parameters that are named, each one that some ruleset knows.
    pub(super) fn overrides(
        &self,
        preset: Option<&Preset>,
    ) -> Result<Map<String, Value>, ApiError> {
        let mut overrides = Map::new();
        let Some(text) = &self.rules else {
            return Ok(overrides);
        };
        for part in text.split(',') {
            let (name, word) = part
                .split_once(':')
                .ok_or_else(|| bad("rules", "must look like `houses:5,opening:simultaneous`"))?;
            let value = serde_json::from_str(word).ok();
            let value = value.filter(|value: &Value| !value.is_array() && !value.is_object());
            let value = value.unwrap_or_else(|| word.into());
            if overrides.insert(name.into(), value).is_some() {
                return Err(bad("rules", &format!("names {name:?} twice")));
            }
        }
        let known = match preset {
            Some(preset) => preset.rules(&overrides).map(drop),
            // Some ruleset must know them all.
            None => presets()
                .iter()
                .map(|preset| preset.rules(&overrides).map(drop))
                .reduce(|one, other| if one.is_ok() { one } else { other })
                .unwrap_or(Ok(())),
        };
        known.map_err(|cause| bad("rules", &cause.to_string()))?;
        Ok(overrides)
    }

    fn kinds(&self) -> Result<Option<Vec<String>>, ApiError> {
        let Some(text) = &self.kind else {
            return Ok(None);
        };
        let words: Option<Vec<_>> = text.split(',').map(Kind::of_word).collect();
        match words {
            Some(kinds) if kinds.len() <= 2 => {
                let mut kinds: Vec<String> =
                    kinds.iter().map(|kind| kind.as_str().into()).collect();
                kinds.sort();
                Ok(Some(kinds))
            }
            _ => Err(bad(
                "kind",
                "must be one or two of human, bot, anonymous, such as `human,bot`",
            )),
        }
    }

    /// The filters as they stand in a query, for links and cursors.
    pub(super) fn pairs(query: &str) -> Vec<(String, String)> {
        form_urlencoded::parse(query.as_bytes())
            .into_owned()
            .filter(|(name, _)| NAMES.contains(name))
            .collect()
    }
}

/// What positions stand on: all that games must have in common to share one.
pub(super) struct Ground {
    /// The preset.
    pub(super) preset: &'static Preset,
    /// Of the preset.
    pub(super) revision: u32,
    /// Every parameter.
    pub(super) rules: Rules,
}

impl Ground {
    /// What makes the keys of its positions.
    pub(super) fn keys(&self) -> Keys {
        Keys::new(self.preset.name, self.revision, &self.rules)
    }
}

/// A preset's rules with these parameters.
pub(super) fn full(preset: &Preset, overrides: &Map<String, Value>) -> Result<Rules, ApiError> {
    let rules = preset.rules(overrides);
    rules.map_err(|cause| bad("rules", &cause.to_string()))
}

fn range(name: &str, min: Option<i32>, max: Option<i32>) -> Result<Range, ApiError> {
    for (bound, value) in [("min", min), ("max", max)] {
        if value.is_some_and(|value| value < 0) {
            return Err(bad(&format!("{bound}_{name}"), "must not be below 0"));
        }
    }
    Ok(Range { min, max })
}

/// A moment: RFC 3339, or the beginning of a day.
fn time(name: &str, text: Option<&str>) -> Result<Option<DateTime<Utc>>, ApiError> {
    let Some(text) = text else { return Ok(None) };
    let day = || {
        // Four digits, two and two.
        if text.len() != 10 {
            return None;
        }
        let day = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
        Some(day.and_hms_opt(0, 0, 0)?.and_utc())
    };
    let time = DateTime::parse_from_rfc3339(text).ok();
    let time = time.map(|time| time.to_utc()).or_else(day);
    let time = time.filter(|time| (1..=9999).contains(&time.year()));
    let wrong = "must be a time such as `2026-11-30T10:00:00Z`, or a day such as `2026-11-30`";
    time.map(Some).ok_or_else(|| bad(name, wrong))
}

/// Houses, as the letters of a line.
pub(super) fn opening(text: &str) -> Result<String, ApiError> {
    Ok(houses("opening", text)?
        .into_iter()
        .map(|house| char::from(b'a' + house - 1))
        .collect())
}

/// Houses with commas between them.
pub(super) fn houses(name: &str, text: &str) -> Result<Vec<u8>, ApiError> {
    let house = |word: &str| (1..=15).find(|house: &u8| house.to_string() == word);
    let houses: Option<Vec<u8>> = text.split(',').map(house).collect();
    match houses {
        Some(houses) if houses.len() <= LONGEST_OPENING => Ok(houses),
        Some(_) => Err(bad(
            name,
            &format!("has more than {LONGEST_OPENING} houses"),
        )),
        None => Err(bad(name, "must be houses from 1 to 15 such as `3,5,2`")),
    }
}

/// A query of filters and of whatever else an endpoint takes.
pub(crate) struct Filtered<T>(pub(crate) Filters, pub(crate) T);

impl<T: DeserializeOwned> FromRequest for Filtered<T> {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let (filters, rest): (Vec<_>, Vec<_>) =
            form_urlencoded::parse(request.query_string().as_bytes())
                .partition(|(name, _)| NAMES.iter().any(|known| known == name));
        let query = |pairs| {
            form_urlencoded::Serializer::new(String::new())
                .extend_pairs(pairs)
                .finish()
        };
        let read = || {
            Ok(Filtered(
                read_query(&query(filters))?,
                read_query(&query(rest))?,
            ))
        };
        ready(read())
    }
}

/// The names of all filters.
static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let parameters = Filters::into_params(|| None);
    parameters
        .into_iter()
        .map(|parameter| parameter.name)
        .collect()
});
