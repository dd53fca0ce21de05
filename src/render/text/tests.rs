//! Whatever is told below a board of 7 houses keeps within its columns, in every
//! language; and ASCII means ASCII.

use chrono::{DateTime, Utc};
use mancala_rules::{Hand, Outcome, Reason, Row, Sides, Spot, Winner};

use super::super::scene::Stage;
use super::super::words::Lang;
use super::*;

const REASONS: [Reason; 8] = [
    Reason::MostSeeds,
    Reason::Majority,
    Reason::Starvation,
    Reason::Loop,
    Reason::CannotRefill,
    Reason::Resignation,
    Reason::Timeout,
    Reason::Agreement,
];

/// Where in its course a game may be, at its most long-winded.
fn stages() -> Vec<Stage> {
    let mut stages = vec![Stage::Open, Stage::Aborted];
    for seat in Seat::ALL {
        stages.push(Stage::Playing(seat));
        stages.push(Stage::Opening(vec![seat]));
    }
    stages.push(Stage::Opening(Seat::ALL.to_vec()));
    for reason in REASONS {
        for winner in [Winner::South, Winner::North, Winner::Draw] {
            stages.push(Stage::Finished(Outcome {
                winner,
                reason,
                score: Sides {
                    south: 225,
                    north: 225,
                },
                ended_by: Some(Seat::South),
            }));
        }
    }
    stages
}

/// Every board there is something different to say under.
fn scenes(lang: Lang) -> Vec<Scene> {
    let at = |day: i64| DateTime::<Utc>::from_timestamp(1_798_761_600 + day * 86_400, 0);
    let hand = |over| Some(Hand { seeds: 119, over });
    let mut scenes = Vec::new();
    for stage in stages() {
        for stores in [true, false] {
            for later in [0, 1] {
                let row = |hand| Row {
                    houses: vec![7; 7],
                    store: 225,
                    burnt: vec![3],
                    hand,
                };
                scenes.push(Scene {
                    board: Sides {
                        south: row(hand(Spot::Store)),
                        north: row(hand(Spot::House(Seat::North, 7))),
                    },
                    stores,
                    names: Sides {
                        south: Some("a".repeat(30)),
                        north: None,
                    },
                    stage: stage.clone(),
                    deadlines: Sides {
                        south: at(0),
                        north: at(later),
                    },
                    last: vec![(Seat::South, 2)],
                    round: Some((100, Some(100))),
                    past: Some(1000),
                    pov: Seat::South,
                    lang,
                });
            }
        }
    }
    scenes
}

#[test]
fn no_line_is_wider_than_the_board() {
    for lang in Lang::all() {
        for scene in scenes(lang) {
            let drawn = text(&scene, Charset::Unicode);
            let widest = drawn.lines().map(|line| line.chars().count()).max();
            assert!(widest <= Some(COLUMNS), "{}: {drawn}", lang.tag());
        }
    }
}

#[test]
fn ascii_spells_every_language() {
    for lang in Lang::all() {
        for scene in scenes(lang) {
            let drawn = text(&scene, Charset::Ascii);
            assert!(
                drawn.is_ascii() && !drawn.contains('?'),
                "{}: {drawn}",
                lang.tag()
            );
        }
    }
}

#[test]
fn a_part_that_is_too_long_is_parted_between_words() {
    let wrapped = |parts: &[&str]| {
        wrap(
            &parts.iter().map(|&part| part.into()).collect::<Vec<_>>(),
            10,
        )
    };
    assert_eq!(wrapped(&["one", "two"]), ["one two"]);
    assert_eq!(wrapped(&["one two", "three"]), ["one two", "three"]);
    assert_eq!(
        wrapped(&["one", "two three four", "five"]),
        ["one", "two three", "four five"]
    );
}
