import { useTranslation } from "react-i18next";
import type { QueueEntry } from "./entry.ts";

/** What to do about each rule that refuses an order, as keys of `supplier.next`. */
const steps = {
  "voucher-exists": "checkNumber",
  "supplier-authorised": "askScheme",
  "caller-authorised": "askScheme",
  "own-identity": "askScheme",
  "voucher-active": "otherVoucher",
  "voucher-not-expired": "otherVoucher",
  "voucher-started": "comeBack",
  "amount-within-balance": "lowerAmount",
  "amount-positive": "lowerAmount",
  "product-approved": "otherProduct",
  "product-limit": "split",
  "household-authorised": "signAgain",
  "unconsented-within-cap": "letSign",
  "pin-within-cap": "letSign",
  "code-unused": "nextCode",
  "code-known": "ownPaper",
  "card-active": "otherCard",
  "pin-set": "askTeam",
  "pin-correct": "pinAgain",
  "pin-given": "pinAgain",
  "pin-not-locked": "askTeam",
  "offline-within-limit": "offlineLimit",
  range: "lowerAmount",
} as const;

const isKnown = (rule: string): rule is keyof typeof steps => rule in steps;

/** Return a function that lists what the person at the counter can do about a refused order, each step once. */
export function useNextSteps(): (problem: QueueEntry["problem"]) => string[] {
  const { t } = useTranslation();
  return (problem) => {
    const known = (problem?.details ?? []).flatMap(({ rule = "" }) => (isKnown(rule) ? [steps[rule]] : []));
    const shown = known.length === 0 ? (["other"] as const) : [...new Set(known)];
    return shown.map((step) => t(`supplier.next.${step}`));
  };
}
