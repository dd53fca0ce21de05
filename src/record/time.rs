//! Points in time as records write them: RFC 3339, UTC, milliseconds, `Z`.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Datelike, NaiveDate, SecondsFormat, Timelike, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::ToSchema;

/// A time such as `2026-11-30T10:00:00.000Z`, and nothing but that form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ToSchema)]
#[schema(as = RecordTime, value_type = String, format = DateTime, example = "2026-11-30T10:00:00.000Z")]
pub struct Time(pub DateTime<Utc>);

/// A text that is no such time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no time such as 2026-11-30T10:00:00.000Z")]
pub struct BadTime;

const FORM: &[u8; 24] = b"0000-00-00T00:00:00.000Z";

impl Time {
    /// Calls `with` with the text. Exports write millions of them: no formatting
    /// machine, no allocation.
    pub(super) fn with_text<T>(self, with: impl FnOnce(&str) -> T) -> T {
        let at = self.0;
        let mut text = *FORM;
        let millis = at.timestamp_subsec_millis();
        if !(0..=9999).contains(&at.year()) || millis > 999 {
            return with(&at.to_rfc3339_opts(SecondsFormat::Millis, true));
        }
        let mut put = |from: usize, digits: usize, mut number: u32| {
            for place in text[from..from + digits].iter_mut().rev() {
                *place = b'0' + (number % 10) as u8;
                number /= 10;
            }
        };
        put(0, 4, at.year().unsigned_abs());
        put(5, 2, at.month());
        put(8, 2, at.day());
        put(11, 2, at.hour());
        put(14, 2, at.minute());
        put(17, 2, at.second());
        put(20, 3, millis);
        with(str::from_utf8(&text).unwrap_or_default())
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with_text(|text| f.write_str(text))
    }
}

impl From<DateTime<Utc>> for Time {
    fn from(at: DateTime<Utc>) -> Time {
        Time(at)
    }
}

impl FromStr for Time {
    type Err = BadTime;

    fn from_str(text: &str) -> Result<Time, BadTime> {
        let text: &[u8; 24] = text.as_bytes().try_into().map_err(|_| BadTime)?;
        for (letter, form) in text.iter().zip(FORM) {
            let fits = match form {
                b'0' => letter.is_ascii_digit(),
                form => letter == form,
            };
            if !fits {
                return Err(BadTime);
            }
        }
        let number = |from: usize, digits: usize| {
            let digits = text[from..from + digits].iter();
            digits.fold(0, |number, digit| number * 10 + u32::from(digit - b'0'))
        };
        let date = NaiveDate::from_ymd_opt(number(0, 4).cast_signed(), number(5, 2), number(8, 2));
        let at = date.and_then(|date| {
            date.and_hms_milli_opt(number(11, 2), number(14, 2), number(17, 2), number(20, 3))
        });
        // PostgreSQL knows no year 0.
        let at = at.filter(|at| at.year() > 0).ok_or(BadTime)?;
        Ok(Time(at.and_utc()))
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.with_text(|text| serializer.serialize_str(text))
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Time, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
