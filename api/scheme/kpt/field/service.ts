import type { RequestContext } from "../../../platform/http/index.ts";
import { type JsonNumber, jsonScaled } from "../../../platform/values/numbers.ts";
import type { CampaignRow } from "../../campaigns/index.ts";
import { openDeviceStore, scaleStore } from "../../devices/index.ts";
import { readsMeters } from "../../emissions/index.ts";
import { requireKnownCampaign } from "../access.ts";
import type { KptServiceDeps } from "../deps.ts";
import { findClaim } from "../service.ts";
import { serializeStoveUse } from "../stove-use/serialize.ts";
import { type ClaimFlag, claimFlags, type FieldFacts } from "./flags.ts";
import { namedSpellings } from "./named-stoves.ts";
import { recordFlags } from "./record-flags.ts";
import { readRecordPhotos } from "./record-photos.ts";
import type { CampaignFlags, ClaimChecks } from "./schemas.ts";
import { fieldStore } from "./store.ts";

/** Most flags of an answer. */
const MAX_FLAGS = 1_000;
const DEGREE_DECIMALS = 9;
const FUEL_DECIMALS = 3;

type Wanted = Pick<FieldFacts, "area" | "readsMeters"> & { campaign: number; plan: number; claimId?: string };

/** List the flags of a campaign's valid claims, and of its other records. @throws AppError NOT_FOUND for a campaign that the actor may not see */
export async function listClaimFlags(
  deps: KptServiceDeps,
  ctx: RequestContext,
  campaignId: string,
): Promise<CampaignFlags> {
  const row = await requireKnownCampaign(deps, ctx, campaignId);
  const { campaign, plan, terms } = row;
  const known = factsOf(terms);
  const { flags } = await readFacts(deps, { campaign, plan, ...known });
  const others = recordFlags(await readRecordPhotos(deps, row), known.area);
  return {
    count: flags.length,
    items: flags.slice(0, MAX_FLAGS),
    records: { count: others.length, items: others.slice(0, MAX_FLAGS) },
  };
}

/** Read the data of a claim's photos and visits, and its flags. @throws AppError NOT_FOUND */
export async function getClaimChecks(deps: KptServiceDeps, ctx: RequestContext, id: string): Promise<ClaimChecks> {
  const { id: claimId, campaignId } = await findClaim(deps, ctx, id);
  const { campaign, plan, terms } = await requireKnownCampaign(deps, ctx, campaignId);
  const { facts, flags } = await readFacts(deps, { campaign, plan, ...factsOf(terms), claimId });
  return {
    claimId,
    flags,
    photos: facts.evidence.map(({ item, sha256, takenAt, latitude, longitude, device }) => ({
      item,
      sha256,
      takenAt,
      latitude: degrees(latitude),
      longitude: degrees(longitude),
      device,
    })),
    stoveSeries: facts.stoveSeries.map(serializeStoveUse),
    visits: facts.visits.map(({ day, at, collector, latitude, longitude, fuels }) => ({
      day,
      at: at.toISOString(),
      collector,
      latitude: degrees(latitude),
      longitude: degrees(longitude),
      fuels: fuels.map(({ fuel, used, scaleId }) => ({
        fuel,
        used: jsonScaled(BigInt(used), FUEL_DECIMALS),
        scaleId: scaleId ?? null,
      })),
    })),
  };
}

/** What the committed terms tell of places and scales. */
function factsOf({ emissions }: CampaignRow["terms"]): Pick<FieldFacts, "area" | "readsMeters"> {
  return { area: emissions?.area ?? null, readsMeters: readsMeters(emissions?.method) };
}

async function readFacts(
  deps: KptServiceDeps,
  { plan, area, readsMeters: hasMeters, ...wanted }: Wanted,
): Promise<{ facts: FieldFacts; flags: ClaimFlag[] }> {
  const store = fieldStore(deps.db, wanted);
  const [claims, evidence, visits, repeatedEvidence, simultaneousVisits, stoveSeries, copiedSeries] = await Promise.all(
    [
      store.claims(),
      store.evidence(),
      store.visits(),
      store.repeatedEvidence(),
      store.simultaneousVisits(),
      store.stoveSeries(),
      store.copiedSeries(),
    ],
  );
  const serials = visits.flatMap(({ fuels }) => fuels.flatMap(({ scaleId }) => scaleId ?? []));
  const calibrations = await scaleStore(deps.db).of(plan, serials);
  const bySpelling = await openDeviceStore(deps.db).bySpellings(namedSpellings({ visits, series: stoveSeries }));
  const registered = await deps.registry.households.byDids(claims.map(({ householdDid }) => householdDid));
  const households = new Map([...registered].map(([did, { household }]) => [did, household]));
  const facts = {
    devices: { bySpelling, households },
    claims,
    evidence,
    visits,
    repeatedEvidence,
    simultaneousVisits,
    stoveSeries,
    copiedSeries,
    calibrations,
    readsMeters: hasMeters,
    area,
  };
  return { facts, flags: claimFlags(facts) };
}

function degrees(billionths: bigint | null): JsonNumber | null {
  return billionths === null ? null : jsonScaled(billionths, DEGREE_DECIMALS);
}
