import type { Context } from "hono";
import { AppError } from "../../platform/errors.ts";
import type { FileEnv } from "./env.ts";

const tag = /^(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"$/;

/** A file's entity tag: its head's CID. Equal bytes have equal tags, so it is a strong one. */
export function entityTag(cid: string): string {
  return `"${cid}"`;
}

/**
 * The tags of an If-Match or If-None-Match header without their quotes; `["*"]` for the asterisk; undefined without the header.
 * @throws AppError INVALID_INPUT for a malformed list of entity tags
 */
export function readTags(c: Context<FileEnv>, header: "If-Match" | "If-None-Match"): string[] | undefined {
  const text = c.req.header(header)?.trim();
  if (text === undefined) return undefined;
  if (text === "*") return ["*"];
  return text.split(",").flatMap((part) => {
    const trimmed = part.trim();
    if (trimmed === "") return [];
    const match = tag.exec(trimmed);
    if (match === null) throw malformed(header);
    // If-Match compares strongly: a weak tag matches nothing.
    return match[1] !== undefined && header === "If-Match" ? [] : [match[2] ?? ""];
  });
}

/** Read the CIDs that `If-Match` accepts for the head. @throws AppError INVALID_INPUT */
export function ifMatch(c: Context<FileEnv>): { ifMatch: string[] | undefined } {
  return { ifMatch: readTags(c, "If-Match") };
}

function malformed(header: string): AppError {
  const message = `${header} is * or a list of entity tags in double quotes, such as "<cid>".`;
  return new AppError("INVALID_INPUT", message, { details: [{ path: header, rule: "entity-tag", message }] });
}
