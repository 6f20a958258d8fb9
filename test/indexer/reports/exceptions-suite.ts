import assert from "node:assert/strict";
import { afterEach, before, beforeEach, describe, it } from "node:test";
import { LosslessNumber } from "lossless-json";
import type { ChainState } from "../../../indexer/reports/chain-state.ts";
import { listExceptions } from "../../../indexer/reports/exceptions.ts";
import { isoTime } from "../../../wire/src/chain-values.ts";
import { type ReportDatabase, shareReportDatabase } from "./database.ts";
import { addresses, insertScene, now, tonne } from "./scene.ts";

const chain: ChainState = {
  block: 40n,
  addresses,
  read: async (calls) => ({
    answers: calls.map(({ view }) =>
      view === "certificateOf" ? { issued: 60n * tonne } : view === "debtOf" ? 5n : 0n,
    ),
  }),
};

const shown = (value: unknown) =>
  JSON.parse(
    JSON.stringify(value, (_, each) =>
      each instanceof LosslessNumber || typeof each === "bigint" ? each.toString() : each,
    ),
  );

describe("the report of exceptions", () => {
  let database: ReportDatabase;
  before(async () => {
    database = await shareReportDatabase();
    await insertScene(database);
  });
  beforeEach(() => database.run("begin"));
  afterEach(() => database.run("rollback"));
  const list = (asked = {}, at = chain) =>
    listExceptions(database.ask, at, { block: 40n, timestamp: now }, { after: 0, limit: 50, ...asked });
  const revoke = (index = 1) =>
    database.run(`update certificate set status = 'revoked', revocation_final_at = $1 where "index" = $2`, [
      now,
      index,
    ]);

  it("has nothing while every certificate is valid", async () => {
    const { certificates, implementers, authorizations, last } = await list();
    assert.deepEqual([certificates, implementers, authorizations, last], [[], [], [], null]);
  });

  it("counts what the invalidation buffer cancelled for a revoked certificate", async () => {
    await revoke();
    assert.equal(shown((await list()).certificates)[0].bufferCancelled, "0");
    const values = "(5, 1, 'cancellation', 1, 9, 10, 2, 0, '0x1'), (6, 1, 'release', null, 7, 8, 2, 0, '0x1')";
    await database.run(`insert into buffer_change values ${values}`);
    assert.equal(shown((await list()).certificates)[0].bufferCancelled, "2");
  });

  it("names the claims of a certificate that were revoked after their campaign's close, also while it is valid", async () => {
    await database.run(`update campaign set close_sequence = 10 where "index" = 1`);
    const claim = (id: number, revoked: string | null, sequence: number | null) =>
      database.insert("kptClaim", {
        id: BigInt(id),
        publicId: `KPT-${id}`,
        sequence: BigInt(id),
        campaignIndex: 1,
        testGroup: "reference",
        position: id,
        number: 1n,
        claimHash: "0x1",
        credentialHash: "0x1",
        status: revoked === null ? "verified" : "revoked",
        blockNumber: 1n,
        recordedAt: now,
        transactionHash: "0x1",
        revocationReason: revoked,
        revocationSequence: sequence === null ? null : BigInt(sequence),
        revokedAt: revoked === null ? null : now,
        revocationTransactionHash: null,
      });
    await claim(1, null, null);
    await claim(2, "before the close", 9);
    await claim(3, "forged", 11);
    await claim(4, "wrong scale", 12);
    const { certificates, revokedClaims } = await list();
    assert.deepEqual(certificates, []);
    const found = { certificateId: "CERT-1", certificateStatus: "valid", campaignId: "K-1", revokedAt: isoTime(now) };
    assert.deepEqual(revokedClaims, [
      { ...found, claimId: "KPT-4", reason: "wrong scale" },
      { ...found, claimId: "KPT-3", reason: "forged" },
    ]);
    assert.deepEqual((await list({ certificateId: "CERT-1" })).revokedClaims.length, 2);
    assert.deepEqual((await list({ certificateId: "CERT-2" })).revokedClaims, []);
    assert.deepEqual((await list({ after: 1 })).revokedClaims, []);
  });

  it("follows a revoked certificate's CARBON to the units, by their status", async () => {
    await revoke();
    const { certificates } = await list();
    const [only] = shown(certificates);
    assert.deepEqual(
      [only.certificateId, only.status, only.issued, only.unspent, only.openRedemptions, only.released],
      ["CERT-1", "revoked", { byEvents: "60000", byChain: "60000", agree: true }, "20000", "0", "40000"],
    );
    assert.deepEqual([only.inConversions, only.converted], ["0", "10000"]);
    assert.deepEqual(only.units, [
      { status: "held", firstTransferred: false, carbon: "4000" },
      { status: "held", firstTransferred: true, carbon: "2000" },
      { status: "used-for-ndc", firstTransferred: true, carbon: "2000" },
      { status: "used-for-oimp", firstTransferred: true, carbon: "2000" },
    ]);
    assert.deepEqual(
      only.blocks.map(({ id, party, carbon }: { id: string; party: string; carbon: string }) => [id, party, carbon]),
      [
        ["ITMO-1", "CHE", "2000"],
        ["ITMO-3", "CHE", "2000"],
        ["ITMO-5", "ZMB", "2000"],
        ["ITMO-7", "ZMB", "4000"],
      ],
    );
  });

  it("attributes to a certificate only its lot of a conversion, to the millionth", async () => {
    await revoke(2);
    await database.run("update conversion_lot set amount = $1", [2_500_000_000n]);
    await database.run("insert into conversion_lot values (1, 1, 2, 2500000000, 7500000000, 0)");
    const [only] = shown((await list()).certificates);
    assert.equal(only.certificateId, "CERT-2");
    const carbon = only.blocks.map(({ id, carbon: amount }: { id: string; carbon: string }) => [id, amount]);
    assert.deepEqual(carbon, [
      ["ITMO-3", "1500"],
      ["ITMO-5", "2000"],
      ["ITMO-7", "4000"],
    ]);
  });

  it("shows the implementer's debts by both ways, and the authorizations behind", async () => {
    await revoke();
    await database.run("update implementer set debt = 5, repaid = 7, replacement = 1, replaced = 2");
    const { implementers, authorizations } = shown(await list());
    assert.deepEqual(implementers, [
      {
        did: "did:ixo:implementer",
        debt: { byEvents: "0.000005", byChain: "0.000005", agree: true },
        repaid: "0.000007",
        replacement: { byEvents: "0.000001", byChain: "0", agree: false },
        replaced: "0.000002",
      },
    ]);
    assert.partialDeepStrictEqual(authorizations, [
      {
        authorizationId: "AUTH-1",
        quantity: "20",
        committed: "10",
        reducible: "10",
        firstTransferred: "6",
        notFirstTransferred: "4",
      },
    ]);
  });

  it("lists an authorization that was reduced or revoked, and what is left of each unit", async () => {
    const take = (purpose: string | null, finalAt: bigint) =>
      database.run("update itmo_authorization set left_purpose = $1, left_quantity = 6, reduction_final_at = $2", [
        purpose,
        finalAt,
      ]);
    const statuses = async () => {
      const { certificates, authorizations } = shown(await list());
      const blocks = certificates.flatMap((each: { blocks: { authorizationStatus: string }[] }) => each.blocks);
      return [
        authorizations.map(({ status }: { status: string }) => status),
        blocks.map(({ authorizationStatus }: { authorizationStatus: string }) => authorizationStatus),
      ];
    };
    await take("NDC", now);
    assert.partialDeepStrictEqual(shown((await list()).authorizations), [
      {
        authorizationId: "AUTH-1",
        status: "reduced",
        purpose: "NDC and OIMP",
        left: { purpose: "NDC", quantity: "6", finalAt: new Date(Number(now) * 1000).toISOString() },
      },
    ]);
    assert.deepEqual((await list({ after: 1 })).authorizations, []);
    assert.deepEqual((await list({ certificateId: "CERT-1" })).authorizations, []);
    await revoke();
    const first = "first-transferred";
    assert.deepEqual(await statuses(), [["reduced"], [first, first, first, "reduced"]]);
    await take("NDC", now + 1n);
    assert.deepEqual(await statuses(), [["reduction-announced"], [first, first, first, "reduction-announced"]]);
    await take(null, now + 1n);
    assert.deepEqual(await statuses(), [["revocation-announced"], [first, first, first, "revocation-announced"]]);
    await take(null, now);
    assert.deepEqual(await statuses(), [["revoked"], [first, first, first, "revoked"]]);
  });

  it("pages by certificate, and finds one", async () => {
    await revoke(1);
    await revoke(2);
    const ids = async (asked: object) => (await list(asked)).certificates.map(({ certificateId }) => certificateId);
    assert.equal((await list({ limit: 1 })).last, 1);
    assert.deepEqual([await ids({ limit: 1 }), await ids({ after: 1 })], [["CERT-1"], ["CERT-2"]]);
    assert.deepEqual(await ids({ certificateId: "CERT-2" }), ["CERT-2"]);
  });

  it("says why the chain's state is missing", async () => {
    await revoke();
    const [only] = (await list({}, { ...chain, read: async () => ({ answers: null, reason: "pruned" }) })).certificates;
    assert.partialDeepStrictEqual(shown(only?.issued), { byChain: null, agree: null, reason: "pruned" });
  });
});
