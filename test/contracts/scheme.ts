import { network } from "hardhat";
import { concat, encodePacked, getContractAddress, type Hex, keccak256, toHex, zeroHash } from "viem";
import { roleNumbers } from "../../deployments/role-numbers.ts";
import { redemptionAuthorization } from "../../wire/src/typed-data.ts";

/** The whole scheme on a simulated chain, with one holder for each role: what the contract tests start from. */
export const connection = await network.create();
const { viem, networkHelpers } = connection;

export const NO_BOUND = 2n ** 64n - 1n;
export const CARBON = 1_000_000n;
export const DAY = 86_400n;

export const Role = roleNumbers;
export const Rule = {
  voucherExists: 1,
  supplierExists: 2,
  supplierAuthorised: 4,
  voucherActive: 8,
  voucherNotExpired: 16,
  voucherStarted: 32,
  amountWithinBalance: 64,
  amountPositive: 128,
  productApproved: 256,
  productLimit: 512,
  householdAuthorised: 1024,
  callerAuthorised: 2048,
  unconsentedWithinCap: 4096,
  pinWithinCap: 8192,
} as const;
export const Status = { None: 0, Active: 1, Suspended: 2, Cancelled: 3, Reissued: 4, Swept: 5, Revoked: 6 } as const;
export const Redeemed = {
  None: 0,
  Open: 1,
  Reversed: 2,
  Lapsed: 3,
  UnderReview: 4,
  Settled: 5,
  Rejected: 6,
  Disputed: 7,
  Invalidated: 8,
} as const;
export const Consent = { None: 0, Pin: 1, Code: 2, Signature: 3 } as const;
export const Refund = { Voucher: 0, Certificate: 1 } as const;

export type Leaf = { household: number; amount: bigint };

export const verifierDid = "did:example:verifier";
const openCaps = {
  perTransaction: 1_000_000n * CARBON,
  perWindow: 5_000_000n * CARBON,
  perDay: 10_000_000n * CARBON,
  lifetime: NO_BOUND,
  perSupplierDay: NO_BOUND,
};

/** Every contract, deployed in the order that makes their addresses known to each other. */
export async function deployContracts(options: UnitOptions & { stablecoin?: Hex } = {}) {
  const [deployer] = await viem.getWalletClients();
  const participants = await viem.deployContract("Participants", [deployer!.account.address]);
  const stablecoin = await viem.deployContract("HostileToken");
  const paysIn = { address: options.stablecoin ?? stablecoin.address };
  return { participants, ...(await deployUnit(participants, paysIn, options)), stablecoin };
}

type UnitOptions = { operatorCap?: bigint; lifecycleCap?: bigint };
type At = { address: Hex };

/** The contracts that refer to each other and are replaced together. */
export async function deployUnit(participants: At, stablecoin: At, options: UnitOptions = {}) {
  const [deployer] = await viem.getWalletClients();
  const client = await viem.getPublicClient();
  const from = deployer!.account.address;
  const nonce = BigInt(await client.getTransactionCount({ address: from }));
  const [vouchersAt, claimsAt, poolAt] = [2n, 3n, 4n].map((n) => getContractAddress({ from, nonce: nonce + n }));
  const certificates = await viem.deployContract("Certificates", [participants.address, vouchersAt!]);
  const carbon = await viem.deployContract("Carbon", [vouchersAt!]);
  const references = [participants.address, certificates.address, carbon.address, claimsAt!, poolAt!] as const;
  const vouchers = await viem.deployContract("Vouchers", [
    ...references,
    options.lifecycleCap ?? 1_000_000n * CARBON,
    1_000n * CARBON,
  ]);
  const claims = await viem.deployContract("Claims", [
    participants.address,
    vouchers.address,
    carbon.address,
    poolAt!,
    options.operatorCap ?? NO_BOUND,
    10n * CARBON,
  ]);
  const pool = await viem.deployContract("Pool", [
    participants.address,
    carbon.address,
    stablecoin.address,
    claims.address,
    20_000n,
    openCaps,
  ]);
  return { certificates, carbon, vouchers, claims, pool };
}

export type Contracts = Awaited<ReturnType<typeof deployContracts>>;

/** Accounts by what they do. The council's role stays with its account, as if the timelock were it. */
export async function accounts() {
  const [council, guardian, registrar, operator, evaluator, supplier, otherSupplier, implementer, household, stranger] =
    await viem.getWalletClients();
  return {
    council: council!,
    guardian: guardian!,
    registrar: registrar!,
    operator: operator!,
    evaluator: evaluator!,
    supplier: supplier!,
    otherSupplier: otherSupplier!,
    implementer: implementer!,
    household: household!,
    stranger: stranger!,
  };
}

export const hashOf = (text: string) => keccak256(toHex(text));

