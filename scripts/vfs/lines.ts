import type { FileMetadata, VersionEntry } from "../../api/files/records/file-metadata.ts";
import { makeControlsVisible } from "../../api/platform/ucan/paths.ts";

/** A name as shown in one line: invisible control characters are written as code points. */
export const shownPath = makeControlsVisible;

/** Text of several lines, as shownPath but for line feeds and tabs. */
export function shownText(text: string): string {
  return text.replace(/[^\n\t]+/g, makeControlsVisible);
}

/** JSON with invisible control characters escaped; JSON.stringify leaves most of them as they are. */
export function shownJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const units = ["B", "KiB", "MiB", "GiB", "TiB"];

/** A size as people read it. */
export function formatSize(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** step;
  return `${step === 0 ? value : value.toFixed(value < 10 ? 1 : 0)} ${units[step]}`;
}

export function formatTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ");
}

/** One line of a list: size, time, version, path, marks. */
export function fileLine(file: FileMetadata): string {
  const { size, updatedAt, version, path, hiddenEffective, public: open, damaged } = file;
  const marks = [...(damaged ? ["damaged"] : []), ...(hiddenEffective ? ["hidden"] : []), ...(open ? ["public"] : [])];
  const parts = [formatSize(size).padStart(9), formatTime(updatedAt), `v${version}`.padEnd(5), shownPath(path)];
  return [...parts, ...(marks.length > 0 ? [`(${marks.join(", ")})`] : [])].join("  ");
}

export function versionLine(entry: VersionEntry) {
  const { version, size, createdAt, cid, createdBy, current, label, pinned, damaged } = entry;
  const notes = [damaged ? "damaged" : "", current ? "current" : "", label ?? "", pinned ? "pinned" : ""].filter(
    (note) => note !== "",
  );
  const parts = [`v${version}`.padEnd(5), formatSize(size).padStart(9), formatTime(createdAt), cid, createdBy];
  return [...parts, ...(notes.length > 0 ? [`(${notes.join(", ")})`] : [])].join("  ");
}

/** Paths as a tree, folders before what is in them. */
export function treeLines(root: string, paths: readonly string[]): string[] {
  type Node = Map<string, Node>;
  const top: Node = new Map();
  for (const path of paths) {
    let node = top;
    for (const name of path.slice(root === "/" ? 1 : root.length + 1).split("/")) {
      const next: Node = node.get(name) ?? new Map();
      node.set(name, next);
      node = next;
    }
  }
  const draw = (node: Node, indent: string): string[] =>
    [...node].flatMap(([name, inner], index) => {
      const last = index === node.size - 1;
      const shown = inner.size > 0 ? `${shownPath(name)}/` : shownPath(name);
      return [`${indent}${last ? "└─ " : "├─ "}${shown}`, ...draw(inner, `${indent}${last ? "   " : "│  "}`)];
    });
  return [shownPath(root), ...draw(top, "")];
}
