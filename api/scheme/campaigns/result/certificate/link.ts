import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { callUntilMined, type MinedCall, submitCall } from "../../../../platform/chain/index.ts";
import { AppError } from "../../../../platform/errors.ts";
import type { RequestContext } from "../../../../platform/http/index.ts";
import {
  type OperationJob,
  type Operations,
  type StartedOperation,
  startOperation,
} from "../../../../platform/operations/index.ts";
import type { CampaignDeps } from "../../deps.ts";

const linkType = "campaign-certificate";
/** What tells the linking transaction from the others of its request. */
export const linkPart = "certify";
const pollMs = 500;

/** Link campaign and certificate on chain; null where they are. */
export async function link(
  deps: CampaignDeps,
  ctx: Pick<RequestContext, "idempotencyKey">,
  campaign: number,
  certificateId: string,
): Promise<MinedCall | null> {
  const { campaigns, certificates } = deps;
  const certificate = (await certificates.byId(certificateId))?.certificate;
  if (certificate === undefined) throw new Error(`Certificate ${certificateId} is not on chain.`);
  if ((await campaigns.ledger.stateOf(campaign)).certificate === certificate) return null;
  const linked = await submitCall(deps, ctx, {
    sender: "registrar",
    contract: "campaigns",
    functionName: "certify",
    args: [campaign, certificate],
    purpose: "campaign.certify",
    part: linkPart,
  });
  campaigns.noteChange(campaign);
  return linked;
}

const linkInput = z.object({ campaign: z.number().int(), certificateId: z.string(), after: z.string() });
type LinkInput = z.infer<typeof linkInput>;

/** An operation that links both once the certificate's own operation, `after`, has recorded its allocation. */
export async function startLinking(
  deps: CampaignDeps,
  ctx: RequestContext,
  input: LinkInput,
): Promise<StartedOperation> {
  // Of the registration's own id, so that a repeated request finds the same operation.
  const idempotencyKey = `link${input.after.replace(/^OPER-/, "")}`;
  return startOperation(deps, { ...ctx, idempotencyKey }, { type: linkType, input, total: 1 });
}

/** Let operations link certificates to campaigns. */
export function defineCampaignCertificates(operations: Operations, deps: CampaignDeps): void {
  operations.define(linkType, (job) => linkAfter(deps, job));
}

async function linkAfter(deps: CampaignDeps, job: OperationJob): Promise<unknown> {
  const { campaign, certificateId, after } = linkInput.parse(job.input);
  for (;;) {
    job.signal.throwIfAborted();
    const registration = await deps.operations.store.find(after);
    if (registration === undefined || registration.status === "failed") {
      const message = `Certificate ${certificateId} was not registered; see operation ${after}.`;
      throw new AppError("CONFLICT", message, { details: [{ rule: "certificate-registered", message }] });
    }
    if (registration.status === "succeeded") break;
    await sleep(pollMs, undefined, { signal: job.signal });
  }
  await callUntilMined(job, () => link(deps, { idempotencyKey: job.id }, campaign, certificateId));
  await job.progress({ done: 1, total: 1, failed: 0 });
  return { certificateId, campaign };
}
