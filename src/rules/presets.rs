//! The published rulesets. A new one is a constant and a line in [`PRESETS`].
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
    /// One line.
    pub summary: &'static str,
    /// The text it follows.
    pub source: &'static str,
    /// The rules for a person: paragraphs, parted by an empty line.
    pub rules_in_words: &'static str,
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
    summary: "Congkak in one round; the seats take turns from the first ply.",
    source: "Mancala World, Congkak",
    rules_in_words: include_str!("words/congkak.txt"),
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
    summary: "Malay congkak in rounds with burnt houses and a simultaneous opening.",
    source: "An unsigned English museum-style text on the Malay game with burnt houses",
    rules_in_words: include_str!("words/congkak-traditional.txt"),
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
    summary: "Congkak as on Board Game Arena: one round with a simultaneous opening.",
    source: "Board Game Arena, help for Congkak: rules and summary",
    rules_in_words: include_str!("words/congkak-arena.txt"),
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
    summary: "Al-manqala of Galilee: single laps, captures of two and four.",
    source: "Mancala World, Al-manqala (after Moslih Kanaaneh 2007, Thomas Hyde 1694, \
             Stewart Culin 1894)",
    rules_in_words: include_str!("words/al-manqala.txt"),
    defaults: Rules::AlManqala(AlManqalaRules {
        houses: 7,
        seeds: 7,
        feeding: Feeding::Deposit,
        loop_repeat: Some(3),
    }),
};
