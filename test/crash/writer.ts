import { randomInt, randomUUID } from "node:crypto";
import type { FileContext } from "../../api/files/deps.ts";
import { purgeFiles } from "../../api/files/purge/purge-files.ts";
import { moveFiles } from "../../api/files/tree/moving/move-files.ts";
import { restoreFile, trashFile } from "../../api/files/tree/moving/trash-files.ts";
import { pruneVersions } from "../../api/files/versions/prune-versions.ts";
import { restoreVersion } from "../../api/files/versions/restore-version.ts";
import { createFile } from "../../api/files/write/create-file.ts";
import { editFile } from "../../api/files/write/edit-file.ts";
import { writeFile } from "../../api/files/write/write-file.ts";
import { streamOf } from "../support/files/files.ts";
import { apply, bytesOf, type Content, type FileState, headOf, type Op } from "./model.ts";

const mostFiles = 5;
const mostVersions = 7;
const mimeType = "text/plain";

/** What an endless writer says before and after each operation. */
export type Say = (word: { begin: Op } | { done: true; id?: string }) => void;

/** Change files below a separate folder for ever, and report each operation before it begins and when it is acknowledged. */
export async function writeForEver(ctx: FileContext, folder: string, known: FileState[], say: Say): Promise<never> {
  let files = known;
  for (;;) {
    const op = chooseOp(files, folder);
    say({ begin: op });
    const id = await perform(ctx, op, files).catch((cause: unknown) => {
      throw new Error(`The operation ${op.kind} failed.`, { cause });
    });
    files = apply(files, op, id);
    say({ done: true, ...(id === undefined ? {} : { id }) });
  }
}

function newContent(): Content {
  // Mostly small; now and then several segments.
  const size = randomInt(20) === 0 ? 1_200_000 + randomInt(1_500_000) : randomInt(3000);
  return { head: randomUUID(), fill: randomUUID(), size };
}

function chooseOp(files: readonly FileState[], folder: string): Op {
  const live = files.filter(({ trashed }) => !trashed);
  const binned = files.filter(({ trashed }) => trashed);
  const create: Op = { kind: "create", path: `${folder}/${randomUUID()}.txt`, content: newContent() };
  const file = pick(live);
  const roll = randomInt(100);
  if (files.length >= mostFiles || (files.length > 3 && roll < 8)) {
    return { kind: "purge", ids: [...new Set([pick(files), pick(files)])].flatMap((each) => each?.id ?? []) };
  }
  const old = pick(binned);
  if (old !== undefined && (roll < 14 || file === undefined)) return { kind: "untrash", id: old.id };
  if (file === undefined || roll < 26) return create;
  const { id } = file;
  if (file.versions.length >= mostVersions) return { kind: "prune", id, keep: 1 + randomInt(mostVersions - 1) };
  if (roll < 34) return { kind: "trash", id };
  if (roll < 44) return { kind: "move", id, path: `${folder}/${randomUUID()}.txt` };
  if (roll < 56 && file.versions.length > 1) {
    return { kind: "restore-version", id, version: pick(file.versions.slice(0, -1))?.version ?? 0 };
  }
  if (roll < 62) return { kind: "repeat", id };
  if (roll < 74) return { kind: "edit", id, head: randomUUID() };
  return { kind: "put", id, content: newContent() };
}

/** @returns the id of a created file */
async function perform(ctx: FileContext, op: Op, files: readonly FileState[]): Promise<string | undefined> {
  switch (op.kind) {
    case "create":
      return (await createFile(ctx, { path: op.path, mimeType, content: streamOf(bytesOf(op.content)) })).id;
    case "put":
      await writeFile(ctx, { ref: { id: op.id }, content: streamOf(bytesOf(op.content)) });
      return undefined;
    case "repeat":
      await writeFile(ctx, { ref: { id: op.id }, content: streamOf(bytesOf(headOf(fileOf(files, op.id)).content)) });
      return undefined;
    case "edit":
      await editFile(ctx, {
        ref: { id: op.id },
        oldString: headOf(fileOf(files, op.id)).content.head,
        newString: op.head,
      });
      return undefined;
    case "restore-version":
      await restoreVersion(ctx, { ref: { id: op.id }, version: op.version });
      return undefined;
    case "move":
      return requireAll(await moveFiles(ctx, { items: [{ id: op.id, destinationPath: op.path }] }));
    case "trash":
      await trashFile(ctx, { id: op.id });
      return undefined;
    case "untrash":
      await restoreFile(ctx, { id: op.id });
      return undefined;
    case "prune":
      await pruneVersions(ctx, { ref: { id: op.id }, keep: op.keep });
      return undefined;
    case "purge":
      return requireAll(await purgeFiles(ctx, { ids: op.ids }));
  }
}

function fileOf(files: readonly FileState[], id: string): FileState {
  const file = files.find((each) => each.id === id);
  if (file === undefined) throw new Error("The writer changes a file that it does not have.");
  return file;
}

function requireAll({ failed, results }: { failed: number; results: readonly unknown[] }): undefined {
  if (failed > 0) throw new Error(`A batch failed: ${JSON.stringify(results)}`);
  return undefined;
}

function pick<T>(list: readonly T[]): T | undefined {
  return list.length === 0 ? undefined : list[randomInt(list.length)];
}
