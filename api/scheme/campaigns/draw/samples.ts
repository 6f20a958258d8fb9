import { type Group, groups } from "../groups.ts";
import type { CampaignLedger } from "../ledger.ts";
import type { CampaignRow, FrameMember } from "../model.ts";
import type { CampaignStore } from "../store.ts";
import type { ReplacementRow } from "../tables.ts";

type Drawn = { membersFrom: (row: CampaignRow, group: Group, from: number, to: number) => Promise<FrameMember[]> };
type SamplesSource = { store: CampaignStore; ledger: CampaignLedger; drawn: Drawn };

/**
 * Keeps the drawn households of each campaign in the database as the chain's draws and replacements make them, by any process.
 * The chain's counts tell whether anything is not here yet: they grow with every draw, replacement and missing position.
 */
export class Samples {
  readonly #source: SamplesSource;
  /** What has been brought up, by campaign. */
  readonly #upTo = new Map<number, { drawnTo: string; isFinal: boolean }>();
  readonly #underway = new Map<string, Promise<void>>();

  constructor(source: SamplesSource) {
    this.#source = source;
  }

  /** Whether nothing can be added any more. */
  isFinal(campaign: number): boolean {
    return this.#upTo.get(campaign)?.isFinal ?? false;
  }

  /** Stores what the campaign's draw and replacements have brought and is not here yet. */
  async bringUp(row: CampaignRow): Promise<void> {
    if (row.orderSeed === null) return;
    const drawnTo = [row.drawnTo, row.missing].map((each) => `${each.reference},${each.intervention}`).join();
    const isFinal = row.status === "closed" || row.status === "abandoned";
    const known = this.#upTo.get(row.campaign);
    if (known?.drawnTo === drawnTo) {
      known.isFinal ||= isFinal;
      return;
    }
    const key = `${row.campaign}:${drawnTo}`;
    const underway = this.#underway.get(key) ?? this.#fill(row).finally(() => this.#underway.delete(key));
    this.#underway.set(key, underway);
    await underway;
    this.#upTo.set(row.campaign, { drawnTo, isFinal });
  }

  async #fill(row: CampaignRow): Promise<void> {
    const { store, ledger, drawn } = this.#source;
    if (groups.some((group) => row.drawnTo[group] > row.sampleSize)) await this.#fillReplacements(row);
    if (groups.some((group) => row.missing[group] > 0)) await store.saveMissing(await ledger.missingOf(row.campaign));
    const counts = await store.sampledCounts(row.campaign);
    for (const group of groups) {
      const members = await drawn.membersFrom(row, group, counts[group], row.drawnTo[group]);
      await store.saveSamples(members.map((member) => ({ campaign: row.campaign, group, ...member })));
    }
  }

  async #fillReplacements({ campaign }: CampaignRow): Promise<void> {
    const { store, ledger } = this.#source;
    const placeOf = ({ group, dropped }: ReplacementRow) => `${group}:${dropped}`;
    const known = new Set((await store.replacements(campaign)).map(placeOf));
    const onChain = await ledger.replacementsOf(campaign);
    await store.saveReplacements(onChain.filter((each) => !known.has(placeOf(each))));
  }
}
