import { isLosslessNumber } from "lossless-json";
import { decodeRedemptionId } from "../../../wire/src/ids.ts";
import { isoTime } from "../../platform/chain/index.ts";
import type { RuleDetail } from "../../platform/errors.ts";
import { isCid } from "../../platform/ucan/index.ts";
import { isObject, type JsonObject, parseDateTime } from "../verification/index.ts";
import type { RedemptionFacts } from "./facts.ts";

const MAX_LINK = 2048;
/** How much earlier than the redemption a delivery may be dated, seconds. */
const DELIVERY_GRACE_SECONDS = 300n;

/**
 * List the rules that a credential's subject breaks for this redemption. Signature, dates and trust are checked
 * elsewhere.
 */
export function brokenSubjectRules(subject: JsonObject, facts: RedemptionFacts): RuleDetail[] {
  return [
    ...brokenMatches(subject, facts),
    ...brokenHolder(subject, facts),
    ...brokenProduct(facts),
    ...brokenDates(subject.deliveredAt, facts),
    ...brokenRegion(facts),
    ...brokenEvidence(subject.evidence, facts),
  ];
}

/** Check within-time-limit, by chain time in seconds. */
export function brokenTimeLimit(facts: RedemptionFacts, now: bigint): RuleDetail[] {
  if (now <= facts.deadline) return [];
  return [broke("redemptionId", "within-time-limit", `The claim was due by ${isoTime(facts.deadline)}.`)];
}

function brokenMatches(subject: JsonObject, facts: RedemptionFacts): RuleDetail[] {
  const broken: RuleDetail[] = [];
  const decoded = typeof subject.redemptionId === "string" ? decodeRedemptionId(subject.redemptionId) : undefined;
  const differ = (name: string) => {
    const message = `The credential's ${name} is not the redemption's.`;
    broken.push(broke(`credentialSubject.${name}`, "subject-matches-redemption", message));
  };
  if (!decoded?.ok || decoded.id !== facts.redemption) differ("redemptionId");
  if (subject.productId !== facts.productId) differ("productId");
  if (subject.recipient !== facts.householdDid) differ("recipient");
  if (subject.quantity !== undefined && !isPositive(subject.quantity)) {
    const message = "The credential's quantity is not a positive number.";
    broken.push(broke("credentialSubject.quantity", "subject-matches-redemption", message));
  }
  return broken;
}

function isPositive(value: unknown): boolean {
  return isLosslessNumber(value) && Number(value.toString()) > 0;
}

function brokenHolder(subject: JsonObject, facts: RedemptionFacts): RuleDetail[] {
  if (subject.supplierDid === facts.supplierDid) return [];
  const message = "The credential's supplierDid is not the supplier that redeemed the voucher.";
  return [broke("credentialSubject.supplierDid", "holder-is-supplier", message)];
}

function brokenProduct({ plan, product, productId }: RedemptionFacts): RuleDetail[] {
  if (plan.products === null || plan.products.includes(product)) return [];
  return [broke("redemptionId", "product-in-plan", `Product ${productId} is not in monitoring plan ${plan.planId}.`)];
}

function brokenDates(deliveredAt: unknown, facts: RedemptionFacts): RuleDetail[] {
  const path = "credentialSubject.deliveredAt";
  const at = parseDateTime(deliveredAt);
  if (!at) return [broke(path, "date-in-plan", "The credential's deliveredAt is not a date and time with its zone.")];
  const broken: RuleDetail[] = [];
  const seconds = BigInt(Math.floor(at.getTime() / 1000));
  if (seconds < facts.redeemedAt - DELIVERY_GRACE_SECONDS) {
    broken.push(broke(path, "date-in-plan", `The delivery is before the redemption of ${isoTime(facts.redeemedAt)}.`));
  }
  if (seconds > facts.deadline) {
    broken.push(
      broke(path, "date-in-plan", `The delivery is after the claim's deadline of ${isoTime(facts.deadline)}.`),
    );
  }
  const day = at.toISOString().slice(0, 10);
  const { period, planId } = facts.plan;
  if (period && (day < period.startDate || day > period.endDate)) {
    const message = `The delivery is outside the period of monitoring plan ${planId} (${period.startDate} to ${period.endDate}).`;
    broken.push(broke(path, "date-in-plan", message));
  }
  return broken;
}

function brokenRegion({ plan, region }: RedemptionFacts): RuleDetail[] {
  if (plan.regions.length === 0 || (region !== null && plan.regions.includes(region))) return [];
  const message = `Region ${region ?? "(unknown)"} is not in monitoring plan ${plan.planId}.`;
  return [broke("redemptionId", "region-in-plan", message)];
}

function brokenEvidence(evidence: unknown, { plan }: RedemptionFacts): RuleDetail[] {
  const given = (Array.isArray(evidence) ? evidence : []).filter(isObject);
  const types = given.flatMap(({ type, cid, uri }) => (typeof type === "string" && isLink(cid ?? uri) ? [type] : []));
  const missing = plan.requiredEvidence.filter((type) => !types.includes(type));
  return missing.map((type) => {
    const message = `The credential lacks evidence of type ${type}, which monitoring plan ${plan.planId} requires.`;
    return broke("credentialSubject.evidence", "required-evidence-present", message);
  });
}

/** Whether the evidence can be looked up: a CID, or a URI with a host or content. */
function isLink(text: unknown): boolean {
  if (typeof text !== "string" || text.length > MAX_LINK) return false;
  if (isCid(text.replace(/^ipfs:\/\//, ""))) return true;
  return /^(?:https?:\/\/[^\s/]|urn:[a-z0-9][a-z0-9-]{1,31}:\S)\S*$/i.test(text) && URL.canParse(text);
}

function broke(path: string, rule: string, message: string): RuleDetail {
  return { path: path.startsWith("credentialSubject") ? `verifiableCredential.${path}` : path, rule, message };
}
