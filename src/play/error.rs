//! What a change or a view of a game can be refused for.

use mancala_rules::{BadPosition, BadRules, BadStart, CannotSplit, IllegalMove, Seat};

use super::View;

/// Why a game was not changed or not shown. Nothing of a refused change is
/// kept.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum PlayError {
    #[error("there is no such game")]
    NoSuchGame,
    /// Something of the game has passed and must be settled first; never told.
    #[error("something of the game has passed and is not settled")]
    Waiting(uuid::Uuid),
    #[error("the token does not open a seat of this game")]
    NotSeated,
    #[error("a seat of this game is still free; it starts when both are taken")]
    NotStarted,
    #[error("the game is over")]
    GameOver(Box<View>),
    #[error("the log has grown to ply {}, you saw ply {after_ply}: look at the game and choose anew", view.ply)]
    StalePly { after_ply: i32, view: Box<View> },
    #[error("{0} has already committed its choice; it cannot be changed")]
    AlreadyCommitted(Seat),
    #[error("it is not {0}'s turn")]
    NotYourTurn(Seat),
    #[error("{reason}")]
    Illegal {
        reason: IllegalMove,
        legal: Vec<(Seat, u8)>,
    },
    #[error("the game's log has no row {0}")]
    UnknownPly(i64),
    #[error("the game has no offer {0}")]
    NoSuchOffer(i64),
    #[error("{0}")]
    OfferImpossible(String),
    #[error("an offer of this kind is open already (number {0}): it waits for its answer")]
    OfferOpen(i32),
    #[error("an offer is answered by the other seat")]
    OwnOffer,
    #[error("the offer was {0} before")]
    OfferClosed(&'static str),
    #[error("conditional moves can be laid down when the opening is over")]
    InOpening,
    #[error("`lines[{line}][{ply}]`: {reason}")]
    BadLine {
        line: usize,
        ply: usize,
        reason: IllegalMove,
        legal: Vec<(Seat, u8)>,
    },
    #[error(
        "`lines[{line}][{ply}]`: an earlier line has another choice of your own at the same place"
    )]
    LinesPart { line: usize, ply: usize },
    #[error("the handle {0:?} is taken")]
    HandleTaken(String),
    #[error("the player has {0} tokens that are live: revoke one first")]
    TooManyTokens(i64),
    #[error("there is no player {0:?}")]
    NoSuchPlayer(String),
    #[error("this bot plays for nobody whom it knows as {0:?}: `PUT /v1/managed-players/…` first")]
    NotManaged(String),
    #[error("the token is not good for `{0}`")]
    LacksScope(&'static str),
    #[error("the player has left")]
    PlayerLeft,
    #[error("there is no such token")]
    NoSuchToken,
    #[error("the player has {0} webhooks: delete one first")]
    TooManyWebhooks(i64),
    #[error("there is no such webhook")]
    NoSuchWebhook,
    #[error("the webhook has no such delivery")]
    NoSuchDelivery,
    #[error("{0}")]
    BadInvitation(String),
    #[error("the seat is not free any more")]
    SeatTaken,
    #[error("nobody plays against themselves: the seat is for somebody else")]
    OwnGame,
    #[error("{0}")]
    NotInvited(&'static str),
    #[error("both seats have made their first choice: resign instead")]
    CannotAbort,
    #[error("`until` {0}")]
    BadUntil(&'static str),
    #[error(
        "a holiday until then takes {asked} seconds of the year {year}, in which {left} seconds are left"
    )]
    VacationBudget { year: i32, asked: i64, left: i64 },
    #[error("a request with this Idempotency-Key is still running")]
    KeyRunning,
    #[error("this Idempotency-Key was used for another request")]
    KeyReused,
    #[error("{0}")]
    BadRules(#[from] BadRules),
    #[error("`start`: {0}")]
    BadPosition(#[from] BadPosition),
    #[error("`start`: {0}")]
    BadStart(#[from] BadStart),
    /// A stored game that its own rules cannot read: a bug or a tampered row.
    #[error("stored game cannot be read: {0}")]
    Corrupt(String),
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

impl From<CannotSplit> for PlayError {
    fn from(cause: CannotSplit) -> Self {
        PlayError::OfferImpossible(cause.to_string())
    }
}
