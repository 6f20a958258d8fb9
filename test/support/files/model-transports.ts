import { Buffer } from "node:buffer";
import type { TestHttp } from "./http.ts";
import { type Model, numberAt, type Op } from "./model.ts";
import { cidOf, type ModelToken } from "./model-tokens.ts";

/** `code` undefined: it succeeded. */
export type Outcome = { code: string | undefined; message?: string; body: Record<string, unknown> };

/** Failed authentications are counted by address: each request has a separate one. */
const address = () => [10, ...crypto.getRandomValues(new Uint8Array(3))].join(".");
const noFile = "01AAAAAAAAAAAAAAAAAAAAAAAA";

type Sent = { body?: string | Uint8Array<ArrayBuffer>; type?: string };

async function fetchRest(http: TestHttp, token: string, method: string, path: string, { body, type }: Sent = {}) {
  const headers = {
    authorization: token,
    "x-forwarded-for": address(),
    ...(type === undefined ? {} : { "content-type": type }),
  };
  return await http.app.request(`/api/fs${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
}

async function json(answer: Response): Promise<Outcome> {
  const body = (await answer.json()) as Record<string, unknown>;
  return answer.ok ? { code: undefined, body } : refused(body);
}

function refused(body: Record<string, unknown>): Outcome {
  return { code: String(body.code), message: String(body.message), body };
}

/** Bytes: their CID is what is compared. */
async function bytes(answer: Response): Promise<Outcome> {
  if (!answer.ok) return await json(answer);
  await answer.arrayBuffer();
  return { code: undefined, body: { cid: answer.headers.get("x-vfs-cid") } };
}

/** Every page, as one. */
async function pages(read: (cursor: string | undefined) => Promise<Outcome>): Promise<Outcome> {
  const items: unknown[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await read(cursor);
    if (page.code !== undefined) return page;
    items.push(...(page.body.items as unknown[]));
    if (page.body.nextCursor === null) return { code: undefined, body: { ...page.body, items } };
    cursor = String(page.body.nextCursor);
  }
}

const query = (given: Record<string, string | undefined>) => {
  const parts = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return new URLSearchParams(parts as [string, string][]).toString();
};

/** The request over REST, by a client that knows each file's id. */
export async function askRest(http: TestHttp, model: Model, op: Op, token: ModelToken): Promise<Outcome> {
  const send = (method: string, path: string, sent?: Sent) => fetchRest(http, token.bearer, method, path, sent);
  const post = (method: string, path: string, value: unknown) => send(method, path, { body: JSON.stringify(value) });
  const list = (path: string, given: Record<string, string>) =>
    pages(async (cursor) => json(await send("GET", `${path}?${query({ ...given, limit: "500", cursor })}`)));
  const file = "path" in op ? model.named(op.path) : undefined;
  const id = file?.ids.rest ?? noFile;
  const back = "back" in op && file !== undefined ? numberAt(file, op.back) : 1;
  switch (op.kind) {
    case "write": {
      const live = model.live(op.path);
      const body = new Uint8Array(Buffer.from(op.content));
      if (live !== undefined) return await json(await send("PUT", `/files/${live.ids.rest}`, { body }));
      const type = "text/plain; charset=utf-8";
      return await json(await send("POST", `/files?${query({ path: op.path })}`, { body, type }));
    }
    case "edit": {
      const { kind: _, path: __, ...edit } = op;
      return await json(await post("PATCH", `/files/${id}/edit`, edit));
    }
    case "move": {
      const moved = await json(await post("POST", "/batch/move", { items: [{ id, destinationPath: op.to }] }));
      const [item] = (moved.body.results ?? []) as { ok: boolean; code?: string; error?: string; path?: string }[];
      if (item === undefined) return moved;
      if (item.ok) return { code: undefined, body: { path: item.path } };
      return { code: String(item.code), message: String(item.error), body: {} };
    }
    case "trash":
      return await json(await send("DELETE", `/files/${id}`));
    case "restore": {
      const wanted = model.restorable(op.path, token) ?? file;
      return await json(await send("POST", `/files/${wanted?.ids.rest ?? noFile}/restore`));
    }
    case "read":
      return await json(await send("GET", `/files/${id}/read`));
    case "readVersion":
      return await bytes(await send("GET", `/files/${id}/versions/${back}/content`));
    case "versions":
      return await json(await send("GET", `/files/${id}/versions`));
    case "revert":
      return await json(await send("POST", `/files/${id}/versions/${back}/restore`));
    case "diff": {
      const to = file === undefined ? 1 : numberAt(file, op.forth);
      return await json(await send("GET", `/files/${id}/versions/diff?from=${back}&to=${to}`));
    }
    case "hide":
      return await json(await post("PATCH", `/files/${id}/hidden`, { hidden: op.value }));
    case "publish":
      return await json(await post("PATCH", `/files/${id}/public`, { public: op.value }));
    case "list":
      return await list("/files", { path: op.path });
    case "tree":
      return await list("/tree", { path: op.path });
    case "glob":
      return await list("/glob", { pattern: op.pattern });
    case "grep":
      return await list("/grep", { q: op.q, path: op.path });
    case "search":
      return await list("/search", { q: op.q, path: op.path });
    case "cid":
      return await bytes(await send("GET", `/cid/${cidOf(op.content)}`));
    case "cids":
      return await list("/cids", {});
    case "hideFolder":
      return await json(await post("PUT", "/folders/hidden", { path: op.path, hidden: op.value }));
    case "publishFolder":
      return await json(await post("PUT", "/folders/public", { path: op.path, public: op.value }));
    case "purge":
      return await json(await send("POST", `/files/${id}/purge`));
  }
}

/** What the tools do not do, for the other store: folders' marks and purges. */
export async function askOther(http: TestHttp, model: Model, op: Op, token: ModelToken): Promise<Outcome> {
  const file = "path" in op ? model.named(op.path) : undefined;
  if (file === undefined) return await askRest(http, model, op, token);
  const { ids } = file;
  file.ids = { rest: ids.mcp, mcp: ids.mcp };
  try {
    return await askRest(http, model, op, token);
  } finally {
    file.ids = ids;
  }
}

/** The tool and arguments that do the same; undefined when there is none. */
function toolOf(model: Model, op: Op): [string, Record<string, unknown>] | undefined {
  const file = "path" in op ? model.named(op.path) : undefined;
  const path = "path" in op ? op.path : undefined;
  const back = "back" in op && file !== undefined ? numberAt(file, op.back) : 1;
  switch (op.kind) {
    case "write":
      return ["vfs_write", { path, content: op.content }];
    case "edit": {
      const { oldString, newString, replaceAll } = op;
      return ["vfs_edit", { path, oldString, newString, replaceAll }];
    }
    case "move":
      return ["vfs_move", { path, destinationPath: op.to }];
    case "trash":
      return ["vfs_delete", { path }];
    case "restore":
      return ["vfs_restore", { path }];
    case "read":
      return ["vfs_read", { path }];
    case "readVersion":
      return ["vfs_read", { path, version: back }];
    case "versions":
      return ["vfs_versions", { path }];
    case "revert":
      return ["vfs_restore_version", { path, version: back }];
    case "diff":
      return ["vfs_diff", { path, from: back, to: file === undefined ? 1 : numberAt(file, op.forth) }];
    case "hide":
      return ["vfs_set_hidden", { path, hidden: op.value }];
    case "publish":
      return ["vfs_set_public", { path, public: op.value }];
    case "list":
      return ["vfs_list", { path }];
    case "tree":
      return ["vfs_list", { path, recursive: false }];
    case "glob":
      return ["vfs_glob", { pattern: op.pattern }];
    case "grep":
      return ["vfs_grep", { q: op.q, path }];
    case "search":
      return ["vfs_search", { q: op.q, path }];
    case "cid":
      return ["vfs_read_cid", { cid: cidOf(op.content) }];
    case "cids":
      return ["vfs_list_cids", {}];
    default:
      return undefined;
  }
}

/** The request as a tool call, by a client that knows paths alone. */
export async function askMcp(http: TestHttp, model: Model, op: Op, token: ModelToken): Promise<Outcome> {
  const tool = toolOf(model, op);
  if (tool === undefined) return await askOther(http, model, op, token);
  const [name, given] = tool;
  const paged = ["list", "tree", "glob", "grep", "search", "cids"].includes(op.kind);
  if (!paged) return await callTool(http, token.bearer, name, given);
  return await pages((cursor) =>
    callTool(http, token.bearer, name, { ...given, limit: 500, ...(cursor === undefined ? {} : { cursor }) }),
  );
}

async function callTool(http: TestHttp, bearer: string, name: string, input: unknown): Promise<Outcome> {
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } };
  const answer = await http.app.request("/mcp", {
    method: "POST",
    headers: {
      authorization: bearer,
      "x-forwarded-for": address(),
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify(call),
  });
  const body = (await answer.json()) as Record<string, unknown>;
  if (!answer.ok) return refused(body);
  const { isError, structuredContent } = body.result as { isError?: boolean; structuredContent: Outcome["body"] };
  return isError ? refused(structuredContent) : { code: undefined, body: structuredContent };
}
