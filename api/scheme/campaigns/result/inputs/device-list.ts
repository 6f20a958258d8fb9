import { createHash } from "node:crypto";
import type { Hex } from "viem";
import { canonicalJson } from "../../../../platform/values/canonical-json.ts";
import type { Device } from "../../../emissions/index.ts";
import { campaignFolder, type SchemeDeps, storeSchemeFile } from "../../../scheme-files/index.ts";
import type { CampaignDeps } from "../../deps.ts";
import type { CampaignRow } from "../../model.ts";
import { countListed, type ResultRecord } from "../record.ts";
import { registeredDevices } from "./counted-devices.ts";

/** Write a list of devices as the content of a file. */
export function writeDevices(list: readonly Device[]): Uint8Array {
  return Buffer.from(`${canonicalJson(list)}\n`);
}

export function deviceListPath(campaignId: string, hash: Hex): string {
  return `${campaignFolder(campaignId)}/devices-${hash.slice(2, 34)}.json`;
}

type ListDeps = SchemeDeps & Pick<CampaignDeps, "campaigns" | "chain" | "db" | "devices" | "registry">;

/**
 * Store the list of the plan's devices, so that the count can be repeated after devices were added or retired.
 * @returns the record with the count and the SHA-256 of that list; unchanged where no device is counted
 */
export async function withDeviceList(deps: ListDeps, row: CampaignRow, record: ResultRecord): Promise<ResultRecord> {
  if (record.devices === undefined) return record;
  const list = await registeredDevices(deps, row);
  const bytes = writeDevices(list);
  const deviceList: Hex = `0x${createHash("sha256").update(bytes).digest("hex")}`;
  const path = deviceListPath(record.campaignId, deviceList);
  await storeSchemeFile(deps, { path, bytes, mimeType: "application/json" });
  return { ...record, ...(await countListed(deps, row, { ...record, list })), deviceList };
}
