import type { IncomingHttpHeaders } from "node:http";

/** The function that docs/webhooks.md gives to receivers. */
export function verified(secret: string, headers: IncomingHttpHeaders, body: Buffer): boolean;
