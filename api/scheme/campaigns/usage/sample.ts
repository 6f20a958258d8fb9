import { setImmediate as nextTurn } from "node:timers/promises";
import { bytesToBigInt, type Hex, hexToBytes } from "viem";
import { drawUsageSample } from "../../emissions/index.ts";
import type { CampaignDeps } from "../deps.ts";
import { ranker } from "../draw/order.ts";
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
  const { campaign, orderSeed: seed, terms } = row;
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
  const rankOf = ranker(seed, DEVICES);
  const ranks = new Map<string, bigint>();
  const bySerial = new Map<string, FrameDevice>();
  for (const [i, device] of devices.entries()) {
    if (i % HASHES_PER_TURN === 0) await nextTurn();
    bySerial.set(device.serial, device);
    ranks.set(device.serial, bytesToBigInt(rankOf(hexToBytes(usageLeafOf(deps, device)))));
  }
  const sizes = cohorts.map(({ age, sample }) => ({ age, size: sample }));
  const drawn = drawUsageSample(devices, sizes, (serial) => ranks.get(serial) as bigint);
  return drawn.map(({ serial }) => bySerial.get(serial) as FrameDevice);
}
