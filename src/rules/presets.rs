//! The published rulesets. A new one is a constant and a line in [`PRESETS`]; its
//! rules in words stand elsewhere, by language.
//! A published name and revision never change their meaning: a correction is a
//! new revision.

use crate::parameters::{
    AlManqalaRules, BurntRule, CongkakRules, EmptyOpposite, Family, Feeding, OpeningRule, Refill,
    RoundEnd, Rules,
};

/// A published ruleset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    /// Its name in JSON and URLs.
    pub name: &'static str,
    /// Counted from 1; a correction of a published ruleset is a new one.
    pub revision: u32,
    /// Which engine plays it.
    pub family: Family,
    /// The text it follows.
    pub source: &'static str,
    /// Its parameters.
    pub defaults: Rules,
}

static PRESETS: [Preset; 4] = [CONGKAK, CONGKAK_TRADITIONAL, CONGKAK_ARENA, AL_MANQALA];

/// Every ruleset.
#[must_use]
pub fn presets() -> &'static [Preset] {
    &PRESETS
}

/// The ruleset of that name.
#[must_use]
pub fn preset(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

const CONGKAK: Preset = Preset {
    name: "congkak",
    revision: 1,
    family: Family::Congkak,
    source: "Mancala World, Congkak",
    defaults: Rules::Congkak(CongkakRules {
        houses: 7,
        seeds: 7,
        opening: OpeningRule::Alternating,
        empty_opposite: EmptyOpposite::Stay,
        round_end: RoundEnd::MoverEmpty,
        max_rounds: Some(1),
        refill: Refill::LeftToRight,
        burnt: BurntRule::Skip,
        burnt_recoverable: true,
    }),
};

const CONGKAK_TRADITIONAL: Preset = Preset {
    name: "congkak-traditional",
    revision: 1,
    family: Family::Congkak,
    source: "An unsigned English museum-style text on the Malay game with burnt houses",
    defaults: Rules::Congkak(CongkakRules {
        houses: 7,
        seeds: 7,
        opening: OpeningRule::Simultaneous,
        empty_opposite: EmptyOpposite::Bank,
        round_end: RoundEnd::SideEmpty,
        max_rounds: None,
        refill: Refill::LeftToRight,
        burnt: BurntRule::Skip,
        burnt_recoverable: true,
    }),
};

const CONGKAK_ARENA: Preset = Preset {
    name: "congkak-arena",
    revision: 1,
    family: Family::Congkak,
    source: "Board Game Arena, help for Congkak: rules and summary",
    defaults: Rules::Congkak(CongkakRules {
        houses: 7,
        seeds: 7,
        opening: OpeningRule::Simultaneous,
        empty_opposite: EmptyOpposite::Bank,
        round_end: RoundEnd::SideEmpty,
        max_rounds: Some(1),
        refill: Refill::Even,
        burnt: BurntRule::Confiscate,
        burnt_recoverable: true,
    }),
};

const AL_MANQALA: Preset = Preset {
    name: "al-manqala",
    revision: 1,
    family: Family::AlManqala,
    source: "Mancala World, Al-manqala (after Moslih Kanaaneh 2007, Thomas Hyde 1694, \
             Stewart Culin 1894)",
    defaults: Rules::AlManqala(AlManqalaRules {
        houses: 7,
        seeds: 7,
        feeding: Feeding::Deposit,
        loop_repeat: Some(3),
    }),
};
