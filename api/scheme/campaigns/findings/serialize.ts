import type { CampaignRow } from "../model.ts";
import { type Finding, findingsFrom, verificationsFrom } from "./acts.ts";
import type { FindingResponse, VerificationResponse } from "./schemas.ts";
import type { VerificationAct } from "./tables.ts";

export function serializeFinding(campaignId: string, finding: Finding): FindingResponse {
  const { number, kind, status, opened, answers, closed } = finding;
  return {
    campaignId,
    number,
    kind,
    status,
    opened: serializeAct(opened),
    answers: answers.map(serializeAct),
    closed: closed && serializeAct(closed),
  };
}

function serializeAct({ content, role, caller, at }: VerificationAct): FindingResponse["opened"] {
  if (content.act === "verified") throw new Error("A verification is not an act on a finding.");
  const verifier = content.act === "opened" && content.verifier !== undefined ? { verifier: content.verifier } : {};
  return { text: content.text, reference: content.reference, role, caller, ...verifier, at: at.toISOString() };
}

export function serializeVerification(
  { campaignId }: CampaignRow,
  acts: readonly VerificationAct[],
  carried: readonly { campaignId: string; finding: Finding }[],
): VerificationResponse {
  const findings = findingsFrom(acts);
  return {
    campaignId,
    items: findings.map((finding) => serializeFinding(campaignId, finding)),
    carried: carried.map((each) => serializeFinding(each.campaignId, each.finding)),
    openFindings: findings.filter(({ kind, status }) => kind !== "FAR" && status !== "closed").length,
    verifications: verificationsFrom(acts).map(({ act, content }) => {
      const { issuer, dataRoomHash, credentialHash, credential } = content;
      return { issuer, dataRoomHash, credentialHash, credential, at: act.at.toISOString() };
    }),
    log: acts.map(({ at, block: _, ...act }) => ({ ...act, at: at.toISOString() })),
  };
}
