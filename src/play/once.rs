//! Creating once: the first answer to a request is kept under its
//! Idempotency-Key, in the transaction of the effect, and given again to the
//! same request within a day.

use chacha20poly1305::aead::{Aead, KeyInit};
use chacha20poly1305::{Key as CipherKey, XChaCha20Poly1305, XNonce};
use hkdf::Hkdf;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use sqlx::{PgConnection, PgPool};

use super::PlayError;
use super::stored::corrupt;
use super::who::random;
use crate::db;

/// Bytes of a nonce before the sealed text.
const NONCE: usize = 24;

/// An Idempotency-Key of some caller, for one request.
#[derive(Clone)]
pub struct Key {
    /// The caller's token and the key: what the answer is sealed with.
    secret: Vec<u8>,
    /// Stands for both in the database.
    hash: [u8; 32],
    /// Of method, path and body.
    request: [u8; 32],
}

impl Key {
    /// The key `key` of a caller, whose token and all else that tells them apart is
    /// `caller`, for a request.
    pub fn new(caller: &[&str], key: &str, request: &[&[u8]]) -> Key {
        let mut secret = Vec::new();
        for part in caller.iter().chain([&key]) {
            // Lengths keep what is joined apart.
            secret.extend((part.len() as u64).to_be_bytes());
            secret.extend(part.as_bytes());
        }
        let hash = Sha256::new()
            .chain_update(b"idempotency-key")
            .chain_update(&secret);
        let mut digest = Sha256::new();
        for part in request {
            digest.update((part.len() as u64).to_be_bytes());
            digest.update(part);
        }
        Key {
            hash: hash.finalize().into(),
            request: digest.finalize().into(),
            secret,
        }
    }

    fn cipher(&self) -> Result<XChaCha20Poly1305, PlayError> {
        let mut key = [0u8; 32];
        Hkdf::<Sha256>::new(None, &self.secret)
            .expand(b"mancala-post kept answer", &mut key)
            .map_err(corrupt)?;
        Ok(XChaCha20Poly1305::new(&CipherKey::from(key)))
    }

    fn seal(&self, answer: &Answer) -> Result<Vec<u8>, PlayError> {
        let nonce: [u8; NONCE] = random()?;
        let plain = serde_json::to_vec(answer).map_err(corrupt)?;
        let sealed = self
            .cipher()?
            .encrypt(&XNonce::from(nonce), plain.as_slice());
        let sealed = sealed.map_err(|_| corrupt("an answer cannot be sealed"))?;
        Ok([nonce.as_slice(), &sealed].concat())
    }

    fn open(&self, sealed: &[u8]) -> Result<Answer, PlayError> {
        let unreadable = || corrupt("a kept answer cannot be opened");
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE>().ok_or_else(unreadable)?;
        let plain = self.cipher()?.decrypt(&XNonce::from(*nonce), sealed);
        serde_json::from_slice(&plain.map_err(|_| unreadable())?).map_err(corrupt)
    }
}

/// An answer as it is kept.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Answer {
    /// Its status.
    pub status: u16,
    /// The URL of what was made.
    pub location: Option<String>,
    /// Its JSON.
    pub body: String,
}

/// Does `work` in a transaction of its own and keeps its answer under `key`; or
/// finds the answer kept before (`true`), and does nothing.
pub async fn once<E, F>(pool: &PgPool, key: Option<&Key>, work: F) -> Result<(Answer, bool), E>
where
    E: From<PlayError>,
    F: AsyncFnOnce(&mut PgConnection) -> Result<Answer, E>,
{
    let failed = |cause: sqlx::Error| E::from(PlayError::from(cause));
    let mut db = db::pool::begin(pool).await.map_err(failed)?;
    let outcome = within(&mut db, key, work).await;
    // Here and not when it is dropped: that would be after the answer, and the
    // next request with the key could still find it locked.
    let ended = match &outcome {
        Ok((_, false)) => db.commit().await,
        Ok((_, true)) | Err(_) => db.rollback().await,
    };
    match ended {
        Err(cause) if outcome.is_ok() => Err(failed(cause)),
        _ => outcome,
    }
}

/// The part within the transaction.
async fn within<E, F>(
    db: &mut PgConnection,
    key: Option<&Key>,
    work: F,
) -> Result<(Answer, bool), E>
where
    E: From<PlayError>,
    F: AsyncFnOnce(&mut PgConnection) -> Result<Answer, E>,
{
    let Some(key) = key else {
        return work(db).await.map(|answer| (answer, false));
    };
    if let Some(answer) = kept(db, key).await? {
        return Ok((answer, true));
    }
    let answer = work(db).await?;
    let sealed = key.seal(&answer)?;
    let now = db::now(db).await.map_err(PlayError::from)?;
    db::answers::keep(db, &key.hash, &key.request, &sealed, now)
        .await
        .map_err(PlayError::from)?;
    Ok((answer, false))
}

/// The answer kept under `key`, whose lock is held from here on.
async fn kept(db: &mut PgConnection, key: &Key) -> Result<Option<Answer>, PlayError> {
    if !db::answers::try_lock(db, &key.hash).await? {
        return Err(PlayError::KeyRunning);
    }
    match db::answers::find(db, &key.hash).await? {
        None => Ok(None),
        Some(kept) if kept.request_hash != key.request => Err(PlayError::KeyReused),
        Some(kept) => key.open(&kept.sealed).map(Some),
    }
}
