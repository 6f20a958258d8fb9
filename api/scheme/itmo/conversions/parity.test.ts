import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Hex } from "viem";
import {
  exampleApproach,
  exampleAuthorization,
  exampleConversion,
  finalisedConversion,
  type ItmoTest,
  openItmoTest,
  requestedConversion,
  requireStatus,
} from "../../../../test/support/itmo.ts";
import { type Answer, rulesOf } from "../../../../test/support/registry.ts";
import { codeBytes } from "../../../../wire/src/code-text.ts";
import { decodeConversionId, decodeItmoBlockId } from "../../../../wire/src/ids.ts";
import { encodeCall, simulate } from "../../../platform/chain/submit.ts";
import { AppError } from "../../../platform/errors.ts";

type Case = { api: Promise<Answer>; functionName: string; args: unknown[]; from?: Hex };
const DAY = 86_400;

/** Compare the API's check in advance with the contract: the same status, and the contract's rule among those named. */
describe("the rules of ITMOs, by API and contract", () => {
  let test: ItmoTest;
  before(async () => {
    test = await openItmoTest();
    requireStatus(await test.regulator("POST", "/itmo/cooperative-approaches", exampleApproach()), 201);
    const narrow = exampleAuthorization({ authorizationId: "NARROW", authorizedQuantity: 5, timeframe: "2024 - 2024" });
    const ndc = exampleAuthorization({ authorizationId: "NDC", purpose: "NDC" });
    const other = { did: "did:ixo:implementer/2", account: `0x${"2b".repeat(20)}`, name: "Other" };
    requireStatus(await test.admin("POST", "/implementers", other), 201);
    const entity = { name: "Entity", countryOfIncorporation: "CHE", id: "CHE-2", implementerDid: other.did };
    const reserved = { ...exampleAuthorization({ authorizationId: "RESERVED" }), authorizedEntities: [entity] };
    for (const body of [exampleAuthorization(), narrow, ndc, reserved])
      requireStatus(await test.regulator("POST", "/itmo/authorizations", body), 201);
  });
  after(() => test?.close());

  const compare = async (cases: Record<string, Case>) => {
    const { chain } = test.deps;
    for (const [rule, { api, functionName, args, from = chain.senders.registrar.address }] of Object.entries(cases)) {
      const data = encodeCall("itmo", functionName, args);
      const refusal = await simulate(chain, { from, to: chain.addresses.itmo, data }).catch((error: unknown) => error);
      assert.ok(refusal instanceof AppError, `${rule}: the contract takes it`);
      const answer = await api;
      const [named] = refusal.details;
      assert.deepEqual([named?.rule, refusal.status], [rule.split(":")[0], answer.status], rule);
      assert.ok(rulesOf(answer).includes(named?.rule ?? ""), `${rule}: ${JSON.stringify(answer.body)}`);
    }
  };
  const post = (path: string, body: unknown) => test.regulator("POST", path, body);

  it("agree on registrations", async () => {
    const approach = {
      approachId: codeBytes("CA0009"),
      firstTransferringParty: codeBytes("ZMB"),
      participatingParties: [],
      sectors: [],
      activityType: "",
      ndcFirstYear: 2021,
      ndcLastYear: 2030,
    };
    const authorization = {
      authorizationId: "NEW",
      approach: 1,
      date: 20_000,
      quantity: 1n,
      purpose: 1,
      firstTransfer: 0,
      firstYear: 0,
      lastYear: 0,
      omgeShare: 0,
      sopShare: 0,
      entities: [],
      terms: "",
    };
    const add = (changes: Record<string, unknown>) => post("/itmo/cooperative-approaches", exampleApproach(changes));
    const fresh = { authorizationId: "NEW" };
    const authorize = (changes: Record<string, unknown>) =>
      post("/itmo/authorizations", exampleAuthorization({ ...fresh, ...changes }));
    const { firstTransferDefinition: _, ...undefinedFirst } = exampleAuthorization(fresh);
    const today = Number(await test.deps.chain.now()) / DAY;
    await compare({
      "not-registered-before": {
        api: add({}),
        functionName: "registerApproach",
        args: [{ ...approach, approachId: codeBytes("CA0001") }],
      },
      "dates-ordered": {
        api: add({ cooperativeApproachId: "CA0009", ndcPeriod: { firstYear: 2030, lastYear: 2021 } }),
        functionName: "registerApproach",
        args: [{ ...approach, ndcFirstYear: 2030, ndcLastYear: 2021 }],
      },
      "not-registered-before:authorization": {
        api: authorize({ authorizationId: "NDC" }),
        functionName: "registerAuthorization",
        args: [{ ...authorization, authorizationId: "NDC" }],
      },
      "cooperative-approach-exists": {
        api: authorize({ cooperativeApproachId: "CA9999" }),
        functionName: "registerAuthorization",
        args: [{ ...authorization, approach: 99 }],
      },
      "date-not-in-future": {
        api: authorize({ date: "2999-01-01" }),
        functionName: "registerAuthorization",
        args: [{ ...authorization, date: Math.floor(today) + 1 }],
      },
      "dates-ordered:timeframe": {
        api: authorize({ timeframe: "2030 - 2021" }),
        functionName: "registerAuthorization",
        args: [{ ...authorization, firstYear: 2030, lastYear: 2021 }],
      },
      "first-transfer-definition": {
        api: post("/itmo/authorizations", undefinedFirst),
        functionName: "registerAuthorization",
        args: [{ ...authorization, purpose: 5 }],
      },
      "shares-within-whole": {
        api: authorize({ omgePercent: 60, sopPercent: 40.01 }),
        functionName: "registerAuthorization",
        args: [{ ...authorization, omgeShare: 6_000, sopShare: 4_001 }],
      },
    });
  });

  it("agree on requests and answers", async () => {
    const { address: from } = test.account;
    await test.fund(1000);
    const request = (changes: Record<string, unknown>) =>
      test.implementer("POST", "/itmo/conversions", exampleConversion(changes));
    const order = (changes: Record<string, unknown>) => ({
      functionName: "requestConversion",
      args: [{ implementer: 1, amount: 1_000_000_000n, authorization: 1, vintage: 2025, ...changes }],
      from,
    });
    const { conversionId } = await requestedConversion(test, exampleConversion({ amount: 2000 }));
    const done = await finalisedConversion(test);
    const decoded = decodeConversionId(conversionId);
    const open = decoded.ok ? Number(decoded.id) : 0;
    const finalise = (id: string, firstId: number, lastId: number) =>
      post(`/itmo/conversions/${id}/finalise`, { itmoRegistryId: "ZMB01", firstId, lastId });
    const answer = (conversion: number, first: number, last: number) => ({
      functionName: "finalise",
      args: [conversion, codeBytes("ZMB01"), BigInt(first), BigInt(last), 0],
    });
    await compare({
      "whole-tonnes": { api: request({ amount: 1500 }), ...order({ amount: 1_500_000_000n }) },
      "quantity-authorized": {
        api: request({ amount: 6000, authorizationId: "NARROW", vintage: 2024 }),
        ...order({ amount: 6_000_000_000n, authorization: 2, vintage: 2024 }),
      },
      "vintage-authorized": {
        api: request({ authorizationId: "NARROW" }),
        ...order({ authorization: 2 }),
      },
      "implementer-authorized": {
        api: request({ authorizationId: "RESERVED" }),
        ...order({ authorization: 4 }),
      },
      "vintage-not-in-future": {
        api: request({ vintage: 2030 }),
        ...order({ vintage: 2030 }),
      },
      "authorization-exists": { api: request({ authorizationId: "NONE" }), ...order({ authorization: 99 }) },
      "serials-ordered": { api: finalise(conversionId, 900, 899), ...answer(open, 900, 899) },
      "serials-quantity": { api: finalise(conversionId, 900, 902), ...answer(open, 900, 902) },
      "serials-disjoint": { api: finalise(conversionId, 1, 2), ...answer(open, 1, 2) },
      "conversion-status": { api: finalise(done.conversionId, 900, 900), ...answer(done.index, 900, 900) },
      "conversion-exists": { api: finalise("CONV-000000ZZZ", 900, 900), ...answer(999, 900, 900) },
      "conversion-status:revert": {
        api: post(`/itmo/conversions/${done.conversionId}/revert`, { reason: "No" }),
        functionName: "revertConversion",
        args: [done.index, "No"],
      },
    });
  });

  it("agree on the life of blocks", async () => {
    const held = await finalisedConversion(test, exampleConversion({ amount: 2000 }));
    const used = await finalisedConversion(test, exampleConversion());
    requireStatus(await post(`/itmo/${used.blockId}/cancellations`, { kind: "other", reason: "Error" }), 201);
    const ndc = await finalisedConversion(test, exampleConversion({ authorizationId: "NDC" }));
    const partOf = ({ blockId, firstId, lastId }: typeof held, more = 0n) => {
      const decoded = decodeItmoBlockId(blockId ?? "");
      return {
        blockId: decoded.ok ? decoded.id : 0n,
        firstId: BigInt(firstId ?? 0),
        lastId: BigInt(lastId ?? 0) + more,
      };
    };
    const act = (what: string, input: object, { blockId } = held) => post(`/itmo/${blockId}/${what}`, input);
    const beyond = { lastId: String(partOf(held, 1n).lastId) };
    await compare({
      "block-held": {
        api: act("transfers", { acquiringPartyId: "CHE" }, used),
        functionName: "transfer",
        args: [partOf(used), codeBytes("CHE"), ""],
      },
      "block-exists": {
        api: act("transfers", { acquiringPartyId: "CHE" }, { ...held, blockId: "ITMO-00000000000000000000" }),
        functionName: "transfer",
        args: [{ blockId: 7n, firstId: 1n, lastId: 1n }, codeBytes("CHE"), ""],
      },
      "part-within-block": {
        api: act("transfers", { acquiringPartyId: "CHE", ...beyond }),
        functionName: "transfer",
        args: [partOf(held, 1n), codeBytes("CHE"), ""],
      },
      "party-participates": {
        api: act("transfers", { acquiringPartyId: "USA" }),
        functionName: "transfer",
        args: [partOf(held), codeBytes("USA"), ""],
      },
      "party-differs": {
        api: act("transfers", { acquiringPartyId: "ZMB" }),
        functionName: "transfer",
        args: [partOf(held), codeBytes("ZMB"), ""],
      },
      "first-transferred": {
        api: act("uses", { ndcYear: 2028 }),
        functionName: "useForNdc",
        args: [partOf(held), 2028, ""],
      },
      "purpose-authorized": {
        api: act("uses", { purpose: "IMP" }, ndc),
        functionName: "useForOimp",
        args: [partOf(ndc), 3, "", ""],
      },
      "entity-authorized": {
        api: act("cancellations", { kind: "other", reason: "x", entityId: "NOBODY" }),
        functionName: "cancel",
        args: [partOf(held), 0, "NOBODY", "x"],
      },
    });
    requireStatus(await act("transfers", { acquiringPartyId: "CHE" }), 201);
    await compare({
      "ndc-year": {
        api: act("uses", { ndcYear: 2031 }),
        functionName: "useForNdc",
        args: [partOf(held), 2031, ""],
      },
    });
  });

  it("agree on today's cap, which only the contract knows to the last tonne", async () => {
    const held = await finalisedConversion(test);
    const { chain } = test.deps;
    const cap = await test.deps.chain.read("itmo", "dailyCap", []);
    assert.ok(cap > 0n);
    const { conversionId } = await requestedConversion(test);
    // The guardian pauses everything.
    const data = encodeCall("itmo", "lowerDailyCap", [0n]);
    const [guardian] = await guardianOf(test);
    await test.world.anvil.rpc("anvil_setBalance", [guardian, "0x56bc75e2d63100000"]);
    await test.world.anvil.rpc("anvil_impersonateAccount", [guardian]);
    const hash = await test.world.anvil.rpc("eth_sendTransaction", [
      { from: guardian, to: chain.addresses.itmo, data },
    ]);
    await chain.client.waitForTransactionReceipt({ hash: hash as Hex, pollingInterval: 20 });
    const serials = { itmoRegistryId: "ZMB08", firstId: 1, lastId: 1 };
    for (const answer of [
      await post(`/itmo/conversions/${conversionId}/finalise`, serials),
      await post(`/itmo/${held.blockId}/transfers`, { acquiringPartyId: "CHE" }),
    ])
      assert.deepEqual([answer.status, rulesOf(answer)], [503, ["itmo-cap"]]);
    assert.equal((await post(`/itmo/conversions/${conversionId}/revert`, { reason: "Cap" })).status, 200);
  });
});

/** The accounts that hold the guardian's role. */
async function guardianOf({ deps }: ItmoTest): Promise<Hex[]> {
  const granted = await deps.chain.past("participants", "RoleGranted", { roleId: 1n });
  return granted.map(({ args }) => args.account);
}
