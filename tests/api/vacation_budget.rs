//! The budget of holidays: 30 days of each calendar year, of which the time really
//! spent counts.

use serde_json::{Value, json};

use crate::support::follow::player;
use crate::support::holidays::{BUDGET, DAY, away, back, budget_left, leave};
use crate::support::{Api, Clock, Server};

/// Asks for a holiday of so many seconds, which is too long.
async fn refused(api: &Api, clock: &Clock, seconds: i64) -> String {
    let problem = away(api, &clock.hence(seconds)).await;
    let problem = problem.problem(422, "vacation_budget");
    assert_eq!(problem["parameter"], "until");
    problem["detail"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn thirty_days_and_no_second_more() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let ana = player(&server.api, "ana").await;
    let none =
        json!({ "until": null, "budget": { "year": 2027, "seconds": BUDGET, "left": BUDGET } });
    assert_eq!(ana.get("/v1/me").await.expect(200)["vacation"], none);
    assert_eq!(
        refused(&ana, &clock, BUDGET + 1).await,
        "a holiday until then takes 2592001 seconds of the year 2027, in which 2592000 seconds are left"
    );
    assert_eq!(ana.get("/v1/me").await.expect(200)["vacation"], none);
    leave(&ana, &clock.hence(10 * DAY)).await;
    assert_eq!(budget_left(&ana).await, 20 * DAY);
    // What is planned and not spent is given back, and the rest is spent.
    clock.pass(4 * DAY).await;
    refused(&ana, &clock, 26 * DAY + 1).await;
    leave(&ana, &clock.hence(26 * DAY)).await;
    assert_eq!(budget_left(&ana).await, 0);
    back(&ana).await;
    assert_eq!(budget_left(&ana).await, 26 * DAY);
    clock.pass(100 * DAY).await;
    refused(&ana, &clock, 26 * DAY + 1).await;
    leave(&ana, &clock.hence(26 * DAY)).await;
    // To its end, which nobody looks at: it has taken no more than that.
    clock.pass(40 * DAY).await;
    let me = ana.get("/v1/me").await.expect(200);
    let spent = json!({ "until": null, "budget": { "year": 2027, "seconds": BUDGET, "left": 0 } });
    assert_eq!(me["vacation"], spent);
    assert_eq!(
        refused(&ana, &clock, 1).await,
        "a holiday until then takes 1 seconds of the year 2027, in which 0 seconds are left"
    );
    assert_eq!(back(&ana).await, spent);
    // Everybody has a budget of their own.
    let bo = player(&server.api, "bo").await;
    assert_eq!(budget_left(&bo).await, BUDGET);
}

#[tokio::test]
async fn over_new_year() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let ana = player(&server.api, "ana").await;
    // 20 days of 2027 in May.
    clock.pass(120 * DAY).await;
    leave(&ana, &clock.hence(20 * DAY)).await;
    clock.pass(20 * DAY).await;
    // To 2027-12-27: five days before New Year.
    clock.pass((360 - 140) * DAY).await;
    assert_eq!(clock.now(), "2027-12-27T00:00:00.000Z");
    assert_eq!(budget_left(&ana).await, 10 * DAY);
    assert_eq!(
        refused(&ana, &clock, 35 * DAY + 1).await,
        "a holiday until then takes 2592001 seconds of the year 2028, in which 2592000 seconds are left"
    );
    let holiday = leave(&ana, &clock.hence(35 * DAY)).await;
    let year = json!({ "year": 2027, "seconds": BUDGET, "left": 5 * DAY });
    assert_eq!(holiday["budget"], year);
    // Eight days later it is another year, with the planned part in it taken.
    clock.pass(8 * DAY).await;
    let year = json!({ "year": 2028, "seconds": BUDGET, "left": 0 });
    assert_eq!(
        ana.get("/v1/me").await.expect(200)["vacation"]["budget"],
        year
    );
    assert_eq!(back(&ana).await["budget"]["left"], 27 * DAY);
    // What 2027 had left is gone.
    refused(&ana, &clock, 27 * DAY + 1).await;
    let holiday = leave(&ana, &clock.hence(27 * DAY)).await;
    assert_eq!(holiday["budget"]["left"], 0);
}

/// The old year has nothing left, the new one has: it begins at New Year, not before.
#[tokio::test]
async fn an_empty_year_before_a_full_one() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let ana = player(&server.api, "ana").await;
    leave(&ana, &clock.hence(BUDGET)).await;
    clock.pass(365 * DAY - 60).await;
    assert_eq!(clock.now(), "2027-12-31T23:59:00.000Z");
    assert_eq!(
        refused(&ana, &clock, DAY).await,
        "a holiday until then takes 60 seconds of the year 2027, in which 0 seconds are left"
    );
    clock.pass(60).await;
    let holiday = leave(&ana, &clock.hence(DAY)).await;
    assert_eq!(holiday["budget"]["left"], 29 * DAY);
    let until: Value =
        ana.get("/v1/players/ANA").await.expect(200)["player"]["vacation_until"].clone();
    assert_eq!(until, "2028-01-02T00:00:00.000Z");
}
