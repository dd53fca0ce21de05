//! The people a bot plays for, each under a reference of the bot's own that
//! nobody else sees.

use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::stored::corrupt;
use super::who::{Identity, random};
use super::{PlayError, players};
use crate::db;
use crate::db::players::Player;

/// How many made-up handles are tried before something must be wrong.
const TRIES: u32 = 8;

/// Whether a text can be a reference: what a header and a path can hold.
pub fn is_reference(text: &str) -> bool {
    (1..=100).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// The player whom `bot` knows as `external_ref`, made if there is none (`true`).
/// A handle that is asked for is given, also to one that is there.
pub async fn put(
    pool: &PgPool,
    bot: &Identity,
    external_ref: &str,
    handle: Option<&str>,
) -> Result<(Player, bool), PlayError> {
    let mut db = db::pool::begin(pool).await?;
    let outcome = put_within(&mut db, bot, external_ref, handle).await;
    match &outcome {
        Ok(_) => db.commit().await?,
        Err(_) => db.rollback().await.ok().unwrap_or_default(),
    }
    outcome
}

async fn put_within(
    db: &mut PgConnection,
    bot: &Identity,
    external_ref: &str,
    handle: Option<&str>,
) -> Result<(Player, bool), PlayError> {
    if !db::players::hold(db, bot.player_id).await? {
        return Err(PlayError::PlayerLeft);
    }
    let made = match db::managed::find(db, bot.player_id, external_ref).await? {
        Some(_) => false,
        None => make(db, bot, external_ref, handle).await?,
    };
    let player_id = db::managed::find(db, bot.player_id, external_ref).await?;
    let player = match player_id {
        Some(player_id) => db::players::find(db, player_id).await?,
        None => None,
    };
    // They may have left just now: the same request again makes somebody new.
    let gone = || PlayError::NotManaged(external_ref.to_owned());
    let mut player = player.ok_or_else(gone)?;
    match handle {
        Some(handle) if player.handle.as_deref() != Some(handle) => {
            // Games before players, as everywhere.
            db::players::touch_games(db, player.player_id).await?;
            if !db::players::hold(db, player.player_id).await? {
                return Err(PlayError::NotManaged(external_ref.to_owned()));
            }
            if !db::managed::rename(db, player.player_id, handle).await? {
                return Err(PlayError::HandleTaken(handle.to_owned()));
            }
            player.handle = Some(handle.to_owned());
        }
        _ => {}
    }
    Ok((player, made))
}

/// Makes the player, unless another request has just done so.
async fn make(
    db: &mut PgConnection,
    bot: &Identity,
    external_ref: &str,
    handle: Option<&str>,
) -> Result<bool, PlayError> {
    let now = db::now(db).await?;
    for _ in 0..TRIES {
        let name = match handle {
            Some(handle) => handle.to_owned(),
            None => made_up()?,
        };
        let id = Uuid::now_v7();
        if db::managed::insert(db, id, bot.player_id, external_ref, &name, now).await? {
            return Ok(true);
        }
        if db::managed::find(db, bot.player_id, external_ref)
            .await?
            .is_some()
        {
            return Ok(false);
        }
        if handle.is_some() {
            return Err(PlayError::HandleTaken(name));
        }
    }
    Err(corrupt("no handle is free"))
}

/// A handle for somebody who asked for none; it tells nothing of the reference.
fn made_up() -> Result<String, PlayError> {
    let bits: [u8; 5] = random()?;
    let number = bits
        .iter()
        .fold(0u64, |number, &byte| number << 8 | u64::from(byte));
    Ok(format!("guest-{number:010x}"))
}

/// `bot`, acting for the player whom it knows as `external_ref`.
pub async fn acting(
    db: &mut PgConnection,
    bot: Identity,
    external_ref: &str,
) -> Result<Identity, PlayError> {
    let found = match is_reference(external_ref) {
        true => db::managed::find(db, bot.player_id, external_ref).await?,
        false => None,
    };
    match found {
        Some(player_id) => Ok(Identity {
            player_id,
            bot: Some(bot.player_id),
            ..bot
        }),
        None => Err(PlayError::NotManaged(external_ref.to_owned())),
    }
}

/// Nobody can play for the people of a bot that leaves: they leave before it.
pub(super) async fn leave_all(pool: &PgPool, bot: &Identity) -> Result<(), PlayError> {
    loop {
        let next = db::managed::of_owner(&mut *pool.acquire().await?, bot.player_id).await?;
        let Some((player_id, _)) = next else {
            return Ok(());
        };
        let person = Identity {
            player_id,
            bot: Some(bot.player_id),
            ..bot.clone()
        };
        Box::pin(players::leave(pool, &person)).await?;
    }
}
