import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eq, sql } from "drizzle-orm";
import { zeroHash } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { type Indexer, startIndexerOn } from "../../../test/indexer/ponder-process.ts";
import { codesOnPages } from "../../../test/support/code-papers.ts";
import { testAdminKey } from "../../../test/support/core.ts";
import { type Answer, type Caller, registerHouseholds } from "../../../test/support/registry.ts";
import {
  attributes,
  implementerDid,
  openVoucherTest,
  productId,
  rulesOf,
  supplierDid,
  type VoucherTest,
} from "../../../test/support/vouchers.ts";
import { decodeVoucherId } from "../../../wire/src/ids.ts";
import { IndexerClient } from "../../platform/indexer/client.ts";
import { codeKey } from "./secrets.ts";
import { type CodeSetRow, codeTrees } from "./tables.ts";

type Body = Record<string, unknown>;
let t: VoucherTest;
let indexer: Indexer;
let folder: string;
let set: CodeSetRow;
let vouchers: string[];
let implementer: Caller;

before(async () => {
  t = await openVoucherTest();
  folder = await mkdtemp(join(tmpdir(), "hearth-codes-"));
  await t.world.anvil.resumeMining(0.2);
  indexer = await startIndexerOn(t.world as never, folder);
  const { chain, log } = t.deps;
  const options = { url: indexer.url, token: "a token of the tests", log, lastWritten: () => chain.outbox.lastBlock };
  t.deps.indexer = new IndexerClient(options);
  implementer = await t.as("implementer", { implementerDid });
  const issued = await issueWithCodes(await t.certify([10, 20, 30]), { perVoucher: 3, language: "sw" });
  [set, vouchers] = [issued.set, issued.vouchers];
});
after(async () => {
  await indexer?.stop("SIGKILL");
  await t?.close();
  await rm(folder, { recursive: true, force: true });
});

const bodyOf = (answer: Answer, status = 200) => {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  return answer.body as Body;
};

/** Issues a certificate's vouchers with codes, and reads the set and the vouchers in the order of the households. */
async function issueWithCodes(emissionCertificateId: string, codes: Body) {
  const batchId = `CODES-${emissionCertificateId.slice(0, 60)}`;
  const order = { emissionCertificateId, attributes: { ...attributes, batchId }, codes };
  const { operationId } = bodyOf(await implementer("POST", "/vouchers/issue-batch", order), 202);
  const result = await ended(String(operationId));
  const { items } = bodyOf(await t.admin("GET", `/vouchers?batchId=${batchId}`)) as { items: Body[] };
  const found = await t.deps.codes.set(String(operationId));
  assert.ok(found !== null && result.codeSetId === operationId);
  return { set: found, vouchers: items.map(({ id }) => String(id)) };
}

async function ended(operationId: string): Promise<Body> {
  for (let i = 0; i < 400; i++) {
    const { status, result } = bodyOf(await t.admin("GET", `/operations/${operationId}`));
    if (status === "succeeded") return result as Body;
    assert.ok(status === "queued" || status === "running", String(status));
    await sleep(50);
  }
  throw new Error("The operation did not end.");
}

const householdOf = async (n: number) => (await t.deps.registry.households.byDid(t.household(n)))?.household ?? 0;
const codesOf = async (n: number) => t.deps.codes.codesOf(set, await householdOf(n));

/** What a till sends for a code: the order, signed with the code's key, without a proof. */
async function redeem(code: string, voucherId: string, amount: number): Promise<Answer> {
  const key = privateKeyToAccount(codeKey(code));
  const nonce = BigInt(key.address).toString();
  const asked = { action: "household-authorization", voucherId, supplierDid, productId, amount, nonce };
  const { typedData } = bodyOf(await t.admin("POST", "/transactions/prepare", asked)) as { typedData: Body };
  const signature = await key.signTypedData(typedData as never);
  const { deadline } = typedData.message as Body;
  const consent = { type: "code", signature, nonce, deadline: Number(deadline) };
  return t.redeem({ voucherId, amount, consent });
}

async function committedRoot(voucherId: string) {
  const decoded = decodeVoucherId(voucherId);
  assert.ok(decoded.ok);
  return t.deps.chain.read("vouchers", "codeRootOf", [decoded.id]);
}

async function sheetsOf(codeSetId: string, call = implementer): Promise<Answer> {
  return call("GET", `/code-sets/${codeSetId}/sheets`);
}

