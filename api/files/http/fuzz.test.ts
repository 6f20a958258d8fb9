import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createRandom } from "../../../test/e2e/fuzz/random.ts";
import { type Document, type FuzzRequest, mutatedRequest, operationsOf } from "../../../test/e2e/fuzz/request.ts";
import { countTraces } from "../../../test/support/files/files.ts";
import { openTestHttp, type TestHttp } from "../../../test/support/files/http.ts";
import { describeApi } from "../../platform/server/docs.ts";

const long = process.env.HEARTH_LONG === "1";
const count = long ? 20_000 : 1_000;
const seed = Number(process.env.FUZZ_SEED ?? (long ? Date.now() % 2 ** 31 : 20_261_121));

let http: TestHttp;
let known: Record<string, string[]>;
let bearers: string[];
before(async () => {
  http = await openTestHttp();
  const made: { id: string; cid: string; path: string }[] = [];
  for (let i = 0; i < 30; i++) {
    const path = `/folder-${i % 3}/file-${i}.txt`;
    const answer = await http.fs("POST", `/files?path=${path}&public=${i % 2 === 0}`, { body: `text ${i} words` });
    made.push(await answer.json());
  }
  const ids = made.map(({ id }) => id);
  known = {
    idId: ids,
    id: ids,
    cid: made.map(({ cid }) => cid),
    path: [...made.map(({ path }) => path), "/folder-0", "/", "/new/a.txt", "/.dot", "/x".repeat(500)],
    destinationPath: ["/moved/a", "/folder-1/file-1.txt", "relative", "/", "/a/../b"],
    version: ["1", "2", "2147483647", "2147483648", "99999999999"],
    namespace: [http.owner.did(), "did:key:zz", "id"],
    pattern: ["/**/*.txt", "[", "{a,b", "**".repeat(50)],
    q: ["text", "words 3", "(", "\\", "*"],
    cursor: ["", "bm9uZQ", "WyIvYSJd", "WzFd", "W10"],
    oldString: ["text", "words"],
    ids,
  };
  bearers = [
    ...Array.from({ length: 8 }, () => http.bearer()),
    http.bearer({ abilities: ["fs/read"], path: "/folder-1" }),
    http.bearer({ abilities: ["fs/write"], nb: { hidden: "*" } }),
    http.bearer({ nb: { cids: [made[0]?.cid ?? ""] } }),
  ] as never[];
  bearers = [...(await Promise.all(bearers)), "", "Bearer x", "Basic eDp5"];
});
after(() => http?.close());

function show({ method, path, headers, body }: FuzzRequest): string {
  const text = typeof body === "string" ? body : Buffer.from(body ?? []).toString("base64");
  return `${method} ${path.slice(0, 300)} ${JSON.stringify(headers)} ${text.slice(0, 500)}`;
}

/** Reads are noted a moment later than they happen. */
async function traces() {
  await http.deps.files.audit.flush();
  return await countTraces(http.deps);
}

type ErrorShape = { code?: unknown; status?: unknown; message?: unknown; details?: unknown[]; requestId?: unknown };
/** How the agents' route refuses a message that breaks its protocol. */
type RpcError = { jsonrpc: "2.0"; error: { code: unknown; message: unknown } };

async function assertRefusal(answer: Response, shown: string): Promise<void> {
  const body = (await answer.json()) as ErrorShape | RpcError;
  if ("jsonrpc" in body) {
    assert.match(shown, /^request \d+: POST \/mcp[ ?]/);
    assert.equal(typeof body.error.code, "number", shown);
    assert.equal(typeof body.error.message, "string", shown);
    return;
  }
  assert.equal(body.status, answer.status, shown);
  for (const field of ["code", "message", "requestId"] as const) assert.equal(typeof body[field], "string", shown);
  assert.ok(Array.isArray(body.details), shown);
  if (answer.status === 400) assert.ok(body.details.length > 0, `no details: ${shown} → ${JSON.stringify(body)}`);
}

/** Headers that these routes read. */
function moreHeaders(random: ReturnType<typeof createRandom>): Record<string, string> {
  const headers: Record<string, string> = {};
  const maybe = (name: string, values: string[]) => {
    if (random.chance(0.15)) headers[name] = random.pick(values);
  };
  maybe("range", ["bytes=0-1", "bytes=-0", "bytes=9-1", "bytes=99999-", "bytes=0-0,2-3", "x=1", "bytes="]);
  maybe("if-match", ["*", '"x"', "x", 'W/"x"', ",", `"${random.pick(known.cid ?? [""])}"`]);
  maybe("if-none-match", ["*", '"x"', "x", `"${random.pick(known.cid ?? [""])}"`]);
  maybe("if-range", ['"x"', "Sat, 21 Nov 2026 00:00:00 GMT", "x"]);
  maybe("tus-resumable", ["1.0.0", "0.2.2", ""]);
  maybe("upload-length", ["0", "5", "-1", "x", "99999999999999999999"]);
  maybe("upload-offset", ["0", "5", "-1", "x"]);
  maybe("upload-metadata", ["path L2E=", "path", "x y z", "path L2E=,path L2E=", "path Li4vYQ=="]);
  maybe("content-encoding", ["gzip", "identity"]);
  maybe("content-range", ["bytes 0-1/2"]);
  return headers;
}

test(`answers ${count} broken requests without failing itself, and leaves no trace of a refused one`, async (t) => {
  t.diagnostic(`FUZZ_SEED=${seed}`);
  const document = JSON.parse(JSON.stringify(describeApi(http.app))) as Document;
  const operations = operationsOf(document);
  assert.ok(operations.length > 40, `${operations.length} operations`);
  const random = createRandom(seed);
  const use = { random, known, components: document.components?.schemas ?? {} };
  const statuses = new Map<number, number>();
  for (let i = 1; i <= count; i++) {
    const request = mutatedRequest(random.pick(operations), use);
    const authorization = random.pick(bearers);
    const headers = { ...request.headers, ...moreHeaders(random), ...(authorization === "" ? {} : { authorization }) };
    const shown = `request ${i}: ${show({ ...request, headers })}`;
    const before = request.method === "GET" || !random.chance(0.1) ? undefined : await traces();
    const answer = await http.app.request(request.path, { ...request, headers } as RequestInit);
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    if (answer.status < 400) {
      await answer.body?.cancel();
      continue;
    }
    assert.ok(answer.status < 500, `${answer.status} for ${shown}: ${await answer.clone().text()}`);
    await assertRefusal(answer, shown);
    if (before !== undefined) assert.deepEqual(await traces(), before, shown);
  }
  t.diagnostic(`answers: ${JSON.stringify(Object.fromEntries([...statuses].sort(([a], [b]) => a - b)))}`);
  assert.ok((statuses.get(200) ?? 0) > count / 20, "too few requests succeeded");
});
