import { exact } from "../../../wire/src/index.ts";
import type { Answers, Point } from "../answers.ts";
import { accepted, type Outcome, type Work } from "../outcome.ts";

/** Register the household of a record. */
export async function registerHousehold({ signedIn, row, answers }: Work): Promise<Outcome> {
  const { did, region, people, place } = answers as { did: string; region?: string; people?: Answers; place?: Point };
  const size = Object.fromEntries(Object.entries(people ?? {}).filter(([, count]) => count !== undefined));
  await signedIn.client.post("/v1/households", {
    idempotencyKey: row.instanceId,
    body: {
      did,
      implementerDid: row.implementerDid,
      ...(region === undefined ? {} : { region }),
      ...(place === undefined
        ? {}
        : { location: { latitude: exact(place.latitude), longitude: exact(place.longitude) } }),
      ...(Object.keys(size).length === 0 ? {} : { householdSize: size }),
    },
  });
  return accepted(did);
}
