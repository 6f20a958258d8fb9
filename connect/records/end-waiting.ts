import type { HearthClient, Schemas } from "../../wire/src/index.ts";
import type { RecordDeps } from "./deps.ts";
import { campaignOf, isMeasuring } from "./forms/catalogue.ts";
import { daysOf, phasesOf } from "./forms/kpt.ts";
import { because } from "./reasons.ts";
import type { SubmissionRow } from "./tables.ts";

const dayMs = 24 * 3_600_000;

/**
 * Refuse the visits that wait for other days of their test in vain: the campaign takes no more measurements, or they have waited for
 * `host.recordsOpenDays`. Nothing is lost: a refused visit keeps its photos for as long again, and is still a part of its test when
 * the other days come. A test that has all its days stays: its claim may have been filed before a kill.
 * @returns how many were refused
 */
export async function endWaiting(deps: RecordDeps, signal: AbortSignal): Promise<number> {
  const { submissions, host } = deps;
  let ended = 0;
  for (const test of await submissions.waitingTests()) {
    if (signal.aborted) return ended;
    try {
      ended += await endTest(deps, test);
    } catch (error) {
      // The tests of other campaigns do not wait for one that cannot be read now.
      host.log.error({ err: error, campaignId: test.campaignId }, "visits that wait were not looked at");
    }
  }
  return ended;
}

async function endTest(deps: RecordDeps, test: { campaignId: string; householdDid: string }): Promise<number> {
  const { submissions, host } = deps;
  const visits = await submissions.visitsOf(test.campaignId, test.householdDid);
  const waiting = visits.filter(({ status }) => status === "waiting");
  const [first] = waiting;
  if (first === undefined) return 0;
  const campaign = await campaignOf(readerFor(deps, first), test);
  if (campaign === undefined) return 0;
  const now = host.clock.now();
  const days = host.recordsOpenDays;
  let ended = 0;
  for (const row of waiting) {
    const isOver = !isMeasuring(campaign) || (days > 0 && row.receivedAt.getTime() < now.getTime() - days * dayMs);
    const missing = missingDays(campaign, row, visits);
    if (!isOver || missing.length === 0) continue;
    const details = [because("test-incomplete", "day", { days: missing.join(", ") })];
    if (await submissions.refuseWaiting(row.id, details, now)) ended += 1;
  }
  if (ended > 0)
    host.log.info({ campaignId: test.campaignId, ended }, "visits whose test stayed incomplete were refused");
  return ended;
}

/** The days of a visit's phase that have no visit. */
function missingDays(campaign: Schemas["Campaign"], row: SubmissionRow, visits: readonly SubmissionRow[]): number[] {
  const phase = phasesOf(campaign)
    .map(daysOf)
    .find((days) => days.includes(row.day ?? -1));
  return (phase ?? []).filter((day) => visits.every((each) => each.day !== day));
}

/** Reads the campaign for its implementer: the link that sent the visit may have been revoked. */
function readerFor({ host }: RecordDeps, { collectorId, implementerDid }: SubmissionRow): HearthClient {
  return host.clientAs({
    actor: { keyId: collectorId, role: "integrator", scopes: ["campaigns:read"], dids: [implementerDid] },
  });
}
