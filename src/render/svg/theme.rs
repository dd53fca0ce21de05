//! The colours of a board.

/// For a light surface or a dark one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// Teak on paper.
    #[default]
    Light,
    /// Walnut at night.
    Dark,
}

/// What each thing is painted with.
pub(super) struct Palette {
    /// Behind the board.
    pub(super) page: &'static str,
    /// Names.
    pub(super) ink: &'static str,
    /// What is said beside them.
    pub(super) faint: &'static str,
    /// The wood from top to bottom.
    pub(super) wood: [&'static str; 3],
    pub(super) grain: &'static str,
    /// The lit and the shaded edge of the wood.
    pub(super) edge: [&'static str; 2],
    /// A hollow from its deepest point to its rim.
    pub(super) hollow: [&'static str; 3],
    /// The lit lower lip of a hollow.
    pub(super) lip: &'static str,
    /// Counts.
    pub(super) count: &'static str,
    /// Houses' numbers.
    pub(super) number: &'static str,
    /// The seat to move, and what is written on it.
    pub(super) mover: [&'static str; 2],
    /// The seat that won, likewise.
    pub(super) winner: [&'static str; 2],
    /// The cross of a burnt house.
    pub(super) ember: &'static str,
    /// The last choice.
    pub(super) last: &'static str,
    /// A hand in mid-air, and its count.
    pub(super) hand: [&'static str; 2],
}

const LIGHT: Palette = Palette {
    page: "#faf4e8",
    ink: "#3a2413",
    faint: "#7d664d",
    wood: ["#e3b276", "#d39a59", "#bb7f41"],
    grain: "#8a5526",
    edge: ["#f3cf9c", "#8a5728"],
    hollow: ["#5a3417", "#7a4a22", "#a06a36"],
    lip: "#f0c893",
    count: "#2b1708",
    number: "#7b4b20",
    mover: ["#1c6f66", "#ffffff"],
    winner: ["#d99a1b", "#2b1708"],
    ember: "#b5380c",
    last: "#137a70",
    hand: ["#fff6e0", "#2b1708"],
};

const DARK: Palette = Palette {
    page: "#1a1513",
    ink: "#f4e7d0",
    faint: "#ab9a83",
    wood: ["#734a2b", "#5e3a21", "#472a17"],
    grain: "#2a160a",
    edge: ["#93643d", "#22120a"],
    hollow: ["#1d0f07", "#2b180c", "#41260f"],
    lip: "#8a5c36",
    count: "#ffe9c6",
    number: "#c79a6b",
    mover: ["#43c2ae", "#10231f"],
    winner: ["#f0b93a", "#2b1708"],
    ember: "#f07a3c",
    last: "#4fd8c2",
    hand: ["#fff1d4", "#2b1708"],
};

impl Theme {
    pub(super) fn palette(self) -> &'static Palette {
        match self {
            Theme::Light => &LIGHT,
            Theme::Dark => &DARK,
        }
    }
}
