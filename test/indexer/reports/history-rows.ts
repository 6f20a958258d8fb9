import type { ReportDatabase } from "./database.ts";
import { approaches, authorizations, type History, yearBegin } from "./history.ts";

const transactionHash = "0x01" as const;
const blockNumber = 1n;

async function insertTerms({ insert }: ReportDatabase): Promise<void> {
  const registered = { sequence: 1n, registeredAt: yearBegin, transactionHash };
  for (const approach of approaches) {
    await insert("cooperativeApproach", {
      ...approach,
      cooperativeApproachId: approach.approachId,
      sectors: `{${approach.sectors.map((sector) => JSON.stringify(sector)).join(",")}}` as unknown as string[],
      ...registered,
    });
    const parties = approach.participatingParties.map((party) => ({
      approachIndex: approach.index,
      party,
      firstTransferring: party === approach.firstTransferringParty,
    }));
    await insert("approachParty", ...parties);
  }
  for (const each of authorizations) {
    const { index: authorizationIndex, versions, changes: _, entities, ...terms } = each;
    const [version] = versions;
    const counts = { version: 1, quantity: version?.quantity ?? 0n, committed: 0n, issued: 0n };
    const more = { approachIndex: each.approach, authorizedDay: each.date, omgeShare: 0, sopShare: 0 };
    await insert("itmoAuthorization", { index: authorizationIndex, ...terms, ...more, ...counts, ...registered });
    const first = { version: 1, quantity: counts.quantity, reason: "", changedAt: yearBegin };
    await insert("itmoAuthorizationVersion", { authorizationIndex, ...first, sequence: 1n, transactionHash });
    await insert(
      "authorizedEntity",
      ...entities.map((entity, position) => ({ ...entity, authorizationIndex, position })),
    );
  }
}

async function insertCertificates({ insert }: ReportDatabase): Promise<void> {
  for (const index of [1, 2, 3]) {
    await insert("certificate", {
      index,
      certificateId: `CERT-${index}`,
      activityId: "A",
      implementerIndex: 1,
      planIndex: 0,
      vintage: 2025,
      periodStart: 1,
      periodEnd: 2,
      verifiedReduction: 99_999_000_000_000n,
      registry: "Gold Standard",
      firstSerial: BigInt(index) * 100_000n + 1n,
      lastSerial: BigInt(index) * 100_000n + 99_999n,
      verifier: "0x01",
      credentialIssuedAt: 1n,
      credentialHash: "0x01",
      allocationCount: 0,
      recordedCount: 0,
      allocated: 0n,
      issued: 0n,
      released: 0n,
      taken: 0n,
      converted: 0n,
      status: "valid",
      halted: false,
      sequence: 1n,
      registeredAt: 1n,
      blockNumber,
      transactionHash,
    });
  }
}

/** The indexer's rows of a history, in place of whatever there was. */
export async function insertHistory(database: ReportDatabase, told: History): Promise<void> {
  const { insert } = database;
  await database.clear();
  await insertTerms(database);
  await insertCertificates(database);
  const births = told.actions.filter(({ type }) => type === "Authorization");
  const conversionOf = (firstId: bigint) => births.findLastIndex((birth) => birth.firstId <= firstId) + 1;
  const authorizationOf = (id: string) => authorizations.find((each) => each.authorizationId === id)?.index ?? 0;
  const converted = new Map<number, bigint>();
  for (const action of told.actions) {
    const { type, subtype, underlying, approachId, sequence, at, ...rest } = action;
    const conversionIndex = conversionOf(action.firstId);
    const quantity = action.lastId - action.firstId + 1n;
    const authorizationIndex = authorizationOf(action.authorizationId);
    const units = {
      cooperativeApproachId: approachId,
      conversionIndex,
      authorizationIndex,
      blockNumber,
      transactionHash,
    };
    if (type !== "Authorization") {
      const blockId = (BigInt(conversionIndex) << 64n) | action.firstId;
      await insert("itmoAction", {
        ...rest,
        ...units,
        sequence,
        blockId,
        action: type,
        subtype,
        quantity,
        actedAt: at,
      });
      continue;
    }
    await insert("itmoConversion", {
      ...rest,
      index: conversionIndex,
      publicId: `CONV-${conversionIndex}`,
      implementerIndex: 1,
      authorizationIndex,
      account: "0x01",
      amount: quantity * 1_000_000_000n,
      quantity,
      nonce: 0n,
      status: "finalised",
      sequence,
      blockNumber,
      requestedAt: at,
      transactionHash,
      endSequence: sequence,
      endedAt: at,
      endTransactionHash: transactionHash,
    });
    let offset = 0n;
    for (const [position, { certificateId, amount }] of (underlying ?? []).entries()) {
      const certificateIndex = Number(certificateId.slice(5));
      const certificateOffset = converted.get(certificateIndex) ?? 0n;
      converted.set(certificateIndex, certificateOffset + amount);
      await insert("conversionLot", { conversionIndex, position, certificateIndex, offset, amount, certificateOffset });
      offset += amount;
    }
  }
  for (const party of ["ZMB", "CHE", "SWE"]) {
    for (const {
      firstId,
      lastId,
      registryId,
      approachId,
      authorizationId,
      firstTransferringParty,
      vintage,
    } of told.holdingsOf(party)) {
      const conversionIndex = conversionOf(firstId);
      const blockId = (BigInt(conversionIndex) << 64n) | firstId;
      const range = { conversionIndex, registryId, firstId, lastId, party };
      await insert("itmoHolding", { ...range, blockId, since: 1n, heldFrom: yearBegin });
      await insert("itmoBlock", {
        ...range,
        id: blockId,
        publicId: `ITMO-${blockId}`,
        uniqueId: "",
        authorizationIndex: authorizationOf(authorizationId),
        cooperativeApproachId: approachId,
        firstTransferringParty,
        quantity: lastId - firstId + 1n,
        vintage,
        status: "held",
        sequence: 1n,
        blockNumber,
        createdAt: 1n,
        transactionHash,
        changeSequence: 1n,
      });
    }
  }
}
