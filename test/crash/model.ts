import { createHash } from "node:crypto";

/** Content that a few words describe: both sides can make its bytes, and nobody sends them. */
export type Content = { head: string; fill: string; size: number };
export type Version = { version: number; content: Content };

/** A file as the acknowledged writes left it. `versions` ascend; the last is the head, listed under the counter. */
export type FileState = { id: string; path: string; trashed: boolean; versions: Version[] };

export type Op =
  | { kind: "create"; path: string; content: Content }
  | { kind: "put"; id: string; content: Content }
  /** The bytes that the head has already: nothing changes, and the new blob goes. */
  | { kind: "repeat"; id: string }
  | { kind: "edit"; id: string; head: string }
  | { kind: "restore-version"; id: string; version: number }
  | { kind: "move"; id: string; path: string }
  | { kind: "trash" | "untrash"; id: string }
  | { kind: "prune"; id: string; keep: number }
  | { kind: "purge"; ids: string[] };

/** What an operation does to the files of its writer, when it does anything. `id` is a created file's. */
export function apply(files: readonly FileState[], op: Op, id?: string): FileState[] {
  if (op.kind === "create") {
    const versions = [{ version: 1, content: op.content }];
    return [...files, { id: id ?? "", path: op.path, trashed: false, versions }];
  }
  if (op.kind === "purge") return files.filter((file) => !op.ids.includes(file.id));
  return files.map((file) => (file.id === op.id ? changed(file, op) : file));
}

function changed(file: FileState, op: Exclude<Op, { kind: "create" | "purge" }>): FileState {
  const head = headOf(file);
  switch (op.kind) {
    case "put":
      return withHead(file, op.content);
    case "repeat":
      return file;
    case "edit":
      return withHead(file, { ...head.content, head: op.head });
    case "restore-version": {
      const old = file.versions.find(({ version }) => version === op.version);
      if (old === undefined) throw new Error("The model restores a version that it does not have.");
      return hashOf(old.content) === hashOf(head.content) ? file : withHead(file, old.content);
    }
    case "move":
      return {
        ...file,
        path: op.path,
        versions: [...file.versions.slice(0, -1), { ...head, version: head.version + 1 }],
      };
    case "trash":
    case "untrash":
      return { ...file, trashed: op.kind === "trash" };
    case "prune":
      return { ...file, versions: file.versions.slice(-op.keep) };
  }
}

export function headOf(file: FileState): Version {
  const head = file.versions.at(-1);
  if (head === undefined) throw new Error("A file without a version.");
  return head;
}

function withHead(file: FileState, content: Content): FileState {
  return { ...file, versions: [...file.versions, { version: headOf(file).version + 1, content }] };
}

export function bytesOf({ head, fill, size }: Content): Buffer {
  return Buffer.concat([Buffer.from(`token:${head};\n`), Buffer.alloc(size, `${fill}\n`)]);
}

const hashes = new Map<string, string>();

/** As the store tells it: `sha256-` and base64. */
export function hashOf(content: Content): string {
  const name = `${content.head}/${content.fill}/${content.size}`;
  const known = hashes.get(name) ?? `sha256-${createHash("sha256").update(bytesOf(content)).digest("base64")}`;
  hashes.set(name, known);
  return known;
}

/** A file as the store has it after a start. */
export type FoundState = {
  id: string;
  owner: string;
  path: string;
  trashed: boolean;
  versions: [version: number, hash: string][];
};

/** One line for each file, so that two stores compare as text. */
export function describeState({ versions, ...file }: FileState): string {
  return describeFound({ ...file, versions: versions.map(({ version, content }) => [version, hashOf(content)]) });
}

export function describeFound({ id, path, trashed, versions }: Omit<FoundState, "owner">): string {
  return JSON.stringify([id, path, trashed, versions]);
}
