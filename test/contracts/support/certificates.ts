import { concat, type Hex, keccak256, numberToHex, parseEther } from "viem";
import * as S from "../scheme.ts";

const { networkHelpers } = S.connection;
export const Status = { None: 0, Pending: 1, Valid: 2, Suspended: 3, Revoked: 4 } as const;

export type Change = Record<string, unknown>;

/** Registers and returns the index. */
export async function register(s: S.Scheme, change: Change = {}) {
  const entry = S.registration(change);
  await s.certificates.write.registerCertificate([entry], { account: s.registrar.account });
  return s.certificates.read.certificateIndex([S.hashOf(entry.certificateId)]);
}

export const attempt = (s: S.Scheme, change: Change = {}) =>
  s.certificates.write.registerCertificate([S.registration(change)], { account: s.registrar.account });
export const record = (s: S.Scheme, certificate: number, leaves: Hex) =>
  s.certificates.write.recordAllocation([certificate, leaves], { account: s.registrar.account });
export const setStatus = (s: S.Scheme, certificate: number, status: number) =>
  s.certificates.write.setCertificateStatus([certificate, status, "why"], { account: s.registrar.account });
export const statusOf = async (s: S.Scheme, certificate: number) =>
  (await s.certificates.read.certificateOf([certificate])).status;

/** The scheme, and the ledger's account as a caller. */
export async function withLedger() {
  const s = await S.loadScheme();
  await networkHelpers.impersonateAccount(s.vouchers.address);
  await networkHelpers.setBalance(s.vouchers.address, parseEther("1"));
  return { s, ledger: { account: s.vouchers.address } };
}

/** Root of a chunk, as ICertificates specifies it, by climbing from its first leaf. */
export function rootOf(chunk: S.Leaf[]): Hex {
  return S.proofOf(chunk, 0).reduce((node, sibling) => keccak256(concat([node, sibling])), leafHash(chunk[0]!));
}

function leafHash({ household, amount }: S.Leaf): Hex {
  return keccak256(concat([numberToHex(household, { size: 4 }), numberToHex(amount, { size: 8 })]));
}
