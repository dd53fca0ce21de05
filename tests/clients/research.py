"""What researchers ask for: counts, the explorer, exports and data sets."""

import json

from mancala_post_client.api.games import count_games, explore
from mancala_post_client.api.research import (
    export_games, export_rows, get_dictionary, get_snapshot_file, get_snapshot_table, list_snapshots,
)
from mancala_post_client.models import (
    CountGamesSource, DataDictionary, Exploration, ExploreSource, ExportGamesFormat, ExportGamesSource,
    ExportRowsFormat, GameCount, SnapshotList,
)
from mancala_post_client.types import File
from table import ANYONE, good


def research() -> None:
    """The server has games that were generated, and a data set of them."""
    counted = count_games.sync(
        client=ANYONE, ruleset="congkak", opening="3", source=CountGamesSource.GENERATED
    )
    count = good(counted, GameCount).count
    asked = explore.sync(client=ANYONE, ruleset="congkak", source=ExploreSource.GENERATED)
    explored = good(asked, Exploration)
    third = next(move for move in explored.moves if move.choices[0].house == 3)
    assert 0 < count == third.played_here.games < explored.reached.games, explored

    tables = good(get_dictionary.sync(client=ANYONE), DataDictionary).tables
    assert [table.name for table in tables] == ["games", "rows"], tables
    lines = good(
        export_games.sync(
            client=ANYONE, ruleset="congkak", source=ExportGamesSource.GENERATED,
            format_=ExportGamesFormat.NDJSON,
        ),
        str,
    ).splitlines()
    assert len(lines) == explored.reached.games and json.loads(lines[0])["ruleset"] == "congkak"
    rows = good(export_rows.sync(client=ANYONE, opening="3", format_=ExportRowsFormat.CSV), str)
    assert rows.startswith("record_no,game_id,ply,kind,"), rows[:99]

    [found] = good(list_snapshots.sync(client=ANYONE), SnapshotList).items
    sums = good(get_snapshot_file.sync(found.name, "SHA256SUMS", client=ANYONE), str)
    path = next(line.split("  ")[1] for line in sums.splitlines() if "games/congkak/" in line)
    table, ruleset, file = path.split("/")
    answer = get_snapshot_table.sync(found.name, table, ruleset, file, client=ANYONE)
    assert good(answer, File).payload.read(4) == b"PAR1"
