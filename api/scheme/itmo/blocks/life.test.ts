import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  exampleApproach,
  exampleAuthorization,
  exampleConversion,
  finalisedConversion,
  type ItmoTest,
  openItmoTest,
  requireStatus,
} from "../../../../test/support/itmo.ts";
import { rulesOf } from "../../../../test/support/registry.ts";
import type { Conversion } from "../conversions/schemas.ts";
import type { ItmoActionDone, ItmoBlock, ItmoBlockHistory } from "./schemas.ts";

describe("the life of ITMOs", () => {
  let test: ItmoTest;
  before(async () => {
    test = await openItmoTest();
    requireStatus(await test.regulator("POST", "/itmo/cooperative-approaches", exampleApproach()), 201);
    requireStatus(await test.regulator("POST", "/itmo/authorizations", exampleAuthorization()), 201);
  });
  after(() => test?.close());

  const read = async (blockId: string) =>
    requireStatus(await test.admin("GET", `/itmo/${blockId}`), 200).body as ItmoBlockHistory;
  const act = async (blockId: string, what: string, body: unknown) =>
    requireStatus(await test.regulator("POST", `/itmo/${blockId}/${what}`, body), 201).body as ItmoActionDone;

  it("runs from escrow over mint and transfer to use, with an event for every step", async () => {
    const finalised = await finalisedConversion(test, exampleConversion({ amount: 10_000 }));
    assert.equal(finalised.status, "finalised");
    const { blockId, firstId } = finalised;
    const first = Number(firstId);
    const transferred = await act(blockId ?? "", "transfers", {
      acquiringPartyId: "CHE",
      firstId: first + 2,
      lastId: first + 5,
      note: "MOPA 7",
    });
    assert.deepEqual(
      transferred.actions.map(({ action, subtype }) => [action, subtype]),
      [["First transfer", "First transfer to another Party"]],
    );
    assert.equal(transferred.block.partyId, "CHE");
    assert.equal(transferred.block.quantity, 4);
    assert.deepEqual(
      transferred.rest.map(({ quantity, partyId, firstTransfer }: ItmoBlock) => [quantity, partyId, firstTransfer]),
      [
        [2, "ZMB", null],
        [4, "ZMB", null],
      ],
    );
    const used = await act(transferred.block.blockId, "uses", { ndcYear: 2028, lastId: first + 3 });
    assert.equal(used.block.status, "used-for-ndc");
    assert.equal(used.rest[0]?.firstTransfer, "First transfer to another Party");
    const history = await read(used.rest[0]?.blockId ?? "");
    assert.deepEqual(
      history.actions.map(({ action }) => action),
      ["First transfer"],
    );
    assert.equal(history.splitFrom, transferred.block.blockId);
    assert.deepEqual(await read(history.uniqueId), history);
    assert.deepEqual(await read(`ZMB01-${first + 5}`), history);
  });

  it("gives 930, 20 and 50 of 1000 where the authorization opts for OMGE and share of proceeds", async () => {
    const terms = { authorizationId: "SHARES", omgePercent: 2, sopPercent: 5 };
    requireStatus(await test.regulator("POST", "/itmo/authorizations", exampleAuthorization(terms)), 201);
    const body = exampleConversion({ amount: 1_000_000, authorizationId: "SHARES" });
    const { conversionId } = (await finalisedConversion(test, body)) as Conversion;
    const list = requireStatus(await test.admin("GET", `/itmo?conversionId=${conversionId}`), 200);
    const { items } = list.body as { items: ItmoBlock[] };
    assert.deepEqual(
      items.map(({ quantity, status, partyId, firstTransfer }) => [quantity, status, partyId, firstTransfer]),
      [
        [930, "held", "ZMB", null],
        [20, "omge", "ZMB", "Use or cancellation"],
        [50, "share-of-proceeds", null, "Voluntary transfer to the Adaptation Fund"],
      ],
    );
  });

  it("refuses what the cooperative approach or the authorization does not allow, and names all of it", async () => {
    const body = exampleConversion({ amount: 10_000 });
    const { blockId, firstId } = await finalisedConversion(test, body);
    const first = Number(firstId);
    const outside = { firstId: first, lastId: first + 10 };
    const attempt = async (what: string, input: object) => {
      const answer = await test.regulator("POST", `/itmo/${blockId}/${what}`, input);
      return [answer.status, rulesOf(answer)];
    };
    assert.deepEqual(await attempt("transfers", { acquiringPartyId: "USA", ...outside }), [
      400,
      ["part-within-block", "party-participates"],
    ]);
    assert.deepEqual(await attempt("transfers", { acquiringPartyId: "ZMB" }), [409, ["party-differs"]]);
    assert.deepEqual(await attempt("uses", { ndcYear: 2028 }), [409, ["first-transferred"]]);
    assert.deepEqual(await attempt("uses", { ndcYear: 2031, ...outside }), [400, ["ndc-year", "part-within-block"]]);
    assert.deepEqual(await attempt("uses", { purpose: "IMP", entityId: "NOBODY", ...outside }), [
      400,
      ["entity-authorized", "part-within-block"],
    ]);
    assert.deepEqual(await attempt("cancellations", { kind: "other", reason: "Error", entityId: "NOBODY" }), [
      400,
      ["entity-authorized"],
    ]);
    assert.equal((await attempt("uses", { ndcYear: 2028, purpose: "IMP" }))[0], 400);
    assert.equal((await attempt("cancellations", { kind: "voluntary" }))[0], 400);
    const reverse = { acquiringPartyId: "CHE", firstId: first + 3, lastId: first + 1 };
    assert.deepEqual(await attempt("transfers", reverse), [400, ["part-within-block"]]);
    await act(blockId ?? "", "cancellations", { kind: "voluntary", reason: "Donated" });
    for (const [what, input] of [
      ["transfers", { acquiringPartyId: "CHE" }],
      ["uses", { ndcYear: 2028 }],
      ["cancellations", { kind: "OMGE", reason: "More" }],
    ] as const)
      assert.deepEqual(await attempt(what, input), [409, ["block-held"]], what);
  });

  it("allows no use that the authorization is not for", async () => {
    const terms = [
      { authorizationId: "NDC", purpose: "NDC", firstTransferDefinition: undefined },
      { authorizationId: "IMP", purpose: "IMP", firstTransferDefinition: "Issuance" },
    ];
    for (const each of terms)
      requireStatus(await test.regulator("POST", "/itmo/authorizations", exampleAuthorization(each)), 201);
    const ndc = await finalisedConversion(test, exampleConversion({ authorizationId: "NDC" }));
    const imp = await finalisedConversion(test, exampleConversion({ authorizationId: "IMP" }));
    for (const [{ blockId }, input] of [
      [ndc, { purpose: "OIMP" }],
      [imp, { purpose: "OP" }],
      [imp, { purpose: "OIMP" }],
      [imp, { ndcYear: 2028 }],
    ] as const) {
      const answer = await test.regulator("POST", `/itmo/${blockId}/uses`, input);
      assert.deepEqual([answer.status, rulesOf(answer)], [400, ["purpose-authorized"]], JSON.stringify(input));
    }
    assert.equal((await read(imp.blockId ?? "")).firstTransfer, "Issuance");
    const used = await act(imp.blockId ?? "", "uses", { purpose: "IMP", entityId: "CHE-114.049.112" });
    assert.deepEqual(
      used.actions.map(({ action, purpose, usingEntityId }) => [action, purpose, usingEntityId]),
      [["Use", "IMP", "CHE-114.049.112"]],
    );
  });

  it("marks the first transfer at use or cancellation where the authorization defines it so", async () => {
    const { blockId } = await finalisedConversion(test, exampleConversion({ amount: 3000 }));
    const { firstId } = await read(blockId ?? "");
    const one = { firstId: Number(firstId) + 1, lastId: Number(firstId) + 1 };
    const cancelled = await act(blockId ?? "", "cancellations", { kind: "OMGE", reason: "For the climate", ...one });
    assert.deepEqual(
      cancelled.actions.map(({ action, subtype }) => [action, subtype]),
      [
        ["First transfer", "Use or cancellation"],
        ["Cancellation", "Voluntary cancellation to deliver OMGE"],
      ],
    );
    assert.deepEqual(
      cancelled.rest.map(({ firstTransfer, quantity }) => [firstTransfer, quantity]),
      [
        [null, 1],
        [null, 1],
      ],
    );
  });

  it("transfers a part once, however many requests arrive together", async () => {
    const { blockId } = await finalisedConversion(test);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        test.regulator("POST", `/itmo/${blockId}/transfers`, { acquiringPartyId: "SWE" }),
      ),
    );
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [201, ...Array<number>(19).fill(409)]);
    const path = `/itmo/${blockId}/uses`;
    const headers = { "idempotency-key": "use-1" };
    const [once, again] = [
      await test.regulator("POST", path, { ndcYear: 2029 }, headers),
      await test.regulator("POST", path, { ndcYear: 2029 }, headers),
    ];
    assert.deepEqual([once.status, again.status], [201, 201]);
    assert.deepEqual(again.body, once.body);
  });

  it("knows a block by its present serials only, and lets nobody but the regulator act", async () => {
    const { blockId, uniqueId } = await finalisedConversion(test, exampleConversion({ amount: 2000 }));
    const denied = await test.implementer("POST", `/itmo/${blockId}/transfers`, { acquiringPartyId: "CHE" });
    assert.equal(denied.status, 403);
    const before = await read(uniqueId ?? "");
    await act(blockId ?? "", "transfers", { acquiringPartyId: "CHE", lastId: Number(before.firstId) });
    assert.equal((await test.admin("GET", `/itmo/${uniqueId}`)).status, 404);
    for (const unknown of ["ITMO-00000000000000000000", "ZMB01-99999999", "CA0001-ZMB09-ZMB-1-1-2025", "nothing"])
      assert.equal((await test.admin("GET", `/itmo/${unknown}`)).status, 404, unknown);
  });

  it("lists every block once, page by page, and by status and holder", async () => {
    const found: ItmoBlock[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const path: string = `/itmo?limit=4${cursor === "" ? "" : `&cursor=${cursor}`}`;
      const page = requireStatus(await test.admin("GET", path), 200).body as {
        items: ItmoBlock[];
        nextCursor: string | null;
      };
      assert.ok(page.items.length <= 4);
      found.push(...page.items);
      cursor = page.nextCursor;
    }
    assert.equal(new Set(found.map(({ blockId }) => blockId)).size, found.length);
    const list = async (query: string) =>
      ((await test.admin("GET", `/itmo?limit=500&${query}`)).body as { items: ItmoBlock[] }).items;
    assert.deepEqual(await list(""), found);
    for (const query of ["status=held&partyId=ZMB", "status=omge", "authorizationId=IMP"]) {
      const [[name = "", value] = []] = [...new URLSearchParams(query)].slice(0, 1);
      const some = await list(query);
      assert.ok(
        some.length > 0 && some.every((each) => Object.entries(each).some(([k, v]) => k === name && v === value)),
      );
    }
    const issued = found.reduce((sum, { quantity }) => sum + quantity, 0);
    const { items } = (await test.admin("GET", "/itmo/authorizations")).body as { items: { issued: number }[] };
    assert.equal(
      items.reduce((sum, each) => sum + each.issued, 0),
      issued,
    );
  });
});
