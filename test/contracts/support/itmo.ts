import { getAddress, getContractAddress, type Hex, stringToHex } from "viem";
import { conversionOrder } from "../../../wire/src/typed-data.ts";
import * as S from "../scheme.ts";
import * as Permits from "./permit.ts";

const { networkHelpers, viem } = S.connection;

export const TONNE = 1_000n * S.CARBON;
export const Purpose = { None: 0, Ndc: 1, Oimp: 2, Imp: 3, Op: 4, NdcAndOimp: 5, NdcAndImp: 6, NdcAndOp: 7 } as const;
export const Definition = { None: 0, Authorisation: 1, Issuance: 2, UseOrCancellation: 3 } as const;
export const BlockStatus = {
  Held: 1,
  UsedForNdc: 2,
  UsedForOimp: 3,
  Cancelled: 4,
  Omge: 5,
  ShareOfProceeds: 6,
  Buffered: 7,
} as const;
export const Action = { FirstTransfer: 0, Transfer: 1, Use: 2, Cancellation: 3, VoluntaryCancellation: 4 } as const;
export const Subtype = {
  None: 0,
  ToAnotherParty: 1,
  Authorisation: 2,
  Issuance: 3,
  UseOrCancellation: 4,
  VoluntaryToAdaptationFund: 5,
  VoluntaryOmge: 6,
  Other: 7,
} as const;
export const Cancellation = { Other: 0, Voluntary: 1, Omge: 2 } as const;
export const Answer = { None: 0, Requested: 1, Finalised: 2, Reverted: 3 } as const;

export const ascii = (text: string): Hex => stringToHex(text);
export const ZMB01 = ascii("ZMB01");
export const noPermit = { v: 0, r: `0x${"00".repeat(32)}`, s: `0x${"00".repeat(32)}` } as const;

export const approachOf = (change: Record<string, unknown> = {}) => ({
  approachId: ascii("CA0001"),
  firstTransferringParty: ascii("ZMB"),
  participatingParties: [ascii("CHE"), ascii("SWE")],
  sectors: ["Building and construction"],
  activityType: "Energy Efficiency households",
  ndcFirstYear: 2021,
  ndcLastYear: 2030,
  ...change,
});

export const authorizationOf = (change: Record<string, unknown> = {}) => ({
  authorizationId: "ZMB-AUTH 1",
  approach: 1,
  date: 19_800,
  quantity: 5_000n,
  purpose: Purpose.Ndc as number,
  firstTransfer: Definition.None as number,
  firstYear: 2021,
  lastYear: 2030,
  omgeShare: 0,
  sopShare: 0,
  entities: [{ name: "Buyer AG", country: ascii("CHE"), entityId: "CHE-100", implementer: 0 }],
  terms: "{}",
  ...change,
});

type Ledger = Pick<Awaited<ReturnType<typeof S.accounts>>, "registrar" | "evaluator"> & {
  certificates: Pick<S.Scheme["certificates"], "read" | "write">;
};

/** Registers a certificate of which an amount, in tonnes, has left the voucher ledger. Returns its index. */
export async function release({ certificates, registrar, evaluator }: Ledger, vintage: number, tonnes: bigint) {
  const entry = S.registration({ vintage, verifiedReduction: tonnes * TONNE });
  await certificates.write.registerCertificate([entry], { account: registrar.account });
  const certificate = await certificates.read.certificateIndex([S.hashOf(entry.certificateId)]);
  await certificates.write.releaseLot([certificate, tonnes * TONNE], { account: evaluator.account });
  return certificate;
}

type At = { address: Hex };

/** Deploys the ITMO contract, and those of authorizations and of the invalidation buffer, which know it. */
export async function deployItmo(ledgers: { participants: At; carbon: At; certificates: At }, dailyCap: bigint) {
  const [deployer] = await viem.getWalletClients();
  const from = deployer!.account.address;
  const nonce = BigInt(await (await viem.getPublicClient()).getTransactionCount({ address: from }));
  const [participants, carbon, certificates] = [
    ledgers.participants.address,
    ledgers.carbon.address,
    ledgers.certificates.address,
  ];
  const vouchers = await (await viem.getContractAt("Certificates", certificates)).read.VOUCHERS();
  const later = (place: bigint) => getContractAddress({ from, nonce: nonce + place });
  const itmo = await viem.deployContract("Itmo", [participants, carbon, certificates, later(1n), later(2n), dailyCap]);
  const authorizations = await viem.deployContract("Authorizations", [participants, itmo.address]);
  const buffer = await viem.deployContract("InvalidationBuffer", [participants, itmo.address, certificates, vouchers]);
  return { itmo, authorizations, buffer };
}

/**
 * Participants, CARBON whose ledger is an account, and the ITMO contract; 6 000 t of CARBON of vintage 2024, approved by
 * implementer 1.
 */
