import type { FileMetadata } from "../../api/files/records/file-metadata.ts";
import type { ErrorBody } from "../../api/platform/http/error-response.ts";
import { isId } from "../../api/platform/new-id.ts";

/** A refusal by the server, with its message. */
export class RefusedError extends Error {
  readonly body: Pick<ErrorBody, "code" | "message" | "details"> & Record<string, unknown>;

  constructor(body: RefusedError["body"]) {
    super(body.message);
    this.body = body;
  }
}

/** An error of usage: the command is not tried. */
export class UsageError extends Error {}

type Query = Record<string, string | number | boolean | undefined>;
export type Sent = {
  query?: Query;
  json?: unknown;
  body?: RequestInit["body"];
  headers?: Record<string, string>;
};

/** The file store of a server, with a token. */
export class FileClient {
  readonly url: string;
  readonly bearer: string;

  constructor(url: string, bearer: string) {
    this.url = url.replace(/\/+$/, "");
    this.bearer = bearer;
  }

  /** @throws RefusedError for every status but 2xx; UsageError when there is no server */
  async send(method: string, path: string, { query = {}, json, body, headers = {} }: Sent = {}): Promise<Response> {
    const url = new URL(`${this.url}/api/fs${path}`);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const type = json === undefined ? {} : { "content-type": "application/json" };
    const sent = json === undefined ? body : JSON.stringify(json);
    const answer = await reach(url, {
      method,
      headers: { authorization: `Bearer ${this.bearer}`, ...type, ...headers },
      ...(sent === undefined || sent === null ? {} : { body: sent, duplex: "half" }),
    } as RequestInit);
    if (!answer.ok) throw new RefusedError(await errorOf(answer));
    return answer;
  }

  async json<T = Record<string, unknown>>(method: string, path: string, sent: Sent = {}): Promise<T> {
    return (await (await this.send(method, path, sent)).json()) as T;
  }

  /** Every item of a list, page by page. */
  async *items<T>(path: string, query: Query = {}): AsyncGenerator<T> {
    let cursor: string | null = null;
    do {
      const page: { items: T[]; nextCursor: string | null } = await this.json("GET", path, {
        query: { limit: 500, ...query, ...(cursor === null ? {} : { cursor }) },
      });
      yield* page.items;
      cursor = page.nextCursor;
    } while (cursor !== null);
  }

  /** The live file at a path, or undefined. */
  async look(path: string): Promise<FileMetadata | undefined> {
    // A folder's own list begins with the file of that name.
    const page = await this.json<{ items: FileMetadata[] }>("GET", "/files", { query: { path, limit: 1 } });
    return page.items.find((file) => file.path === path.normalize("NFC"));
  }

  /**
   * Find the live file at a path, or with an id, because a name from before a rule for paths has no valid path.
   * @throws RefusedError NOT_FOUND
   */
  async find(path: string): Promise<FileMetadata> {
    if (isId(path)) return await this.json<FileMetadata>("GET", `/files/${path}`);
    const file = await this.look(path);
    if (file === undefined) throw missing(path);
    return file;
  }

  /** The file that was trashed last at a path. @throws RefusedError NOT_FOUND */
  async findTrashed(path: string): Promise<FileMetadata> {
    const found: FileMetadata[] = [];
    for await (const file of this.items<FileMetadata>("/trash", { path })) if (file.path === path) found.push(file);
    const last = found.sort((a, b) => (b.trashedAt ?? 0) - (a.trashedAt ?? 0) || (a.id < b.id ? 1 : -1))[0];
    if (last === undefined) throw missing(path);
    return last;
  }
}

/** @throws UsageError when nothing answers there */
export async function reach(url: URL | string, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (cause) {
    const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : String(cause);
    throw new UsageError(`No answer from ${new URL(url).origin} (${reason}). Is it running? \`npm start\` starts it.`);
  }
}

async function errorOf(answer: Response): Promise<RefusedError["body"]> {
  const text = await answer.text();
  try {
    return JSON.parse(text) as RefusedError["body"];
  } catch {
    return { code: "INTERNAL", message: `The server answered ${answer.status}.`, details: [], status: answer.status };
  }
}

function missing(path: string): RefusedError {
  const details = [{ path, rule: "visible", message: "Absent, hidden (try --reveal), or not this token's to see." }];
  return new RefusedError({ code: "NOT_FOUND", message: "There is no such file here.", status: 404, details });
}
