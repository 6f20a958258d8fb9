import { AppError } from "../../../platform/errors.ts";
import type { Workers } from "../../../platform/workers/index.ts";
import type { CampaignDeps } from "../deps.ts";
import type { DrawBeaconResponse } from "../draw/document-schema.ts";
import type { CampaignRow } from "../model.ts";
import type { CampaignTerms } from "../terms/terms.ts";
import { readBeaconRound, readBeaconTerms } from "./client.ts";
import { beaconRoundOf, beaconTimeOf } from "./terms.ts";

const EVERY_MS = 5_000;

/**
 * The terms with the public beacon that this service is configured with. To call once the terms break no rule.
 * @throws AppError UNAVAILABLE when the beacon does not say what it is
 */
export async function withBeacon(
  { config }: Pick<CampaignDeps, "config">,
  terms: CampaignTerms,
): Promise<CampaignTerms> {
  const { drawBeaconUrl } = config;
  if (drawBeaconUrl === undefined) return terms;
  try {
    return { ...terms, beacon: await readBeaconTerms(drawBeaconUrl) };
  } catch (cause) {
    const message = "The public beacon that takes part in draws does not answer; try again in a moment.";
    throw new AppError("UNAVAILABLE", message, { cause, headers: { "Retry-After": "5" } });
  }
}

/** The beacon's part in a campaign's draw; null before the draw, and where the terms commit no beacon. */
export async function serializeBeacon(
  { campaigns, registry }: Pick<CampaignDeps, "campaigns" | "registry">,
  { campaign, seed, terms }: CampaignRow,
): Promise<DrawBeaconResponse | null> {
  if (terms.beacon === undefined || seed === null) return null;
  const draw = await campaigns.drawOf(campaign);
  if (draw === null) return null;
  const time = await registry.ledger.timeOf(BigInt(draw.drawBlock));
  const drawBlockTime = time.getTime() / 1_000;
  const round = beaconRoundOf(terms.beacon, drawBlockTime);
  const published = await campaigns.beacons.find(campaign);
  return {
    chainHash: terms.beacon.chainHash,
    round,
    publishedAt: beaconTimeOf(terms.beacon, round),
    drawBlockTime,
    signature: published?.signature ?? null,
  };
}

type BeaconDeps = Pick<CampaignDeps, "campaigns" | "config" | "log" | "registry">;

/** Read the round of the beacon that a drawn campaign waits for. A beacon that does not answer is asked again later. */
export async function readRound(deps: BeaconDeps, row: CampaignRow): Promise<void> {
  await storeRound(deps, row).catch((error: unknown) => {
    deps.log.warn(
      { error, campaign: row.campaign },
      "The round of a public beacon could not be read; it is tried again.",
    );
  });
}

/**
 * Store the round once it is published: then the samples are known.
 * @throws Error when the beacon does not answer, or its signature is wrong
 */
async function storeRound(deps: BeaconDeps, row: CampaignRow): Promise<void> {
  const { campaigns, config, log } = deps;
  const { beacon } = row.terms;
  if (beacon === undefined || row.orderSeed !== null || config.drawBeaconUrl === undefined) return;
  if (!config.drawBeaconUrl.endsWith(`/${beacon.chainHash}`)) return;
  const expected = await serializeBeacon(deps, row);
  if (expected === null) return;
  const published = await readBeaconRound(config.drawBeaconUrl, beacon, expected.round);
  if (published === null) return;
  await campaigns.beacons.save(row.campaign, published);
  log.info({ campaign: row.campaign, round: published.round }, "The public beacon has drawn a campaign's samples.");
}

/** Read the rounds that drawn campaigns wait for, also those that were drawn without this process. */
export function startBeaconReader(
  deps: CampaignDeps & { workers: Workers },
): { close: () => Promise<void> } | undefined {
  if (deps.config.drawBeaconUrl === undefined) return undefined;
  const worker = deps.workers.add({ name: "draw-beacons", everyMs: EVERY_MS, run: () => readDueRounds(deps) });
  worker.start();
  return worker;
}

/** Read every round that is due. */
export async function readDueRounds(deps: BeaconDeps): Promise<void> {
  for (const row of await deps.campaigns.open()) await readRound(deps, row);
}
