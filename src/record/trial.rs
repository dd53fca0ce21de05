//! What holds of any bytes that somebody hands over as a record: it panics where it
//! does not. For the fuzz targets (`fuzz/`) and for the tests.

use uuid::Uuid;

use super::{json, packed, text};

/// A text that is read is written back letter by letter, and goes through JSON.
pub fn of_text(bytes: &[u8]) {
    let Ok(given) = str::from_utf8(bytes) else {
        return;
    };
    let Ok(record) = text::read(given) else {
        return;
    };
    let mut again = String::new();
    assert_eq!(text::write(&record, &mut again), Ok(()));
    assert_eq!(again, given, "the same record has another text");
    let mut line = Vec::new();
    assert_eq!(json::write(&record, &mut line), Ok(()));
    let line = String::from_utf8(line).unwrap_or_default();
    assert_eq!(json::read(&line).as_ref(), Ok(&record), "{line}");
}

/// A line of JSON that is read comes back from what is written of it, and from the
/// text.
pub fn of_json(bytes: &[u8]) {
    let Ok(given) = str::from_utf8(bytes) else {
        return;
    };
    let Ok(record) = json::read(given) else {
        return;
    };
    let mut line = Vec::new();
    assert_eq!(json::write(&record, &mut line), Ok(()));
    let line = String::from_utf8(line).unwrap_or_default();
    assert_eq!(json::read(&line).as_ref(), Ok(&record), "{line}");
    let mut as_text = String::new();
    assert_eq!(text::write(&record, &mut as_text), Ok(()));
    let again = text::read(&as_text).map(|again| super::Record {
        source: record.source,
        imported_at: record.imported_at,
        ..again
    });
    assert_eq!(again.as_ref(), Ok(&record), "{as_text}");
}

/// Bytes that come out as a log are that log packed.
pub fn of_packed(bytes: &[u8]) {
    let (id, start) = (Uuid::nil(), chrono::DateTime::UNIX_EPOCH);
    // As it is, and with the checksum that makes a reader go further.
    for bytes in [bytes.to_vec(), packed::with_sum(id, bytes)] {
        if let Ok(rows) = packed::unpack(id, start, &bytes) {
            let again = packed::pack(id, start, &rows);
            assert_eq!(packed::unpack(id, start, &again), Ok(rows));
        }
    }
}
