"""What goes wrong: a bot killed amid things, a server away, floods, closed doors."""

import pytest
from conftest import Room, person

# Where the bot is killed, and how many boards may then be there twice: only a board that
# Telegram took and the bot did not hear of.
POINTS = [
    ("getUpdates", "after", 4, 0),  # an update was delivered, and nothing done
    ("sendPhoto", "before", 3, 0),  # the board is made, and not sent
    ("sendPhoto", "after", 3, 1),  # the documented gap
    ("editMessageReplyMarkup", "before", 2, 0),  # the new board is there, the old one has its buttons
    ("editMessageReplyMarkup", "after", 2, 0),
    ("answerCallbackQuery", "before", 4, 0),  # the move is played, and nobody told
    ("answerCallbackQuery", "after", 4, 0),
    ("editMessageMedia", "before", 2, 0),
    ("editMessageMedia", "after", 2, 0),
]


@pytest.mark.parametrize("method, stage, number, twice", POINTS)
def test_killed_amid_a_game(room, bot, telegram, method, stage, number, twice):
    ana, budi = person("Ana"), person("Budi")
    bot.kill_at(method, stage, number)
    message, game = room.challenge(ana)
    telegram.presses(budi, room.chat, message["id"], f"join:{game}")
    killed, presses, ply = False, 0, -1
    while not room.over(game):

        def next_step():
            if telegram.hook is None and not killed or room.over(game):
                return True
            found = {m["id"]: (m, d) for m, d in room.open_buttons(f"m:{game}:")}
            newest = found[max(found)] if found else None
            return newest and int(newest[1].split(":")[2]) > ply and newest[0]

        board = telegram.wait(next_step)
        if telegram.hook is None and not killed:
            bot.wait_until_killed()
            bot.start()
            killed = True
        elif board is not True:
            data = room.houses(board)[-1]
            ply = int(data.split(":")[2])
            telegram.presses(room.mover(board, ana, budi), room.chat, board["id"], data)
            presses += 1
    assert killed
    assert bot.ask(f"/v1/games/{game}", ana)["ply"] == presses
    assert bot.ask(f"/v1/games/{game}/verify", ana)["ok"]
    assert len(bot.games(ana)) == 1
    room.is_told_once(game, twice)


@pytest.mark.parametrize("stage, challenges", [("before", 1), ("after", 2)])
def test_killed_while_a_game_is_made(room, bot, telegram, stage, challenges):
    ana, budi = person("Ana"), person("Budi")
    bot.kill_at("sendPhoto", stage)
    telegram.says(ana, room.chat, "/congkak 5 1")
    bot.wait_until_killed()
    bot.start()
    telegram.wait(lambda: len(list(room.open_buttons("join:"))) == challenges)
    assert len(bot.games(ana)) == 1
    message, data = list(room.open_buttons("join:"))[-1]
    room.press(budi, message, data)
    room.board(data.split(":")[1])


def test_what_came_while_the_bot_was_away(room, bot, telegram):
    ana, budi = person("Ana"), person("Budi")
    game = room.start(ana, budi)
    board = room.board(game)
    bot.kill()
    mover, data = room.mover(board, ana, budi), room.houses(board)[-1]
    telegram.patience = 0
    query = telegram.presses(mover, room.chat, board["id"], data)
    bot.start()
    room.board(game, after_ply=0)
    assert telegram.queries[query]["answers"] == []  # it was too late for that, not for the move


def test_the_server_dies_and_comes_back(room, bot, telegram, server):
    ana, budi = person("Ana"), person("Budi")
    game = room.start(ana, budi)
    board = room.board(game)
    server.kill()
    mover, data = room.mover(board, ana, budi), room.houses(board)[-1]
    try:
        assert room.press(mover, board, data) == "A moment, please."
    finally:
        server.start()
    room.board(game, after_ply=0)
    room.play_on(game, (ana, budi))
    room.is_told_once(game)


def test_a_flood_is_waited_for(room, bot, telegram):
    ana, budi = person("Ana"), person("Budi")
    game = room.start(ana, budi)
    board = room.board(game)
    mover, data = room.mover(board, ana, budi), room.houses(board)[-1]
    telegram.floods(room.chat, 2)
    room.press(mover, board, data)
    room.board(game, after_ply=0)
    assert telegram.refused and len(telegram.refused) == len(set(telegram.refused))
    room.play_on(game, (ana, budi))
    room.is_told_once(game)


def test_thrown_out_of_one_chat(telegram, bot):
    ana, budi = person("Ana"), person("Budi")
    rooms = [Room(telegram, bot), Room(telegram, bot)]
    games = [room.start(ana, budi) for room in rooms]
    board = rooms[0].board(games[0])
    telegram.throws_out(rooms[0].chat)
    query = telegram.presses(
        rooms[0].mover(board, ana, budi), rooms[0].chat, board["id"], rooms[0].houses(board)[-1]
    )
    rooms[0].answer(query)
    rooms[1].play_on(games[1], (ana, budi))
    rooms[1].is_told_once(games[1])
    assert bot.process.poll() is None


def test_a_group_that_becomes_a_supergroup(room, bot, telegram):
    ana, budi = person("Ana"), person("Budi")
    game = room.start(ana, budi)
    board = room.board(game)
    there = Room(telegram, bot, room.chat - 7777)
    telegram.moves(room.chat, there.chat)
    room.press(room.mover(board, ana, budi), board, room.houses(board)[-1])
    there.play_on(game, (ana, budi))


def test_the_token_is_not_logged(room, bot, telegram):
    ana, budi = person("Ana"), person("Budi")
    room.start(ana, budi)
    assert telegram.token.split(":")[1] not in bot.log.read_text()
