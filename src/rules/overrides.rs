//! Reading parameters from JSON: what a parameter may be, the overrides of a
//! new game, the full object recorded with an old one.

use std::fmt;

use serde_json::{Map, Value};

use crate::parameters::{
    BurntRule, EmptyOpposite, Family, Feeding, OpeningRule, Refill, RoundEnd, Rules,
};
use crate::presets::{Preset, preset};

/// What a parameter may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterKind {
    /// A whole number.
    Integer {
        /// The least.
        min: u8,
        /// The most.
        max: u8,
        /// Whether null has a meaning too.
        nullable: bool,
    },
    /// One of these words.
    Choice(&'static [&'static str]),
    /// True or false.
    Boolean,
}

impl ParameterKind {
    fn allows(self, value: &Value) -> bool {
        match self {
            ParameterKind::Integer { min, max, nullable } => match value {
                Value::Null => nullable,
                // A number with a fraction, even .0, is no whole number.
                _ => value
                    .as_u64()
                    .is_some_and(|number| (u64::from(min)..=u64::from(max)).contains(&number)),
            },
            ParameterKind::Choice(words) => {
                value.as_str().is_some_and(|word| words.contains(&word))
            }
            ParameterKind::Boolean => value.is_boolean(),
        }
    }
}

impl fmt::Display for ParameterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParameterKind::Integer { min, max, nullable } => {
                let or_null = if *nullable { ", or null" } else { "" };
                write!(f, "a whole number from {min} to {max}{or_null}")
            }
            ParameterKind::Choice(words) => write!(f, "one of {}", words.join(", ")),
            ParameterKind::Boolean => f.write_str("true or false"),
        }
    }
}

/// A parameter of a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in JSON.
    pub name: &'static str,
    /// What it may be.
    pub kind: ParameterKind,
}

const HOUSES: Parameter = Parameter {
    name: "houses",
    kind: ParameterKind::Integer {
        min: 5,
        max: 15,
        nullable: false,
    },
};

const SEEDS: Parameter = Parameter {
    name: "seeds",
    kind: ParameterKind::Integer {
        min: 1,
        max: 15,
        nullable: false,
    },
};

static CONGKAK: [Parameter; 9] = [
    HOUSES,
    SEEDS,
    Parameter {
        name: "opening",
        kind: ParameterKind::Choice(OpeningRule::WORDS),
    },
    Parameter {
        name: "empty_opposite",
        kind: ParameterKind::Choice(EmptyOpposite::WORDS),
    },
    Parameter {
        name: "round_end",
        kind: ParameterKind::Choice(RoundEnd::WORDS),
    },
    Parameter {
        name: "max_rounds",
        kind: ParameterKind::Integer {
            min: 1,
            max: 100,
            nullable: true,
        },
    },
    Parameter {
        name: "refill",
        kind: ParameterKind::Choice(Refill::WORDS),
    },
    Parameter {
        name: "burnt",
        kind: ParameterKind::Choice(BurntRule::WORDS),
    },
    Parameter {
        name: "burnt_recoverable",
        kind: ParameterKind::Boolean,
    },
];

static AL_MANQALA: [Parameter; 4] = [
    HOUSES,
    SEEDS,
    Parameter {
        name: "feeding",
        kind: ParameterKind::Choice(Feeding::WORDS),
    },
    Parameter {
        name: "loop_repeat",
        kind: ParameterKind::Integer {
            min: 2,
            max: 10,
            nullable: true,
        },
    },
];

fn parameters_of(family: Family) -> &'static [Parameter] {
    match family {
        Family::Congkak => &CONGKAK,
        Family::AlManqala => &AL_MANQALA,
    }
}

fn find(family: Family, name: &str) -> Option<&'static Parameter> {
    parameters_of(family)
        .iter()
        .find(|parameter| parameter.name == name)
}

/// A parameter that cannot be as it was given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{parameter}` {problem}")]
pub struct BadRules {
    /// Its name.
    pub parameter: String,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with a parameter.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// No family has it.
    #[error("is no parameter of {ruleset}: it has {known}")]
    Unknown {
        /// The preset.
        ruleset: &'static str,
        /// The parameters it has.
        known: String,
    },
    /// Another family has it.
    #[error("means nothing in {ruleset}: it is a parameter of {family}")]
    Meaningless {
        /// The preset.
        ruleset: &'static str,
        /// The family that has it.
        family: &'static str,
    },
    /// The value is of another kind or out of range.
    #[error("must be {allowed}, not {given}")]
    Value {
        /// What it may be.
        allowed: String,
        /// What was given, shortened.
        given: String,
    },
}

