import { isLosslessNumber } from "lossless-json";
import { decodeRedemptionId } from "../../../wire/src/ids.ts";
import { isoTime } from "../../platform/chain/index.ts";
import { defineRules, type RuleDetail } from "../../platform/errors.ts";
import { isCid } from "../../platform/ucan/index.ts";
import { isObject, type JsonObject, parseDateTime } from "../verification/index.ts";
import type { RedemptionFacts } from "./facts.ts";

const MAX_LINK = 2048;
/** How much earlier than the redemption a delivery may be dated, seconds. */
const DELIVERY_GRACE_SECONDS = 300n;

const broken = defineRules({
  "claim-too-late": ["within-time-limit", "The claim was due by {time}."],
  "credential-differs": ["subject-matches-redemption", "The credential's {name} is not the redemption's."],
  "quantity-not-positive": ["subject-matches-redemption", "The credential's quantity is not a positive number."],
  "credential-of-other-supplier": [
    "holder-is-supplier",
    "The credential's supplierDid is not the supplier that redeemed the voucher.",
  ],
  "product-not-in-plan": ["product-in-plan", "Product {productId} is not in monitoring plan {planId}."],
  "delivery-without-time": ["date-in-plan", "The credential's deliveredAt is not a date and time with its zone."],
  "delivery-before-redemption": ["date-in-plan", "The delivery is before the redemption of {time}."],
  "delivery-after-deadline": ["date-in-plan", "The delivery is after the claim's deadline of {time}."],
  "delivery-outside-plan": [
    "date-in-plan",
    "The delivery is outside the period of monitoring plan {planId} ({startDate} to {endDate}).",
  ],
  "region-not-in-plan": ["region-in-plan", "Region {region} is not in monitoring plan {planId}."],
  "evidence-missing": [
    "required-evidence-present",
    "The credential lacks evidence of type {type}, which monitoring plan {planId} requires.",
  ],
});
const ofCredential = "verifiableCredential.credentialSubject";

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
  return [broken("claim-too-late", "redemptionId", { time: isoTime(facts.deadline) })];
}

function brokenMatches(subject: JsonObject, facts: RedemptionFacts): RuleDetail[] {
  const problems: RuleDetail[] = [];
  const decoded = typeof subject.redemptionId === "string" ? decodeRedemptionId(subject.redemptionId) : undefined;
  const differ = (name: string) => problems.push(broken("credential-differs", `${ofCredential}.${name}`, { name }));
  if (!decoded?.ok || decoded.id !== facts.redemption) differ("redemptionId");
  if (subject.productId !== facts.productId) differ("productId");
  if (subject.recipient !== facts.householdDid) differ("recipient");
  if (subject.quantity !== undefined && !isPositive(subject.quantity)) {
    problems.push(broken("quantity-not-positive", `${ofCredential}.quantity`));
  }
  return problems;
}

function isPositive(value: unknown): boolean {
  return isLosslessNumber(value) && Number(value.toString()) > 0;
}

function brokenHolder(subject: JsonObject, facts: RedemptionFacts): RuleDetail[] {
  if (subject.supplierDid === facts.supplierDid) return [];
  return [broken("credential-of-other-supplier", `${ofCredential}.supplierDid`)];
}

function brokenProduct({ plan, product, productId }: RedemptionFacts): RuleDetail[] {
  if (plan.products === null || plan.products.includes(product)) return [];
  return [broken("product-not-in-plan", "redemptionId", { productId, planId: plan.planId })];
}

function brokenDates(deliveredAt: unknown, facts: RedemptionFacts): RuleDetail[] {
  const path = `${ofCredential}.deliveredAt`;
  const at = parseDateTime(deliveredAt);
  if (!at) return [broken("delivery-without-time", path)];
  const problems: RuleDetail[] = [];
  const seconds = BigInt(Math.floor(at.getTime() / 1000));
  if (seconds < facts.redeemedAt - DELIVERY_GRACE_SECONDS) {
    problems.push(broken("delivery-before-redemption", path, { time: isoTime(facts.redeemedAt) }));
  }
  if (seconds > facts.deadline) {
    problems.push(broken("delivery-after-deadline", path, { time: isoTime(facts.deadline) }));
  }
  const day = at.toISOString().slice(0, 10);
  const { period, planId } = facts.plan;
  if (period && (day < period.startDate || day > period.endDate)) {
    const { startDate, endDate } = period;
    problems.push(broken("delivery-outside-plan", path, { planId, startDate, endDate }));
  }
  return problems;
}

function brokenRegion({ plan, region }: RedemptionFacts): RuleDetail[] {
  if (plan.regions.length === 0 || (region !== null && plan.regions.includes(region))) return [];
  return [broken("region-not-in-plan", "redemptionId", { region: region ?? "(unknown)", planId: plan.planId })];
}

function brokenEvidence(evidence: unknown, { plan }: RedemptionFacts): RuleDetail[] {
  const given = (Array.isArray(evidence) ? evidence : []).filter(isObject);
  const types = given.flatMap(({ type, cid, uri }) => (typeof type === "string" && isLink(cid ?? uri) ? [type] : []));
  const missing = plan.requiredEvidence.filter((type) => !types.includes(type));
  return missing.map((type) => broken("evidence-missing", `${ofCredential}.evidence`, { type, planId: plan.planId }));
}

/** Whether the evidence can be looked up: a CID, or a URI with a host or content. */
function isLink(text: unknown): boolean {
  if (typeof text !== "string" || text.length > MAX_LINK) return false;
  if (isCid(text.replace(/^ipfs:\/\//, ""))) return true;
  return /^(?:https?:\/\/[^\s/]|urn:[a-z0-9][a-z0-9-]{1,31}:\S)\S*$/i.test(text) && URL.canParse(text);
}
