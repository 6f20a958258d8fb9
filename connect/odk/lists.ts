import { createHash } from "node:crypto";
import { stringify } from "csv-stringify/sync";
import type { HearthClient, Schemas } from "../../wire/src/index.ts";
import { isMeasuring } from "../records/forms/catalogue.ts";
import type { FormKind, ListName } from "../records/forms/question.ts";

/** An entry of a list. `isEnded`: it was in the list and no longer is, so phones delete it. */
export type Entry = { name: string; label: string; isEnded: boolean };
type Campaign = Schemas["Campaign"];

/** Most households that a form's list offers; a longer list stops phones. */
const mostHouseholds = 20_000;

/** Read the entries of a form's list. @throws HearthError */
export async function entriesOf(
  client: HearthClient,
  { kind, list, campaign }: { kind: FormKind; list: ListName; campaign: Campaign | undefined },
): Promise<Entry[]> {
  if (list === "devices") return campaign === undefined ? [] : await drawnDevices(client, campaign.campaignId);
  if (kind === "kpt") return isMeasuring(campaign) ? await sampleOf(client, campaign.campaignId) : [];
  const entries: Entry[] = [];
  for await (const { did, region } of client.items("/v1/households", { query: { limit: 500 } })) {
    entries.push({ name: did, label: region === null ? did : `${did} (${region})`, isEnded: false });
    if (entries.length >= mostHouseholds) break;
  }
  return entries;
}

/** Drawn households that are still to be measured. */
async function sampleOf(client: HearthClient, campaignId: string): Promise<Entry[]> {
  // In a paired design a household has a position in each group, and stays until both have ended.
  const entries = new Map<string, Entry>();
  const positions = client.items("/v1/campaigns/{campaignId}/positions", {
    path: { campaignId },
    query: { limit: 500 },
  });
  for await (const { householdId, ended } of positions) {
    if (householdId === null) continue;
    const isEnded = ended !== "open" && entries.get(householdId)?.isEnded !== false;
    entries.set(householdId, { name: householdId, label: householdId, isEnded });
  }
  return [...entries.values()];
}

async function drawnDevices(client: HearthClient, campaignId: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  const query = { limit: 500 };
  for await (const { position, serial, householdId, status } of client.items(
    "/v1/campaigns/{campaignId}/usage-survey/positions",
    { path: { campaignId }, query },
  )) {
    const label = householdId === null ? serial : `${serial}, ${householdId}`;
    entries.push({ name: String(position), label, isEnded: status !== "open" });
  }
  return entries;
}

/** Write the entries that are offered as the CSV of an entity list. */
export function toCsv(entries: readonly Entry[]): Buffer {
  const rows = entries.filter(({ isEnded }) => !isEnded).map(({ name, label }) => [name, label, "1"]);
  return Buffer.from(stringify([["name", "label", "__version"], ...rows]));
}

/** Hash as OpenRosa lists state it. */
export function md5Of(bytes: Uint8Array | string): string {
  return `md5:${createHash("md5").update(bytes).digest("hex")}`;
}

/** The collector's form with a list named by a file, such as households.csv. */
export const listOfFile = (file: string): ListName | undefined =>
  file === "households.csv" ? "households" : file === "devices.csv" ? "devices" : undefined;
