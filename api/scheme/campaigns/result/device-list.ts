import { createHash } from "node:crypto";
import type { Hex } from "viem";
import { canonicalJson } from "../../../platform/values/canonical-json.ts";
import type { Device } from "../../emissions/index.ts";
import { campaignFolder, type SchemeDeps, storeSchemeFile } from "../../scheme-files/index.ts";
import type { CampaignDeps } from "../deps.ts";
import type { CampaignRow } from "../model.ts";
import { countForResult, framedSerials, type ResultRecord, registeredDevices } from "./record.ts";

type Listed = Pick<CampaignRow, "plan" | "seed" | "drawBlock">;

/** The devices that a campaign may count as a file: serials and dates, in the order of the serials. */
export async function listDevices(
  deps: Parameters<typeof registeredDevices>[0],
  row: Listed,
): Promise<{ list: Device[]; bytes: Uint8Array; hash: Hex }> {
  const list = (await registeredDevices(deps, row)).sort((a, b) => (a.serial < b.serial ? -1 : 1));
  const bytes = Buffer.from(`${canonicalJson(list)}\n`);
  return { list, bytes, hash: `0x${createHash("sha256").update(bytes).digest("hex")}` };
}

export function deviceListPath(campaignId: string, hash: Hex): string {
  return `${campaignFolder(campaignId)}/devices-${hash.slice(2, 34)}.json`;
}

type ListDeps = SchemeDeps & Pick<CampaignDeps, "db" | "devices" | "registry">;

/**
 * Store the list of devices that a result counts, so that the count can be repeated after devices were added or retired.
 * @returns the record with the count and the SHA-256 of that list; unchanged where no device is counted
 */
export async function withDeviceList(deps: ListDeps, row: CampaignRow, record: ResultRecord): Promise<ResultRecord> {
  if (record.devices === undefined) return record;
  const { list, bytes, hash } = await listDevices(deps, row);
  const frame = await framedSerials(deps.db, row.terms.usageFrame);
  await storeSchemeFile(deps, { path: deviceListPath(record.campaignId, hash), bytes, mimeType: "application/json" });
  return {
    ...record,
    devices: countForResult(list, record.terms, { endDate: row.endDate, frame }),
    deviceList: hash,
  };
}
