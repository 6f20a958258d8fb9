import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { RequestContext } from "../../api/platform/http/request-context.ts";
import { createApiKey } from "../../api/platform/keys/service.ts";
import { describeApi } from "../../api/platform/server/docs.ts";
import { openTestScheme, type TestScheme, testAdminKey } from "../support/scheme.ts";
import type { Known } from "./fuzz/generate.ts";
import { createRandom } from "./fuzz/random.ts";
import { type Document, type FuzzRequest, mutatedRequest, type Operation, operationsOf } from "./fuzz/request.ts";
import { readState } from "./fuzz/state.ts";

const count = process.env.HEARTH_LONG === "1" ? 10_000 : 1_000;
const seed = Number(process.env.FUZZ_SEED ?? (process.env.HEARTH_LONG === "1" ? Date.now() % 2 ** 31 : 20_261_121));
/** Refused requests between two looks at the state. */
const batch = 25;

let scheme: TestScheme;
let known: Known;
let keys: string[];
before(async () => {
  scheme = await openTestScheme({ REQUESTS_PER_MINUTE: "1000000" });
  const { deps, supplierDid, implementerDid, householdDid, productId } = scheme;
  const redemptionId = await scheme.redeem();
  known = {
    did: [supplierDid, implementerDid, householdDid, "did:example:new"],
    supplierDid: [supplierDid],
    implementerDid: [implementerDid],
    householdDid: [householdDid],
    recipientDid: [householdDid],
    productId: [productId],
    redemptionId: [redemptionId],
    claimId: [redemptionId.replace("REDM", "CLM")],
    status: ["active", "suspended", "valid"],
    ...(await drawCampaign()),
  };
  const admin: RequestContext = { actor: { keyId: "admin", role: "admin", scopes: [], dids: null } };
  const make = async (input: Omit<Parameters<typeof createApiKey>[2], "name">) =>
    (await createApiKey(deps, admin, { name: "fuzz", ...input })).key;
  keys = [
    ...Array.from({ length: 8 }, () => testAdminKey),
    await make({ role: "implementer", implementerDid }),
    await make({ role: "regulator" }),
    await make({ role: "evaluator" }),
    await make({ role: "integrator", scopes: ["vouchers:redeem"], dids: [] }),
    "",
    "hk_000000000000_0000000000000000000000000000000000000000000",
  ];
});
after(() => scheme?.close());

/** A drawn campaign, by the fields that name it and its households. */
async function drawCampaign(): Promise<Known> {
  const campaignId = "KPT-FUZZ";
  const frame = (group: string) => Array.from({ length: 6 }, (_, i) => `did:example:${group}-${i}`);
  const groups = { reference: { frame: frame("r") }, intervention: { frame: frame("i") } };
  const testPeriod = { startDate: "2024-02-01", endDate: "2024-02-04" };
  const body = { campaignId, planId: "default", testPeriod, groups, sampleSize: 4, season: "dry" };
  const householdId = [...frame("r"), ...frame("i")];
  for (const [path, input] of [
    ...householdId.map((did) => ["/households", { did }] as const),
    ["/campaigns", body],
    [`/campaigns/${campaignId}/draw`],
  ] as const) {
    const headers = { authorization: `Bearer ${testAdminKey}` };
    const payload = input === undefined ? {} : { body: JSON.stringify(input) };
    const answer = await scheme.app.request(`/v1${path}`, { method: "POST", headers, ...payload });
    assert.ok(answer.ok, await answer.text());
  }
  return { campaignId: [campaignId], planId: ["default"], householdId };
}

function describe({ method, path, headers, body }: FuzzRequest): string {
  const text = typeof body === "string" ? body : Buffer.from(body ?? []).toString("base64");
  return `${method} ${path.slice(0, 300)} ${JSON.stringify(headers)} ${text.slice(0, 500)}`;
}

type ErrorShape = {
  code?: unknown;
  status?: unknown;
  statusCode?: unknown;
  message?: unknown;
  details?: unknown;
  requestId?: unknown;
};

/** Every refusal has the one shape, and a malformed request's names what is wrong. */
async function assertRefusal(answer: Response, shown: string): Promise<void> {
  const body = (await answer.json()) as ErrorShape;
  assert.deepEqual([body.status, body.statusCode], [answer.status, answer.status], shown);
  assert.ok(
    typeof body.code === "string" && typeof body.message === "string" && typeof body.requestId === "string",
    shown,
  );
  assert.ok(Array.isArray(body.details), shown);
  if (answer.status === 400) assert.ok(body.details.length > 0, `no details: ${shown} → ${JSON.stringify(body)}`);
}

/** Lists are the indexer's, which does not run here; saying so is the right answer. */
async function isMissingIndexer(request: FuzzRequest, answer: Response): Promise<boolean> {
  if (request.method !== "GET" || (answer.status !== 502 && answer.status !== 503)) return false;
  return /\bindex(er)?\b/i.test(((await answer.clone().json()) as { message: string }).message);
}

/** Reading may keep a copy of what the chain tells: that is done before the state is looked at. */
async function readEverything(operations: Operation[]): Promise<void> {
  const values = [...new Set(Object.values(known).flat())];
  for (const { method, path } of operations) {
    if (method !== "GET") continue;
    const urls = new Set(values.map((value) => path.replace(/\{\w+\}/, encodeURIComponent(value))));
    for (const url of urls) {
      const answer = await scheme.app.request(url, { headers: { authorization: `Bearer ${testAdminKey}` } });
      await answer.body?.cancel();
    }
  }
}

test(`answers ${count} broken requests without a server error, and changes nothing for a refused one`, async (t) => {
  t.diagnostic(`FUZZ_SEED=${seed}`);
  const document = JSON.parse(JSON.stringify(describeApi(scheme.app))) as Document;
  const operations = operationsOf(document);
  const random = createRandom(seed);
  const use = { random, known, components: document.components?.schemas ?? {} };
  const statuses = new Map<number, number>();
  await readEverything(operations);
  let state = await readState(scheme.deps);
  let accepted = 0;
  let looks = 0;
  let sent: string[] = [];
  for (let i = 1; i <= count; i++) {
    const request = mutatedRequest(random.pick(operations), use);
    const key = random.pick(keys);
    const headers = key === "" ? request.headers : { ...request.headers, authorization: `Bearer ${key}` };
    const shown = describe(request);
    const answer = await scheme.app.request(request.path, { ...request, headers } as RequestInit);
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    sent.push(`${answer.status} ${shown}`);
    if (answer.status >= 400 && !(await isMissingIndexer(request, answer))) {
      assert.ok(answer.status < 500, `request ${i}: ${answer.status} for ${shown}: ${await answer.clone().text()}`);
      await assertRefusal(answer, `request ${i}: ${shown}`);
    } else await answer.body?.cancel();
    if (answer.status < 400 && request.method !== "GET") accepted++;
    if (i % batch !== 0) continue;
    const now = await readState(scheme.deps);
    if (accepted === 0) {
      assert.deepEqual(now, state, `a refused request changed the state:\n${sent.join("\n")}`);
      looks++;
    }
    [state, accepted, sent] = [now, 0, []];
  }
  t.diagnostic(`answers: ${JSON.stringify(Object.fromEntries([...statuses].sort(([a], [b]) => a - b)))}`);
  assert.ok(looks >= count / batch / 4, `only ${looks} looks at the state had nothing accepted before them`);
});
