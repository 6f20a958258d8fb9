import type { Address } from "viem";
import { errorOfRevert } from "../../../platform/chain/index.ts";
import { AppError, type RuleDetail, refuseBrokenRules } from "../../../platform/errors.ts";
import { formatScaled } from "../../../platform/values/numbers.ts";
import { isZero } from "../../../platform/values/zero-address.ts";
import { missing } from "../authorizations/authorizations.ts";
import { readReductionState, refusalOf } from "../authorizations/reduction-state.ts";
import type { ItmoDeps } from "../deps.ts";
import { ruleError } from "../errors.ts";
import type { AuthorizationRow } from "../tables.ts";
import { FIRST_VINTAGE, lotsRule, splitByVintage, TONNE, yearOf } from "./lots.ts";
import type { ConversionOrder } from "./order.ts";
import type { ConversionTerms } from "./schemas.ts";

/**
 * Convert the terms to the contract's and check every rule of the contract in advance.
 * @throws AppError NOT_FOUND (approach, authorization, implementer), RULE_VIOLATION naming every broken rule, CONFLICT
 * if only the account's balance or the vintage's lots are too small
 */
export async function checkConversion(
  deps: ItmoDeps,
  input: ConversionTerms,
): Promise<{ order: ConversionOrder; account: Address }> {
  const { orders, account } = await checkConversions(deps, input);
  const [order, ...others] = orders;
  if (order !== undefined && others.length === 0) return { order, account };
  const parts = orders.map(({ amount, vintage }) => `${formatScaled(amount, 6)} CARBON of ${vintage}`);
  throw ruleError("RULE_VIOLATION", "vintage", "one-vintage", `Convert each vintage separately: ${parts.join(", ")}.`);
}

/**
 * The same for a request that may name no vintage: an order for each vintage, the oldest first.
 * @throws AppError as `checkConversion`
 */
export async function checkConversions(
  deps: ItmoDeps,
  input: ConversionTerms,
): Promise<{ orders: ConversionOrder[]; account: Address }> {
  const { row, account, ...order } = await readOrder(deps, input);
  const broken = await brokenRules(deps, input, row);
  if (!(await deps.itmo.ledger.mayConvert(order.authorization, order.implementer))) {
    const { details } = errorOfRevert({
      name: "ImplementerNotAuthorized",
      args: [order.authorization, order.implementer],
    });
    broken.unshift(...details.map((detail) => ({ path: "implementerDid", ...detail })));
  }
  const [reduced, balance, lots] = await Promise.all([
    reductionRule(deps, row, input.amount / TONNE),
    balanceRule(deps, account, input.amount),
    partsOf(deps, input, row),
  ]);
  const conflicts = [reduced, balance, lots.rule].filter((rule) => rule !== null);
  const [first] = conflicts;
  if (broken.length === 0 && first !== undefined) throw new AppError("CONFLICT", first.message, { details: conflicts });
  refuseBrokenRules([...broken, ...conflicts], "The conversion breaks rules.");
  return { orders: lots.parts.map((part) => ({ ...order, ...part })), account };
}

/** Split a request by vintage, and say whether there is enough to convert. */
async function partsOf(deps: ItmoDeps, { amount, vintage }: ConversionTerms, row: AuthorizationRow) {
  if (vintage !== undefined) return { parts: [{ amount, vintage }], rule: await lotsRule(deps, vintage, amount) };
  const thisYear = yearOf(await deps.chain.now());
  const [first, last] = row.lastYear === 0 ? [FIRST_VINTAGE, thisYear] : [row.firstYear, row.lastYear];
  return splitByVintage(deps, amount, { first, last: Math.min(last, thisYear) });
}

/** Look up the contract's numbers of the named entities. @throws AppError NOT_FOUND naming each that is not registered */
async function readOrder(deps: ItmoDeps, input: ConversionTerms) {
  const { itmo, registry } = deps;
  const [implementer, approach, row] = await Promise.all([
    registry.implementers.byDid(input.implementerDid),
    itmo.approaches.byId(input.cooperativeApproachId),
    itmo.authorizations.byId(input.authorizationId),
  ]);
  const absent = [
    implementer ?? missing("implementerDid", "implementer-exists", "Implementer", input.implementerDid),
    approach ??
      missing(
        "cooperativeApproachId",
        "cooperative-approach-exists",
        "Cooperative approach",
        input.cooperativeApproachId,
      ),
    row ?? missing("authorizationId", "authorization-exists", "Authorization", input.authorizationId),
  ].filter((each) => each instanceof AppError);
  if (implementer === null || row === null || absent.length > 0) {
    const details = absent.flatMap((error) => error.details);
    throw new AppError("NOT_FOUND", details[0]?.message ?? "", { details });
  }
  const account = await registry.implementers.accountOf(implementer.implementer);
  return { implementer: implementer.implementer, authorization: row.authorization, row, account };
}

async function brokenRules(deps: ItmoDeps, input: ConversionTerms, row: AuthorizationRow): Promise<RuleDetail[]> {
  const { itmo, chain } = deps;
  const broken: RuleDetail[] = [];
  const refuse = (path: string, rule: string, message: string) => void broken.push({ path, rule, message });
  const [state, approach, now] = await Promise.all([
    itmo.ledger.authorizationState(row.authorization),
    itmo.approaches.byIndex(row.approach),
    chain.now(),
  ]);
  if (approach?.cooperativeApproachId !== input.cooperativeApproachId) {
    const message = `The authorization is of cooperative approach ${approach?.cooperativeApproachId}.`;
    refuse("cooperativeApproachId", "authorization-of-approach", message);
  }
  if (input.amount % TONNE !== 0n) {
    refuse("amount", "whole-tonnes", "The amount must be a positive multiple of 1000 CARBON.");
  }
  const left = state.quantity - state.committed;
  if (input.amount > left * TONNE) refuse("amount", "quantity-authorized", `The authorization leaves ${left} tonnes.`);
  const { vintage } = input;
  if (vintage === undefined) return broken;
  if (row.lastYear !== 0 && (vintage < row.firstYear || vintage > row.lastYear)) {
    const message = `The vintage must be between ${row.firstYear} and ${row.lastYear}, the authorized timeframe.`;
    refuse("vintage", "vintage-authorized", message);
  }
  if (vintage > yearOf(now)) {
    refuse("vintage", "vintage-not-in-future", "The vintage is in the future.");
  }
  return broken;
}

/** Say why the regulator has left too little of the authorization for a number of tonnes more; null when it has not. */
async function reductionRule(deps: ItmoDeps, row: AuthorizationRow, tonnes: bigint): Promise<RuleDetail | null> {
  const [left, { committed }] = await Promise.all([
    readReductionState(deps, row),
    deps.itmo.ledger.authorizationState(row.authorization),
  ]);
  const [detail] = refusalOf(row, left, committed + tonnes)?.details ?? [];
  return detail === undefined ? null : { ...detail, path: "authorizationId" };
}

async function balanceRule(deps: ItmoDeps, account: Address, amount: bigint): Promise<RuleDetail | null> {
  const balance = isZero(account) ? 0n : await deps.chain.read("carbon", "balanceOf", [account]);
  if (balance >= amount) return null;
  const message = `The account ${account} holds ${formatScaled(balance, 6)} CARBON.`;
  return { path: "amount", rule: "balance", message };
}