test("commits the codes with the vouchers, in the same transaction", async () => {
  const [issue] = (await t.deps.chain.past("vouchers", "BatchIssued", {})).slice(-1);
  const [codes] = (await t.deps.chain.past("vouchers", "CodesCommitted", {})).slice(-1);
  assert.ok(issue && codes);
  assert.equal(issue.transactionHash, codes.transactionHash);
  assert.equal(codes.args.voucher >> 32n, BigInt(issue.args.batch));
  const shown = bodyOf(await implementer("GET", `/code-sets/${set.codeSetId}`));
  assert.partialDeepStrictEqual(shown, { implementerDid, codesPerVoucher: 3, language: "sw", isPrintable: true });
});

test("prints one page for each household, with its codes", async () => {
  const answer = await t.app.request(`/v1/code-sets/${set.codeSetId}/sheets`, {
    headers: { authorization: `Bearer ${testAdminKey}` },
  });
  assert.deepEqual(
    [answer.status, answer.headers.get("content-type"), answer.headers.get("cache-control")],
    [200, "application/pdf", "private, no-store"],
  );
  const pages = codesOnPages(Buffer.from(await answer.arrayBuffer()));
  assert.deepEqual(pages, await Promise.all([1, 2, 3].map(codesOf)));
});

test("redeems with a code once, and says what a used or unknown code is", async () => {
  const [first = "", second = ""] = await codesOf(1);
  const [mine = "", other = ""] = vouchers;
  assert.equal(bodyOf(await redeem(first, mine, 4), 201).consent, "code");
  for (const amount of [4, 1]) {
    const again = await redeem(first, mine, amount);
    assert.deepEqual([again.status, rulesOf(again)], [409, ["code-unused"]]);
  }
  const foreign = await redeem(second, other, 1);
  assert.deepEqual([foreign.status, rulesOf(foreign)], [400, ["code-known", "household-authorised"]]);
  const tooMuch = await redeem(second, mine, 7);
  assert.deepEqual([tooMuch.status, rulesOf(tooMuch)], [400, ["amount-within-balance"]]);
  assert.equal((await redeem(second, mine, 6)).status, 201);
});

test("keeps nothing in the database that redeems without SCHEME_KEY", async () => {
  const rows = await t.deps.db.execute(
    sql`select s::text || encode(t.keys, 'hex') as row from code_sets s join code_trees t using (code_set_id)`,
  );
  const dump = JSON.stringify(rows.rows).toUpperCase();
  for (const code of [...(await codesOf(1)), ...(await codesOf(3))]) {
    assert.ok(!dump.includes(code) && !dump.includes(code.replaceAll("-", "")));
    assert.ok(!dump.includes(codeKey(code).slice(2).toUpperCase()));
  }
});

test("is another's like an unknown set, and no supplier's", async () => {
  const stranger = await t.as("implementer", { implementerDid: "did:ixo:implementer/other" });
  const seller = await t.as("supplier", { supplierDid });
  for (const [method, path] of [
    ["GET", ""],
    ["GET", "/sheets"],
    ["POST", "/forget"],
  ] as const) {
    const theirs = await stranger(method, `/code-sets/${set.codeSetId}${path}`);
    const unknown = await implementer(method, `/code-sets/nothing${path}`);
    assert.deepEqual([theirs.status, unknown.status], [404, 404]);
    assert.equal((await seller(method, `/code-sets/${set.codeSetId}${path}`)).status, 403);
  }
  assert.deepEqual((bodyOf(await stranger("GET", "/code-sets")) as { items: Body[] }).items, []);
});

test("prints no deleted codes, which still redeem", async () => {
  const [code = ""] = await codesOf(3);
  assert.equal(bodyOf(await implementer("POST", `/code-sets/${set.codeSetId}/forget`)).isPrintable, false);
  const refused = await sheetsOf(set.codeSetId);
  assert.deepEqual([refused.status, rulesOf(refused)], [409, ["codes-kept"]]);
  assert.equal((await redeem(code, vouchers[2] ?? "", 5)).status, 201);
});

