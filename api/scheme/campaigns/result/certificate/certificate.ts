import { partKey, submitCall } from "../../../../platform/chain/index.ts";
import { AppError, refuseBrokenRules } from "../../../../platform/errors.ts";
import { type RequestContext, requireRole } from "../../../../platform/http/index.ts";
import { findStarted, type StartedOperation } from "../../../../platform/operations/index.ts";
import { jsonAmount } from "../../../../platform/values/numbers.ts";
import {
  type CertificateRow,
  CREDENTIAL_TYPE,
  checkCertificate,
  getCertificate,
  isHouseholdPeriodConflict,
  RECORDING_TYPE,
  registerCertificate,
} from "../../../certificates/index.ts";
import { statusConflict } from "../../../registry/index.ts";
import { requireVisibleCampaign } from "../../access.ts";
import type { CampaignDeps } from "../../deps.ts";
import { verificationFacts, verificationProblems } from "../../findings/problems.ts";
import type { CampaignRow } from "../../model.ts";
import { siblingsOf } from "../../siblings.ts";
import { type ResultDocument, requireDocument } from "../document.ts";
import type { CampaignCertificate, CampaignCertificateRequest } from "../schemas.ts";
import { releaseResult, reservedCampaigns, reservedCertificate, reserveResult } from "../store.ts";
import { link, linkPart, startLinking } from "./link.ts";
import {
  type CertificateTerms,
  certificateTerms,
  certifiedCampaigns,
  certifiedProblem,
  frameHouseholds,
} from "./terms.ts";

type Outcome = { certificate: CampaignCertificate } | { operation: StartedOperation };

/**
 * Make the certificate of a closed campaign's result: a credential of the service, a certificate of the registry, and the link of
 * both on chain. A step that an interrupted attempt has made is skipped.
 * @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT unless closed and without certificate, RULE_VIOLATION naming every broken rule
 */
export async function certifyCampaign(
  deps: CampaignDeps,
  ctx: RequestContext,
  campaignId: string,
  input: CampaignCertificateRequest,
): Promise<Outcome> {
  const row = await requireVisibleCampaign(deps, ctx, campaignId);
  requireRole(ctx.actor, "regulator");
  const document = await closedDocument(deps, row);
  if (row.certificate !== null) return resumeLinked(deps, ctx, { row, input });
  const started = await registerOnce(deps, ctx, { row, document, input });
  if (started !== null)
    return {
      operation: await startLinking(deps, ctx, {
        campaign: row.campaign,
        certificateId: input.certificateId,
        after: started.operationId,
      }),
    };
  await link(deps, ctx, row.campaign, input.certificateId);
  return { certificate: await show(deps, ctx, await requireVisibleCampaign(deps, ctx, campaignId), input) };
}

async function closedDocument(deps: CampaignDeps, row: CampaignRow): Promise<ResultDocument> {
  if (row.resultHash === null)
    throw statusConflict(
      "The campaign is not closed yet: its result may change. POST /v1/campaigns/{id}/close ends it.",
    );
  return await requireDocument(deps, row.campaignId, row.resultHash);
}

/** A campaign has one certificate. The request that made it gets it again. */
async function resumeLinked(
  deps: CampaignDeps,
  ctx: RequestContext,
  { row, input }: { row: CampaignRow; input: CampaignCertificateRequest },
): Promise<Outcome> {
  const linked = await deps.certificates.byIndex(row.certificate ?? 0);
  const isOwn = await deps.chain.outbox.isStored(partKey(ctx.idempotencyKey, linkPart));
  if (isOwn && linked?.certificateId === input.certificateId) return { certificate: await show(deps, ctx, row, input) };
  const message = `The campaign has certificate ${linked?.certificateId ?? row.certificate} already.`;
  throw new AppError("CONFLICT", message, { details: [{ rule: "campaign-not-certified", message }] });
}

type ToRegister = { row: CampaignRow; document: ResultDocument; input: CampaignCertificateRequest };

