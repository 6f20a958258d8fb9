import { accepted, type Outcome, type Work } from "../outcome.ts";

/** Register the device of a record. */
export async function registerDevice({ signedIn, row, answers }: Work): Promise<Outcome> {
  const { household, serial, model, installed_on: installedOn } = answers as Record<string, string>;
  const { planId } = signedIn.collector;
  if (planId === null) throw new Error(`The collector ${signedIn.collector.id} has no plan.`);
  await signedIn.client.post("/v1/devices", {
    idempotencyKey: row.instanceId,
    body: {
      serial: serial ?? "",
      model: model ?? "",
      planId,
      householdDid: household ?? "",
      installedOn: installedOn ?? "",
    },
  });
  return accepted(serial ?? "");
}
