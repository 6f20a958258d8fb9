import { AppError, type RuleDetail } from "../../errors.ts";
import { roomEvenly } from "./contract-errors.ts";

type Rule = { bit: number; kind: "missing" | "forbidden" | "rule"; path: string; rule: string; message: string };

/** The API's error for each bit of contracts/shared/RedemptionRules.sol. */
const rules: Rule[] = [
  { bit: 0, kind: "missing", path: "voucherId", rule: "voucher-exists", message: "There is no such voucher." },
  {
    bit: 1,
    kind: "forbidden",
    path: "supplierDid",
    rule: "supplier-authorised",
    message: "There is no such supplier.",
  },
  {
    bit: 2,
    kind: "forbidden",
    path: "supplierDid",
    rule: "supplier-authorised",
    message: "The supplier is suspended.",
  },
  { bit: 3, kind: "rule", path: "voucherId", rule: "voucher-active", message: "The voucher is not active." },
  { bit: 4, kind: "rule", path: "voucherId", rule: "voucher-not-expired", message: "The voucher has expired." },
  { bit: 5, kind: "rule", path: "voucherId", rule: "voucher-started", message: "The voucher is not valid yet." },
  {
    bit: 6,
    kind: "rule",
    path: "amount",
    rule: "amount-within-balance",
    message: "The amount exceeds the voucher's balance.",
  },
  { bit: 7, kind: "rule", path: "amount", rule: "amount-positive", message: "The amount must be more than 0." },
  {
    bit: 8,
    kind: "rule",
    path: "productId",
    rule: "product-approved",
    message: "The product is not approved for the scheme.",
  },
  {
    bit: 9,
    kind: "rule",
    path: "amount",
    rule: "product-limit",
    message: "The amount exceeds what the product allows in one redemption.",
  },
  {
    bit: 10,
    kind: "rule",
    path: "householdAuthorization",
    rule: "household-authorised",
    message: "The household's authorisation is required and must hold for exactly this redemption.",
  },
  {
    bit: 11,
    kind: "forbidden",
    path: "supplierDid",
    rule: "caller-authorised",
    message: "The sender may not redeem for this supplier.",
  },
  {
    bit: 12,
    kind: "rule",
    path: "amount",
    rule: "unconsented-within-cap",
    message: `The amount exceeds what the supplier may redeem now without the household's consent. ${roomEvenly}`,
  },
  {
    bit: 13,
    kind: "rule",
    path: "amount",
    rule: "pin-within-cap",
    message: `The amount exceeds what this service may redeem now on households' PINs. ${roomEvenly}`,
  },
];

const codes = { missing: "NOT_FOUND", forbidden: "FORBIDDEN", rule: "RULE_VIOLATION" } as const;

/** Convert the contract's bit set of broken rules to an error that names each of them; null for 0. */
export function redemptionError(verdict: number): AppError | null {
  const broken = rules.filter(({ bit }) => (verdict & (1 << bit)) !== 0);
  // The error's code: first a missing voucher, then a supplier without permission, then any other rule.
  const kind = (["missing", "forbidden", "rule"] as const).find((each) => broken.some((rule) => rule.kind === each));
  if (kind === undefined) return verdict === 0 ? null : unknownVerdict(verdict);
  const named = kind === "rule" ? broken : broken.filter((rule) => rule.kind === kind);
  const details: RuleDetail[] = named.map(({ path, rule, message }) => ({ path, rule, message }));
  const message = kind === "rule" ? "The redemption breaks the rules of the scheme." : (details[0]?.message ?? "");
  return new AppError(codes[kind], message, { details });
}

function unknownVerdict(verdict: number): AppError {
  const message = `The ledger refuses the redemption (verdict ${verdict}).`;
  return new AppError("RULE_VIOLATION", message, { details: [{ rule: "ledger-refused", message }] });
}
