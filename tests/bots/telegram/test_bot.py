"""The bot as people in a chat meet it."""

from conftest import Room, person


def test_a_whole_game_by_buttons(room, bot, telegram):
    ana, budi = person("Ana"), person("Budi")
    message, game = room.challenge(ana)
    assert message["text"] == f"Congkak: {ana['username']} – …\nWaiting for an opponent"
    assert room.press(ana, message, f"join:{game}") == "Nobody plays against themselves"
    room.press(budi, message, f"join:{game}")
    plies = room.play_on(game, (ana, budi))
    state = bot.ask(f"/v1/games/{game}", ana)
    assert state["status"] == "finished" and state["ply"] == plies
    assert bot.ask(f"/v1/games/{game}/verify", ana)["ok"]
    room.is_told_once(game)
    last = telegram.shown(room.chat)[-1]
    assert "wins" in last["text"] or "draw" in last["text"]
    assert all(query["answers"] for query in telegram.queries.values())


def test_two_games_at_once(room, bot):
    ana, budi, citra = person("Ana"), person("Budi"), person("Citra")
    first, second = room.start(ana, budi), room.start(budi, citra, "/manqala 5 1")
    assert first != second
    room.play_on(first, (ana, budi), presses=2)
    room.play_on(second, (budi, citra))
    room.play_on(first, (ana, budi))
    for game, who in ((first, ana), (second, budi)):
        assert bot.ask(f"/v1/games/{game}", who)["status"] == "finished"
    told = bot.events("turn.started", "game.finished")
    photos = [message for message in room.messages() if message["photo"]]
    assert len(photos) == 2 + len(told)


def test_a_double_press_moves_once(room, bot, telegram):
    ana, budi = person("Ana"), person("Budi")
    game = room.start(ana, budi)
    board = room.board(game)
    mover, data = room.mover(board, ana, budi), room.houses(board)[-1]
    queries = [telegram.presses(mover, room.chat, board["id"], data) for _ in range(2)]
    answers = [room.answer(query) for query in queries]
    assert answers[0] == answers[1] and "sowed" in answers[0]
    room.board(game, after_ply=0)
    assert bot.ask(f"/v1/games/{game}", ana)["ply"] == 1


def test_who_may_not_press(room, bot):
    ana, budi, citra = person("Ana"), person("Budi"), person("Citra")
    game = room.start(ana, budi)
    board = room.board(game)
    mover = room.mover(board, ana, budi)
    other = ana if mover is budi else budi
    data = room.houses(board)[0]
    assert f"▸ {mover['username']}" in room.press(other, board, data)
    assert room.press(citra, board, data) == "You do not play in this game."
    assert bot.ask(f"/v1/games/{game}", ana)["ply"] == 0


def test_an_old_button(room, bot, telegram):
    ana, budi = person("Ana"), person("Budi")
    game = room.start(ana, budi, "/congkak")
    board = room.board(game)
    mover, houses = room.mover(board, ana, budi), room.houses(board)
    room.press(mover, board, houses[1])  # the second house of seven ends the turn
    now = room.board(game, after_ply=0)
    assert now["id"] != board["id"]
    telegram.wait(lambda: not telegram.buttons(telegram.chats[room.chat].messages[board["id"]]))
    query = telegram.press_that_is_on_its_way(mover, room.chat, board["id"], houses[2])
    assert room.answer(query) == "The game has moved on"
    # Two presses on the way at once: the second finds the game moved on, the board is put right.
    mover, houses = room.mover(now, ana, budi), room.houses(now)
    queries = [telegram.presses(mover, room.chat, now["id"], house) for house in houses[-2:]]
    assert [bool(room.answer(query)) for query in queries] == [True, True]
    room.board(game, after_ply=1)
    assert bot.ask(f"/v1/games/{game}", ana)["ply"] == 2


def test_resigning_asks_first(room, bot, telegram):
    ana, budi = person("Ana"), person("Budi")
    game = room.start(ana, budi)
    board = room.board(game)
    room.press(ana, board, "Resign")
    [(board, sure)] = telegram.wait(lambda: list(room.open_buttons(f"R:{game}")))
    assert bot.ask(f"/v1/games/{game}", ana)["status"] == "playing"
    room.press(budi, board, sure)
    assert bot.ask(f"/v1/games/{game}", ana)["status"] == "playing"
    room.press(ana, board, sure)
    last = telegram.wait(lambda: room.over(game))[0]
    assert f"{budi['username']} wins by resignation" in last["text"]
    room.is_told_once(game)


