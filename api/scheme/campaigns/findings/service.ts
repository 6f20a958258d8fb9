import { isLosslessNumber } from "lossless-json";
import { AppError, type RuleDetail, refuseBrokenRules } from "../../../platform/errors.ts";
import { type Actor, type RequestContext, requireRole } from "../../../platform/http/index.ts";
import { notRegistered, ruleConflict, statusConflict } from "../../registry/index.ts";
import { requireOwnCampaign, requireVisibleCampaign } from "../access.ts";
import { openDataRoom, requireClosedCampaign } from "../dataroom/data-room.ts";
import type { CampaignDeps } from "../deps.ts";
import type { CampaignRow } from "../model.ts";
import { isReserved } from "../result/store.ts";
import { actsOf, addAct, type Finding, findingsFrom, type NewAct, nextFinding, verificationsFrom } from "./acts.ts";
import { independenceProblems } from "./independence.ts";
import type { FindingResponse, NewFinding, NewReply, NewVerification, VerificationResponse } from "./schemas.ts";
import { serializeFinding, serializeVerification } from "./serialize.ts";
import type { ActContent, VerificationAct } from "./tables.ts";
import { trustProblems } from "./trust.ts";

/** Type of the credential by which a verifier signs a data room. */
export const VERIFICATION_TYPE = "DataRoomVerificationCredential";
/** Most answers of a finding: each reader gets all of them. */
const maxAnswers = 50;

/** Findings, signed verifications and the log of a campaign. @throws AppError NOT_FOUND, FORBIDDEN */
export async function getVerification(
  deps: CampaignDeps,
  ctx: RequestContext,
  campaignId: string,
): Promise<VerificationResponse> {
  const row = await requireReadable(deps, ctx, campaignId);
  const acts = await actsOf(deps.db, [row.campaign]);
  return serializeVerification(row, acts, await carriedFindings(deps, row));
}

/** Open a finding. @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT for a campaign that is abandoned */
export async function openFinding(
  deps: CampaignDeps,
  ctx: RequestContext,
  campaignId: string,
  { kind, text, reference }: NewFinding,
): Promise<FindingResponse> {
  const row = await requireReadable(deps, ctx, campaignId);
  requireRole(ctx.actor, "evaluator");
  const act = await addAct(deps, ctx, row.campaign, async (acts) => {
    if (row.status === "abandoned") throw statusConflict("The campaign is abandoned: it has no result to verify.");
    await requireNotCertified(deps, row);
    const { dids } = ctx.actor;
    const verifier = dids === null || dids.length === 0 ? {} : { verifier: dids };
    return newAct(deps, ctx, nextFinding(acts), {
      act: "opened",
      kind,
      text,
      reference: reference ?? null,
      ...verifier,
    });
  });
  return findingOf(deps, row, act.finding ?? 0);
}

/** Answer a finding for the implementer. @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT once it is closed */
export async function answerFinding(
  deps: CampaignDeps,
  ctx: RequestContext,
  at: { campaignId: string; number: number },
  { text, reference }: NewReply,
): Promise<FindingResponse> {
  const row = await requireReadable(deps, ctx, at.campaignId);
  requireRole(ctx.actor, "implementer");
  await requireOwnCampaign(deps, ctx, row);
  await addAct(deps, ctx, row.campaign, (acts) => {
    if (requireUnclosed(acts, at).answers.length >= maxAnswers) {
      throw ruleConflict("answers-at-most", `Finding ${at.number} has ${maxAnswers} answers already, the most.`);
    }
    return newAct(deps, ctx, at.number, { act: "answered", text, reference: reference ?? null });
  });
  return findingOf(deps, row, at.number);
}

/**
 * Close an answered finding: for the verifier who opened it, or for the regulator, whose text is the reason.
 * @throws AppError NOT_FOUND, FORBIDDEN for another verifier, CONFLICT unless it is answered
 */
export async function closeFinding(
  deps: CampaignDeps,
  ctx: RequestContext,
  at: { campaignId: string; number: number },
  { text, reference }: NewReply,
): Promise<FindingResponse> {
  const row = await requireReadable(deps, ctx, at.campaignId);
  requireRole(ctx.actor, "evaluator", "regulator");
  await addAct(deps, ctx, row.campaign, (acts) => {
    const found = requireUnclosed(acts, at);
    refuseOtherVerifier(ctx.actor, found);
    if (found.status !== "answered") {
      throw ruleConflict("finding-answered", `Finding ${at.number} has no answer of the implementer yet.`);
    }
    return newAct(deps, ctx, at.number, { act: "closed", text, reference: reference ?? null });
  });
  return findingOf(deps, row, at.number);
}

/**
 * Store a trusted issuer's signed statement that it verified the data room.
 * @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT unless the campaign is closed, RULE_VIOLATION naming every broken rule
 */
