import type { Hex } from "viem";
import { BoundedCache } from "../../platform/bounded-cache.ts";
import type { Database } from "../../platform/db/index.ts";
import { Directory, type Registry } from "../registry/index.ts";
import { BeaconStore } from "./beacon/store.ts";
import { withRandomness } from "./beacon/terms.ts";
import { drawOrder } from "./draw/order.ts";
import { Samples } from "./draw/samples.ts";
import { indexOfLeaf, LEAF_BYTES, leafAt } from "./frame/frame.ts";
import { householdNumbers } from "./frame/households.ts";
import { type Group, groups } from "./groups.ts";
import { type Amendment, type CampaignChain, type CampaignLedger, type Draw, openCampaignLedger } from "./ledger.ts";
import {
  type CampaignRow,
  type CampaignState,
  type FrameMember,
  frameRootOf,
  frameSizeOf,
  type Member,
} from "./model.ts";
import { strataOfPositions, stratifiedOrder } from "./sampling/strata.ts";
import type { StratumTerms } from "./sampling/terms.ts";
import { StateReader } from "./states.ts";
import { type CampaignStore, openCampaignStore, type SampledRow } from "./store.ts";
import type { ReplacementRow, StoredCampaign } from "./tables.ts";
import type { CampaignTerms } from "./terms/terms.ts";

export type CampaignsSource = { db: Database; chain: CampaignChain; registry: Registry };

/** Campaigns, their frames and their samples, for other features; `store` and `ledger` are for the campaigns' own services. */
export function openCampaigns(source: CampaignsSource): Campaigns {
  return new Campaigns(source);
}

/** A household, and the group in which its place is looked up first. */
type PlaceQuery = { leaf: Hex; did: string; group: Group };

export class Campaigns {
  readonly store: CampaignStore;
  readonly ledger: CampaignLedger;
  readonly beacons: BeaconStore;
  readonly #registry: Registry;
  readonly #directory: Directory<StoredCampaign>;
  readonly #states: StateReader;
  readonly #samples: Samples;
  /** Leaves by root of a frame or a stratum; 32 bytes a household. */
  readonly #leaves = new BoundedCache<Hex, Uint8Array>(48);
  /** Numbers of households in the registry by root of their frame; 4 bytes a household. */
  readonly #households = new BoundedCache<Hex, Uint32Array>(32);
  readonly #draws = new BoundedCache<number, Draw>(1_000);
  /** Amendments by campaign and version of the terms. */
  readonly #amendments = new BoundedCache<string, Amendment>(1_000);
  /** Draw orders by seed and group; 1 MB for 250 000. */
  readonly #orders = new BoundedCache<string, Uint32Array>(32);

