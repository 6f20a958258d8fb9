import { cidOf, hasAbility, type ModelScope, type ModelToken, type Need, revealsAll, within } from "./model-tokens.ts";

// A small model of the file store, without database, keys or streams: it predicts the result of each request.

export type ModelFile = {
  /** Ids in the two stores. */
  ids: { rest: string; mcp: string };
  path: string;
  /** The counter, under which the head is listed. */
  version: number;
  content: string;
  history: { version: number; content: string }[];
  hidden: boolean;
  public: boolean;
  /** When it was trashed, counted; 0: live. */
  trashed: number;
};

export type Op =
  | { kind: "write"; path: string; content: string }
  | { kind: "edit"; path: string; oldString: string; newString: string; replaceAll: boolean }
  | { kind: "move"; path: string; to: string }
  | { kind: "trash" | "restore" | "versions" | "read"; path: string }
  | { kind: "revert" | "readVersion"; path: string; back: number }
  | { kind: "diff"; path: string; back: number; forth: number }
  | { kind: "hide" | "publish"; path: string; value: boolean }
  | { kind: "list" | "tree"; path: string }
  | { kind: "glob"; pattern: string }
  | { kind: "grep" | "search"; q: string; path: string }
  | { kind: "cid"; content: string }
  | { kind: "cids" }
  | { kind: "hideFolder" | "publishFolder"; path: string; value: boolean }
  | { kind: "purge"; path: string };

/** `code` undefined: it succeeds. `apply` changes the model; `body` is what of the answer the model knows. */
export type Expected = { code: string | undefined; file?: ModelFile; body?: unknown; apply?: () => void };

const refuse = (code: string): Expected => ({ code });
const badPath = (path: string) => !path.startsWith("/") || path.includes("//");

export class Model {
  readonly files: ModelFile[] = [];
  readonly hiddenFolders = new Set<string>();
  readonly publicFolders = new Set<string>();
  #trashes = 0;

  live(path: string): ModelFile | undefined {
    return this.files.find((file) => file.path === path && file.trashed === 0);
  }

  /** The file that a request for a path means: the live one, else the one trashed last. */
  named(path: string): ModelFile | undefined {
    return this.live(path) ?? this.#trashed(path)[0];
  }

  hiddenPlace(path: string): boolean {
    return path.includes("/.") || [...this.hiddenFolders].some((folder) => folder !== path && within(folder, path));
  }

  describe(file: ModelFile) {
    const hiddenEffective = file.hidden || this.hiddenPlace(file.path);
    const below = [...this.publicFolders].some((folder) => folder !== file.path && within(folder, file.path));
    return {
      path: file.path,
      version: file.version,
      cid: cidOf(file.content),
      size: Buffer.byteLength(file.content),
      hidden: file.hidden,
      hiddenEffective,
      public: file.public || (below && !hiddenEffective),
      versionsRemaining: 49 - file.history.length,
    };
  }

  expect(op: Op, token: ModelToken): Expected {
    if (op.kind === "hideFolder" || op.kind === "publishFolder") {
      const marks = op.kind === "hideFolder" ? this.hiddenFolders : this.publicFolders;
      return { code: undefined, apply: () => void (op.value ? marks.add(op.path) : marks.delete(op.path)) };
    }
    if (op.kind === "purge") {
      const file = this.named(op.path);
      if (file === undefined) return refuse("NOT_FOUND");
      return { code: undefined, apply: () => void this.files.splice(this.files.indexOf(file), 1) };
    }
    if (token.refused !== undefined) return refuse(token.refused);
    if ((op.kind === "write" || op.kind === "list") && badPath(op.path)) return refuse("INVALID_INPUT");
    switch (op.kind) {
      case "write":
        return this.#write(op, token);
      case "edit":
        return this.#on(op.path, "fs/write", token, (file) => this.#edit(file, op));
      case "move":
        return this.#on(op.path, "fs/write", token, (file) => this.#move(file, op.to, token));
      case "trash":
        return this.#on(op.path, "fs/delete", token, (file) => this.#changing(file, () => this.#trash(file)));
      case "restore":
        return this.#restore(op.path, token);
      case "hide":
      case "publish":
        return this.#on(op.path, "fs/write", token, (file) => this.#mark(file, op));
      case "revert":
        return this.#on(op.path, "fs/write", token, (file) => this.#revert(file, numberAt(file, op.back)));
      default:
        return this.#reading(op, token);
    }
  }