def test_offers_and_a_rematch(room, bot, telegram):
    ana, budi = person("Ana"), person("Budi")
    game = room.start(ana, budi)
    room.press(ana, room.board(game), "Offer a draw")
    [(board, accept)] = telegram.wait(lambda: list(room.open_buttons(f"a:{game}")))
    assert f"{ana['username']} offers a draw." in board["text"]
    assert room.press(ana, board, accept) == "An offer is answered by the other seat"
    room.press(budi, board, "✗ Decline")
    telegram.wait(lambda: not list(room.open_buttons(f"a:{game}")))
    room.press(budi, room.board(game), "Offer a draw")
    [(board, accept)] = telegram.wait(lambda: list(room.open_buttons(f"a:{game}")))
    room.press(ana, board, accept)
    last = telegram.wait(lambda: room.over(game))[0]
    room.press(budi, last, "Rematch")
    [(board, accept)] = telegram.wait(lambda: list(room.open_buttons(f"a:{game}")))
    room.press(ana, board, accept)
    board = telegram.wait(lambda: [m for m, d in room.open_buttons("m:") if game not in d])[0]
    assert room.mover(board, ana, budi)


def test_each_in_their_language(room, bot, telegram):
    ana, budi = person("Ana", "es-MX"), person("Budi", "ms")
    telegram.says(budi, room.chat, "/help")
    telegram.wait(lambda: "Main Congkak" in room.messages()[-1]["text"] if room.messages() else False)
    message, game = room.challenge(ana)
    assert telegram.buttons(message)[0]["text"] == "Unirse" and "espera" in message["text"]
    assert room.press(ana, message, "Unirse") == "Nadie juega contra sí mismo"
    room.press(budi, message, "Unirse")
    board = room.board(game)
    spanish = room.mover(board, ana, budi) is ana
    assert ("Es el turno de" if spanish else "Giliran") in board["text"]
    assert ("Rendirse" if spanish else "Menyerah") in [b["text"] for b in telegram.buttons(board)]
    assert set(telegram.commands) == {"", "ms", "es"}


def test_games_are_listed_and_shown_anew(room, bot, telegram):
    ana, budi = person("Ana"), person("Budi")
    telegram.says(ana, room.chat, "/games")
    telegram.wait(lambda: [m for m in room.messages() if m["text"] == "No games are on here."])
    games = [room.start(ana, budi), room.start(ana, budi)]
    telegram.says(ana, room.chat, f"/games@{telegram.username}")
    shows = telegram.wait(lambda: list(room.open_buttons("show:")))
    assert {data.split(":")[1] for _, data in shows} == set(games)
    assert all("▸ " in button["text"] for button in telegram.buttons(shows[0][0]))
    before = room.board(games[0])
    room.press(budi, shows[0][0], f"show:{games[0]}")
    telegram.wait(lambda: room.board(games[0])["id"] > before["id"])
    telegram.says(ana, room.chat, "/games@another_bot")
    # In private: what one plays, wherever.
    private = Room(telegram, bot, telegram.private(ana))
    telegram.says(ana, private.chat, "/games")
    assert len(telegram.wait(lambda: list(private.open_buttons("show:")))) == 2


def test_a_game_in_private(telegram, bot):
    ana, budi, citra = person("Ana"), person("Budi"), person("Citra")
    rooms = {who["id"]: Room(telegram, bot, telegram.private(who)) for who in (ana, budi, citra)}
    telegram.says(ana, ana["id"], "/congkak 5 1")
    message = telegram.wait(lambda: rooms[ana["id"]].messages())[0]
    game = telegram.buttons(message)[0]["url"].split("start=")[1]
    telegram.says(budi, budi["id"], f"/start {game}")
    telegram.wait(lambda: list(rooms[ana["id"]].open_buttons("r:")))
    telegram.wait(lambda: list(rooms[budi["id"]].open_buttons("r:")))
    for who in (ana, budi):
        assert "plays" in telegram.shown(who["id"])[-1]["text"]
    telegram.says(citra, citra["id"], f"/start {game}")
    telegram.wait(lambda: [m for m in telegram.shown(citra["id"]) if "do not play" in m["text"]])
    # Only who is to move has the houses.
    boards = {who: list(room.open_buttons("m:")) for who, room in rooms.items()}
    assert sum(map(bool, boards.values())) == 1
    [mover] = [who for who, buttons in boards.items() if buttons]
    message, data = boards[mover][0]
    rooms[mover].press(ana if mover == ana["id"] else budi, message, data)
    telegram.wait(lambda: bot.ask(f"/v1/games/{game}", ana)["ply"] == 1)
    assert not [m for m in telegram.shown(citra["id"]) if m["photo"]]


def test_nonsense_is_refused_in_words(room, bot, telegram):
    ana = person("Ana")
    telegram.says(ana, room.chat, "/congkak 99")
    telegram.wait(lambda: [m for m in room.messages() if "houses" in m["text"]])
    telegram.says(ana, room.chat, "/nothing")
    telegram.says(ana | {"username": None, "first_name": "نور"}, room.chat, "/congkak")
    telegram.wait(lambda: list(room.open_buttons("join:")))


def test_a_board_that_somebody_deleted(room, bot, telegram):
    ana, budi = person("Ana"), person("Budi")
    game = room.start(ana, budi)
    board = room.board(game)
    mover, data = room.mover(board, ana, budi), room.houses(board)[-1]
    telegram.presses(mover, room.chat, board["id"], data)  # an extra turn: it would be edited
    with telegram.changed:
        del telegram.chats[room.chat].messages[board["id"]]
    room.board(game, after_ply=0)
