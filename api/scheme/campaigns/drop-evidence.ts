import { createHash } from "node:crypto";
import { type Hex, zeroHash } from "viem";
import type { RuleDetail } from "../../platform/errors.ts";
import type { NewReplacement } from "./schemas.ts";

/** What stands on chain for a piece of evidence: the SHA-256 of its URI; zero for none. */
export function evidenceHashOf(evidence: string | null): Hex {
  return evidence === null ? zeroHash : `0x${createHash("sha256").update(evidence).digest("hex")}`;
}

/** The reason "other" says nothing by itself. */
export function evidenceProblems({ reason, evidence }: NewReplacement): RuleDetail[] {
  if (reason !== "other" || evidence !== undefined) return [];
  return [{ path: "evidence", rule: "evidence-given", message: 'The reason "other" needs evidence: a URI.' }];
}
