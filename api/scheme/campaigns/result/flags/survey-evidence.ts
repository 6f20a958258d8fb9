import type { Flag } from "../../../emissions/index.ts";
import { evidenceUriHash } from "../../evidence-marks.ts";
import { inOrder } from "../in-order.ts";

type SurveyedDevice = { position: number; evidence: readonly { uri: string; sha256?: string | undefined }[] };

/**
 * Find the positions of a usage survey whose evidence is that of another device as well, by its URI without the fragment or by its
 * SHA-256. A survey has one device of a household.
 */
export function sharedSurveyEvidence(devices: readonly SurveyedDevice[]): number[] {
  const positions = new Map<string, Set<number>>();
  for (const { position, evidence } of devices) {
    for (const { uri, sha256 } of evidence) {
      const marks = [evidenceUriHash(uri), ...(sha256 === undefined ? [] : [sha256.replace(/^0x/i, "").toLowerCase()])];
      for (const mark of marks) positions.set(mark, (positions.get(mark) ?? new Set()).add(position));
    }
  }
  const shared = [...positions.values()].filter(({ size }) => size > 1).flatMap((found) => [...found]);
  return inOrder(shared);
}

type Survey = { sharedSurveyEvidence?: readonly number[] | undefined };

/** Flag devices of a usage survey with the evidence of another device. */
export function surveyEvidenceFlags({ sharedSurveyEvidence: shared = [] }: Survey): Flag[] {
  if (shared.length === 0) return [];
  const message = `${shared.length} devices of the usage survey have the same evidence as that of another household.`;
  return [{ group: "intervention", rule: "same-survey-evidence", message, positions: [] }];
}
