import { AppError } from "../../../platform/errors.ts";
import type { Workers } from "../../../platform/workers/index.ts";
import type { CampaignDeps } from "../deps.ts";
import { revealOwnSecret } from "./draw.ts";

const EVERY_MS = 10_000;
/** A request that opens a draw reveals the secret itself, within the time that it waits for transactions. */
const GRACE_MS = 15_000;

type RevealerDeps = CampaignDeps & { workers: Workers };

/**
 * Reveal this service's secrets of draws whose request ended before it could, for example because the process was killed: otherwise
 * the chain would name the operator for withholding its secret.
 */
export function startSecretRevealer(deps: RevealerDeps): { close: () => Promise<void> } {
  const grace = deps.config.chain.txWaitMs + GRACE_MS;
  const worker = deps.workers.add({
    name: "campaign-draws",
    everyMs: EVERY_MS,
    run: ({ now }) => revealDue(deps, new Date(now.getTime() - grace)),
  });
  worker.start();
  return worker;
}

/** Reveal what is due of the secrets that were stored before `until`. */
export async function revealDue(deps: CampaignDeps, until: Date): Promise<void> {
  for (const { campaign, round } of await deps.drawSecrets.unsettled(until)) {
    try {
      if (await isOver(deps, campaign, round)) await deps.drawSecrets.settle(campaign, round);
      else await revealOwnSecret(deps, {}, campaign, performance.now());
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      deps.log.debug({ error, campaign, round }, "A secret of a draw cannot be revealed yet.");
    }
  }
}

/** Whether a secret needs no reveal: it was revealed, its round is over, or the campaign is not to be drawn. */
async function isOver({ campaigns, chain }: CampaignDeps, campaign: number, round: number): Promise<boolean> {
  const [state, current] = await Promise.all([
    campaigns.ledger.stateOf(campaign),
    campaigns.ledger.drawRoundOf(campaign),
  ]);
  if (state.status !== "committed" || current.round !== round) return true;
  if (current.operator === null) return false;
  return current.operator.secret !== null || (await chain.now()) > BigInt(current.deadline ?? 0);
}
