import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { encodeFunctionData, type Hex } from "viem";
import { testAdminKey } from "../../../../test/support/core.ts";
import { exampleApproach, exampleAuthorization, requireStatus } from "../../../../test/support/itmo.ts";
import { ReleasedLots } from "../../../../test/support/lots.ts";
import { type Answer, type Caller, rulesOf } from "../../../../test/support/registry.ts";
import { openTestScheme, type TestScheme } from "../../../../test/support/scheme.ts";
import { decodeRedemptionId, encodeClaimId } from "../../../../wire/src/ids.ts";
import { abis } from "../../../platform/chain/contracts.ts";
import { submitCall } from "../../../platform/chain/submit.ts";
import { openEventStream } from "../../../platform/events/stream.ts";
import type { EventMessage } from "../../../platform/events/visibility.ts";
import type { Actor } from "../../../platform/http/request-context.ts";
import type { Conversion } from "../conversions/schemas.ts";
import type { Settlement, SettlementPage } from "./schemas.ts";

const documentCid = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy";
const mopa = (changes = {}) => ({
  type: "MOPA",
  reference: "MOPA-7/1",
  amount: 1234.56,
  currency: "CHF",
  documentCid,
  ...changes,
});

describe("settlements, and the events of ITMOs", () => {
  let scheme: TestScheme;
  let callWith: (key: string) => Caller;
  let admin: Caller;
  let implementer: Caller;
  let supplier: Caller;
  let conversionId: string;
  let blockId: string;
  let told: EventMessage[];
  let stopListening: () => Promise<void>;

  const refused = (answer: Answer) => [answer.status, rulesOf(answer)];

  before(async () => {
    scheme = await openTestScheme();
    callWith = callerOf(scheme);
    admin = callWith(testAdminKey);
    const keyOf = async (role: string, more: object) => {
      const made = requireStatus(await admin("POST", "/keys", { role, name: role, ...more }), 201);
      return callWith((made.body as { key: string }).key);
    };
    implementer = await keyOf("implementer", { implementerDid: scheme.implementerDid });
    // A supplier's own key needs a proof of possession with each request; an integrator's key does not.
    supplier = await keyOf("integrator", { scopes: ["itmo:settle"], dids: [scheme.supplierDid] });
    const actor: Actor = {
      keyId: "i",
      role: "implementer",
      implementerDid: scheme.implementerDid,
      scopes: [],
      dids: null,
    };
    ({ told, stopListening } = await listen(scheme, actor));
    requireStatus(await admin("POST", "/itmo/cooperative-approaches", exampleApproach()), 201);
    requireStatus(await admin("POST", "/itmo/authorizations", exampleAuthorization()), 201);
    conversionId = await convert(scheme, admin, 3);
    const serials = { itmoRegistryId: "ZMB01", firstId: 1, lastId: 3 };
    const finalised = requireStatus(await admin("POST", `/itmo/conversions/${conversionId}/finalise`, serials), 200);
    blockId = (finalised.body as Conversion).blockId ?? "";
  });
  after(async () => {
    await stopListening?.();
    await scheme?.close();
  });

  it("are recorded for a conversion and a block, once for each reference, and come to exact sums", async () => {
    const record = (id: string, body: unknown) =>
      implementer("POST", `/itmo/${encodeURIComponent(id)}/settlements`, body);
    const first = requireStatus(await record(conversionId, mopa()), 201).body as Settlement;
    assert.partialDeepStrictEqual(first, { ...mopa(), subjectId: conversionId, partyDid: scheme.implementerDid });
    const hashed = {
      amount: "1234.56",
      conversion: 1,
      currency: "CHF",
      documentCid,
      firstId: null,
      lastId: null,
      reference: "MOPA-7/1",
      subjectId: conversionId,
      type: "MOPA",
    };
    assert.equal(first.recordHash, createHash("sha256").update(JSON.stringify(hashed)).digest("hex"));
    const copies = await Promise.all(Array.from({ length: 20 }, () => record(conversionId, mopa())));
    assert.deepEqual(
      new Set(copies.map(({ body }) => (body as Settlement).settlementId)),
      new Set([first.settlementId]),
    );
    assert.deepEqual(refused(await record(conversionId, mopa({ amount: 1234.57 }))), [409, ["reference-unused"]]);
    assert.deepEqual(refused(await record(blockId, mopa())), [409, ["reference-unused"]]);
    const { uniqueId } = (await admin("GET", `/itmo/${blockId}`)).body as { uniqueId: string };
    requireStatus(await record(uniqueId, mopa({ type: "exchange", reference: "EX-1", amount: 0.1 })), 201);
    requireStatus(await record(blockId, mopa({ type: "exchange", reference: "EX-2", amount: 0.2 })), 201);
    requireStatus(await record(blockId, mopa({ reference: "MOPA-8", amount: 9_999, currency: "JPY" })), 201);
    for (const id of [conversionId, blockId, "ZMB01-2"]) {
      const { items, totals } = (await implementer("GET", `/itmo/${id}/settlements`)).body as SettlementPage;
      assert.equal(items.length, 4, id);
      assert.deepEqual(totals, [
        { currency: "CHF", MOPA: 1234.56, exchange: 0.3, open: 1234.26, supplierExchange: 0 },
        { currency: "JPY", MOPA: 9999, exchange: 0, open: 9999, supplierExchange: 0 },
      ]);
    }
  });

  it("are refused with everything that is wrong with them", async () => {
    const path = `/itmo/${conversionId}/settlements`;
    assert.deepEqual(refused(await admin("POST", path, mopa({ reference: "X", currency: "JPY", amount: 1.5 }))), [
      400,
      ["currency-decimals"],
    ]);
    const wrong = mopa({ currency: "ZZZ", documentCid: "nothing", amount: -1, type: "gift", more: 1 });
    const { status, body } = await admin("POST", path, wrong);
    const paths = (body as { details: { path: string }[] }).details.map((each) => each.path).sort();
    assert.deepEqual([status, paths], [400, ["amount", "currency", "documentCid", "more", "type"]]);
    assert.equal((await admin("POST", "/itmo/CONV-99999999/settlements", mopa())).status, 404);
    const reverted = await convert(scheme, admin, 1);
    requireStatus(await admin("POST", `/itmo/conversions/${reverted}/revert`, { reason: "Wrong" }), 200);
    assert.deepEqual(refused(await admin("POST", `/itmo/${reverted}/settlements`, mopa({ reference: "Y" }))), [
      409,
      ["settleable"],
    ]);
  });

  it("are recorded and read by those whose money it is, the regulator and admin", async () => {
    const stranger = async (role: string, more: object = {}) => {
      const { body } = await admin("POST", "/keys", { role, name: role, ...more });
      return callWith((body as { key: string }).key);
    };
    const regulator = await stranger("regulator");
    requireStatus(await regulator("POST", `/itmo/${blockId}/settlements`, mopa({ reference: "REG-1" })), 201);
    for (const call of [
      supplier,
      await stranger("evaluator"),
      await stranger("integrator", { scopes: ["itmo:convert"] }),
    ]) {
      assert.equal((await call("GET", `/itmo/${conversionId}/settlements`)).status, 403);
      assert.equal((await call("POST", `/itmo/${blockId}/settlements`, mopa({ reference: "Z" }))).status, 403);
    }
    const all = (await regulator("GET", "/itmo/settlements?type=MOPA")).body as SettlementPage;
    const own = (await implementer("GET", "/itmo/settlements?type=MOPA")).body as SettlementPage;
    assert.deepEqual(own, all);
    const none = (await implementer("GET", "/itmo/settlements?partyDid=did:ixo:implementer%2F2"))
      .body as SettlementPage;
    assert.deepEqual([none.items, none.totals], [[], []]);
    const page = (await regulator("GET", "/itmo/settlements?limit=2")).body as SettlementPage;
    const next = (await regulator("GET", `/itmo/settlements?limit=2&cursor=${page.nextCursor}`)).body as SettlementPage;
    assert.equal(new Set([...page.items, ...next.items].map(({ settlementId }) => settlementId)).size, 4);
  });

  it("tell what a supplier exchanged of what a claim paid, and of nothing that was not paid", async () => {
    const redemptionId = await scheme.redeem();
    const decoded = decodeRedemptionId(redemptionId);
    assert.ok(decoded.ok);
    const path = `/itmo/${encodeURIComponent(encodeClaimId(decoded.id))}/settlements`;
    const exchange = mopa({ type: "exchange", reference: "MM-1", amount: 27.5, currency: "ZMW" });
    assert.deepEqual(refused(await supplier("POST", path, exchange)), [409, ["settleable"]]);
    await submitCall(
      scheme.deps,
      {},
      {
        sender: "operator",
        contract: "claims",
        functionName: "claimMany",
        args: [[{ redemption: decoded.id, credentialHash: `0x${"5".repeat(64)}` }]],
        purpose: "test",
      },
    );
    assert.deepEqual(refused(await supplier("POST", path, mopa({ reference: "MM-2" }))), [400, ["settlement-type"]]);
    requireStatus(await supplier("POST", path, exchange), 201);
    const { items, totals } = (await supplier("GET", "/itmo/settlements")).body as SettlementPage;
    assert.deepEqual(
      items.map(({ reference, partyDid }) => [reference, partyDid]),
      [["MM-1", scheme.supplierDid]],
    );
    assert.deepEqual(totals, [{ currency: "ZMW", MOPA: 0, exchange: 0, open: 0, supplierExchange: 27.5 }]);
    assert.equal((await implementer("GET", path)).status, 403);
  });

  it("come after events that tell the implementer of every step", async () => {
    const transfer = { acquiringPartyId: "CHE", lastId: 1 };
    requireStatus(await admin("POST", `/itmo/${blockId}/transfers`, transfer), 201);
    while (!told.some(({ type }) => type === "itmo.action")) await new Promise((resolve) => setTimeout(resolve, 20));
    const own = told.filter(({ type }) => type.startsWith("itmo."));
    assert.deepEqual(
      own.map(({ type }) => type),
      ["itmo.requested", "itmo.finalised", "itmo.requested", "itmo.reverted", "itmo.action"],
    );
    assert.partialDeepStrictEqual(own[1]?.data, {
      conversionId,
      blockId,
      uniqueId: "CA0001-ZMB01-ZMB-1-3-2025",
      authorizationId: "ZMB-2025-001",
      implementerDid: scheme.implementerDid,
    });
    assert.partialDeepStrictEqual(own[4]?.data, {
      blockId,
      uniqueId: "CA0001-ZMB01-ZMB-1-1-2025",
      action: "First transfer",
      acquiringPartyId: "CHE",
    });
  });
});

