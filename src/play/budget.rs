//! How much holiday a player may take: so much in each calendar year, by UTC.

use chrono::{DateTime, Datelike, Duration, TimeZone, Utc};

use crate::db::vacations::Vacation;

/// The holidays of a year.
pub const A_YEAR: Duration = Duration::days(30);

/// What is left of a year's holidays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// The year.
    pub year: i32,
    /// What is left of it.
    pub left: Duration,
}

/// A holiday that takes more of a year than is left of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Exceeded {
    /// What is left of the first such year.
    pub(super) budget: Budget,
    /// What the holiday would take of it.
    pub(super) asked: Duration,
}

/// When a year begins.
pub(super) fn beginning(year: i32) -> DateTime<Utc> {
    let first = Utc.with_ymd_and_hms(year, 1, 1, 0, 0, 0).single();
    // Past the last year that there is nothing begins.
    first.unwrap_or(DateTime::<Utc>::MAX_UTC)
}

/// How much of a holiday lies in the year.
fn taken(vacation: &Vacation, year: i32) -> Duration {
    let from = vacation.starts_at.max(beginning(year));
    let until = vacation.ends_at.min(beginning(year + 1));
    (until - from).max(Duration::zero())
}

/// What these holidays, of which no two overlap, leave of the year.
pub(super) fn left(vacations: &[Vacation], year: i32) -> Budget {
    let taken = vacations.iter().map(|vacation| taken(vacation, year));
    Budget {
        year,
        left: (A_YEAR - taken.sum::<Duration>()).max(Duration::zero()),
    }
}

/// Whether a holiday beside the `others` takes more of any year than there is.
pub(super) fn check(others: &[Vacation], asked: &Vacation) -> Result<(), Exceeded> {
    for year in asked.starts_at.year()..=asked.ends_at.year() {
        let (budget, asked) = (left(others, year), taken(asked, year));
        if asked > budget.left {
            return Err(Exceeded { budget, asked });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400;

    /// So many days from the beginning of 2027 on.
    fn holiday(day: i64, days: i64) -> Vacation {
        let starts_at = beginning(2027) + Duration::days(day);
        Vacation {
            starts_at,
            ends_at: starts_at + Duration::days(days),
        }
    }

    fn left_of(vacations: &[Vacation], year: i32) -> i64 {
        left(vacations, year).left.num_seconds()
    }

    #[test]
    fn each_year_has_its_own() {
        // Five days before New Year, four after it.
        let over = [holiday(-5, 9)];
        assert_eq!(left_of(&over, 2026), 25 * DAY);
        assert_eq!(left_of(&over, 2027), 26 * DAY);
        assert_eq!(left_of(&over, 2028), 30 * DAY);
        let many = [holiday(-5, 9), holiday(10, 20), holiday(100, 6)];
        assert_eq!(left_of(&many, 2027), 0);
    }

    #[test]
    fn no_year_gives_more_than_it_has() {
        let second = Duration::seconds(1);
        assert_eq!(check(&[], &holiday(3, 30)), Ok(()));
        let mut longer = holiday(3, 30);
        longer.ends_at += second;
        let exceeded = check(&[], &longer).expect_err("a second too long");
        assert_eq!(exceeded.asked, A_YEAR + second);
        assert_eq!(
            exceeded.budget,
            Budget {
                year: 2027,
                left: A_YEAR
            }
        );
        // Two whole budgets meet at New Year.
        assert_eq!(check(&[], &holiday(-30, 60)), Ok(()));
        assert_eq!(
            check(&[], &holiday(-30, 61)).map_err(|e| e.budget.year),
            Err(2027)
        );
        assert_eq!(
            check(&[], &holiday(-31, 32)).map_err(|e| e.budget.year),
            Err(2026)
        );
        // What was taken before counts in its own year alone.
        let before = [holiday(-340, 28)];
        assert_eq!(check(&before, &holiday(-2, 32)), Ok(()));
        let exceeded = check(&before, &holiday(-3, 5)).expect_err("two days were left");
        assert_eq!(exceeded.budget.left, Duration::days(2));
        assert_eq!(exceeded.asked, Duration::days(3));
    }

    #[test]
    fn ends_that_no_calendar_has() {
        let mut forever = holiday(-1, 1);
        forever.ends_at = DateTime::<Utc>::MAX_UTC;
        assert_eq!(check(&[], &forever).map_err(|e| e.budget.year), Err(2027));
    }
}
