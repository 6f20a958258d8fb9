import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { readTree } from "../process-tree.ts";

/** Parts of the system that can be the bottleneck. */
export const parts = ["API", "indexer", "chain", "PostgreSQL", "supervisor"] as const;
export type Part = (typeof parts)[number];
export type Usage = Record<Part, number>;

/** Processor seconds that each part has used since its start. @param roots ids of the processes that started the parts */
export function processorByPart(roots: readonly number[]): Usage {
  const usage: Usage = { API: 0, indexer: 0, chain: 0, PostgreSQL: 0, supervisor: 0 };
  for (const { command, processor } of roots.flatMap(readTree)) usage[partOf(command)] += processor;
  return usage;
}

function partOf(command: string): Part {
  if (/postgres/.test(command)) return "PostgreSQL";
  if (/anvil/.test(command)) return "chain";
  if (/ponder|indexer\/start/.test(command)) return "indexer";
  if (/api\/main|scripts\/api/.test(command)) return "API";
  return "supervisor";
}

/** Bytes of a folder's files, without PostgreSQL's log, which is allocated in advance. Files that vanish meanwhile count as nothing. */
export function bytesOf(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.parentPath.includes("pg_wal")) continue;
    bytes += statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0;
  }
  return bytes;
}