test("commits codes for the rest of a batch, and for no voucher that was issued before", async () => {
  const certificate = await t.certify([1, 2, 3]);
  const before = await t.issue({ recipientDid: t.household(2), emissionCertificateId: certificate, value: 2 });
  const early = String(bodyOf(before, 201).id);
  const rest = await issueWithCodes(certificate, { perVoucher: 2, language: "en" });
  assert.equal(await committedRoot(early), zeroHash);
  assert.equal(rest.vouchers.length, 2);
  for (const id of rest.vouchers) assert.notEqual(await committedRoot(id), zeroHash);
  const household = await householdOf(3);
  const [code = ""] = t.deps.codes.codesOf(rest.set, household);
  const { items } = bodyOf(await t.admin("GET", `/vouchers?recipientDid=${encodeURIComponent(t.household(3))}`)) as {
    items: Body[];
  };
  const mine = items.find(({ id }) => rest.vouchers.includes(String(id)));
  assert.equal((await redeem(code, String(mine?.id), 1)).status, 201);
});

test("commits the codes of all batches of a transaction together, and redeems with them in each", async () => {
  const count = 300;
  const names = Array.from({ length: count }, (_, i) => t.household(i + 1));
  await registerHouseholds(t.admin, names);
  const issued = await issueWithCodes(await t.certify(names.map(() => 2)), { perVoucher: 1, language: "en" });
  const voucherOf = async (n: number) => {
    const query = `batchId=${encodeURIComponent(issued.set.batchId)}&recipientDid=${encodeURIComponent(t.household(n))}`;
    const { items } = bodyOf(await t.admin("GET", `/vouchers?${query}`)) as { items: Body[] };
    return String(items[0]?.id);
  };
  const [first, last] = [await voucherOf(1), await voucherOf(count)];
  for (const [n, voucherId] of [
    [1, first],
    [count, last],
  ] as const) {
    const [code = ""] = t.deps.codes.codesOf(issued.set, await householdOf(n));
    assert.equal(bodyOf(await redeem(code, voucherId, 1), 201).consent, "code");
  }
  const [one, two] = (await t.deps.chain.past("vouchers", "CodesCommitted", {})).slice(-2);
  assert.deepEqual([one?.transactionHash, one?.args.root], [two?.transactionHash, two?.args.root]);
  assert.equal(await committedRoot(first), one?.args.root);
  assert.equal(await committedRoot(last), one?.args.root);
});

test("prints no codes for a voucher that another transaction issued before them", async () => {
  const certificate = await t.certify([1, 2, 3]);
  const early = await t.issue({ recipientDid: t.household(2), emissionCertificateId: certificate, value: 2 });
  bodyOf(early, 201);
  const rest = await issueWithCodes(certificate, { perVoucher: 2, language: "en" });
  // As after a race: the operation has made the codes of a household, and its voucher was issued without them.
  await t.deps.db
    .update(codeTrees)
    .set({ households: await Promise.all([1, 2, 3].map(householdOf)) })
    .where(eq(codeTrees.codeSetId, rest.set.codeSetId));
  const answer = await t.app.request(`/v1/code-sets/${rest.set.codeSetId}/sheets`, {
    headers: { authorization: `Bearer ${testAdminKey}` },
  });
  const pages = codesOnPages(Buffer.from(await answer.arrayBuffer()));
  const printed = [1, 3].map(async (n) => t.deps.codes.codesOf(rest.set, await householdOf(n)));
  assert.deepEqual(pages, await Promise.all(printed));
});

test("settles one of two requests that send the same code at the same time, and another's code for none", async () => {
  const issued = await issueWithCodes(await t.certify([5, 5]), { perVoucher: 2, language: "en" });
  const [mine = "", other = ""] = issued.vouchers;
  const [code = "", unused = ""] = t.deps.codes.codesOf(issued.set, await householdOf(1));
  const tills = await Promise.all([redeem(code, mine, 3), redeem(code, mine, 2)]);
  assert.deepEqual(tills.map(({ status }) => status).sort(), [201, 409]);
  const refused = tills.find(({ status }) => status === 409);
  assert.deepEqual(refused && rulesOf(refused), ["code-unused"]);
  const paid = tills[0]?.status === 201 ? 3 : 2;
  assert.equal(bodyOf(await t.admin("GET", `/vouchers/${mine}`)).remainingBalance, 5 - paid);
  const stolen = await redeem(unused, other, 1);
  assert.deepEqual([stolen.status, rulesOf(stolen)], [400, ["code-known", "household-authorised"]]);
  assert.equal(bodyOf(await t.admin("GET", `/vouchers/${other}`)).remainingBalance, 5);
});
