import { type Ability, parseFolder } from "../../platform/ucan/index.ts";
import type { FileContext } from "../deps.ts";
import type { FoundFile } from "../records/file-metadata.ts";
import { afterPath } from "../visibility/path-ranges.ts";
import { scanFiles } from "../visibility/scan-files.ts";
import { rowsOf } from "./pages.ts";

const filesPerPage = 200;

export type WalkInput = {
  /** A folder or one file; default everything. */
  path?: string | undefined;
  /** Default `fs/read`. */
  ability?: Ability | undefined;
};

/** Yield every file below a folder that the caller may use the ability on, sorted by path, read page by page. @throws AppError */
export async function* walkFiles(ctx: FileContext, input: WalkInput = {}): AsyncGenerator<FoundFile> {
  const ability = input.ability ?? "fs/read";
  ctx.access.requireAbility(ability);
  const within = parseFolder(input.path ?? "/");
  let from: string | undefined;
  for (;;) {
    ctx.signal?.throwIfAborted();
    const found = await scanFiles(ctx.deps.db, {
      namespace: ctx.access.grant.owner,
      visibility: ctx.access.visibility(ability),
      within,
      limit: filesPerPage,
      ...(from === undefined ? {} : { from }),
    });
    yield* await rowsOf(ctx, ability, found);
    const last = found.at(-1);
    if (last === undefined || found.length < filesPerPage) return;
    from = afterPath(last.path);
  }
}