  constructor({ db, chain, registry }: CampaignsSource) {
    this.#registry = registry;
    this.store = openCampaignStore(db);
    this.beacons = new BeaconStore(db);
    this.ledger = openCampaignLedger(chain, registry);
    this.#states = new StateReader(this.ledger, chain.head);
    this.#samples = new Samples({ store: this.store, ledger: this.ledger, drawn: this });
    this.#directory = new Directory({
      ...this.store,
      indexOnChain: this.ledger.indexOf,
      isTaken: this.ledger.isTaken,
      fromChain: this.ledger.registrationOf,
    });
  }

  /** A campaign as it is now; null when the chain has none of this id. */
  async byId(campaignId: string): Promise<CampaignRow | null> {
    return this.#now(await this.#directory.byId(campaignId));
  }

  async byIndex(campaign: number): Promise<CampaignRow | null> {
    return this.#now(await this.#directory.byIndex(campaign));
  }

  /** Whether the chain has a campaign of this id. */
  async isCommitted(campaignId: string): Promise<boolean> {
    return (await this.ledger.indexOf(campaignId)) !== 0;
  }

  /** Removes the frames that were saved before `until` and that no campaign has come to use. */
  async removeUnusedFrames(until: Date): Promise<void> {
    await this.#directory.catchUp();
    await this.store.removeUnusedFrames(until);
  }

  /** At most `limit` campaigns after an index, in the order of their commits; of some implementers if their indexes are given. */
  async listAfter(index: number, limit: number, implementers?: number[]): Promise<CampaignRow[]> {
    await this.#directory.catchUp();
    const rows = await this.store.listAfter(index, limit, implementers);
    return Promise.all(rows.map(async (row) => this.#withState(row, await this.#states.now(row.campaign))));
  }

  /** The newest campaigns that are drawn and not closed; of some implementers if their indexes are given. */
  async newestDrawn(limit: number, implementers?: number[]): Promise<CampaignRow[]> {
    await this.#directory.catchUp();
    const found: CampaignRow[] = [];
    for (const index of (await this.store.storedIndexes()).reverse()) {
      if (found.length === limit) break;
      const row = await this.#atHead(index);
      if (row?.status !== "drawn") continue;
      if (implementers === undefined || implementers.includes(row.implementer)) found.push(row);
    }
    return found;
  }

  /** The campaigns that a certificate was made of. */
  async certified(): Promise<CampaignRow[]> {
    await this.#directory.catchUp();
    const found: CampaignRow[] = [];
    for (const index of await this.store.storedIndexes()) {
      const row = await this.#atHead(index);
      if (row !== null && row.certificate !== null) found.push(row);
    }
    return found;
  }

  /** Every campaign of a plan, in the order of their commits. */
  async ofPlan(plan: number): Promise<CampaignRow[]> {
    await this.#directory.catchUp();
    const rows = await this.store.ofPlan(plan);
    return Promise.all(rows.map(async (row) => this.#withState(row, await this.#states.now(row.campaign))));
  }

  /** The campaigns whose test periods overlap one, in the order of their commits, as they were committed. */
  async storedBetween(from: string, to: string): Promise<StoredCampaign[]> {
    await this.#directory.catchUp();
    return this.store.between(from, to);
  }

  /**
   * Find a household's place in a campaign's draw; null before the draw, when it is in neither frame, and when its frame is not stored here.
   * @param group the group in which its place is looked up first; in a paired design it has one in each
   */
  async memberOf(campaign: number, did: string, group: Group = "reference"): Promise<Member | null> {
    const leaf = this.#registry.households.hashOf(did);
    const known = await this.#memberIn(await this.#atHead(campaign), { leaf, did, group });
    if (known?.status === "sampled") return known;
    // Another process may have drawn or replaced since the block that was seen last.
    return this.#memberIn(await this.byIndex(campaign), { leaf, did, group });
  }

  /** The campaigns, drawn and not closed, in whose samples a household is now. */
  async openSamplesOf(did: string): Promise<{ campaign: CampaignRow; member: Member }[]> {
    const leaf = this.#registry.households.hashOf(did);
    await this.#states.oncePerHead(() => this.#bringUpAll());
    const known = await this.#openSamplesOf(leaf);
    if (known.length > 0) return known;
    await this.#states.oncePerLatest(() => this.#bringUpAll());
    return this.#openSamplesOf(leaf);
  }

  /** The campaigns that are drawn and not closed, in the order of their commits. */
  async open(): Promise<CampaignRow[]> {
    await this.#states.oncePerHead(() => this.#bringUpAll());
    const found: CampaignRow[] = [];
    for (const index of await this.store.storedIndexes()) {
      const row = this.#samples.isFinal(index) ? null : await this.#atHead(index);
      if (row?.status === "drawn") found.push(row);
    }
    return found;
  }

  /** Forget the state that was read; call it after each change of a campaign on chain. */
  noteChange(campaign: number): void {
    this.#states.forget(campaign);
  }

  /** The drawn households of a campaign, the replaced ones too, by group and position; empty where its frames are not here. */
  async sampleOf(row: CampaignRow): Promise<SampledRow[]> {
    await this.#samples.bringUp(row);
    return this.store.sampled(row.campaign);
  }

  /** DIDs of drawn households by their position. */
  async didsOf(campaign: number, group: Group, positions: number[]): Promise<Map<number, string>> {
    const row = await this.#atHead(campaign);
    if (row) await this.#samples.bringUp(row);
    return this.store.sampledDids(campaign, group, positions);
  }

  /** A group's whole frame in the order of the draw; empty before the draw, and where the frame is not here. */
  async frameOf(campaign: number, group: Group): Promise<FrameMember[]> {
    const row = await this.#atHead(campaign);
    return row ? this.membersFrom(row, group, 0, frameSizeOf(row, group)) : [];
  }

  /** The households at the positions `from` to `to` − 1 of a draw; empty before it, and where the frame is not here. */
  async membersFrom(row: CampaignRow, group: Group, from: number, to: number): Promise<FrameMember[]> {
    const leaves = await this.leavesOf(row, group);
    const order = leaves && (await this.#orderOf(row, group, leaves));
    if (!leaves || !order) return [];
    const places = order.subarray(from, to);
    const dids = await this.store.didsAt(frameRootOf(row, group), places);
    return Array.from(places, (place, i) => ({
      position: from + i,
      leaf: leafAt(leaves, place),
      did: dids.get(place) ?? "",
    }));
  }

  async holdsFrame(row: StoredCampaign, group: Group): Promise<boolean> {
    return this.#leaves.get(frameRootOf(row, group)) !== undefined || this.store.hasFrame(frameRootOf(row, group));
  }

  /** The draw as the chain tells it; null before it. */
  async drawOf(campaign: number): Promise<Draw | null> {
    return this.#draws.through(campaign, () => this.ledger.drawOf(campaign));
  }

  /** The leaves of a group's frame, ascending (frame.ts); null when the frame is not here. */
  async leavesOf(row: StoredCampaign, group: Group): Promise<Uint8Array | null> {
    const root = frameRootOf(row, group);
    return this.#leaves.through(root, () => this.store.leavesOf(root, frameSizeOf(row, group)));
  }

  /** The numbers in the registry of a frame's households, in the order of its leaves; null when the frame is not here. */
  async householdsOf(row: StoredCampaign, group: Group): Promise<Uint32Array | null> {
    const root = frameRootOf(row, group);
    return this.#households.through(root, async () => {
      const size = frameSizeOf(row, group);
      const dids = await this.store.didsAt(root, Array.from({ length: size }).keys());
      const isWhole = dids.size === size && [...dids.values()].every((did) => did !== "");
      return isWhole ? householdNumbers(this.#registry, [...dids.values()]) : null;
    });
  }

  async #memberIn(row: CampaignRow | null, { leaf, did, group }: PlaceQuery): Promise<Member | null> {
    if (!row || row.orderSeed === null) return null;
    await this.#samples.bringUp(row);
    const places = await this.store.sampledByLeaf(leaf, row.campaign);
    const drawn = places.find((each) => each.group === group) ?? places[0];
    return drawn ? memberFrom(drawn) : this.#reserveOf(row, { leaf, did, group });
  }

  async #openSamplesOf(leaf: Hex): Promise<{ campaign: CampaignRow; member: Member }[]> {
    const found: { campaign: CampaignRow; member: Member }[] = [];
    for (const drawn of await this.store.sampledByLeaf(leaf)) {
      if (drawn.isReplaced || drawn.isMissing) continue;
      const campaign = await this.#atHead(drawn.campaign);
      if (campaign?.status === "drawn") found.push({ campaign, member: memberFrom(drawn) });
    }
    return found;
  }

  async #reserveOf(row: CampaignRow, { leaf, did, group: first }: PlaceQuery): Promise<Member | null> {
    for (const group of [first, ...groups.filter((each) => each !== first)]) {
      const leaves = await this.leavesOf(row, group);
      const place = leaves === null ? -1 : indexOfLeaf(leaves, leaf);
      const order = leaves && place >= 0 && (await this.#orderOf(row, group, leaves));
      if (!order) continue;
      return { campaign: row.campaign, group, position: order.indexOf(place), leaf, did, status: "reserve" };
    }
    return null;
  }

  /** The households of a paired design have one order, so that a position is the same household in both groups. */
  async #orderOf(row: CampaignRow, group: Group, leaves: Uint8Array): Promise<Uint32Array | null> {
    const { orderSeed: seed, terms } = row;
    if (seed === null) return null;
    const isPaired = terms.sampling?.paired !== undefined;
    const order = await this.#orders.through(`${seed}:${group}`, () =>
      drawOrder(seed, isPaired ? "reference" : group, leaves),
    );
    const { strata } = terms.sampling ?? {};
    if (strata === undefined || order === null) return order;
    const stratumAt = await this.#strataOfLeaves(strata, group, leaves);
    if (stratumAt === null) return null;
    const dropped = await this.droppedOf(row, group);
    return this.#orders.through(`${seed}:${group}:${row.drawnTo[group]}`, async () =>
      stratifiedOrder(order, stratumAt, strata, dropped),
    );
  }

  /** The index of each leaf's stratum; null where a stratum's frame is not here. */
  async #strataOfLeaves(strata: readonly StratumTerms[], group: Group, leaves: Uint8Array): Promise<Uint8Array | null> {
    const found = new Uint8Array(leaves.length / LEAF_BYTES);
    for (const [index, { frames }] of strata.entries()) {
      const { root, size } = frames[group];
      const inStratum = await this.#leaves.through(root as Hex, () => this.store.leavesOf(root as Hex, size));
      if (inStratum === null) return null;
      for (let i = 0; i < size; i++) {
        const place = indexOfLeaf(leaves, leafAt(inStratum, i));
        if (place >= 0) found[place] = index;
      }
    }
    return found;
  }

  /** The replaced positions of a group, in the order of their replacements. */
  async droppedOf(row: CampaignRow, group: Group): Promise<number[]> {
    const count = row.drawnTo[group] - row.sampleSize;
    if (count <= 0) return [];
    const ofGroup = (all: ReplacementRow[]) => all.filter((each) => each.group === group);
    const stored = ofGroup(await this.store.replacements(row.campaign));
    const known = stored.length < count ? ofGroup(await this.ledger.replacementsOf(row.campaign)) : stored;
    return known
      .sort((a, b) => (a.replacement ?? 0) - (b.replacement ?? 0))
      .slice(0, count)
      .map(({ dropped }) => dropped);
  }

  /** Index of the stratum of each drawn position of a group; null where the campaign has no strata. */
  async strataOf(row: CampaignRow, group: Group): Promise<number[] | null> {
    const { strata } = row.terms.sampling ?? {};
    return strata === undefined ? null : strataOfPositions(strata, await this.droppedOf(row, group));
  }

  /** The index of each household's stratum in a frame, in the order of the leaves; null without strata, or where a frame is not here. */
  async strataOfFrame(row: CampaignRow, group: Group): Promise<number[] | null> {
    const { strata } = row.terms.sampling ?? {};
    const leaves = strata && (await this.leavesOf(row, group));
    const found = strata && leaves && (await this.#strataOfLeaves(strata, group, leaves));
    return found ? [...found] : null;
  }

  /** Draws and replacements may have been made without this process. */
  async #bringUpAll(): Promise<void> {
    await this.#directory.catchUp();
    for (const index of await this.store.storedIndexes()) {
      if (this.#samples.isFinal(index)) continue;
      const row = await this.byIndex(index);
      if (row) await this.#samples.bringUp(row);
    }
  }

  async #now(row: StoredCampaign | null): Promise<CampaignRow | null> {
    return row && this.#withState(row, await this.#states.now(row.campaign));
  }

  /** As the chain had it at the latest block that was seen. */
  async #atHead(index: number): Promise<CampaignRow | null> {
    const row = await this.#directory.byIndex(index);
    return row && this.#withState(row, await this.#states.atHead(index));
  }

  /** The campaign with its terms as the last amendment has them. */
  async #withState(row: StoredCampaign, state: CampaignState): Promise<CampaignRow> {
    const frameSizes = { reference: row.referenceSize, intervention: row.interventionSize };
    const terms = await this.#termsOf(row, state);
    return { ...row, ...state, frameSizes, terms, orderSeed: await this.#orderSeedOf(row, state, terms) };
  }

  async #termsOf(row: StoredCampaign, { termsVersion }: CampaignState): Promise<CampaignTerms> {
    if (termsVersion <= 1) return row.terms;
    const amendment = await this.#amendments.through(`${row.campaign}:${termsVersion}`, async () => {
      const all = await this.ledger.amendmentsOf(row.campaign);
      return all.find(({ version }) => version === termsVersion) ?? null;
    });
    if (amendment === null)
      throw new Error(`Version ${termsVersion} of the terms of ${row.campaignId} is not on chain.`);
    return amendment.terms;
  }

  async #orderSeedOf({ campaign }: StoredCampaign, { seed }: CampaignState, terms: CampaignTerms): Promise<Hex | null> {
    if (seed === null || terms.beacon === undefined) return seed;
    const published = await this.beacons.find(campaign);
    return published && withRandomness(seed, published.randomness);
  }
}

function memberFrom({ campaign, group, position, leaf, did, isReplaced, isMissing }: SampledRow): Member {
  const status = isReplaced ? "replaced" : isMissing ? "missing" : "sampled";
  return { campaign, group, position, leaf: leaf as Hex, did, status };
}
