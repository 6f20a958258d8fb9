import { maxUint256 } from "viem";
import * as S from "../scheme.ts";
import * as I from "./itmo.ts";

export const TONNE = 1_000n * S.CARBON;

/** The scheme and Itmo, an authorization, and one voucher of 100 t of certificate 1. */
export async function withVoucher() {
  const s = await S.scheme();
  const { participants, carbon, certificates } = s;
  const { itmo } = await I.deployItmo(s, 1_000n);
  await participants.write.grantRole([S.Role.converter, itmo.address, 0], { account: s.council.account });
  const registrar = { account: s.registrar.account };
  await itmo.write.registerApproach([I.approachOf()], registrar);
  await itmo.write.registerAuthorization([I.authorizationOf()], registrar);
  const voucher = await S.issueOne(s, { registration: { verifiedReduction: 100n * TONNE }, value: 100n * TONNE });
  const certificate = (await s.vouchers.read.voucherOf([voucher])).certificate;
  for (const who of [s.supplier, s.implementer]) {
    await carbon.write.approve([certificates.address, maxUint256], { account: who.account });
  }
  await carbon.write.approve([itmo.address, maxUint256], { account: s.implementer.account });
  await s.stablecoin.write.mint([s.implementer.account.address, 10n ** 12n]);
  await s.stablecoin.write.approve([s.pool.address, maxUint256], { account: s.implementer.account });
  return { ...s, itmo, voucher, certificate };
}
export type World = Awaited<ReturnType<typeof withVoucher>>;