/** Number of IParticipants.Party. */
export const Party = { implementer: 0, supplier: 1, household: 2 } as const;

/** A household's first account: proposed by the operator, confirmed by the evaluator. */
export async function giveHouseholdAccount(
  { participants, operator, evaluator }: Pick<Scheme, "participants" | "operator" | "evaluator">,
  household: number,
  account: Hex,
): Promise<void> {
  await participants.write.proposeAccount([Party.household, household, account], { account: operator.account });
  await participants.write.confirmAccount([household, account], { account: evaluator.account });
}

/** Supplier 1's next account, proposed by the present one and put in force a day later. */
export async function moveSupplier(
  { participants }: Pick<Scheme, "participants">,
  account: Hex,
  by: { account: Hex | Scheme["supplier"]["account"] },
): Promise<void> {
  await participants.write.proposeAccount([Party.supplier, 1, account], by);
  await networkHelpers.time.increase(DAY);
  await participants.write.finaliseAccount([Party.supplier, 1]);
}

/** Roles granted; implementer 1, suppliers 1 and 2, products 1 and 2 (limit 60), households 1–300, a filled pool. */
async function populate(contracts: Contracts) {
  const who = await accounts();
  const { participants, stablecoin, pool, vouchers } = contracts;
  for (const role of ["guardian", "registrar", "operator", "evaluator"] as const) {
    await participants.write.grantRole([Role[role], who[role].account.address, 0]);
  }
  await participants.write.grantRole([Role.ledger, vouchers.address, 0]);
  await participants.write.setUnconsentedCap([0, 1_000_000]);
  const registrar = { account: who.registrar.account };
  const operator = { account: who.operator.account };
  await participants.write.registerImplementer(["did:implementer", who.implementer.account.address, "I"], registrar);
  await participants.write.registerSupplier(["did:supplier", who.supplier.account.address, "S", "R"], registrar);
  await participants.write.registerSupplier(["did:other", who.otherSupplier.account.address, "O", "R"], registrar);
  await participants.write.registerProduct(["stove", "Stove", "stove", "piece", 0n, 0], registrar);
  await participants.write.registerProduct(["fuel", "Fuel", "fuel", "kg", 60n * CARBON, 0], registrar);
  await participants.write.trustIssuer([verifierDid, ["EmissionReductionCredential"], 0n, 0n], registrar);
  const households = Array.from({ length: 300 }, (_, i) => keccak256(toHex(`household ${i + 1}`)));
  await participants.write.registerHouseholds([households, []], operator);
  await giveHouseholdAccount({ participants, ...who }, 1, who.household.account.address);
  await stablecoin.write.mint([pool.address, 1_000_000n * CARBON]);
  await pool.write.takeIn();
  return who;
}

/** Snapshot fixture of the populated scheme. */
export async function scheme() {
  const contracts = await deployContracts();
  const who = await populate(contracts);
  return { ...contracts, ...who };
}

export type Scheme = Awaited<ReturnType<typeof scheme>>;
export const loadScheme = () => networkHelpers.loadFixture(scheme);

let serial = 0n;

/** A valid registration, with the fields of `change` replaced. */
export function registration(change: Record<string, unknown> = {}) {
  serial += 10n;
  return {
    certificateId: `CERT-${serial}`,
    activityId: "ACT-1",
    implementer: 1,
    plan: 0,
    vintage: 2024,
    periodStart: 19_700,
    periodEnd: 19_800,
    verifiedReduction: 100n * CARBON,
    registry: "Registry",
    firstSerial: serial,
    lastSerial: serial + 9n,
    verifier: hashOf(verifierDid),
    credentialIssuedAt: 1_700_000_000n,
    credentialHash: keccak256(toHex(`credential ${serial}`)),
    allocationCount: 0,
    predecessor: 0,
    ...change,
  };
}

export const packLeaves = (leaves: Leaf[]): Hex =>
  concat(leaves.map((leaf) => encodePacked(["uint32", "uint64"], [leaf.household, leaf.amount])));

const hashLeaf = (leaf: Leaf) => keccak256(packLeaves([leaf]));

/** The siblings from a leaf up to its chunk's root, as ICertificates specifies the tree. */
export function proofOf(chunk: Leaf[], position: number): Hex[] {
  let level = chunk.map(hashLeaf);
  let zero: Hex = zeroHash;
  let index = position;
  const proof: Hex[] = [];
  while (level.length > 1) {
    if (level.length % 2 === 1) level.push(zero);
    proof.push(level[index ^ 1]!);
    level = level.flatMap((node, i) => (i % 2 === 0 ? [keccak256(concat([node, level[i + 1]!]))] : []));
    zero = keccak256(concat([zero, zero]));
    index >>= 1;
  }
  return proof;
}

