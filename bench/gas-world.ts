import type { NetworkHelpers } from "@nomicfoundation/hardhat-network-helpers/types";
import { network } from "hardhat";
import type { EthereumProvider } from "hardhat/types/providers";
import { concat, type Hex, keccak256, numberToHex, parseEther, toHex, zeroHash } from "viem";
import { embeddedSettings, planDeployment } from "../scripts/deploy/plan.ts";

/** The parties of the figures; each is an account of the simulated chain. */
const parties = [
  "deployer",
  "operator",
  "registrar",
  "evaluator",
  "guardian",
  "council1",
  "council2",
  "council3",
  "implementer",
  "supplier",
] as const;

export type Leaf = { household: number; amount: bigint };

const FIRST_BLOCK = new Date("2026-01-01T00:00:00Z");

/** Let a second pass from each transaction's block to the next, so that no figure depends on the machine's clock. */
function everySecond(provider: EthereumProvider, { time }: NetworkHelpers): void {
  const request = provider.request.bind(provider);
  provider.request = async (call) => {
    if (call.method === "eth_sendTransaction") await time.setNextBlockTimestamp((await time.latest()) + 1);
    return request(call);
  };
}

/** Deploy as `npm start` does on a simulated chain, and send transactions and measure their gas. */
export async function openGasWorld() {
  const { viem, networkHelpers, provider } = await network.create({ override: { initialDate: FIRST_BLOCK } });
  everySecond(provider, networkHelpers);
  const wallets = await viem.getWalletClients();
  const who = Object.fromEntries(parties.map((name, i) => [name, wallets[i]!])) as Record<
    (typeof parties)[number],
    (typeof wallets)[number]
  >;
  const address = (name: (typeof parties)[number]) => who[name].account.address;
  const client = await viem.getPublicClient();
  const gasOf = async (hash: Hex | Promise<Hex>) => {
    const receipt = await client.waitForTransactionReceipt({ hash: await hash });
    if (receipt.status !== "success") throw new Error(`Transaction ${receipt.transactionHash} reverted.`);
    return Number(receipt.gasUsed);
  };
  const roles = {
    operator: address("operator"),
    registrar: address("registrar"),
    evaluator: address("evaluator"),
    guardian: address("guardian"),
    council: [address("council1"), address("council2"), address("council3")],
    threshold: 2,
  };
  const plan = planDeployment(address("deployer"), 0, { ...embeddedSettings, roles });
  for (const { to, data, gas } of plan.steps) await gasOf(who.deployer.sendTransaction({ to, data, gas }));
  const at = plan.contracts;
  return {
    who,
    address,
    gasOf,
    client,
    networkHelpers,
    /** Options for a write by one of the parties. */
    as: (name: (typeof parties)[number]) => ({ account: who[name].account }),
    fund: (account: Hex) => networkHelpers.setBalance(account, parseEther("1")),
    plain: await viem.deployContract("ThreeSlots"),
    participants: await viem.getContractAt("Participants", at.participants),
    certificates: await viem.getContractAt("Certificates", at.certificates),
    vouchers: await viem.getContractAt("Vouchers", at.vouchers),
    claims: await viem.getContractAt("Claims", at.claims),
    audits: await viem.getContractAt("Audits", at.audits),
    carbon: await viem.getContractAt("Carbon", at.carbon),
    itmo: await viem.getContractAt("Itmo", at.itmo),
    authorizations: await viem.getContractAt("Authorizations", at.authorizations),
    invalidationBuffer: await viem.getContractAt("InvalidationBuffer", at.invalidationBuffer),
    pool: await viem.getContractAt("Pool", at.pool),
    campaigns: await viem.getContractAt("Campaigns", at.campaigns),
    oracles: await viem.getContractAt("OracleRegistry", at.oracles),
    parameters: await viem.getContractAt("Parameters", at.parameters),
    stablecoin: await viem.getContractAt("TestStablecoin", at.stablecoin),
  };
}

/** Gas by name; for a batch, the mean per item. Deterministic for given contracts and compiler. */
export type GasFigures = Record<string, number>;

export type GasWorld = Awaited<ReturnType<typeof openGasWorld>>;

const VERIFIER = "did:key:z6MkverifierOfTheGasFigures";
export const hashOf = (text: string): Hex => keccak256(toHex(text));
/** An account that has never been used. */
export const freshAccount = (name: string): Hex => `0x${hashOf(name).slice(26)}`;

/** Register implementer, product, verifier, supplier 1, who has been paid before, and suppliers 2 to 21, who have not. */
export async function registerParties(world: GasWorld): Promise<void> {
  const { participants, as, address } = world;
  const { write } = participants;
  await write.registerImplementer(["did:example:implementer", address("implementer"), "Implementer"], as("registrar"));
  await write.registerSupplier(["did:example:supplier", address("supplier"), "Supplier", "ZM"], as("registrar"));
  for (let i = 2; i <= 21; i++) {
    await write.registerSupplier([`did:example:s${i}`, freshAccount(`s${i}`), "Supplier", "ZM"], as("registrar"));
  }
  await write.registerProduct(["STOVE", "Stove", "cookstove", "piece", 0n, 0], as("registrar"));
  await write.trustIssuer([VERIFIER, ["EmissionReductionCredential"], 0n, 0n], as("registrar"));
}

let serial = 0n;

/** A registration with strings and numbers of typical size. */
export function registrationOf(verifiedReduction: bigint, allocationCount: number) {
  serial += 1_000n;
  return {
    certificateId: `CERT-2026-${serial}`,
    activityId: "ACTIVITY-1",
    implementer: 1,
    plan: 0,
    vintage: 2026,
    periodStart: 20_000,
    periodEnd: 20_365,
    verifiedReduction,
    registry: "Zambia Carbon Registry",
    firstSerial: serial,
    lastSerial: serial + 999n,
    verifier: hashOf(VERIFIER),
    credentialIssuedAt: 1_700_000_000n,
    credentialHash: hashOf(`credential ${serial}`),
    allocationCount,
    predecessor: 0,
  };
}

const leafBytes = ({ household, amount }: Leaf) =>
  concat([numberToHex(household, { size: 4 }), numberToHex(amount, { size: 8 })]);
export const packLeaves = (leaves: Leaf[]): Hex => concat(leaves.map(leafBytes));

/** Amounts of typical size, all different: 100 CARBON and some micro. */
export const leavesOf = (count: number): Leaf[] =>
  Array.from({ length: count }, (_, i) => ({ household: i + 1, amount: 100_000_000n + BigInt((i * 7_919) % 999_983) }));

/** Siblings from a leaf up to its chunk's root, see ICertificates. */
export function proofOf(chunk: Leaf[], position: number): Hex[] {
  let level = chunk.map((leaf) => keccak256(leafBytes(leaf)));
  let filling: Hex = zeroHash;
  const proof: Hex[] = [];
  for (let place = position; level.length > 1; place >>= 1) {
    if (level.length % 2 === 1) level.push(filling);
    proof.push(level[place ^ 1]!);
    const below = level;
    level = Array.from({ length: below.length / 2 }, (_, i) => keccak256(concat([below[2 * i]!, below[2 * i + 1]!])));
    filling = keccak256(concat([filling, filling]));
  }
  return proof;
}
