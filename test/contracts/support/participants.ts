import { type Address, getAddress } from "viem";
import * as S from "../scheme.ts";

const { networkHelpers, viem } = S.connection;
export const ProductStatus = { None: 0, Pending: 1, Approved: 2, Withdrawn: 3 } as const;

/** Participants alone, with one holder for each role. */
async function bare() {
  const who = await S.accounts();
  const participants = await viem.deployContract("Participants", [who.council.account.address]);
  for (const role of ["guardian", "registrar", "operator", "evaluator"] as const) {
    await participants.write.grantRole([S.Role[role], who[role].account.address, 0]);
  }
  return { participants, ...who };
}

export const load = () => networkHelpers.loadFixture(bare);
export type Bare = Awaited<ReturnType<typeof bare>>;

export const as = (wallet: Bare["operator"]) => ({ account: wallet.account });
export const at = (wallet: Bare["operator"]): Address => getAddress(wallet.account.address);
export const hash = (n: number) => S.hashOf(`household ${n}`);

/** And implementer 1, supplier 1, products 1 (limit 60) and 2 (pending). */
export async function withParties() {
  const s = await load();
  await s.participants.write.registerImplementer(["did:i", at(s.implementer), "I"], as(s.registrar));
  await s.participants.write.registerSupplier(["did:s", at(s.supplier), "S", "R"], as(s.registrar));
  await s.participants.write.registerProduct(["p1", "P", "c", "u", 60n, 0], as(s.registrar));
  await s.participants.write.registerProduct(["p2", "P", "c", "u", 0n, 1], as(s.operator));
  await s.participants.write.setUnconsentedCap([0, 7], as(s.council));
  return s;
}

export const planOf = (change: Record<string, unknown> = {}) => ({
  planId: "plan",
  implementer: 1,
  startDay: 10,
  endDay: 20,
  claimWindowHours: 24,
  reviewShare: 500,
  supplierMayIssue: true,
  unconsentedCap: 7,
  products: [1],
  trustedIssuers: ["did:issuer"],
  terms: "{}",
  ...change,
});