/** Register the certificate unless it is there; the operation that does it, where its allocation is large. */
async function registerOnce(deps: CampaignDeps, ctx: RequestContext, to: ToRegister): Promise<StartedOperation | null> {
  const begun = await findRunning(deps, ctx);
  if (begun !== undefined) return begun;
  const known = await deps.certificates.byId(to.input.certificateId);
  if (known !== null && (await isOf(deps, known, to.document))) return null;
  const terms = await certificateTerms(deps, to);
  await trustOurselves(deps, ctx);
  const { jwt } = await deps.credentials.issue(await credentialOf(deps, terms, to));
  const registration = { ...terms, verifiableCredential: { type: CREDENTIAL_TYPE, proof: jwt } };
  await refuseOther(deps, to, await reservedCertificate(deps.db, to.row.campaign));
  const households = await frameHouseholds(deps, to.row);
  // Before the result is set aside: what breaks a rule would keep it for nothing.
  await checkCertificate(deps, registration, households);
  await reserve(deps, to, terms.vintage);
  await refuseNewFindings(deps, to);
  const outcome = await registerCertificate(deps, ctx, registration, households).catch(async (error: unknown) => {
    // Another certificate for these households was stored first; nothing of this one was.
    if (isHouseholdPeriodConflict(error)) await releaseResult(deps.db, to.row.campaign, to.input.certificateId);
    throw error;
  });
  return "operation" in outcome ? outcome.operation : null;
}

/** The operation of an earlier attempt of the same idempotent request, while it runs. */
async function findRunning(deps: CampaignDeps, ctx: RequestContext): Promise<StartedOperation | undefined> {
  const begun = await findStarted(deps, ctx, RECORDING_TYPE);
  const row = begun && (await deps.operations.store.find(begun.operationId));
  return row?.status === "queued" || row?.status === "running" ? begun : undefined;
}

/**
 * Reserve the result: one result becomes one certificate, and of two campaigns of the same households one.
 * @throws AppError CONFLICT when another certificate, or another campaign's result, was reserved first
 */
async function reserve(deps: CampaignDeps, to: ToRegister, vintage: number): Promise<void> {
  const { certificateId } = to.input;
  const wanted = { campaign: to.row.campaign, certificateId, at: deps.clock.now() };
  for (;;) {
    const reserved = await reservedCampaigns(deps.db);
    await refuseRivals(deps, to, { vintage, reserved });
    const first = await reserveResult(deps.db, wanted, reserved);
    if (first === certificateId) return;
    await refuseOther(deps, to, first);
  }
}

/** @throws AppError CONFLICT when the result is reserved for another certificate that can still be this campaign's */
async function refuseOther(
  deps: CampaignDeps,
  { row, document, input }: ToRegister,
  first: string | null,
): Promise<void> {
  if (first === null || first === input.certificateId) return;
  const other = await deps.certificates.byId(first);
  if (other !== null && !(await isOf(deps, other, document))) {
    // Somebody else registered another certificate under that id.
    await releaseResult(deps.db, row.campaign, first);
    return;
  }
  const message = `Certificate ${first} was begun of this campaign's result; the request for it, sent again, finishes it.`;
  throw new AppError("CONFLICT", message, { details: [{ rule: "campaign-not-certified", message }] });
}

/** @throws AppError CONFLICT when another campaign that counts the same households has reserved its result */
async function refuseRivals(
  deps: CampaignDeps,
  { row }: ToRegister,
  { vintage, reserved }: { vintage: number; reserved: number[] },
): Promise<void> {
  const rivals = await Promise.all(reserved.map((campaign) => deps.campaigns.byIndex(campaign)));
  const others = await certifiedCampaigns(deps, { row, vintage, others: rivals.filter((each) => each !== null) });
  const details = others.map(certifiedProblem);
  if (details[0] !== undefined) throw new AppError("CONFLICT", details[0].message, { details });
}

/** Since the terms were checked, a verifier may have opened a finding; none is opened once the result is reserved. */
async function refuseNewFindings(deps: CampaignDeps, to: ToRegister): Promise<void> {
  const problems = await verificationProblems(deps, to);
  if (problems.length === 0) return;
  await releaseResult(deps.db, to.row.campaign, to.input.certificateId);
  refuseBrokenRules(problems, "No certificate follows from this campaign's result.");
}

/** Whether a certificate rests on a credential that we issued for this very result. */
async function isOf(deps: CampaignDeps, row: CertificateRow, { hash }: ResultDocument): Promise<boolean> {
  return (await issuedSubject(deps, row))?.resultHash === hash;
}