  #reading(op: Op, token: ModelToken): Expected {
    switch (op.kind) {
      case "read":
        return this.#on(op.path, "fs/read", token, (file) => ({ code: undefined, body: numbered(file.content) }));
      case "readVersion":
        return this.#on(op.path, "fs/read", token, (file) => {
          const found = contentAt(file, numberAt(file, op.back));
          return found === undefined ? refuse("NOT_FOUND") : { code: undefined, body: cidOf(found) };
        });
      case "versions":
        return this.#on(op.path, "fs/read", token, (file) => ({ code: undefined, body: versionsOf(file) }));
      case "diff":
        return this.#on(op.path, "fs/read", token, (file) => {
          const wanted = [numberAt(file, op.back), numberAt(file, op.forth)];
          const there = wanted.every((number) => contentAt(file, number) !== undefined);
          return there ? { code: undefined } : refuse("NOT_FOUND");
        });
      case "list":
        return this.#finding("fs/list", op.path, token, (files) => files.map(({ path }) => path));
      case "tree":
      case "glob":
        // What they answer is compared between the transports; here only whether they may be asked.
        return this.#finding("fs/list", "/", token, () => undefined);
      case "grep":
        return this.#finding("fs/read", op.path, token, (files) => files.flatMap((file) => linesWith(file, op.q)));
      case "search":
        return this.#finding("fs/read", op.path, token, (files) =>
          files.filter(({ content }) => hasWords(content, op.q)).map(({ path }) => path),
        );
      case "cid":
        return this.#cid(op.content, token);
      case "cids":
        return this.#cids(token);
      default:
        throw new Error(`The model does not know ${op.kind}.`);
    }
  }

  #trashed(path: string): ModelFile[] {
    return this.files.filter((file) => file.path === path && file.trashed > 0).sort((a, b) => b.trashed - a.trashed);
  }

  #sees(token: ModelToken, need: Need, path: string, hidden: boolean): boolean {
    return token.scopes.some(
      (scope) =>
        scope.cids === null &&
        hasAbility(scope, need) &&
        within(scope.path, path) &&
        (!hidden || revealsAll(scope.hidden) || reveals(scope, path)),
    );
  }

  #seesFile(token: ModelToken, need: Need, file: ModelFile): boolean {
    return this.#sees(token, need, file.path, file.hidden || this.hiddenPlace(file.path));
  }

  #may(token: ModelToken, need: Need): boolean {
    return token.scopes.some((scope) => scope.cids === null && hasAbility(scope, need));
  }

  /** What is done with a live file that the caller may see, and what without. */
  #on(path: string, need: Need, token: ModelToken, work: (file: ModelFile) => Expected): Expected {
    if (!this.#may(token, need)) return refuse("FORBIDDEN");
    const file = this.live(path);
    return file === undefined || !this.#seesFile(token, need, file) ? refuse("NOT_FOUND") : work(file);
  }

  #finding(need: Need, folder: string, token: ModelToken, show: (files: ModelFile[]) => unknown): Expected {
    if (!this.#may(token, need)) return refuse("FORBIDDEN");
    const seen = this.files.filter(
      (file) => file.trashed === 0 && within(folder, file.path) && this.#seesFile(token, need, file),
    );
    return {
      code: undefined,
      body: show(seen.sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)))),
    };
  }

  #changing(file: ModelFile, change: () => void): Expected {
    return { code: undefined, file, apply: change };
  }

  #write({ path, content }: { path: string; content: string }, token: ModelToken): Expected {
    if (this.live(path) !== undefined) {
      return this.#on(path, "fs/write", token, (file) => this.#changing(file, () => newHead(file, content)));
    }
    if (!this.#may(token, "fs/write")) return refuse("FORBIDDEN");
    if (!this.#sees(token, "fs/write", path, this.hiddenPlace(path))) return refuse("NOT_FOUND");
    const marks = { hidden: false, public: false, trashed: 0 };
    const file = { ids: { rest: "", mcp: "" }, path, version: 1, content, history: [], ...marks };
    return this.#changing(file, () => void this.files.push(file));
  }

  #edit(file: ModelFile, op: { oldString: string; newString: string; replaceAll: boolean }): Expected {
    const parts = file.content.split(op.oldString);
    if (parts.length === 1 || (parts.length > 2 && !op.replaceAll)) return refuse("CONFLICT");
    return this.#changing(file, () => newHead(file, parts.join(op.newString)));
  }

  #move(file: ModelFile, to: string, token: ModelToken): Expected {
    if (!this.#sees(token, "fs/write", to, file.hidden || this.hiddenPlace(to))) return refuse("NOT_FOUND");
    if (to === file.path) return { code: undefined, file };
    const taken = this.live(to);
    if (taken !== undefined) return refuse(this.#seesFile(token, "fs/write", taken) ? "CONFLICT" : "NOT_FOUND");
    return this.#changing(file, () => {
      file.path = to;
      file.version += 1;
    });
  }

  #trash(file: ModelFile): void {
    this.#trashes += 1;
    file.trashed = this.#trashes;
  }

  #restore(path: string, token: ModelToken): Expected {
    if (!this.#may(token, "fs/delete")) return refuse("FORBIDDEN");
    const file = this.restorable(path, token);
    if (file === undefined) return refuse("NOT_FOUND");
    const taken = this.live(path);
    if (taken !== undefined) return refuse(this.#seesFile(token, "fs/delete", taken) ? "CONFLICT" : "NOT_FOUND");
    return this.#changing(file, () => {
      file.trashed = 0;
    });
  }

  /** The file that was trashed last at a path, of those that the token may restore. */
  restorable(path: string, token: ModelToken): ModelFile | undefined {
    return this.#trashed(path).find((file) => this.#seesFile(token, "fs/delete", file));
  }

  #mark(file: ModelFile, op: { kind: "hide" | "publish"; value: boolean }): Expected {
    const mark = op.kind === "hide" ? "hidden" : "public";
    return this.#changing(file, () => {
      if (file[mark] !== op.value) file.version += 1;
      file[mark] = op.value;
    });
  }

  #revert(file: ModelFile, version: number): Expected {
    if (version === file.version) return refuse("RULE_VIOLATION");
    const content = contentAt(file, version);
    if (content === undefined) return refuse("NOT_FOUND");
    return this.#changing(file, () => newHead(file, content));
  }

  #cid(content: string, token: ModelToken): Expected {
    const cid = cidOf(content);
    const readers = token.scopes.filter((scope) => hasAbility(scope, "fs/read"));
    const allowed = readers.filter(({ cids }) => cids === null || cids.includes(cid));
    if (allowed.length === 0) return refuse("FORBIDDEN");
    return this.#holds(content, allowed) ? { code: undefined, body: cid } : refuse("NOT_FOUND");
  }

  #holds(content: string, scopes: readonly ModelScope[]): boolean {
    const cid = cidOf(content);
    return this.files.some((file) => {
      const has = file.content === content || file.history.some((old) => old.content === content);
      const hidden = file.hidden || this.hiddenPlace(file.path);
      const seen = scopes.some(
        (scope) =>
          within(scope.path, file.path) &&
          (!hidden || revealsAll(scope.hidden) || scope.hidden.includes(cid) || reveals(scope, file.path)),
      );
      return file.trashed === 0 && has && seen;
    });
  }

  #cids(token: ModelToken): Expected {
    const readers = token.scopes.filter((scope) => hasAbility(scope, "fs/read"));
    if (readers.length === 0) return refuse("FORBIDDEN");
    const named = [...new Set(readers.flatMap(({ cids }) => cids ?? []))];
    const known = new Map(
      this.files.flatMap(({ content, history }) =>
        [content, ...history.map((old) => old.content)].map((each) => [cidOf(each), each] as const),
      ),
    );
    const bound = named.filter((cid) => {
      const content = known.get(cid);
      const allowed = readers.filter(({ cids }) => cids === null || cids.includes(cid));
      return content !== undefined && this.#holds(content, allowed);
    });
    const heads = this.files.filter((file) => file.trashed === 0 && this.#seesFile(token, "fs/read", file));
    return { code: undefined, body: [...bound, ...heads.map(({ content }) => cidOf(content))].sort() };
  }
}

