import { text } from "node:stream/consumers";
import { sql } from "drizzle-orm";
import type { FileContext, FileDeps } from "../../../api/files/deps.ts";
import { type FilesOptions, openFiles } from "../../../api/files/open-files.ts";
import type { CoreOptions } from "../../../api/platform/server/core.ts";
import type { HiddenReveal, Scope } from "../../../api/platform/ucan/grant.ts";
import { type Ability, Access, abilities, type Grant } from "../../../api/platform/ucan/index.ts";
import { openTestCore } from "../core.ts";

export const testOwner = "did:key:z6MkOwner";

export type TestFiles = { deps: FileDeps; close: () => Promise<void> };

/** For tests: the file store on a real database and a real folder that `close` removes. */
export async function openTestFiles(
  env: Record<string, string> = {},
  options: CoreOptions & FilesOptions = {},
): Promise<TestFiles> {
  const core = await openTestCore(env, options);
  const { files, close } = await openFiles(core.deps, options);
  const closeAll = async () => {
    await close();
    await core.close();
  };
  return { deps: { ...core.deps, files }, close: closeAll };
}

const nothingHidden: HiddenReveal = { all: false, paths: [], cids: new Set() };
export const allHidden: HiddenReveal = { all: true, paths: [], cids: new Set() };

export type TestScope = Partial<Omit<Scope, "abilities">> & { abilities?: readonly Ability[] };

/** For tests: a grant as the authority would find it in a token; without scopes everything but the hidden. */
export function testGrant(owner = testOwner, ...scopes: TestScope[]): Grant {
  const given = scopes.length === 0 ? [{}] : scopes;
  return {
    owner,
    invoker: `${owner}-invoker`,
    tokenCid: "bafyreitoken",
    expiresAt: new Date(Date.now() + 3_600_000),
    scopes: given.map((scope) => ({
      path: "/",
      cids: null,
      hidden: nothingHidden,
      ...scope,
      abilities: new Set(scope.abilities ?? abilities),
    })),
    root: scopes.length === 0,
    confirm: async () => {},
  };
}

/** For tests: what a service function takes first. */
export function testContext({ deps }: Pick<TestFiles, "deps">, owner = testOwner, ...scopes: TestScope[]): FileContext {
  return { deps, access: new Access(testGrant(owner, ...scopes)) };
}

let namespacesMade = 0;

/** For tests: create a separate namespace, with contexts for it. */
export function freshNamespace(store: Pick<TestFiles, "deps">) {
  const owner = `did:test:${++namespacesMade}`;
  const as = (...scopes: TestScope[]): FileContext => testContext(store, owner, ...scopes);
  return { owner, ctx: as(), as, all: as({ hidden: allHidden }) };
}

/** A stream of a text, or of bytes. */
export async function* streamOf(...parts: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield typeof part === "string" ? Buffer.from(part) : part;
}

export async function textOf(opened: { stream: () => AsyncIterable<Uint8Array> }): Promise<string> {
  return await text(opened.stream());
}

export type Traces = {
  blobs: number;
  secrets: number;
  files: number;
  history: number;
  events: number;
  receipts: number;
};

/** Everything that a write can leave behind, counted. */
export async function countTraces(deps: FileDeps): Promise<Traces> {
  const { rows } = await deps.db.execute<Omit<Traces, "blobs" | "secrets">>(sql`
    select (select count(*)::int from files) as files, (select count(*)::int from file_versions) as history,
      (select count(*)::int from file_events) as events, (select count(*)::int from purge_receipts) as receipts`);
  const count = async (prefix: string) => {
    let found = 0;
    for await (const _ of deps.files.blobs.list(prefix)) found += 1;
    return found;
  };
  const [row] = rows;
  if (row === undefined) throw new Error("The counts are missing.");
  return { blobs: await count("content/"), secrets: await count("secrets/"), ...row };
}