/** What our credential of a certificate says; null for a credential of somebody else. */
async function issuedSubject(
  { certificates, credentials }: CampaignDeps,
  { facts }: CertificateRow,
): Promise<{ resultHash: string; siblings?: string[] } | null> {
  const stored = await certificates.store.credential(facts.credentialHash);
  if (stored === null || stored.issuer !== credentials.issuer) return null;
  const payload = JSON.parse(Buffer.from(stored.token.split(".")[1] ?? "", "base64url").toString("utf8"));
  return payload?.vc?.credentialSubject ?? null;
}

/**
 * The regulator's request is the approval of the service as issuer of what it calculated, unless the regulator has ended its
 * trust: that only the regulator takes back, by name.
 */
async function trustOurselves(deps: CampaignDeps, ctx: RequestContext): Promise<void> {
  const { chain, credentials, registry } = deps;
  if (await registry.issuers.isTrusted(credentials.issuer, CREDENTIAL_TYPE, await chain.now())) return;
  const known = await registry.issuers.byDid(credentials.issuer);
  if (known !== null && known.validUntil !== 0n && known.validUntil < (await chain.now())) {
    const message = `The trust in ${credentials.issuer} has ended: trust it again (POST /v1/issuers) before you certify.`;
    throw new AppError("CONFLICT", message, { details: [{ rule: "issuer-trusted", message }] });
  }
  await submitCall(deps, ctx, {
    sender: "registrar",
    contract: "participants",
    functionName: "trustIssuer",
    args: [credentials.issuer, [CREDENTIAL_TYPE], 0n, 0n],
    purpose: "issuer.trust",
    part: "trust",
  });
}

async function credentialOf(deps: CampaignDeps, terms: CertificateTerms, { row, document, input }: ToRegister) {
  const { certificateId, implementerDid, activityId, vintage, verifiedReduction, underlyingUnits } = terms;
  const { registry, firstSerial, lastSerial } = underlyingUnits;
  const subject = {
    id: implementerDid,
    certificateId,
    implementerDid,
    activityId,
    vintage,
    verifiedReduction: jsonAmount(verifiedReduction),
    underlyingUnits: { registry, firstSerial: String(firstSerial), lastSerial: String(lastSerial) },
    campaignId: row.campaignId,
    method: methodOf(document, input),
    siblings: await siblingIds(deps, row, document),
    resultHash: document.hash,
    ...(await verificationFacts(deps, { row, document })),
  };
  const id = `urn:hearth:certificate:${encodeURIComponent(certificateId)}`;
  const issuedAt = deps.clock.now();
  const statusOf = `certificate:${certificateId}`;
  return { type: CREDENTIAL_TYPE, id, subject, evidence: [document.uri], issuedAt, statusOf } as const;
}

/** Ids of the siblings that the result names and of those that were committed since. */
async function siblingIds(deps: CampaignDeps, row: CampaignRow, { record }: ResultDocument): Promise<string[]> {
  const recorded = (record.siblings ?? []).map(({ campaignId }) => campaignId);
  const present = (await siblingsOf(deps, row)).map((sibling) => sibling.row.campaignId);
  return [...new Set([...recorded, ...present])];
}

function methodOf({ record }: ResultDocument, { method }: CampaignCertificateRequest): string {
  return method ?? record.terms.method ?? "smec-4";
}

async function show(
  deps: CampaignDeps,
  ctx: RequestContext,
  row: CampaignRow,
  input: CampaignCertificateRequest,
): Promise<CampaignCertificate> {
  const document = await closedDocument(deps, row);
  const certificate = await deps.certificates.byId(input.certificateId);
  const subject = certificate && (await issuedSubject(deps, certificate));
  const [event] = await deps.chain.past("campaigns", "CampaignCertified", { campaign: row.campaign });
  return {
    ...(await getCertificate(deps, ctx, input.certificateId)),
    campaignId: row.campaignId,
    method: methodOf(document, input),
    siblings: subject?.siblings ?? [],
    resultHash: row.resultHash ?? "",
    linkTransactionHash: event?.transactionHash ?? null,
  };
}