async function bare() {
  const who = await S.accounts();
  const participants = await viem.deployContract("Participants", [who.council.account.address]);
  for (const role of ["guardian", "registrar", "operator"] as const) {
    await participants.write.grantRole([S.Role[role], who[role].account.address, 0]);
  }
  const registrar = { account: who.registrar.account };
  await participants.write.registerImplementer(["did:i", who.implementer.account.address, "I"], registrar);
  const carbon = await viem.deployContract("Carbon", [who.evaluator.account.address]);
  const certificates = await viem.deployContract("Certificates", [participants.address, who.evaluator.account.address]);
  const { itmo, authorizations, buffer } = await deployItmo({ participants, carbon, certificates }, 100_000n);
  await participants.write.grantRole([S.Role.converter, itmo.address, 0], { account: who.council.account });
  await participants.write.trustIssuer([S.verifierDid, ["EmissionReductionCredential"], 0n, 0n], registrar);
  await release({ certificates, ...who }, 2024, 6_000n);
  await carbon.write.mint([6_000n * TONNE], { account: who.evaluator.account });
  await carbon.write.transfer([who.implementer.account.address, 6_000n * TONNE], { account: who.evaluator.account });
  await carbon.write.approve([itmo.address, 2n ** 256n - 1n], { account: who.implementer.account });
  return { participants, carbon, certificates, itmo, authorizations, buffer, ...who };
}

/** And approach 1, authorization 1. */
async function authorized() {
  const s = await bare();
  await s.itmo.write.registerApproach([approachOf()], as(s.registrar));
  await s.itmo.write.registerAuthorization([authorizationOf()], as(s.registrar));
  return s;
}

export type ItmoScheme = Awaited<ReturnType<typeof bare>>;
export const loadBare = () => networkHelpers.loadFixture(bare);
export const loadAuthorized = () => networkHelpers.loadFixture(authorized);

export const as = (wallet: ItmoScheme["operator"]) => ({ account: wallet.account });
export const at = (wallet: ItmoScheme["operator"]) => getAddress(wallet.account.address);

export const orderOf = (change: Record<string, unknown> = {}) => ({
  implementer: 1,
  amount: 1_000n * TONNE,
  authorization: 1,
  vintage: 2024,
  ...change,
});

export const request = (s: ItmoScheme, change: Record<string, unknown> = {}, by = s.implementer) =>
  s.itmo.write.requestConversion([orderOf(change)], as(by));

/** Gives implementer 1 another account, as the registrar does when the old one was stolen. */
export async function replaceAccount(s: ItmoScheme, account: ItmoScheme["operator"]) {
  await s.participants.write.proposeAccount([S.Party.implementer, 1, at(account)], as(s.registrar));
  await networkHelpers.time.increase(S.DAY);
  await s.participants.write.finaliseAccount([S.Party.implementer, 1], as(s.stranger));
}

export const finalise = (s: ItmoScheme, conversion: number, firstId: bigint, lastId: bigint, more = {}) => {
  const { registry, predecessor, by } = { registry: ZMB01, predecessor: 0, by: s.registrar, ...more };
  return s.itmo.write.finalise([conversion, registry, firstId, lastId, predecessor], as(by));
};

/** A conversion under its own authorization (number 2 and on), finalised as serials 1 to the quantity. Returns the block's id. */
export async function mint(s: ItmoScheme, terms: Record<string, unknown> = {}, quantity = 1_000n): Promise<bigint> {
  const conversion = (await s.itmo.read.conversionCount()) + 1;
  await s.itmo.write.registerAuthorization(
    [authorizationOf({ authorizationId: `OF ${conversion}`, ...terms })],
    as(s.registrar),
  );
  const authorization = await s.itmo.read.authorizationIndex([S.hashOf(`OF ${conversion}`)]);
  await request(s, { authorization, amount: quantity * TONNE });
  await finalise(s, conversion, 1n, quantity, { registry: ascii(`ZMB${String(conversion).padStart(2, "0")}`) });
  return blockId(conversion, 1n);
}

export const blockId = (conversion: number, firstId: bigint) => (BigInt(conversion) << 64n) | firstId;
export const part = (block: bigint, firstId: bigint, lastId: bigint) => ({ blockId: block, firstId, lastId });

/** [first, last, status, party, first-transfer mark] of a block. */
export async function lookAt(s: ItmoScheme, block: bigint) {
  const { firstId, lastId, status, party, firstTransfer } = await s.itmo.read.blockOf([block]);
  return [firstId, lastId, status, Buffer.from(party.slice(2), "hex").toString().replaceAll("\0", ""), firstTransfer];
}

/** The ITMO actions that a call emitted, abbreviated. */
export async function actionsOf(s: ItmoScheme, call: Promise<unknown>) {
  await call;
  const events = await s.itmo.getEvents.ItmoAction();
  return events.map(({ args }) => ({
    block: args.blockId,
    action: args.action,
    subtype: args.subtype,
    units: args.units!,
    movement: args.movement!,
  }));
}

export const movement = (change: Record<string, unknown> = {}) => ({
  transferringParty: "0x000000",
  acquiringParty: "0x000000",
  usingParty: "0x000000",
  usingEntity: "",
  purpose: 0,
  ndcYear: 0,
  note: "",
  ...change,
});

/** The implementer's EIP-712 order. */
export const signOrder = (
  s: ItmoScheme,
  order: ReturnType<typeof orderOf>,
  { nonce = 7n, deadline = S.NO_BOUND, signer = s.implementer } = {},
) =>
  signer.signTypedData(
    conversionOrder({ chainId: 31337, verifyingContract: s.itmo.address }, { ...order, nonce, deadline }),
  );

/** The implementer's ERC-2612 permit of CARBON. */
export async function signPermit(s: ItmoScheme, amount: bigint, deadline = S.NO_BOUND) {
  const owner = at(s.implementer);
  const nonce = await s.carbon.read.nonces([owner]);
  const permit = { owner, spender: s.itmo.address, value: amount, nonce, deadline };
  return Permits.signPermit(s.implementer, { carbon: s.carbon.address, ...permit });
}