/// Recorded parameters that cannot be read back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadStored {
    /// There is no such preset.
    #[error("there is no ruleset {0:?}")]
    UnknownRuleset(String),
    /// There is no such revision of it.
    #[error("ruleset {ruleset} has no revision {revision}")]
    UnknownRevision {
        /// The preset.
        ruleset: &'static str,
        /// The revision asked for.
        revision: u32,
    },
    /// The parameters are no JSON object.
    #[error("the parameters are no JSON object")]
    NotAnObject,
    /// A parameter is missing from what should be all of them.
    #[error("parameter `{0}` is missing")]
    Missing(&'static str),
    /// A parameter is not as it can be.
    #[error(transparent)]
    Bad(#[from] BadRules),
}

impl Preset {
    /// The parameters of its family, in a fixed order.
    #[must_use]
    pub fn parameters(&self) -> &'static [Parameter] {
        parameters_of(self.family)
    }

    /// The default of a parameter; null for one it does not have.
    #[must_use]
    pub fn default_of(&self, name: &str) -> Value {
        self.defaults.to_json()[name].clone()
    }

    /// The full parameters of a game that differs from the preset in these.
    /// `seeds` follows `houses` when only that is given.
    ///
    /// # Errors
    /// [`BadRules`] names the first parameter that is unknown, belongs to
    /// another family or has an impossible value.
    pub fn rules(&self, overrides: &Map<String, Value>) -> Result<Rules, BadRules> {
        for (name, value) in overrides {
            self.check(name, value)?;
        }
        let Value::Object(mut full) = self.defaults.to_json() else {
            return Ok(self.defaults);
        };
        full.extend(overrides.clone());
        if let (Some(houses), None) = (overrides.get("houses"), overrides.get("seeds")) {
            full.insert("seeds".to_owned(), houses.clone());
        }
        self.build(full)
    }

    fn check(&self, name: &str, value: &Value) -> Result<(), BadRules> {
        let problem = if let Some(parameter) = find(self.family, name) {
            if parameter.kind.allows(value) {
                return Ok(());
            }
            Problem::Value {
                allowed: parameter.kind.to_string(),
                given: shortened(&value.to_string()),
            }
        } else {
            match [Family::Congkak, Family::AlManqala]
                .into_iter()
                .find(|&family| find(family, name).is_some())
            {
                Some(family) => Problem::Meaningless {
                    ruleset: self.name,
                    family: family.as_str(),
                },
                None => Problem::Unknown {
                    ruleset: self.name,
                    known: self
                        .parameters()
                        .iter()
                        .map(|parameter| parameter.name)
                        .collect::<Vec<_>>()
                        .join(", "),
                },
            }
        };
        Err(BadRules {
            parameter: shortened(name),
            problem,
        })
    }

    /// Every parameter is there and allowed, so the struct can be read.
    fn build(&self, full: Map<String, Value>) -> Result<Rules, BadRules> {
        let full = Value::Object(full);
        let built = match self.family {
            Family::Congkak => serde_json::from_value(full).map(Rules::Congkak),
            Family::AlManqala => serde_json::from_value(full).map(Rules::AlManqala),
        };
        built.map_err(|error| BadRules {
            parameter: "rules".to_owned(),
            problem: Problem::Value {
                allowed: "the parameters of this ruleset".to_owned(),
                given: error.to_string(),
            },
        })
    }
}

impl Rules {
    /// The parameters recorded with a game, all of them.
    ///
    /// # Errors
    /// [`BadStored`] when the ruleset or the revision is unknown, or a
    /// parameter is missing or not as it can be.
    pub fn stored(ruleset: &str, revision: u32, json: &Value) -> Result<Rules, BadStored> {
        let preset =
            preset(ruleset).ok_or_else(|| BadStored::UnknownRuleset(shortened(ruleset)))?;
        if revision != preset.revision {
            return Err(BadStored::UnknownRevision {
                ruleset: preset.name,
                revision,
            });
        }
        let full = json.as_object().ok_or(BadStored::NotAnObject)?;
        for (name, value) in full {
            preset.check(name, value)?;
        }
        for parameter in preset.parameters() {
            if !full.contains_key(parameter.name) {
                return Err(BadStored::Missing(parameter.name));
            }
        }
        Ok(preset.build(full.clone())?)
    }
}

/// At most 60 characters of something a stranger wrote.
fn shortened(text: &str) -> String {
    let mut characters = text.chars();
    let mut short: String = characters.by_ref().take(60).collect();
    if characters.next().is_some() {
        short.push('…');
    }
    short
}
