import type { RuleDetail } from "../../../platform/errors.ts";
import { openDataRoom } from "../dataroom/data-room.ts";
import type { ClosedCampaign } from "../dataroom/part.ts";
import type { CampaignDeps } from "../deps.ts";
import type { CampaignRow } from "../model.ts";
import { actsOf, findingsFrom, verificationsFrom } from "./acts.ts";
import { independenceProblems } from "./independence.ts";
import { carriedFindings, VERIFICATION_TYPE } from "./service.ts";
import type { VerificationAct } from "./tables.ts";
import { trustProblems } from "./trust.ts";

/** The verification of a result as its certificate states it. Certificates made before every result needed a verifier may state none. */
export type VerificationFacts = {
  verification?: { issuer: string; dataRoomHash: string; credentialHash: string };
  /** Forward action requests of this and earlier campaigns that are not closed. */
  forwardActions?: string[];
  /** Hash of the last act of the verification. */
  findingsHash?: string;
};

/**
 * List each reason why a result is not verified: a CAR or CL that is not closed, or no trusted verifier's valid signature of the current
 * data room. The service issues the result's credential, so without a verifier the scheme would certify itself.
 */
export async function verificationProblems(deps: CampaignDeps, closed: ClosedCampaign): Promise<RuleDetail[]> {
  const acts = await actsOf(deps.db, [closed.row.campaign]);
  return [...unclosedProblems(acts), ...(await signatureProblems(deps, closed, acts))];
}

/** List each CAR and CL of a campaign that is not closed. */
export async function findingProblems(
  { db }: Pick<CampaignDeps, "db">,
  { campaign }: Pick<CampaignRow, "campaign">,
): Promise<RuleDetail[]> {
  return unclosedProblems(await actsOf(db, [campaign]));
}

function unclosedProblems(acts: readonly VerificationAct[]): RuleDetail[] {
  const open = findingsFrom(acts).filter(({ kind, status }) => kind !== "FAR" && status !== "closed");
  return open.map(({ number, kind, opened }) => {
    const text = opened.content.act === "opened" ? opened.content.text : "";
    const message = `${kind} ${number} is not closed: ${shorten(text)}`;
    return { path: `findings.${number}`, rule: "findings-closed", message };
  });
}

async function signatureProblems(
  deps: CampaignDeps,
  closed: ClosedCampaign,
  acts: readonly VerificationAct[],
): Promise<RuleDetail[]> {
  const path = "verification";
  const last = verificationsFrom(acts).at(-1);
  if (last === undefined) {
    const message = "No verifier has signed the data room (POST /v1/campaigns/{id}/verifications).";
    return [{ path, rule: "data-room-verified", message }];
  }
  const { hash } = await openDataRoom(deps, closed);
  if (last.content.dataRoomHash !== hash) {
    const message = `The verifier signed the data room ${last.content.dataRoomHash}; it is ${hash} now.`;
    return [{ path, rule: "data-room-current", message }];
  }
  const requirements = { type: VERIFICATION_TYPE, now: deps.clock.now() };
  const verdict = await deps.verifier.verifyCredential(last.content.credential, requirements);
  const broken = verdict.verified ? [] : verdict.broken.map(({ rule, message }) => ({ path, rule, message }));
  const issuerDid = last.content.issuer;
  return [
    ...(await trustProblems(deps, { issuerDid, path })),
    ...(await independenceProblems(deps, { row: closed.row, issuerDid, path })),
    ...broken,
  ];
}

/** Read the verification of a result for its certificate. */
export async function verificationFacts(deps: CampaignDeps, { row }: ClosedCampaign): Promise<VerificationFacts> {
  const acts = await actsOf(deps.db, [row.campaign]);
  const own = findingsFrom(acts).map((finding) => ({ campaignId: row.campaignId, finding }));
  const forward = [...(await carriedFindings(deps, row)), ...own]
    .filter(({ finding }) => finding.kind === "FAR" && finding.status !== "closed")
    .map(({ campaignId, finding }) => `${campaignId} FAR ${finding.number}`);
  const last = verificationsFrom(acts).at(-1);
  const head = acts.at(-1);
  return {
    ...(last === undefined ? {} : { verification: signatureOf(last.content) }),
    ...(forward.length === 0 ? {} : { forwardActions: forward }),
    ...(head === undefined ? {} : { findingsHash: head.hash }),
  };
}

function signatureOf({ issuer, dataRoomHash, credentialHash }: NonNullable<VerificationFacts["verification"]>) {
  return { issuer, dataRoomHash, credentialHash };
}

const maxShown = 200;

function shorten(text: string): string {
  return text.length <= maxShown ? text : `${text.slice(0, maxShown)}…`;
}
