//! Boards as text, as they come and as tests write them down.

use super::games::Game;

/// The board that a stranger gets with this query.
pub(crate) async fn drawn(game: &Game, query: &str) -> String {
    let answer = game
        .anyone
        .get(&game.to(&format!("board.txt{query}")))
        .await;
    answer.is(200);
    assert_eq!(answer.header("content-type"), "text/plain; charset=utf-8");
    answer.text().to_owned()
}

/// A board as a test writes it down: its lines begin after the `¦`.
pub(crate) fn board(lines: &str) -> String {
    let lines = lines.lines().filter_map(|line| line.split_once('¦'));
    lines.map(|(_, line)| line.to_owned() + "\n").collect()
}

/// The columns of its widest line.
pub(crate) fn columns(board: &str) -> usize {
    board
        .lines()
        .map(|line| line.chars().count())
        .max()
        .unwrap()
}
