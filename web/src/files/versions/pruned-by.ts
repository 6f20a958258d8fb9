import type { VersionEntry } from "../file-types.ts";

/** The versions that pruning would destroy: not pinned, and not among the newest `keep`, which include the head. */
export function prunedBy(versions: readonly VersionEntry[], keep: number): VersionEntry[] {
  const newestFirst = versions.toSorted((a, b) => b.version - a.version);
  return newestFirst.slice(keep).filter(({ current, pinned }) => !current && pinned !== true);
}
