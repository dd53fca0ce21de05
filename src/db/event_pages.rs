//! The event log as its readers have it, part by part.

use std::collections::HashMap;

use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

use super::events::Event;

/// Whose events somebody reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Audience {
    /// A player's, in all games.
    Player(Uuid),
    /// A bot's, and of everybody it plays for.
    Bot(Uuid),
    /// One game's.
    Game(Uuid),
}

/// A part of somebody's log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Page {
    /// Whose log.
    pub audience: Audience,
    /// What comes after this position.
    pub after: i64,
    /// Events at most, and no more than 200.
    pub limit: i64,
}

#[derive(FromRow)]
struct OfPage {
    n: i64,
    #[sqlx(flatten)]
    event: Event,
}

// The planner is told of the limit that none exceeds: it would sort whole logs for one
// that it cannot see.
macro_rules! pages {
    ($from:literal) => {
        concat!(
            "select n, page.* \
             from unnest((select $1)::uuid[], (select $2)::boolean[], (select $3)::bigint[], \
                         (select $4)::bigint[]) with ordinality asked (id, managed, after, most, n) \
                  cross join lateral (select * from ( \
                      select position, game_id, event_no, type, ply, seats, data, at ",
            $from,
            " limit 200) most order by position limit asked.most) page \
             order by n, position"
        )
    };
}

/// What [`Page`]s hold; those without events are left out.
pub async fn pages(
    db: &mut PgConnection,
    pages: &[Page],
) -> sqlx::Result<HashMap<Page, Vec<Event>>> {
    const OF_PLAYERS: &str = pages!(
        "from event_readers r join event_log l using (position) \
              join events e using (game_id, event_no) \
         where r.player_id = asked.id and r.position > asked.after and (r.own or asked.managed) \
         order by r.position"
    );
    const OF_GAMES: &str = pages!(
        "from event_log l join events e using (game_id, event_no) \
         where l.game_id = asked.id and l.position > asked.after and e.only_for is null \
         order by l.position"
    );
    let of_game = |page: &Page| matches!(page.audience, Audience::Game(_));
    let (games, players): (Vec<Page>, Vec<Page>) = pages.iter().partition(|page| of_game(page));
    let mut found: HashMap<Page, Vec<Event>> = HashMap::new();
    for (query, pages) in [(OF_PLAYERS, players), (OF_GAMES, games)] {
        if pages.is_empty() {
            continue;
        }
        let asked = pages.iter().map(|page| match page.audience {
            Audience::Player(id) | Audience::Game(id) => (id, false),
            Audience::Bot(id) => (id, true),
        });
        let (ids, managed): (Vec<Uuid>, Vec<bool>) = asked.unzip();
        let after: Vec<i64> = pages.iter().map(|page| page.after).collect();
        let limits: Vec<i64> = pages.iter().map(|page| page.limit).collect();
        let events: Vec<OfPage> = sqlx::query_as(query)
            .bind(ids)
            .bind(managed)
            .bind(after)
            .bind(limits)
            .fetch_all(&mut *db)
            .await?;
        for OfPage { n, event } in events {
            let page = usize::try_from(n - 1).ok().and_then(|at| pages.get(at));
            if let Some(page) = page {
                found.entry(*page).or_default().push(event);
            }
        }
    }
    Ok(found)
}
