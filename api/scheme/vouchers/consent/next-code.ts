import { bytesToBigInt, bytesToHex, zeroHash } from "viem";
import { AppError } from "../../../platform/errors.ts";
import { type RequestContext, requireRoleOrScope } from "../../../platform/http/index.ts";
import { requireOwnVoucher, sendCodesScope } from "../access.ts";
import type { VoucherDeps } from "../deps.ts";
import { readVoucherId } from "../public-ids.ts";
import type { NextCode } from "../schemas.ts";
import type { VoucherFacts } from "../voucher-ledger.ts";

/**
 * Find the next unused code of a voucher's household, to send it to the household's own phone.
 * @throws AppError NOT_FOUND (voucher, or not one of the key's), RULE_VIOLATION where the voucher has no codes, the service has deleted them, or all are used
 */
export async function nextCode(deps: VoucherDeps, ctx: RequestContext, voucherId: string): Promise<NextCode> {
  requireRoleOrScope(ctx.actor, sendCodesScope);
  const facts = await deps.vouchers.ledger.factsOf(readVoucherId(voucherId));
  await requireOwnVoucher(deps, ctx, facts);
  const root = await deps.chain.read("vouchers", "codeRootOf", [facts.id]);
  const set = root === zeroHash ? null : await deps.codes.setOfRoot(root);
  if (set === null) throw noCode("voucher-has-codes", "The service made no one-time codes for this voucher.");
  if (set.sealedSeed === null) {
    throw noCode("codes-kept", "The service has deleted these codes. The household has them on its paper.");
  }
  for (const [place, code] of deps.codes.codesOf(set, facts.household).entries()) {
    if (await isUnused(deps, facts, root, code)) return { code, place: place + 1 };
  }
  throw noCode("code-left", "The household has used all its codes.");
}

/** Whether a code is committed for the household, and neither used nor cancelled. */
async function isUnused(
  { chain, codes }: VoucherDeps,
  { household }: VoucherFacts,
  root: `0x${string}`,
  code: string,
): Promise<boolean> {
  const key = codes.keyOf(code);
  if ((await codes.proofOf(root, household, bytesToHex(key))) === undefined) return false;
  return (await chain.read("vouchers", "authorizationUsed", [household, bytesToBigInt(key)])) === 0n;
}

function noCode(rule: string, message: string): AppError {
  return new AppError("RULE_VIOLATION", message, { details: [{ path: "voucherId", rule, message }] });
}
