import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  exampleApproach,
  exampleAuthorization,
  exampleConversion,
  finalisedConversion,
  type ItmoTest,
  openItmoTest,
  requestedConversion,
  requireStatus,
  signConversion,
} from "../../../../test/support/itmo.ts";
import { type Answer, rulesOf } from "../../../../test/support/registry.ts";
import { makeRevocationsFinal, vetoReduction } from "../../../../test/support/veto.ts";
import { codeBytes } from "../../../../wire/src/code-text.ts";
import { decodeItmoBlockId } from "../../../../wire/src/ids.ts";
import { encodeCall, simulate } from "../../../platform/chain/submit.ts";
import { AppError } from "../../../platform/errors.ts";
import { openEventStream } from "../../../platform/events/stream.ts";
import type { ItmoActionDone, ItmoBlock } from "../blocks/schemas.ts";
import type { AuthorizationResponse } from "./schemas.ts";

type Refused = { details: { rule: string; message: string }[] };

describe("reducing and revoking an authorization", () => {
  let test: ItmoTest;
  before(async () => {
    test = await openItmoTest();
    requireStatus(await test.regulator("POST", "/itmo/cooperative-approaches", exampleApproach()), 201);
  });
  after(() => test?.close());

  const authorize = async (authorizationId: string, changes = {}) =>
    requireStatus(
      await test.regulator("POST", "/itmo/authorizations", exampleAuthorization({ authorizationId, ...changes })),
      201,
    );
  const change = (id: string, what: "reductions" | "revocation", body: object, by = test.regulator) =>
    by("POST", `/itmo/authorizations/${id}/${what}`, { reason: "Letter 2", ...body });
  const revoke = async (id: string) =>
    requireStatus(await change(id, "revocation", {}), 201).body as AuthorizationResponse;
  const read = async (id: string) =>
    requireStatus(await test.admin("GET", `/itmo/authorizations/${id}`), 200).body as AuthorizationResponse;
  const block = async (id: string) => requireStatus(await test.admin("GET", `/itmo/${id}`), 200).body as ItmoBlock;
  const act = (blockId: string, what: string, body: object) => test.regulator("POST", `/itmo/${blockId}/${what}`, body);
  const refused = (answer: Answer) => [answer.status, rulesOf(answer)];
  const convert = (authorizationId: string, amount = 1000) =>
    test.implementer("POST", "/itmo/conversions", exampleConversion({ authorizationId, amount }));
  const minted = async (authorizationId: string, amount: number) =>
    (await finalisedConversion(test, exampleConversion({ authorizationId, amount }))).blockId ?? "";

  it("is for the regulator, and for an authorization that is registered", async () => {
    await authorize("ROLES");
    for (const by of [test.implementer, await test.as("evaluator")]) {
      assert.equal((await change("ROLES", "revocation", {}, by)).status, 403);
      assert.equal((await change("ROLES", "reductions", { purpose: "NDC" }, by)).status, 403);
    }
    assert.equal((await change("NONE", "revocation", {})).status, 404);
    assert.equal((await test.regulator("POST", "/itmo/authorizations/ROLES/revocation", {})).status, 400);
  });

  it("is announced, and final at the second midnight; a veto before takes it back", async () => {
    await authorize("VETOED");
    await test.fund(1000);
    const announced = await revoke("VETOED");
    assert.partialDeepStrictEqual(announced, {
      status: "revocation-announced",
      purpose: "NDC and OIMP",
      remaining: 0,
      reduction: { purpose: null, authorizedQuantity: 0 },
    });
    const now = Number(await test.deps.chain.now()) * 1000;
    const wait = Date.parse(announced.reduction?.finalAt ?? "") - now;
    assert.ok(wait > 86_400_000 && wait <= 2 * 86_400_000, `${wait}`);
    assert.deepEqual(refused(await change("VETOED", "revocation", {})), [409, ["reduction-final"]]);
    assert.deepEqual(refused(await convert("VETOED")), [409, ["reduction-final"]]);
    const more = { authorizedQuantity: 200_000, reason: "More" };
    const version = await test.regulator("POST", "/itmo/authorizations/VETOED/versions", more);
    assert.deepEqual(refused(version), [409, ["reduction-final"]]);
    await vetoReduction(test.world, announced.index);
    const after = await read("VETOED");
    assert.partialDeepStrictEqual(after, { status: "authorized", reduction: null, remaining: 100_000 });
    assert.deepEqual(
      after.changes.map(({ kind, purpose, authorizedQuantity, reason }) => [kind, purpose, authorizedQuantity, reason]),
      [
        ["revocation", null, 0, "Letter 2"],
        ["veto", null, null, "Not agreed"],
      ],
    );
    assert.equal((await convert("VETOED")).status, 200);
  });

  it("keeps what was first transferred, and ends everything else", async () => {
    await authorize("ENDED");
    const open = await requestedConversion(test, exampleConversion({ authorizationId: "ENDED", amount: 1000 }));
    const id = await minted("ENDED", 10_000);
    const first = Number((await block(id)).firstId);
    requireStatus(await act(id, "transfers", { acquiringPartyId: "CHE", lastId: first + 3 }), 201);
    const rest = `ZMB01-${first + 4}`;
    await revoke("ENDED");
    const waiting = [409, ["reduction-final"]];
    assert.deepEqual(refused(await act(rest, "transfers", { acquiringPartyId: "CHE" })), waiting);
    assert.equal((await block(rest)).authorizationStatus, "revocation-announced");
    await makeRevocationsFinal(test.world);
    assert.partialDeepStrictEqual(await read("ENDED"), { status: "revoked", firstTransferred: 4, remaining: 0 });
    assert.partialDeepStrictEqual(await block(rest), { authorizationStatus: "revoked", authorizedPurpose: null });
    const kept = { authorizationStatus: "first-transferred", authorizedPurpose: "NDC and OIMP" };
    assert.partialDeepStrictEqual(await block(id), kept);
    const gone = [409, ["authorization-revoked"]];
    for (const [what, body] of [
      ["transfers", { acquiringPartyId: "CHE" }],
      ["uses", { ndcYear: 2028 }],
      ["uses", { purpose: "IMP" }],
      ["cancellations", { kind: "other", reason: "x" }],
      ["cancellations", { kind: "OMGE", reason: "x" }],
    ] as const)
      assert.deepEqual(refused(await act(rest, what, body)), gone, what);
    const both = await act(rest, "transfers", { acquiringPartyId: "USA" });
    assert.deepEqual(refused(both), [400, ["authorization-revoked", "party-participates"]]);
    const serials = { itmoRegistryId: "ZMB02", firstId: 1, lastId: 1 };
    assert.deepEqual(
      refused(await test.regulator("POST", `/itmo/conversions/${open.conversionId}/finalise`, serials)),
      gone,
    );
    requireStatus(await test.regulator("POST", `/itmo/conversions/${open.conversionId}/revert`, { reason: "x" }), 200);
    await test.fund(1000);
    assert.deepEqual(refused(await convert("ENDED")), gone);
    assert.deepEqual(refused(await change("ENDED", "reductions", { purpose: "NDC" })), gone);
    requireStatus(await act(id, "uses", { ndcYear: 2028, lastId: first + 1 }), 201);
    requireStatus(await act(`ZMB01-${first + 2}`, "uses", { purpose: "OP" }), 201);
  });

  it("reduces purposes and tonnes, and names every broken rule", async () => {
    await authorize("NARROWED", { authorizedQuantity: 20 });
    const id = await minted("NARROWED", 10_000);
    const first = Number((await block(id)).firstId);
    requireStatus(await act(id, "transfers", { acquiringPartyId: "CHE", lastId: first + 3 }), 201);
    const reduce = (body: object) => change("NARROWED", "reductions", body);
    assert.deepEqual(refused(await reduce({})), [400, ["reduction-within"]]);
    assert.deepEqual(refused(await reduce({ authorizedQuantity: 20 })), [400, ["reduction-within"]]);
    assert.deepEqual(refused(await reduce({ authorizedQuantity: 3 })), [409, ["quantity-first-transferred"]]);
    requireStatus(await reduce({ purpose: "NDC and IMP", authorizedQuantity: 7 }), 201);
    await makeRevocationsFinal(test.world);
    assert.partialDeepStrictEqual(await read("NARROWED"), {
      status: "reduced",
      purpose: "NDC and OIMP",
      reduction: { purpose: "NDC and IMP", authorizedQuantity: 7 },
      firstTransferred: 4,
      remaining: 0,
    });
    const wider = await reduce({ purpose: "NDC and OIMP", authorizedQuantity: 3 });
    assert.deepEqual(refused(wider), [400, ["quantity-first-transferred", "reduction-within"]]);
    const rest = `ZMB01-${first + 4}`;
    assert.partialDeepStrictEqual(await block(rest), {
      authorizationStatus: "reduced",
      authorizedPurpose: "NDC and IMP",
    });
    assert.deepEqual(refused(await act(rest, "uses", { purpose: "OP", lastId: first + 6 })), [
      400,
      ["purpose-authorized"],
    ]);
    const four = await act(rest, "transfers", { acquiringPartyId: "CHE", lastId: first + 7 });
    assert.deepEqual(refused(four), [409, ["quantity-reduced"]]);
    const three = await act(rest, "uses", { purpose: "IMP", lastId: first + 6 });
    const { block: used } = requireStatus(three, 201).body as ItmoActionDone;
    assert.equal(used.firstTransfer, "Use or cancellation");
    assert.deepEqual(refused(await convert("NARROWED")), [409, ["quantity-reduced"]]);
    const more = { authorizedQuantity: 30, reason: "More" };
    const version = await test.regulator("POST", "/itmo/authorizations/NARROWED/versions", more);
    assert.deepEqual(refused(version), [409, ["quantity-reduced"]]);
  });

  it("gives the contract's verdict", async () => {
    await authorize("PARITY", { authorizedQuantity: 10 });
    const id = await minted("PARITY", 5_000);
    const { index } = await read("PARITY");
    const { chain } = test.deps;
    const decoded = decodeItmoBlockId(id);
    const { firstId, lastId } = await block(id);
    const part = { blockId: decoded.ok ? decoded.id : 0n, firstId: BigInt(firstId), lastId: BigInt(lastId) };
    const verdict = async (contract: "itmo" | "authorizations", functionName: string, args: unknown[]) => {
      const call = { to: chain.addresses[contract], data: encodeCall(contract, functionName, args) };
      const from = chain.senders.registrar.address;
      const refusal = await simulate(chain, { from, ...call }).catch((error: unknown) => error);
      assert.ok(refusal instanceof AppError, functionName);
      return [refusal.status, refusal.details.map(({ rule, message }) => [rule, message])];
    };
    const same = async (answer: Answer, contract: "itmo" | "authorizations", name: string, args: unknown[]) =>
      assert.deepEqual(
        [answer.status, (answer.body as Refused).details.map(({ rule, message }) => [rule, message])],
        await verdict(contract, name, args),
        name,
      );
    const transfer = () => act(id, "transfers", { acquiringPartyId: "CHE" });
    const transferArgs = [part, codeBytes("CHE"), ""];
    await same(
      await change("PARITY", "reductions", { purpose: "NDC", authorizedQuantity: 11 }),
      "authorizations",
      "reduce",
      [index, 1, 11n, ""],
    );
    requireStatus(await change("PARITY", "reductions", { authorizedQuantity: 4 }), 201);
    await same(await transfer(), "itmo", "transfer", transferArgs);
    await same(await change("PARITY", "revocation", {}), "authorizations", "revoke", [index, ""]);
    await makeRevocationsFinal(test.world);
    await same(await transfer(), "itmo", "transfer", transferArgs);
    await revoke("PARITY");
    await makeRevocationsFinal(test.world);
    await same(await transfer(), "itmo", "transfer", transferArgs);
    await same(await change("PARITY", "revocation", {}), "authorizations", "revoke", [index, ""]);
    await same(await change("PARITY", "reductions", { purpose: "NDC" }), "authorizations", "reduce", [
      index,
      1,
      4n,
      "",
    ]);
  });

  it("stops an order that was signed before, and a request that the account would send itself", async () => {
    await authorize("SIGNED");
    await test.fund(1000);
    const signed = await signConversion(test, exampleConversion({ authorizationId: "SIGNED", amount: 1000 }));
    await revoke("SIGNED");
    const send = () => test.implementer("POST", "/itmo/conversions", signed);
    const prepare = () => {
      const { signatures: _, ...terms } = signed;
      return test.implementer("POST", "/transactions/prepare", { action: "itmo-convert", ...terms });
    };
    for (const call of [send, prepare]) assert.deepEqual(refused(await call()), [409, ["reduction-final"]]);
    await makeRevocationsFinal(test.world);
    assert.deepEqual(refused(await prepare()), [409, ["authorization-revoked"]]);
  });

  it("is an event for every key", async () => {
    await authorize("EVENTS");
    const { index } = await read("EVENTS");
    const aborter = new AbortController();
    const actor = {
      keyId: "own",
      role: "supplier",
      supplierDid: "did:ixo:supplier/1",
      scopes: [],
      dids: null,
    } as const;
    const ctx = { actor: { ...actor, scopes: [] } };
    const stream = await openEventStream(test.deps, ctx, { lastEventId: undefined, signal: aborter.signal });
    requireStatus(await change("EVENTS", "reductions", { purpose: "OIMP" }), 201);
    await vetoReduction(test.world, index);
    await revoke("EVENTS");
    const found: unknown[] = [];
    for await (const { message } of stream) {
      const { authorizationId, purpose, authorizedQuantity } = JSON.parse(JSON.stringify(message.data));
      if (authorizationId === "EVENTS" && found.push([message.type, purpose, authorizedQuantity]) === 3) break;
    }
    aborter.abort();
    assert.deepEqual(found, [
      ["itmo.authorization_reduced", "OIMP", 100_000],
      ["itmo.reduction_vetoed", null, null],
      ["itmo.authorization_revoked", null, 0],
    ]);
  });
});
