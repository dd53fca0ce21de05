//! What holds of any text that a client hands over in a query or as the id of a button:
//! it panics where it does not. For the fuzz targets (`fuzz/`) and for the tests.

use super::buttons::Action;
use super::event;
use super::filters::Filters;
use super::params::read_query;
use super::{cursor, lists};

/// A cursor of a list that is read is the one that is written there, and so is one of
/// the event log.
pub fn of_cursor(bytes: &[u8]) {
    let Ok(given) = str::from_utf8(bytes) else {
        return;
    };
    const LIST: &str = "games public []";
    // Whatever stands in it, under its list's mark and without.
    let made = cursor::write(LIST, given);
    assert_eq!(cursor::read(LIST, &made).ok().as_deref(), Some(given));
    for text in [given, made.as_str()] {
        if let Ok(key) = cursor::read(LIST, text) {
            assert_eq!(cursor::write(LIST, &key), text);
        }
        if let Ok(place) = lists::read_place(LIST, text) {
            assert_eq!(lists::write_place(LIST, &place), text);
        }
    }
    if let Ok(cursor) = given.parse::<event::Cursor>() {
        assert_eq!(cursor.to_string(), given);
    }
}

/// An id of a button that is read is the one that is written, and fits a button.
pub fn of_action(bytes: &[u8]) {
    let Ok(given) = str::from_utf8(bytes) else {
        return;
    };
    if let Some((game, action)) = Action::read(given) {
        assert_eq!(action.id(game), given);
        assert!(given.len() <= 64, "{given}");
    }
}

/// A query of filters is read or refused.
pub fn of_filters(bytes: &[u8]) {
    let Ok(given) = str::from_utf8(bytes) else {
        return;
    };
    if let Ok(filters) = read_query::<Filters>(given) {
        let _ = filters.words();
    }
}
