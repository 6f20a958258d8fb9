import { accepted, type Outcome, type Work } from "../outcome.ts";

/** Most photos of a device. */
const mostPhotos = 8;

/** Register the device of a record. */
export async function registerDevice({ deps, signedIn, row, answers }: Work): Promise<Outcome> {
  const { household, serial, model, installed_on: installedOn } = answers as Record<string, string>;
  const { planId } = signedIn.collector;
  if (planId === null) throw new Error(`The collector ${signedIn.collector.id} has no plan.`);
  const photos = await deps.submissions.filesOf([row.id]);
  const evidence = photos.filter(({ mimeType }) => mimeType.startsWith("image/")).slice(0, mostPhotos);
  await signedIn.client.post("/v1/devices", {
    idempotencyKey: row.instanceId,
    body: {
      serial: serial ?? "",
      model: model ?? "",
      planId,
      householdDid: household ?? "",
      installedOn: installedOn ?? "",
      ...(evidence.length === 0
        ? {}
        : { evidence: evidence.map(({ cid, sha256 }) => ({ uri: `ipfs://${cid}`, sha256 })) }),
    },
  });
  return accepted(serial ?? "");
}
