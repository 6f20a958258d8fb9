import { createHash } from "node:crypto";
import type { Hex } from "viem";
import type { Database } from "../../../platform/db/index.ts";
import { canonicalJson } from "../../../platform/values/canonical-json.ts";
import type { DeviceStore } from "../../devices/index.ts";
import type { Device } from "../../emissions/index.ts";
import { campaignFolder, type SchemeDeps, storeSchemeFile } from "../../scheme-files/index.ts";
import type { CampaignTerms } from "../terms.ts";
import { countForResult, framedSerials, type ResultRecord } from "./record.ts";

/** The devices of a plan as a file: serials and dates, in the order of the serials. */
export async function listDevices(
  devices: Pick<DeviceStore, "datesOf">,
  plan: number,
): Promise<{ list: Device[]; bytes: Uint8Array; hash: Hex }> {
  const rows = (await devices.datesOf(plan)).sort((a, b) => (a.serial < b.serial ? -1 : 1));
  const list = rows.map(({ serial, installedOn, retiredOn }) => ({
    serial,
    installedOn,
    ...(retiredOn === null ? {} : { retiredOn }),
  }));
  const bytes = Buffer.from(`${canonicalJson(list)}\n`);
  return { list, bytes, hash: `0x${createHash("sha256").update(bytes).digest("hex")}` };
}

export function deviceListPath(campaignId: string, hash: Hex): string {
  return `${campaignFolder(campaignId)}/devices-${hash.slice(2, 34)}.json`;
}

type ListDeps = SchemeDeps & { db: Database; devices: Pick<DeviceStore, "datesOf"> };

/**
 * Store the list of devices that a result counts, so that the count can be repeated after devices were added or retired.
 * @returns the record with the count and the SHA-256 of that list; unchanged where no device is counted
 */
export async function withDeviceList(
  deps: ListDeps,
  { plan, endDate, terms }: { plan: number; endDate: string; terms: CampaignTerms },
  record: ResultRecord,
): Promise<ResultRecord> {
  if (record.devices === undefined) return record;
  const { list, bytes, hash } = await listDevices(deps.devices, plan);
  const frame = await framedSerials(deps.db, terms.usageFrame);
  await storeSchemeFile(deps, { path: deviceListPath(record.campaignId, hash), bytes, mimeType: "application/json" });
  return {
    ...record,
    devices: countForResult(list, record.terms, { endDate, frame }),
    deviceList: hash,
  };
}
