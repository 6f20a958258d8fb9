import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { sql } from "drizzle-orm";
import {
  exampleApproach,
  exampleAuthorization,
  exampleConversion,
  finalisedConversion,
  type ItmoTest,
  implementerDid,
  openItmoTest,
  requestedConversion,
  requireStatus,
} from "../../../../test/support/itmo.ts";
import { type Answer, rulesOf } from "../../../../test/support/registry.ts";
import { createCouncil } from "../../../../test/support/scheme.ts";
import { makeRevocationsFinal, vetoRevocation } from "../../../../test/support/veto.ts";
import type { ItmoBlock } from "../blocks/schemas.ts";
import type { Conversion } from "../conversions/schemas.ts";
import { settleBuffered } from "./settler.ts";

describe("the invalidation buffer", () => {
  let test: ItmoTest;
  before(async () => {
    test = await openItmoTest();
    requireStatus(await test.regulator("POST", "/itmo/cooperative-approaches", exampleApproach()), 201);
    const authorization = exampleAuthorization({ omgePercent: 2, sopPercent: 5 });
    requireStatus(await test.regulator("POST", "/itmo/authorizations", authorization), 201);
  });
  after(() => test?.close());

  const setTerms = (share: number, days: number) =>
    createCouncil(test.world)("invalidationBuffer", "setTerms", [share, days]);
  const passDays = async (days: number) => {
    await test.world.anvil.rpc("evm_increaseTime", [days * 86_400]);
    await test.world.anvil.rpc("evm_mine", []);
  };
  const read = async (id: string) =>
    requireStatus(await test.admin("GET", `/itmo/conversions/${id}`), 200).body as Conversion;
  const release = (id: string, by = test.implementer) => by("POST", `/itmo/conversions/${id}/buffer/release`);
  const cancel = (id: string, by = test.regulator) => by("POST", `/itmo/conversions/${id}/buffer/cancellation`);
  const refused = (answer: Answer) => [answer.status, rulesOf(answer)];
  const blocksOf = async (id: string) => {
    const { items } = requireStatus(await test.admin("GET", `/itmo?conversionId=${id}`), 200).body as {
      items: ItmoBlock[];
    };
    return items.map(({ quantity, status }) => [quantity, status]);
  };
  const convert = (vintage: number, tonnes: number) =>
    finalisedConversion(test, exampleConversion({ vintage, amount: tonnes * 1000 }));
  const setStatus = async (vintage: number, status: string) =>
    requireStatus(await test.regulator("PATCH", `/certificates/LOT-${vintage}`, { status, reason: "Wrong" }), 200);

  it("holds nothing until the council sets terms", async () => {
    const { body } = requireStatus(await test.implementer("GET", "/itmo/buffer/terms"), 200);
    assert.deepEqual(body, {
      sharePercent: 0,
      holdDays: 0,
      largestSharePercent: 20,
      longestHoldDays: 2920,
      longestSuspensionDays: 365,
    });
    const { conversionId, buffer } = await convert(2021, 100);
    assert.equal(buffer, null);
    assert.deepEqual(await blocksOf(conversionId), [
      [93, "held"],
      [2, "omge"],
      [5, "share-of-proceeds"],
    ]);
    assert.deepEqual(refused(await release(conversionId)), [409, ["units-buffered"]]);
    assert.deepEqual(refused(await cancel(conversionId)), [409, ["units-buffered"]]);
    assert.deepEqual(requireStatus(await test.admin("GET", "/itmo/buffer"), 200).body, { items: [], nextCursor: null });
  });

  it("holds a share of later conversions, and releases it after the holding time", async () => {
    const earlier = await requestedConversion(test, exampleConversion({ vintage: 2021, amount: 10_000 }));
    await setTerms(1_000, 30);
    const { conversionId } = await convert(2021, 100);
    const first = test.takeSerials(10);
    const path = `/itmo/conversions/${earlier.conversionId}/finalise`;
    const serials = { itmoRegistryId: "ZMB01", firstId: first, lastId: first + 9 };
    requireStatus(await test.regulator("POST", path, serials), 200);
    assert.equal((await read(earlier.conversionId)).buffer, null);
    assert.deepEqual(await blocksOf(conversionId), [
      [83, "held"],
      [10, "buffered"],
      [2, "omge"],
      [5, "share-of-proceeds"],
    ]);
    const { buffer, firstId } = await read(conversionId);
    const held = { status: "held", quantity: 10, held: 10, cancelled: 0, released: 0, dueToCancel: 0 };
    assert.partialDeepStrictEqual(buffer, { ...held, waitingFor: [], changes: [] });
    const from = Number(firstId) + 83;
    assert.deepEqual([buffer?.firstId, buffer?.lastId], [`${from}`, `${from + 9}`]);
    for (const [what, body] of [
      ["transfers", { acquiringPartyId: "CHE" }],
      ["uses", { ndcYear: 2028 }],
      ["cancellations", { kind: "other", reason: "x" }],
    ] as const)
      assert.deepEqual(refused(await test.regulator("POST", `/itmo/ZMB01-${from}/${what}`, body)), [
        409,
        ["block-held"],
      ]);
    assert.deepEqual(refused(await release(conversionId)), [409, ["holding-time-over"]]);
    await passDays(30);
    assert.equal((await read(conversionId)).buffer?.status, "releasable");
    const answer = requireStatus(await release(conversionId), 200).body as Conversion;
    assert.partialDeepStrictEqual(answer.buffer, { status: "ended", held: 0, released: 10 });
    assert.deepEqual(
      answer.buffer?.changes.map(({ kind, quantity, certificateId }) => [kind, quantity, certificateId]),
      [["release", 10, null]],
    );
    assert.deepEqual((await blocksOf(conversionId))[1], [10, "held"]);
    assert.deepEqual(refused(await release(conversionId)), [409, ["units-buffered"]]);
    const transfer = { acquiringPartyId: "CHE" };
    requireStatus(await test.regulator("POST", `/itmo/ZMB01-${from}/transfers`, transfer), 201);
  });

  it("is settled by the regulator and the conversion's implementer only", async () => {
    const { conversionId } = await convert(2021, 10);
    const account = { did: "did:ixo:implementer/2", account: `0x${"2".repeat(40)}`, name: "Other" };
    requireStatus(await test.admin("POST", "/implementers", account), 201);
    const other = await test.as("implementer", { implementerDid: "did:ixo:implementer/2" });
    for (const by of [other, await test.as("evaluator")]) {
      assert.equal((await release(conversionId, by)).status, 403);
      assert.equal((await cancel(conversionId, by)).status, 403);
    }
    assert.equal((await release("CONV-00009999")).status, 404);
    assert.deepEqual(refused(await release(conversionId, test.regulator)), [409, ["holding-time-over"]]);
  });

  it("cancels the units of a revoked certificate once the revocation is final, and respects a veto", async () => {
    await setTerms(2_000, 30);
    const { conversionId } = await convert(2022, 50);
    await setStatus(2022, "revoked");
    const pending = await read(conversionId);
    assert.deepEqual([pending.buffer?.dueToCancel, pending.buffer?.waitingFor], [0, ["LOT-2022"]]);
    assert.deepEqual(refused(await cancel(conversionId)), [409, ["revocation-final"]]);
    const certificate = await test.lots.register(2022);
    await vetoRevocation(test.world, certificate);
    await passDays(31);
    const suspended = await read(conversionId);
    assert.deepEqual([suspended.buffer?.status, suspended.buffer?.waitingFor], ["waiting", ["LOT-2022"]]);
    assert.deepEqual(refused(await release(conversionId)), [409, ["lots-valid"]]);
    await setStatus(2022, "revoked");
    await makeRevocationsFinal(test.world);
    assert.equal((await read(conversionId)).buffer?.dueToCancel, 10);
    const answer = requireStatus(await cancel(conversionId), 200).body as Conversion;
    assert.partialDeepStrictEqual(answer.buffer, { status: "ended", held: 0, cancelled: 10, released: 0 });
    assert.deepEqual(
      answer.buffer?.changes.map(({ kind, quantity, certificateId }) => [kind, quantity, certificateId]),
      [["cancellation", 10, "LOT-2022"]],
    );
    assert.deepEqual((await blocksOf(conversionId))[1], [10, "cancelled"]);
    assert.deepEqual(refused(await cancel(conversionId)), [409, ["units-buffered"]]);
  });

  it("is settled by the account of the implementer too, with a transaction that it signs", async () => {
    await setTerms(1_000, 30);
    const { conversionId } = await convert(2021, 20);
    const prepare = (action: string, by = test.implementer) =>
      by("POST", "/transactions/prepare", { action, conversionId, from: test.account.address });
    assert.deepEqual(refused(await prepare("itmo-release-buffered")), [409, ["holding-time-over"]]);
    assert.deepEqual(refused(await prepare("itmo-cancel-buffered")), [409, ["revocation-final"]]);
    assert.equal((await prepare("itmo-release-buffered", await test.as("evaluator"))).status, 403);
    await passDays(30);
    const prepared = requireStatus(await prepare("itmo-release-buffered"), 200).body as Parameters<
      ItmoTest["sendOwn"]
    >[0][number];
    await test.sendOwn([prepared]);
    assert.partialDeepStrictEqual((await read(conversionId)).buffer, { status: "ended", held: 0, released: 2 });
  });

  it("is settled by the service when nobody asks, once for all processes", async () => {
    await setTerms(1_000, 30);
    const early = await convert(2021, 20);
    await passDays(15);
    const { conversionId: late } = await convert(2021, 20);
    await passDays(15);
    const round = () => settleBuffered(test.deps, { ended: new Set() });
    await Promise.all([round(), round()]);
    assert.partialDeepStrictEqual((await read(early.conversionId)).buffer, { status: "ended", released: 2 });
    assert.partialDeepStrictEqual((await read(late)).buffer, { status: "held", held: 2 });
    const { conversionId: revoked } = await convert(2023, 10);
    await setStatus(2023, "revoked");
    await round();
    assert.partialDeepStrictEqual((await read(revoked)).buffer, { held: 1, cancelled: 0 });
    await makeRevocationsFinal(test.world);
    await Promise.all([round(), round()]);
    const { buffer } = await read(revoked);
    assert.partialDeepStrictEqual(buffer, { status: "ended", cancelled: 1, released: 0 });
    assert.equal(buffer?.changes.length, 1);
    const { rows } = await test.deps.db.execute<{ purpose: string; status: string }>(
      sql`select purpose, status from chain_transactions where purpose in ('itmo.release', 'itmo.cancel-buffered')
        and status <> 'mined'`,
    );
    assert.deepEqual(rows, [], "no transaction of two processes was refused");
  });

  it("lists what is held, by implementer", async () => {
    const list = async (query: string) =>
      requireStatus(await test.admin("GET", `/itmo/buffer?${query}`), 200).body as {
        items: { conversionId: string; implementerDid: string; quantity: number }[];
        nextCursor: string | null;
      };
    const all = await list("");
    assert.deepEqual(
      all.items.map(({ implementerDid: did, quantity }) => [did, quantity]),
      [
        [implementerDid, 10],
        [implementerDid, 1],
        [implementerDid, 10],
        [implementerDid, 2],
        [implementerDid, 2],
        [implementerDid, 2],
        [implementerDid, 1],
      ],
    );
    const page = await list(`limit=2&implementerDid=${encodeURIComponent(implementerDid)}`);
    assert.equal(page.items.length, 2);
    const rest = await list(`cursor=${page.nextCursor}`);
    assert.deepEqual([...page.items, ...rest.items], all.items);
    assert.deepEqual((await list("implementerDid=did:example:none")).items, []);
  });
});
