/**
 * What every part of the play stands on: clients with and without a token, answers as what
 * they must be, people who sign up.
 */

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

export type Schemas = components["schemas"];
export type Game = Schemas["GameState"];
export type Seat = Schemas["Seat"];

/** What is asked for: of what has several formats the first. */
export type Media = "application/json" | "application/problem+json";

const [url = "", calls = ""] = process.argv.slice(2);

/** A client with that token, or with none; for somebody a bot plays for, perhaps. */
export function client(token?: string, actAs?: string) {
  const headers: Record<string, string> = {};
  if (token) headers["Authorization"] = `Bearer ${token}`;
  if (actAs) headers["Mancala-Act-As"] = actAs;
  const made = createClient<paths, Media>({ baseUrl: url, headers });
  made.use({
    onResponse({ request, response }) {
      appendFileSync(calls, `${request.method} ${new URL(request.url).pathname} ${response.status}\n`);
    },
  });
  return made;
}
export type Client = ReturnType<typeof client>;
export const anyone = client();

/** What was answered, which must be no problem. */
export async function good<Data>(
  asked: Promise<{ data?: Data; error?: Schemas["Problem"]; response: Response }>,
): Promise<NonNullable<Data>> {
  const { data, error, response } = await asked;
  assert(error === undefined, `${response.url}: ${JSON.stringify(error)}`);
  assert(data !== undefined && data !== null, `${response.url}: ${response.status} without a body`);
  return data;
}

/** The problem that was answered, which must be this one. */
export async function refused(
  asked: Promise<{ error?: Schemas["Problem"]; response: Response }>,
  status: number,
  code: string,
): Promise<Schemas["Problem"]> {
  const { error, response } = await asked;
  assert(error, `${response.url}: ${response.status}, not refused`);
  assert.deepEqual([response.status, error.status, error.code], [status, status, code]);
  assert(error.type.endsWith(`/problems/${code}`) && error.detail);
  return error;
}

/** The rest of what is only there sometimes. */
export function there<Value>(value: Value): NonNullable<Value> {
  assert(value !== undefined && value !== null);
  return value;
}

export function one<Item>(items: Item[], index = 0): Item {
  const item = items.at(index);
  assert(item !== undefined, "nothing there");
  return item;
}

export const at = (id: string) => ({ params: { path: { id } } });

export async function signUp(start: string, kind: Schemas["PlayerKind"] = "human") {
  const name = `${start}-${randomUUID().slice(0, 8)}`;
  const made = await good(anyone.POST("/v1/players", { body: { name, kind } }));
  assert(made.player.handle === name && made.player.kind === kind);
  return { name, api: client(made.secret) };
}
export type Player = Awaited<ReturnType<typeof signUp>>;
