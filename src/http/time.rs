//! Points in time as clients see them: RFC 3339, UTC, milliseconds, `Z`.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

/// RFC 3339 in UTC with milliseconds, such as `2026-11-30T10:00:00.000Z`.
#[derive(Debug, Clone, Copy, ToSchema)]
#[schema(value_type = String, format = DateTime, example = "2026-11-30T10:00:00.000Z")]
pub struct Time(pub DateTime<Utc>);

impl std::fmt::Display for Time {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
