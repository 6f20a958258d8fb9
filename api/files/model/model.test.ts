import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import fc from "fast-check";
import { openTestHttp, type TestHttp } from "../../../test/support/files/http.ts";
import { type Expected, Model, type Op } from "../../../test/support/files/model.ts";
import {
  contents,
  type ModelToken,
  mintModelToken,
  type TokenSpec,
  tokenSpec,
} from "../../../test/support/files/model-tokens.ts";
import { askMcp, askRest, type Outcome } from "../../../test/support/files/model-transports.ts";
import { generateKey } from "../../platform/ucan/mint.ts";

const long = process.env.HEARTH_LONG === "1";
const opsPerRun = 40;
const runs = long ? 3_000 : Number(process.env.MODEL_RUNS ?? 8);
/** The world that a failure named. */
const { MODEL_SEED: seed, MODEL_PATH: failed = "" } = process.env;
const again = seed === undefined ? {} : { seed: Number(seed), path: failed };

// Every request advances the clock, so that trashed files have an order.
let now = Date.now();
const clock = { now: () => new Date(now) };

let rest: TestHttp;
let mcp: TestHttp;
before(async () => {
  const env = { TRUST_PROXY: "1" };
  rest = await openTestHttp(env, { clock });
  mcp = await openTestHttp(env, { clock });
});
after(async () => {
  await rest.close();
  await mcp.close();
});

const path = fc.constantFrom(
  ...["/a", "/a/b", "/a/b/c", "/docs/a", "/docs/b", "/docs/b/c", "/docs/.h/a", "/docs/.h", "/docs2", "/é/x"],
);
const malformed = fc.constantFrom("/a//b", "rel");
const folder = fc.constantFrom("/", "/a", "/docs", "/docs/b", "/docs/.h", "/none");
const back = fc.nat(3);
const value = fc.boolean();
const content = fc.constantFrom(...contents);
const kind = <K extends Op["kind"]>(...kinds: K[]) => fc.constantFrom(...kinds);

const op: fc.Arbitrary<Op> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: kind("write"), path, content }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("write"), path: malformed, content }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("list"), path: malformed }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: kind("edit"),
      path,
      oldString: fc.constantFrom("alpha", "beta", "zeta"),
      newString: fc.constantFrom("gamma", "delta", "alpha"),
      replaceAll: value,
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: kind("move"), path, to: path }) },
  { weight: 6, arbitrary: fc.record({ kind: kind("trash", "restore", "versions", "read"), path }) },
  { weight: 4, arbitrary: fc.record({ kind: kind("revert", "readVersion"), path, back }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("diff"), path, back, forth: back }) },
  { weight: 3, arbitrary: fc.record({ kind: kind("hide", "publish"), path, value }) },
  { weight: 3, arbitrary: fc.record({ kind: kind("list", "tree"), path: folder }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("glob"), pattern: fc.constantFrom("/**", "/docs/*", "**/b") }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: kind("grep", "search"), q: fc.constantFrom("alpha", "beta", "zeta"), path: folder }),
  },
  { weight: 3, arbitrary: fc.record({ kind: kind("cid"), content }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("cids") }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("hideFolder", "publishFolder"), path: folder, value }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("purge"), path }) },
);

const everything: TokenSpec = { links: [{ words: ["fs/*"], path: "/", hidden: ["*"] }] };
/** The owner's own tokens come first, then the world's random ones. */
const world = fc.record({
  tokens: fc.array(tokenSpec, { minLength: 4, maxLength: 4 }),
  files: fc.array(fc.record({ path, content, hidden: fc.nat(3) }), { minLength: 4, maxLength: 8 }),
  steps: fc.array(fc.record({ op, by: fc.constantFrom(0, 0, 1, 1, 2, 3, 4, 5) }), {
    minLength: 1,
    maxLength: 2 * opsPerRun,
    size: "max",
  }),
});

