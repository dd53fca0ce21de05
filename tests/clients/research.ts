/** What researchers ask for: counts, the explorer, exports and data sets. */

import assert from "node:assert/strict";
import { anyone, good, one } from "./table.js";

/** The server has games that were generated, and a data set of them. */
export async function research() {
  const ruleset = "congkak";
  // Not what others play meanwhile.
  const query = { ruleset, source: "generated" } as const;
  const asked = anyone.GET("/v1/games/count", { params: { query: { ...query, opening: "3" } } });
  const { count } = await good(asked);
  const explored = await good(anyone.GET("/v1/explorer", { params: { query } }));
  const third = explored.moves.find((move) => move.choices[0]?.house === 3);
  assert(count > 0 && count === third?.played_here.games && count < explored.reached.games);

  const { tables } = await good(anyone.GET("/v1/export/dictionary"));
  assert.deepEqual(tables.map(({ name }) => name), ["games", "rows"]);
  const games = { params: { query: { ...query, format: "ndjson" } }, parseAs: "text" } as const;
  const lines = (await good(anyone.GET("/v1/export/games", games))).split("\n").filter(Boolean);
  assert.equal(lines.length, explored.reached.games);
  const rows = { params: { query: { opening: "3", format: "csv" } }, parseAs: "text" } as const;
  assert.match(await good(anyone.GET("/v1/export/rows", rows)), /^record_no,game_id,ply,kind,/);

  const { name } = one((await good(anyone.GET("/v1/snapshots"))).items);
  const sums = { params: { path: { name, file: "SHA256SUMS" } }, parseAs: "text" } as const;
  const listed = await good(anyone.GET("/v1/snapshots/{name}/{file}", sums));
  const [, table = "", file = ""] = listed.match(/ {2}(games)\/congkak\/(\S+)/) ?? [];
  const path = { name, table, ruleset, file };
  const part = { params: { path }, parseAs: "arrayBuffer" } as const;
  const bytes = await good(anyone.GET("/v1/snapshots/{name}/{table}/{ruleset}/{file}", part));
  assert.equal(Buffer.from(bytes).subarray(0, 4).toString(), "PAR1");
}
