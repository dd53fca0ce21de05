//! From the database to bytes, batch by batch: the next one is read while the last
//! one is written.

use sqlx::PgPool;

use super::{Encoder, Sheet};
use crate::play::PlayError;
use crate::play::export::{Placed, Reader, work};

/// Reads records and writes them in a format.
pub struct Pump {
    reader: Reader,
    /// None after the end.
    encoder: Option<Encoder>,
    /// Read, and not written yet. None: not read yet.
    ahead: Option<Option<Vec<Placed>>>,
}

impl Pump {
    /// Writes what `reader` reads.
    pub fn new(reader: Reader, sheet: Sheet) -> Result<Pump, PlayError> {
        Ok(Pump {
            reader,
            encoder: Some(Encoder::new(sheet)?),
            ahead: None,
        })
    }

    /// Reads the first batch, so that what fails at once is known before anything is
    /// answered.
    pub async fn begin(&mut self, pool: &PgPool) -> Result<(), PlayError> {
        self.ahead = Some(self.reader.next(pool).await?);
        Ok(())
    }

    /// The next bytes; none after the last. After an error there is nothing more.
    pub async fn next(&mut self, pool: &PgPool) -> Result<Option<Vec<u8>>, PlayError> {
        while let Some(mut encoder) = self.encoder.take() {
            let batch = match self.ahead.take() {
                Some(batch) => batch,
                None => self.reader.next(pool).await?,
            };
            let Some(batch) = batch else {
                let rest = work(move || encoder.finish()).await?;
                return Ok(Some(rest).filter(|rest| !rest.is_empty()));
            };
            let writing = work(move || {
                for (record_no, record) in &batch {
                    encoder.put(*record_no, record)?;
                }
                let bytes = encoder.take()?;
                Ok((encoder, bytes))
            });
            let (written, ahead) = tokio::join!(writing, self.reader.next(pool));
            let (encoder, bytes) = written?;
            self.encoder = Some(encoder);
            self.ahead = Some(ahead?);
            if !bytes.is_empty() {
                return Ok(Some(bytes));
            }
        }
        Ok(None)
    }
}