it(`REST, MCP and the reference model agree in ${runs} random worlds`, async () => {
  const counts = new Map<string, number>();
  const run = async ({ tokens, files, steps }: World) => {
    const owner = await generateKey();
    const service = rest.deps.files.identity.did;
    const mint = (spec: TokenSpec) => mintModelToken(owner, service, spec, clock.now());
    const all = await Promise.all(
      [everything, { links: [{ words: ["fs/*"], path: "/" }] } as TokenSpec, ...tokens].map(mint),
    );
    const model = new Model();
    const [root] = all as [ModelToken];
    for (const { path, content, hidden } of files) {
      await step(model, { kind: "write", path, content }, root, counts);
      if (hidden === 0) await step(model, { kind: "hide", path, value: true }, root, counts);
    }
    for (const { op, by } of steps) {
      // Marks of folders and purges are the surroundings; the tools do not do them.
      const token = isSurrounding(op) ? root : (all[by] ?? root);
      await step(model, op, token, counts);
    }
  };
  type World = typeof world extends fc.Arbitrary<infer T> ? T : never;
  await fc.assert(fc.asyncProperty(world, run), { numRuns: runs, ...again });
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  console.log(`${total} requests over each transport:`, Object.fromEntries([...counts].sort()));
  // Worlds in which nothing works would agree too.
  assert.ok((counts.get("ok") ?? 0) > total / 4, "Too few requests succeed for the comparison to mean much.");
});

function isSurrounding({ kind }: Op): boolean {
  return kind === "hideFolder" || kind === "publishFolder" || kind === "purge";
}

async function step(model: Model, op: Op, token: ModelToken, counts: Map<string, number>): Promise<void> {
  now += 5;
  const expected = model.expect(op, token);
  const created = expected.file !== undefined && expected.file.ids.rest === "";
  const [over, by] = [await askRest(rest, model, op, token), await askMcp(mcp, model, op, token)];
  const about = JSON.stringify({ op, scopes: token.scopes });
  // A folder with nothing visible in it is 404, which the model does not work out.
  if (op.kind !== "tree" || expected.code !== undefined) {
    assert.equal(over.code, expected.code, `REST and the model differ: ${about}`);
  }
  assert.equal(by.code, over.code, `MCP and REST differ: ${about}`);
  counts.set(over.code ?? "ok", (counts.get(over.code ?? "ok") ?? 0) + 1);
  // The two name the fields of a malformed request differently.
  if (over.code !== undefined && over.code !== "INVALID_INPUT") assert.equal(by.message, over.message, about);
  expected.apply?.();
  if (created && expected.file !== undefined) {
    expected.file.ids = { rest: String(over.body.id), mcp: String(by.body.id) };
  }
  if (over.code === undefined) compareBodies(model, op, expected, { over, by }, about);
}

function compareBodies(
  model: Model,
  op: Op,
  expected: Expected,
  { over, by }: { over: Outcome; by: Outcome },
  about: string,
): void {
  const [left, right] = [comparable(over.body, op), comparable(by.body, op)];
  // REST's read answers lines alone, its batch the path alone, its content the bytes.
  if (["read", "readVersion", "move", "cid"].includes(op.kind)) {
    assert.deepEqual(pick(right, Object.keys(left)), left, about);
  } else assert.deepEqual(right, left, about);
  if (expected.file !== undefined) {
    const known = model.describe(expected.file);
    assert.deepEqual(pick(by.body, Object.keys(known)), known, about);
  }
  if (expected.body !== undefined) assert.deepEqual(known(op, by.body), expected.body, about);
}

const varying = new Set([
  "id",
  "fileId",
  "createdAt",
  "updatedAt",
  "trashedAt",
  "publicUrl",
  "nextCursor",
  "requestId",
]);
varying.add("receipt");

/** The body without what differs between two stores. */
function comparable(body: unknown, op: Op): Record<string, unknown> {
  const strip = (each: unknown): unknown => {
    if (Array.isArray(each)) return each.map(strip);
    if (typeof each !== "object" || each === null) return each;
    return Object.fromEntries(
      Object.entries(each).flatMap(([name, inner]) => (varying.has(name) ? [] : [[name, strip(inner)]])),
    );
  };
  const stripped = strip(body) as Record<string, unknown>;
  // Search has no order.
  if (op.kind === "search")
    (stripped.items as unknown[]).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return stripped;
}

/** The part of a response that the model predicts. */
function known(op: Op, body: Record<string, unknown>): unknown {
  const items = (body.items ?? []) as Record<string, unknown>[];
  if (op.kind === "list") return items.map((item) => item.path);
  if (op.kind === "grep") return items.map((item) => pick(item, ["path", "line", "text"]));
  if (op.kind === "search") return items.map(({ file }) => (file as { path: string }).path).sort(byBytes);
  if (op.kind === "cids") return items.map(({ cid }) => cid).sort();
  if (op.kind === "read") return body.text;
  if (op.kind === "versions")
    return (body.versions as Record<string, unknown>[]).map((each) => pick(each, ["version", "cid"]));
  return body.cid;
}

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

function pick(body: Record<string, unknown>, names: string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, body[name]]));
}
