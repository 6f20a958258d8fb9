import type { ReportDatabase } from "./database.ts";

/** 1 July 2026. */
export const now = 1_782_864_000n;
const hash = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`;
export const tonne = 1_000_000_000n;
export const addresses = {
  certificates: "0x00000000000000000000000000000000000000c1",
  carbon: "0x00000000000000000000000000000000000000c2",
  vouchers: "0x00000000000000000000000000000000000000c3",
  claims: "0x00000000000000000000000000000000000000c4",
  pool: "0x00000000000000000000000000000000000000c5",
  itmo: "0x00000000000000000000000000000000000000c6",
  stablecoin: "0x00000000000000000000000000000000000000c7",
  authorizations: "0x00000000000000000000000000000000000000c8",
  invalidationBuffer: "0x00000000000000000000000000000000000000c9",
};
const supplierAccount = "0x00000000000000000000000000000000000000aa";
export const zero = "0x0000000000000000000000000000000000000000";

const at = (n: number) => ({ blockNumber: BigInt(n), transactionHash: hash(n) });
const sequenceOf = (n: number) => BigInt(n) << 24n;

const implementer = {
  index: 1,
  did: "did:ixo:implementer",
  name: "Implementer",
  account: supplierAccount as `0x${string}`,
  pendingAccount: null,
  pendingFrom: null,
  status: "authorised" as const,
  debt: 0n,
  replacement: 0n,
  repaid: 0n,
  replaced: 0n,
  registeredAt: now,
  transactionHash: hash(1),
};

const certificate = (index: number) => ({
  index,
  certificateId: `CERT-${index}`,
  activityId: "ACT-1",
  implementerIndex: 1,
  planIndex: 0,
  vintage: 2025,
  periodStart: 20_089,
  periodEnd: 20_453,
  verifiedReduction: 100n * tonne,
  registry: "Gold Standard",
  firstSerial: BigInt(index) * 1_000n,
  lastSerial: BigInt(index) * 1_000n + 99n,
  verifier: hash(1),
  credentialIssuedAt: now,
  credentialHash: hash(100 + index),
  allocationCount: 0,
  recordedCount: 0,
  allocated: 100n * tonne,
  issued: 60n * tonne,
  released: index === 1 ? 40n * tonne : 0n,
  taken: index === 1 ? 10n * tonne : 0n,
  converted: index === 1 ? 10n * tonne : 0n,
  status: "valid" as const,
  halted: false,
  sequence: sequenceOf(index),
  registeredAt: now,
  ...at(index),
});

const move = (
  n: number,
  kind: "mint" | "release" | "deposit" | "conversion",
  sides: [string, string],
  amount: bigint,
) => ({
  sequence: sequenceOf(n),
  kind,
  fromAccount: sides[0],
  toAccount: sides[1],
  amount,
  fromOffset: 0n,
  toOffset: 0n,
  certificateIndex: kind === "release" ? 1 : null,
  certificateOffset: kind === "release" ? 0n : null,
  conversionIndex: kind === "deposit" || kind === "conversion" ? 1 : null,
  movedAt: now,
  ...at(n),
});

const block = (id: bigint, firstId: bigint, lastId: bigint) => ({
  id,
  publicId: `ITMO-${id}`,
  uniqueId: `CA0001-ZMB01-ZMB-${firstId}-${lastId}-2025`,
  conversionIndex: 1,
  authorizationIndex: 1,
  cooperativeApproachId: "CA0001",
  firstTransferringParty: "ZMB",
  registryId: "ZMB01",
  firstId,
  lastId,
  quantity: lastId - firstId + 1n,
  vintage: 2025,
  createdAt: now,
  changeSequence: sequenceOf(30),
  sequence: sequenceOf(30),
  ...at(30),
});

export const action = (n: number, blockId: bigint, firstId: bigint, lastId: bigint) => ({
  sequence: sequenceOf(n),
  blockId,
  conversionIndex: 1,
  authorizationIndex: 1,
  cooperativeApproachId: "CA0001",
  authorizationId: "AUTH-1",
  firstTransferringParty: "ZMB",
  registryId: "ZMB01",
  firstId,
  lastId,
  quantity: lastId - firstId + 1n,
  vintage: 2025,
  note: "",
  actedAt: now,
  ...at(n),
});

async function insertVouchers({ insert }: ReportDatabase): Promise<void> {
  await insert("implementer", implementer);
  await insert("certificate", certificate(1), certificate(2));
  await insert("voucher", {
    id: 1n,
    publicId: "VCHR-1",
    batchIndex: 0,
    position: 1,
    batchId: "B",
    certificateIndex: 1,
    householdIndex: 1,
    value: 60n * tonne,
    remaining: 20n * tonne,
    startDay: 1,
    expiryDay: 2,
    status: "active",
    opened: true,
    redemptionCount: 1,
    sequence: sequenceOf(3),
    issuedAt: now,
    ...at(3),
  });
  await insert("redemption", {
    id: 2n,
    publicId: "REDM-1",
    sequence: sequenceOf(4),
    voucherId: 1n,
    certificateIndex: 1,
    householdIndex: 1,
    supplierIndex: 1,
    productIndex: 1,
    amount: 40n * tonne,
    remainingBalance: 20n * tonne,
    deadline: now,
    consent: "signature",
    authorized: true,
    flagged: false,
    status: "settled",
    redeemedAt: now,
    ...at(4),
  });
  const claimed = { supplierIndex: 1, carbonAmount: 40n * tonne, ...at(5), sequence: sequenceOf(5) };
  await insert("claim", {
    id: 2n,
    publicId: "CLM-1",
    voucherId: 1n,
    certificateIndex: 1,
    credentialHash: hash(200),
    status: "approved",
    filedAt: now,
    ...claimed,
  });
  await insert("payment", {
    claimId: 2n,
    account: supplierAccount,
    setOff: 0n,
    asset: "CARBON",
    amount: 40n * tonne,
    paidAt: now,
    ...claimed,
  });
  await insert("campaign", {
    index: 1,
    campaignId: "K-1",
    planIndex: 0,
    startDay: 1,
    endDay: 2,
    sampleSize: 1,
    referenceRoot: hash(1),
    referenceSize: 1,
    interventionRoot: hash(2),
    interventionSize: 1,
    terms: "{}",
    termsVersion: 1,
    status: "closed",
    drawRound: 0,
    drawBlock: 1n,
    twoParties: false,
    postponements: 0,
    referenceDrawnTo: 1,
    interventionDrawnTo: 1,
    referenceClaims: 1,
    interventionClaims: 1,
    referenceMissing: 0,
    interventionMissing: 0,
    certificateIndex: 1,
    sequence: 1n,
    committedAt: now,
    ...at(1),
  });
}

async function insertCarbon({ insert }: ReportDatabase): Promise<void> {
  const [mint, release] = [60n * tonne, 40n * tonne];
  await insert(
    "carbonMove",
    move(3, "mint", [zero, addresses.vouchers], mint),
    move(5, "release", [addresses.vouchers, supplierAccount], release),
    move(20, "deposit", [supplierAccount, "CONV-1"], 10n * tonne),
    move(30, "conversion", ["CONV-1", zero], 10n * tonne),
  );
  await insert(
    "carbonAccount",
    { account: zero, received: 10n * tonne, sent: mint },
    { account: addresses.vouchers, received: mint, sent: release },
    { account: supplierAccount, received: release, sent: 10n * tonne },
    { account: "CONV-1", received: 10n * tonne, sent: 10n * tonne },
  );
  await insert("itmoLot", {
    conversionIndex: 1,
    offset: 0n,
    amount: 10n * tonne,
    firstSerial: 1n,
    lastSerial: 10n,
    certificateIndex: 1,
    releaseSequence: sequenceOf(5),
  });
  await insert("conversionLot", {
    conversionIndex: 1,
    position: 0,
    certificateIndex: 1,
    offset: 0n,
    amount: 10n * tonne,
    certificateOffset: 0n,
  });
}

async function insertAuthorization({ insert }: ReportDatabase): Promise<void> {
  const registered = { sequence: sequenceOf(10), registeredAt: now, transactionHash: hash(10) };
  await insert("cooperativeApproach", {
    index: 1,
    cooperativeApproachId: "CA0001",
    firstTransferringParty: "ZMB",
    sectors: '{"Energy generation"}' as unknown as string[],
    activityType: "Energy Efficiency households",
    ndcFirstYear: 2021,
    ndcLastYear: 2030,
    ...registered,
  });
  await insert("approachParty", { approachIndex: 1, party: "ZMB", firstTransferring: true });
  await insert("approachParty", { approachIndex: 1, party: "CHE", firstTransferring: false });
  await insert("itmoAuthorization", {
    index: 1,
    authorizationId: "AUTH-1",
    approachIndex: 1,
    authorizedDay: 20_454,
    purpose: "NDC and OIMP",
    firstTransfer: "Use or Cancellation",
    firstYear: 2021,
    lastYear: 2030,
    omgeShare: 0,
    sopShare: 0,
    terms: "{}",
    version: 1,
    quantity: 20n,
    committed: 10n,
    issued: 10n,
    ...registered,
  });
  await insert("itmoAuthorizationVersion", {
    authorizationIndex: 1,
    version: 1,
    quantity: 20n,
    reason: "",
    sequence: sequenceOf(10),
    changedAt: now,
    transactionHash: hash(10),
  });
  await insert("authorizedEntity", {
    authorizationIndex: 1,
    position: 0,
    name: "Fund",
    country: "CHE",
    entityId: "ENT-1",
  });
}

/**
 * Ten tonnes: 1 to 4 transferred to CHE, of which 1 to 2 are used towards its NDC; 5 to 6 used for an OIMP by an entity;
 * 7 to 10 held by ZMB.
 */
async function insertItmos({ insert }: ReportDatabase): Promise<void> {
  await insert("itmoConversion", {
    index: 1,
    publicId: "CONV-1",
    implementerIndex: 1,
    authorizationIndex: 1,
    account: supplierAccount,
    amount: 10n * tonne,
    quantity: 10n,
    vintage: 2025,
    nonce: 0n,
    status: "finalised",
    registryId: "ZMB01",
    firstId: 1n,
    lastId: 10n,
    sequence: sequenceOf(20),
    requestedAt: now,
    endSequence: sequenceOf(30),
    endedAt: now,
    endTransactionHash: hash(30),
    ...at(20),
  });
  const abroad = "First transfer to another Party" as const;
  await insert(
    "itmoBlock",
    { ...block(1n, 1n, 2n), status: "used-for-ndc", party: "CHE", firstTransfer: abroad },
    { ...block(3n, 3n, 4n), status: "held", party: "CHE", firstTransfer: abroad, heldSince: 31n },
    { ...block(5n, 5n, 6n), status: "used-for-oimp", party: "ZMB", firstTransfer: "Use or cancellation" },
    { ...block(7n, 7n, 10n), status: "held", party: "ZMB", firstTransfer: null, heldSince: 30n },
  );
  const held = { conversionIndex: 1, registryId: "ZMB01", heldFrom: now };
  await insert(
    "itmoHolding",
    { ...held, blockId: 3n, since: 31n, firstId: 3n, lastId: 4n, party: "CHE" },
    { ...held, blockId: 7n, since: 30n, firstId: 7n, lastId: 10n, party: "ZMB" },
  );
  const sold = { action: "First transfer", subtype: abroad, transferringParty: "ZMB", acquiringParty: "CHE" } as const;
  const marked = { action: "First transfer", subtype: "Use or cancellation", transferringParty: "ZMB" } as const;
  const used = { action: "Use", usingParty: "ZMB", usingEntity: "ENT-1", purpose: "OIMP" } as const;
  await insert(
    "itmoAction",
    { ...action(31, 1n, 1n, 4n), ...sold },
    { ...action(32, 1n, 1n, 2n), action: "Use", usingParty: "CHE", ndcYear: 2026 },
    { ...action(33, 5n, 5n, 6n), ...marked },
    { ...action(34, 5n, 5n, 6n), ...used },
  );
}

/** Rows of a small honest world at block 40. */
export async function insertScene(database: ReportDatabase): Promise<void> {
  await database.clear();
  await database.standAt(40n, now);
  await insertVouchers(database);
  await insertCarbon(database);
  await insertAuthorization(database);
  await insertItmos(database);
}