/** Call the API with a key. */
function callerOf({ app }: TestScheme): (key: string) => Caller {
  return (key) =>
    async (method, path, body, headers = {}) => {
      const payload = body === undefined ? {} : { body: JSON.stringify(body) };
      const answer = await app.request(`/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, ...headers },
        ...payload,
      });
      return { status: answer.status, headers: answer.headers, body: (await answer.json()) as unknown };
    };
}

/** Request a conversion of a number of tonnes from the implementer's own account, which is impersonated. */
async function convert({ world, deps, implementerDid }: TestScheme, admin: Caller, tonnes: number): Promise<string> {
  const { carbon, vouchers, itmo } = world.contracts.addresses;
  const row = await deps.registry.implementers.byDid(implementerDid);
  const account = await deps.registry.implementers.accountOf(row?.implementer ?? 0);
  const amount = BigInt(tonnes) * 1_000_000_000n;
  const sendAs = async (from: Hex, to: Hex, data: Hex) => {
    await world.anvil.rpc("anvil_setBalance", [from, "0x56bc75e2d63100000"]);
    await world.anvil.rpc("anvil_impersonateAccount", [from]);
    const hash = (await world.anvil.rpc("eth_sendTransaction", [{ from, to, data }])) as Hex;
    const receipt = await deps.chain.client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
    if (receipt.status !== "success") throw new Error("The transaction was refused.");
  };
  const send = (from: Hex, to: Hex, contract: "carbon" | "itmo", functionName: string, args: unknown[]) =>
    sendAs(from, to, encodeFunctionData({ abi: abis[contract], functionName, args } as never));
  const read = (name: "certificateIndex", args: readonly [Hex]) => deps.chain.read("certificates", name, args);
  const lots = new ReleasedLots({ contracts: world.contracts, sendAs, read });
  await lots.release(amount);
  await send(vouchers, carbon, "carbon", "mint", [amount]);
  await send(vouchers, carbon, "carbon", "transfer", [account, amount]);
  await send(account, carbon, "carbon", "approve", [itmo, amount]);
  const order = { implementer: row?.implementer, amount, authorization: 1, vintage: 2025 };
  await send(account, itmo, "itmo", "requestConversion", [order]);
  const { items } = (await admin("GET", "/itmo/conversions?limit=500")).body as { items: Conversion[] };
  return items.at(-1)?.conversionId ?? "";
}

/** Collect every event that an actor receives from now. */
async function listen({ deps }: TestScheme, actor: Actor) {
  const aborter = new AbortController();
  const told: EventMessage[] = [];
  const events = await openEventStream(deps, { actor }, { signal: aborter.signal });
  const reading = (async () => {
    for await (const { message } of events) told.push(message);
  })();
  const stopListening = () => {
    aborter.abort();
    return reading;
  };
  return { told, stopListening };
}