/** Register a certificate for one household, valid immediately. Returns its index. */
export async function registerWhole(s: Scheme, change: Record<string, unknown> = {}): Promise<number> {
  const entry = registration(change);
  await s.certificates.write.registerCertificate([entry], { account: s.registrar.account });
  return s.certificates.read.certificateIndex([hashOf(entry.certificateId)]);
}

/** Register a certificate with an allocation, valid immediately. Returns its index. */
export async function registerAllocated(s: Scheme, leaves: Leaf[], change: Record<string, unknown> = {}) {
  const verifiedReduction = leaves.reduce((sum, leaf) => sum + leaf.amount, 0n);
  const entry = registration({ verifiedReduction, allocationCount: leaves.length, ...change });
  await s.certificates.write.registerAllocated([entry, packLeaves(leaves)], { account: s.registrar.account });
  return s.certificates.read.certificateIndex([hashOf(entry.certificateId)]);
}

/** Households from 1 on, 100 CARBON each. */
export const evenLeaves = (count: number): Leaf[] =>
  Array.from({ length: count }, (_, i) => ({ household: i + 1, amount: 100n * CARBON }));

/** Chain time in seconds, and its UTC day. */
export async function now() {
  const time = BigInt(await networkHelpers.time.latest());
  return { time, day: Number(time / DAY) };
}

/** Issue an open voucher of 100 CARBON for household 1, started yesterday, valid for 30 days. Returns its id. */
export async function issueOne(s: Scheme, change: Record<string, unknown> = {}): Promise<bigint> {
  const { day } = await now();
  const certificate = await registerWhole(s, (change.registration as Record<string, unknown>) ?? {});
  const { registration: _, ...rest } = change;
  const order = {
    certificate,
    leaf: 0,
    household: 1,
    value: 100n * CARBON,
    startDay: day - 1,
    expiryDay: day + 30,
    batchId: "B",
    proof: [],
    ...rest,
  };
  const { result } = await s.vouchers.simulate.issue([order], { account: s.operator.account.address });
  await s.vouchers.write.issue([order], { account: s.operator.account });
  return result;
}

export const orderOf = (voucher: bigint, change: Record<string, unknown> = {}) => ({
  voucher,
  supplier: 1,
  product: 1,
  amount: 40n * CARBON,
  ...change,
});

/** Redeems through the operator. Returns the redemption's id. */
export async function redeemOne(s: Scheme, voucher: bigint, change: Record<string, unknown> = {}): Promise<bigint> {
  const operator = { account: s.operator.account };
  const caller = { account: s.operator.account.address };
  const { result } = await s.vouchers.simulate.redeem([orderOf(voucher, change)], caller);
  await s.vouchers.write.redeem([orderOf(voucher, change)], operator);
  return result;
}

type Signer = { signTypedData: (typedData: never) => Promise<Hex> };

/** The household's EIP-712 consent to an order. */
export async function authorize(
  s: Scheme,
  order: ReturnType<typeof orderOf>,
  options: {
    nonce?: bigint;
    deadline?: bigint;
    index?: number;
    signer?: Signer;
    consent?: number;
    proof?: readonly Hex[];
  } = {},
) {
  const deadline = options.deadline ?? (await now()).time + DAY;
  const nonce = options.nonce ?? 1n;
  const signer: Signer = options.signer ?? s.household;
  const contract = { chainId: 31337, verifyingContract: s.vouchers.address };
  const typedData = redemptionAuthorization(contract, { ...order, nonce, deadline });
  const signature = await signer.signTypedData(typedData as never);
  const { index = 0, consent = Consent.Signature, proof = [] } = options;
  return { order: index, consent, deadline, nonce, signature, proof };
}

/** An operator's attestation that a household gave its PIN. */
export const pinOf = (index = 0) => ({
  order: index,
  consent: Consent.Pin,
  deadline: 0n,
  nonce: 0n,
  signature: "0x" as Hex,
  proof: [] as readonly Hex[],
});

/** Asserts that a call reverts with a contract's error and exactly these arguments. */
export async function reverts(
  call: Promise<unknown>,
  // biome-ignore lint/suspicious/noExplicitAny: the assertion takes any contract
  contract: any,
  error: string,
  args: readonly unknown[],
): Promise<void> {
  await viem.assertions.revertWithCustomErrorWithArgs(call, contract, error, [...args]);
}

/** Asserts that a call emits a contract's event with exactly these arguments. */
export async function emits(
  call: Promise<unknown>,
  // biome-ignore lint/suspicious/noExplicitAny: the assertion takes any contract
  contract: any,
  event: string,
  args: readonly unknown[],
): Promise<void> {
  await viem.assertions.emitWithArgs(call as Promise<Hex>, contract, event, [...args]);
}
