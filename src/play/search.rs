//! Games that fit a filter, as their viewers may have them.

use sqlx::PgConnection;

use super::lists::{Page, Place, page};
use super::{Caller, PlayError};
use crate::db::search;
pub use crate::db::search::{Filter, Range};

/// Public games that fit, the newest first.
pub async fn games(
    db: &mut PgConnection,
    caller: &Caller,
    filter: &Filter,
    after: Option<Place>,
    limit: u32,
) -> Result<Page, PlayError> {
    let before = after.map(|place| place.game_id);
    let games = search::page(db, filter, before, i64::from(limit) + 1).await?;
    page(db, caller, games, limit).await
}
