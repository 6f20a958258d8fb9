import { accepted, type Outcome, refused, type Work } from "../outcome.ts";
import { because } from "../reasons.ts";

/** Record a visit to a drawn device. */
export async function recordUse({ deps, signedIn, row, answers }: Work): Promise<Outcome> {
  const { client, collector } = signedIn;
  const { campaignId } = row;
  if (campaignId === null) throw new Error(`The usage record ${row.id} has no campaign.`);
  const { device = "", seen, in_use: inUse, visited_on: date = "", note } = answers as Record<string, string>;
  if (seen === "yes" && inUse === undefined) {
    return refused([because("use-unknown", "in_use")]);
  }
  const position = Number(device);
  let householdId: string | null | undefined;
  const positions = client.items("/v1/campaigns/{campaignId}/usage-survey/positions", {
    path: { campaignId },
    query: { limit: 500 },
  });
  for await (const each of positions) if (each.position === position) householdId = each.householdId;
  if (householdId === undefined || householdId === null) {
    return refused([because("no-device-drawn", "device", { position: device })]);
  }
  const photos = await deps.submissions.filesOf([row.id]);
  await client.post("/v1/campaigns/{campaignId}/usage-survey/records", {
    path: { campaignId },
    idempotencyKey: row.instanceId,
    body: {
      position,
      householdId,
      deviceSeen: seen === "yes",
      inUse: inUse === "yes",
      date,
      surveyorDid: collector.collectorDid,
      evidence: photos.map(({ cid, sha256 }) => ({ uri: `ipfs://${cid}`, sha256 })),
      ...(note === undefined ? {} : { note }),
    },
  });
  return accepted(`${campaignId}/${position}`);
}
