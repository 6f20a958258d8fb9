import { setImmediate as nextTurn } from "node:timers/promises";
import { type Hex, hexToBytes } from "viem";
import { drawUsageSample } from "../../emissions/index.ts";
import type { CampaignDeps } from "../deps.ts";
import { keccak } from "../keccak.ts";
import type { CampaignRow } from "../model.ts";
import { usageLeafOf } from "./frame.ts";
import { usageStore } from "./store.ts";
import type { FrameDevice } from "./tables.ts";

/** Separates the order of devices from that of households, whose groups are 0 and 1. */
const DEVICES = 2;
const HASHES_PER_TURN = 4_096;

type SampleDeps = Pick<CampaignDeps, "db" | "registry">;

/**
 * Draw the devices of a campaign's usage survey with the seed of its households, once it is known, and store them.
 * @returns false before the draw, and where the frame is not stored in this database
 */
export async function drawUsageSurvey(deps: SampleDeps, row: CampaignRow): Promise<boolean> {
  const { campaign, seed, terms } = row;
  const { usageFrame } = terms;
  if (seed === null || usageFrame === undefined) return false;
  const store = usageStore(deps.db);
  if (await store.isDrawn(campaign)) return true;
  const devices = await store.frame(usageFrame.root as Hex);
  if (devices.length === 0) return false;
  const drawn = await usageSample(deps, { seed, devices, cohorts: usageFrame.cohorts });
  await store.saveDraw(drawn.map((device, position) => ({ campaign, position, ...device })));
  return true;
}

type Draw = { seed: Hex; devices: readonly FrameDevice[]; cohorts: readonly { age: number; sample: number }[] };

async function usageSample(deps: SampleDeps, { seed, devices, cohorts }: Draw): Promise<FrameDevice[]> {
  const ranks = new Map<string, bigint>();
  const bySerial = new Map<string, FrameDevice>();
  for (const [i, device] of devices.entries()) {
    if (i % HASHES_PER_TURN === 0) await nextTurn();
    bySerial.set(device.serial, device);
    ranks.set(device.serial, deviceRank(seed, usageLeafOf(deps, device)));
  }
  const sizes = cohorts.map(({ age, sample }) => ({ age, size: sample }));
  const drawn = drawUsageSample(devices, sizes, (serial) => ranks.get(serial) as bigint);
  return drawn.map(({ serial }) => bySerial.get(serial) as FrameDevice);
}

/** A device's rank in the draw: keccak256(seed ‖ 0x02 ‖ leaf), 32 + 1 + 32 bytes. */
export function deviceRank(seed: Hex, leaf: Hex): bigint {
  const text = new Uint8Array(65);
  text.set(hexToBytes(seed));
  text[32] = DEVICES;
  text.set(hexToBytes(leaf), 33);
  return BigInt(`0x${Buffer.from(keccak(text)).toString("hex")}`);
}
