import type { HearthClient, Schemas } from "../../../wire/src/index.ts";
import { usageLabels } from "../forms/usage.ts";
import { accepted, type Outcome, refused, type Work } from "../outcome.ts";
import { because, type Reason } from "../reasons.ts";

/** Record a visit to a drawn device, or that none was possible. */
export async function recordUse({ deps, signedIn, row, answers }: Work): Promise<Outcome> {
  const { client, collector } = signedIn;
  const { campaignId } = row;
  if (campaignId === null) throw new Error(`The usage record ${row.id} has no campaign.`);
  const given = answers as Partial<Record<string, string>>;
  const { device = "", seen, in_use: inUse, visited_on: date, reason, note } = given;
  const broken = missingAnswers(given);
  if (broken.length > 0) return refused(broken);
  const position = Number(device);
  const photos = await deps.submissions.filesOf([row.id]);
  const named = { evidence: photos.map(({ cid, sha256 }) => ({ uri: `ipfs://${cid}`, sha256 })) };
  const noted = note === undefined ? {} : { note };
  if (seen === "missing") {
    await client.post("/v1/campaigns/{campaignId}/usage-survey/missing", {
      path: { campaignId },
      idempotencyKey: row.instanceId,
      body: { position, reason: reason as Schemas["NewUsageMissing"]["reason"], ...named, ...noted },
    });
    return accepted(`${campaignId}/${position}`);
  }
  const householdId = await householdOf(client, campaignId, position);
  if (householdId === null) return refused([because("no-device-drawn", "device", { position: device })]);
  await client.post("/v1/campaigns/{campaignId}/usage-survey/records", {
    path: { campaignId },
    idempotencyKey: row.instanceId,
    body: {
      position,
      householdId,
      deviceSeen: seen === "yes",
      inUse: inUse === "yes",
      date: date ?? "",
      surveyorDid: collector.collectorDid,
      ...named,
      ...noted,
    },
  });
  return accepted(`${campaignId}/${position}`);
}

/** Answers that are required only for some values of `seen`; a phone asks for them, too. */
function missingAnswers(given: Partial<Record<string, string>>): Reason[] {
  const unanswered = (name: string, question: string): Reason[] =>
    given[name] === undefined ? [because("no-answer", name, { question })] : [];
  if (given.seen === "missing") {
    const needsProof = given.reason === "other";
    return [...unanswered("reason", usageLabels.reason), ...(needsProof ? unanswered("proof", usageLabels.proof) : [])];
  }
  return [
    ...(given.seen === "yes" && given.in_use === undefined ? [because("use-unknown", "in_use")] : []),
    ...unanswered("visited_on", usageLabels.visitedOn),
    ...unanswered("photo", usageLabels.photo),
  ];
}

async function householdOf(client: HearthClient, campaignId: string, position: number): Promise<string | null> {
  const positions = client.items("/v1/campaigns/{campaignId}/usage-survey/positions", {
    path: { campaignId },
    query: { limit: 500 },
  });
  let found: string | null = null;
  for await (const each of positions) if (each.position === position) found = each.householdId;
  return found;
}
