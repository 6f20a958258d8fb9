import { z } from "zod";
import { AppError } from "../../errors.ts";
import { parseCid } from "../cid.ts";
import type { HiddenReveal, MultihashKey } from "../grant.ts";
import { isWithin, parseFolder } from "../paths.ts";

/** The caveats of one capability as its issuer wrote them; absent when not stated. */
export type Caveats = { cids?: ReadonlySet<MultihashKey>; hidden?: HiddenReveal };

/** Caveats after folding. `cids` null: not restricted. */
export type Folded = { cids: ReadonlySet<MultihashKey> | null; hidden: HiddenReveal };

export const nothingHidden: HiddenReveal = { all: false, paths: [], cids: new Set() };

export type CaveatProblem = { rule: string; message: string };

/** Read a capability's raw `nb`. A caveat that is not known refuses the token, since its issuer meant to restrict something. */
export function readCaveats(nb: unknown): { caveats: Caveats; problems: CaveatProblem[] } {
  const problems: CaveatProblem[] = [];
  const caveats: Caveats = {};
  if (nb === undefined || nb === null) return { caveats, problems };
  if (typeof nb !== "object" || Array.isArray(nb))
    return { caveats, problems: [{ rule: "nb", message: "`nb` is not a map." }] };
  for (const [name, value] of Object.entries(nb)) {
    if (name === "cids") caveats.cids = readCids(value, problems);
    else if (name === "hidden") caveats.hidden = readHidden(value, problems);
    else
      problems.push({ rule: "nb-unknown", message: `The caveat ${JSON.stringify(name.slice(0, 64))} is not known.` });
  }
  return { caveats, problems };
}

function readCids(value: unknown, problems: CaveatProblem[]): Set<MultihashKey> {
  const keys = new Set<MultihashKey>();
  const wrong = () => problems.push({ rule: "nb-cids", message: "`nb.cids` is not a list of CIDs." });
  if (!Array.isArray(value)) {
    wrong();
    return keys;
  }
  for (const item of value) {
    const key = cidKey(item);
    if (key !== undefined) keys.add(key);
    else wrong();
  }
  return keys;
}

function readHidden(value: unknown, problems: CaveatProblem[]): HiddenReveal {
  const reveal = { all: false, paths: [] as string[], cids: new Set<MultihashKey>() };
  for (const item of Array.isArray(value) ? value : [value]) {
    const path = typeof item === "string" && item.startsWith("/") ? folderPath(item) : undefined;
    const key = path === undefined ? cidKey(item) : undefined;
    if (item === "*" || path === "/") reveal.all = true;
    else if (path !== undefined) reveal.paths.push(path);
    else if (key !== undefined) reveal.cids.add(key);
    else problems.push({ rule: "nb-hidden", message: "`nb.hidden` is `*`, a path, a CID, or a list of these." });
  }
  return reveal;
}

function folderPath(text: string): string | undefined {
  return attempt(() => parseFolder(text));
}

/** A CID as text in any multibase, or as a link, `{"/": "<cid>"}` in the signed text. */
function cidKey(value: unknown): MultihashKey | undefined {
  const text = typeof value === "string" ? value : cidLink.safeParse(value).data?.["/"];
  return text === undefined ? undefined : attempt(() => parseCid(text).key);
}

const cidLink = z.strictObject({ "/": z.string() });

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

/** Caveats of the owner's own capability: by default unrestricted, and without hidden files. */
export function rootCaveats({ cids, hidden }: Caveats): Folded {
  return { cids: cids ?? null, hidden: hidden ?? nothingHidden };
}

/** Rules that the child's caveats break because they allow more than the parent's. */
export function widenedCaveats(parent: Folded, { cids, hidden }: Caveats): CaveatProblem[] {
  const problems: CaveatProblem[] = [];
  if (cids !== undefined && parent.cids !== null && !isSubset(cids, parent.cids)) {
    problems.push({ rule: "cids-narrow", message: "`nb.cids` holds a CID that the proof's does not." });
  }
  if (hidden !== undefined && !revealsWithin(parent.hidden, hidden)) {
    problems.push({ rule: "hidden-narrow", message: "`nb.hidden` reveals what the proof's does not." });
  }
  return problems;
}

/** Fold a child that only narrows into its parent: missing `cids` are inherited, missing `hidden` reveals nothing. */
export function foldCaveats(parent: Folded, { cids, hidden }: Caveats): Folded {
  return { cids: cids ?? parent.cids, hidden: hidden ?? nothingHidden };
}

function revealsWithin(parent: HiddenReveal, child: HiddenReveal): boolean {
  if (parent.all) return true;
  if (child.all || !isSubset(child.cids, parent.cids)) return false;
  return child.paths.every((path) => parent.paths.some((folder) => isWithin(folder, path)));
}

function isSubset<T>(some: ReadonlySet<T>, all: ReadonlySet<T>): boolean {
  return [...some].every((item) => all.has(item));
}