export async function addVerification(
  deps: CampaignDeps,
  ctx: RequestContext,
  campaignId: string,
  { verifiableCredential }: NewVerification,
): Promise<VerificationResponse> {
  requireRole(ctx.actor, "evaluator", "regulator");
  const closed = await requireClosedCampaign(deps, ctx, campaignId);
  const { hash } = await openDataRoom(deps, closed);
  const verdict = await deps.verifier.verifyCredential(verifiableCredential, {
    type: VERIFICATION_TYPE,
    now: deps.clock.now(),
  });
  const stated = verdict.verified ? verdict.credential : verdict.stated;
  const broken: RuleDetail[] = verdict.verified ? [] : [...verdict.broken];
  const breaks = (path: string, rule: string, message: string) => broken.push({ path, rule, message });
  if (stated !== undefined) {
    const { issuerDid, subject } = stated;
    const path = "verifiableCredential";
    broken.push(...(await trustProblems(deps, { issuerDid, path })));
    broken.push(...(await independenceProblems(deps, { row: closed.row, issuerDid, path })));
    if (textOf(subject.campaignId) !== campaignId) {
      breaks(`${path}.credentialSubject.campaignId`, "campaign-named", `The credential does not name ${campaignId}.`);
    }
    if (textOf(subject.dataRoomHash) !== hash) {
      const message = `The data room has the hash ${hash}; the credential names another.`;
      breaks(`${path}.credentialSubject.dataRoomHash`, "data-room-current", message);
    }
  }
  refuseBrokenRules(broken, "The verification breaks rules; it was not stored.");
  if (!verdict.verified) throw new Error("A credential that is not verified broke no rule.");
  const { jwt, credentialHash, issuerDid } = verdict.credential;
  await addAct(deps, ctx, closed.row.campaign, (acts) => {
    if (verificationsFrom(acts).some(({ content }) => content.credentialHash === credentialHash)) {
      throw ruleConflict("credential-unused", "This credential is stored already.");
    }
    const content = {
      act: "verified",
      issuer: issuerDid,
      dataRoomHash: hash,
      credentialHash,
      credential: jwt,
    } as const;
    return newAct(deps, ctx, null, content);
  });
  return getVerification(deps, ctx, campaignId);
}

/** Forward action requests of earlier campaigns of the plan that are not closed. */
export async function carriedFindings(
  deps: CampaignDeps,
  row: CampaignRow,
): Promise<{ campaignId: string; finding: Finding }[]> {
  const earlier = (await deps.campaigns.ofPlan(row.plan)).filter(({ campaign }) => campaign < row.campaign);
  const acts = await actsOf(
    deps.db,
    earlier.map(({ campaign }) => campaign),
  );
  return earlier.flatMap(({ campaign, campaignId }) =>
    findingsFrom(acts.filter((act) => act.campaign === campaign))
      .filter(({ kind, status }) => kind === "FAR" && status !== "closed")
      .map((finding) => ({ campaignId, finding })),
  );
}

async function requireReadable(deps: CampaignDeps, ctx: RequestContext, campaignId: string): Promise<CampaignRow> {
  const row = await requireVisibleCampaign(deps, ctx, campaignId);
  requireRole(ctx.actor, "regulator", "evaluator", "implementer");
  return row;
}

async function findingOf(deps: CampaignDeps, row: CampaignRow, number: number): Promise<FindingResponse> {
  const found = findingsFrom(await actsOf(deps.db, [row.campaign])).find((each) => each.number === number);
  if (found === undefined) throw new Error(`Finding ${number} was not stored.`);
  return serializeFinding(row.campaignId, found);
}

/** @throws AppError NOT_FOUND, CONFLICT once it is closed */
function requireUnclosed(acts: readonly VerificationAct[], at: { number: number }): Finding {
  const found = findingsFrom(acts).find(({ number }) => number === at.number);
  if (found === undefined) throw notRegistered("Finding", String(at.number));
  if (found.status === "closed") throw ruleConflict("finding-open", `Finding ${at.number} is closed.`);
  return found;
}

/** @throws AppError FORBIDDEN for a verifier that neither opened the finding nor has a DID in common with who did */
function refuseOtherVerifier({ role, keyId, dids }: Actor, { number, opened }: Finding): void {
  if (role !== "evaluator" || opened.caller === keyId) return;
  const verifier = (opened.content.act === "opened" && opened.content.verifier) || [];
  if (dids?.some((did) => verifier.includes(did))) return;
  const message = `Another verifier opened finding ${number}. Only that verifier or the regulator closes it.`;
  throw new AppError("FORBIDDEN", message, { details: [{ rule: "own-finding", message }] });
}

/** From the moment that a certificate is begun, a finding could not prevent it. */
async function requireNotCertified(
  { db }: Pick<CampaignDeps, "db">,
  { campaign, certificate, campaignId }: CampaignRow,
): Promise<void> {
  const rule = "campaign-not-certified";
  if (certificate !== null)
    throw ruleConflict(rule, `Campaign ${campaignId} has a certificate already: its verification is over.`);
  if (await isReserved(db, campaign)) {
    throw ruleConflict(rule, `A certificate of campaign ${campaignId} was begun: its verification is over.`);
  }
}

function newAct(
  { clock }: Pick<CampaignDeps, "clock">,
  { actor }: RequestContext,
  finding: number | null,
  content: ActContent,
): NewAct {
  return { finding, content, role: actor.role, caller: actor.keyId, at: clock.now() };
}

function textOf(value: unknown): string | undefined {
  if (isLosslessNumber(value)) return value.value;
  return typeof value === "string" ? value : undefined;
}
