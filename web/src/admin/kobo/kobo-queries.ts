import type { Schemas } from "../../../../wire/src/routes.ts";

export type Connection = Schemas["KoboConnection"];

/** Key of the list of connections, and of what belongs to one. */
export const changes = ["admin", "kobo"];
