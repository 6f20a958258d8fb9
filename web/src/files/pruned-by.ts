import type { VersionEntry } from "./file-types.ts";

/** The versions that pruning would destroy: neither pinned nor among the newest `keep`, the head counted. */
export function prunedBy(versions: readonly VersionEntry[], keep: number): VersionEntry[] {
  const newestFirst = versions.toSorted((a, b) => b.version - a.version);
  return newestFirst.slice(keep).filter(({ current, pinned }) => !current && pinned !== true);
}