const reveals = ({ hidden }: ModelScope, path: string) =>
  hidden.some((each) => each.startsWith("/") && within(each, path));

function newHead(file: ModelFile, content: string): void {
  if (content === file.content) return;
  file.history.unshift({ version: file.version, content: file.content });
  file.version += 1;
  file.content = content;
}

const versionsOf = (file: ModelFile) =>
  [file, ...file.history].map(({ version, content }) => ({ version, cid: cidOf(content) }));

/** The number of the version that many places back; a missing number beyond the last. */
export function numberAt(file: ModelFile, back: number): number {
  return versionsOf(file)[back]?.version ?? file.version + back;
}

function contentAt(file: ModelFile, version: number): string | undefined {
  return [file, ...file.history].find((each) => each.version === version)?.content;
}

const linesOf = (content: string) => (content.endsWith("\n") ? content.slice(0, -1) : content).split("\n");

function numbered(content: string): string {
  if (content === "") return "";
  return linesOf(content)
    .map((text, index) => `${String(index + 1).padStart(6)}\t${text}`)
    .join("\n");
}

function linesWith({ path, content }: ModelFile, q: string) {
  return linesOf(content).flatMap((text, index) => (text.includes(q) ? [{ path, line: index + 1, text }] : []));
}

function hasWords(content: string, q: string): boolean {
  const words = content.split(/\s+/);
  return q.split(" ").every((word) => words.includes(word));
}
