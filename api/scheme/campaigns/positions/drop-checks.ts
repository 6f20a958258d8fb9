import { createHash } from "node:crypto";
import { type Hex, zeroHash } from "viem";
import { AppError, type RuleDetail, refuseBrokenRules } from "../../../platform/errors.ts";
import type { Member } from "../model.ts";
import type { NewReplacement } from "../schemas.ts";

/** Hash the URI of a piece of evidence by SHA-256, as the chain has it; zero for none. */
export function evidenceHashOf(evidence: string | null): Hex {
  return evidence === null ? zeroHash : `0x${createHash("sha256").update(evidence).digest("hex")}`;
}

/**
 * The household, if it may leave the sample of the group for the reason.
 * @param outcome a replacement needs evidence whatever its reason, because it leaves no trace in the result
 * @param ifMissing message for a household that is marked as missing
 * @throws AppError CONFLICT for a missing household, RULE_VIOLATION naming every broken rule
 */
export function requireSampled(
  member: Member | null,
  input: NewReplacement,
  { outcome, ifMissing }: { outcome: "replaced" | "missing"; ifMissing: string },
): Member {
  const isOfGroup = member?.group === input.group;
  if (isOfGroup && member.status === "missing") {
    const details = [{ path: "householdId", rule: "household-not-missing", message: ifMissing }];
    throw new AppError("CONFLICT", ifMissing, { details });
  }
  const broken = evidenceProblems(input, outcome);
  const isSampled = isOfGroup && member.status === "sampled";
  if (!isSampled) {
    const message = `The household is not in the sample of the ${input.group} group.`;
    broken.push({ path: "householdId", rule: "household-in-sample", message });
  }
  refuseBrokenRules(broken);
  if (!isSampled) throw new Error("A household outside the sample passed its checks.");
  return member;
}

/** The reason "other" says nothing by itself. */
function evidenceProblems({ reason, evidence }: NewReplacement, outcome: "replaced" | "missing"): RuleDetail[] {
  if (evidence !== undefined || (outcome === "missing" && reason !== "other")) return [];
  const message =
    outcome === "replaced" ? "A replacement needs evidence: a URI." : 'The reason "other" needs evidence: a URI.';
  return [{ path: "evidence", rule: "evidence-given", message }];
}
