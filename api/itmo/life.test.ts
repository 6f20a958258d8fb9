import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ItmoActionDone, ItmoBlock, ItmoBlockHistory } from "./block-schemas.ts";
import type { Conversion } from "./conversion-schemas.ts";
import {
  exampleApproach,
  exampleAuthorization,
  exampleConversion,
  finalisedConversion,
  type ItmoTest,
  openItmoTest,
  requireStatus,
} from "./testing.ts";

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

  it("runs from escrow over mint and transfer to use, and every step is told", async () => {
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
});
