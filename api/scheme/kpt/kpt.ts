import { encodeKptClaimId } from "../../../wire/src/ids.ts";
import { dateOf, PendingTransactionError } from "../../platform/chain/index.ts";
import { AppError } from "../../platform/errors.ts";
import type { Worker } from "../../platform/workers/index.ts";
import type {
  ClaimOnRecord,
  ComparedEvidence,
  MarksToCompare,
  StoveUseOnRecord,
  VerifiedClaim,
} from "../campaigns/index.ts";
import { type KptCollector, openKptCollector } from "./collector.ts";
import { readClaimFile } from "./evidence.ts";
import type { StatedEvidence } from "./evidence-items.ts";
import { keepEvidenceLinks } from "./field/facts.ts";
import { claimsWithoutLinks, claimsWithSharedEvidence, evidenceOfOthers, stoveSeriesOnRecord } from "./field/store.ts";
import { clean, noteRecorded, noteRevoked, onChain, recordClaim, recordedAt } from "./finish.ts";
import type { KptDeps, KptParts } from "./parts.ts";
import { type KptStore, openKptStore } from "./store.ts";
import { serializeCookingRule, serializeStoveUse } from "./stove-use/serialize.ts";
import type { KptClaimRow } from "./tables.ts";

const everyMs = 60_000;
/** After this time any process may finish a claim whose request another process accepted. */
const abandonedMs = 120_000;
const atOnce = 64;
const filesAtOnce = 8;

/** KPT claims, for their own services and for the results of campaigns. */
export class Kpt implements KptParts {
  readonly deps: KptDeps;
  readonly store: KptStore;
  readonly collector: KptCollector;
  step: KptParts["step"];
  readonly #openedAt: Date;
  /** The last pending work of this process on each claim. */
  readonly #busy = new Map<string, Promise<unknown>>();
  readonly #finishing: Worker;

  constructor(deps: KptDeps) {
    this.deps = deps;
    this.store = openKptStore(deps.db);
    this.collector = openKptCollector(deps.chain);
    this.#openedAt = deps.clock.now();
    this.#finishing = deps.workers.add({ name: "kpt-claims", everyMs, run: ({ now }) => this.#finishAll(now) });
  }

  /** Finish the claims of earlier processes, now and every minute. */
  start(): void {
    this.#finishing.start();
  }

  async close(): Promise<void> {
    await this.#finishing.close();
  }

  /** Work on a claim alone in this process. */
  async hold<T>(id: string, work: () => Promise<T>): Promise<T> {
    const before = this.#busy.get(id) ?? Promise.resolve();
    const run = before.catch(() => undefined).then(work);
    this.#busy.set(id, run);
    try {
      return await run;
    } finally {
      if (this.#busy.get(id) === run) this.#busy.delete(id);
    }
  }

  /** Finish or abandon each claim whose process has ended, and clean up after refused claims. */
  tend(): Promise<void> {
    return this.#finishing.runNow();
  }

  async #finishAll(now: Date): Promise<void> {
    const { exclusive } = this.deps;
    // Alone on the database, no other process works on claims older than this process, even within two minutes.
    const before = exclusive ? this.#openedAt : new Date(now.getTime() - abandonedMs);
    await this.#each(await this.store.filing({ before }), (row) => this.#finish(row));
    if (exclusive) {
      const late = new Date(now.getTime() - abandonedMs);
      await this.#each(await this.store.filing({ before: late }), (row) => this.#finish(row));
    }
    await this.#each(await this.store.leftovers(), (row) => clean(this, row));
  }

  async #each(rows: KptClaimRow[], work: (row: KptClaimRow) => Promise<unknown>): Promise<void> {
    const queue = rows.values();
    const turn = async (id: string) => {
      const row = await this.store.byId(id);
      if (row !== null) await work(row);
    };
    const worker = async () => {
      for (const { id } of queue) {
        await this.hold(id, () => turn(id)).catch((error: unknown) => {
          // Not in a block yet, or refused, which is recorded: neither is an error.
          if (error instanceof PendingTransactionError || error instanceof AppError) return;
          this.deps.log.error({ err: error, claim: id }, "a KPT claim was not finished");
        });
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
  }

  async #finish(row: KptClaimRow): Promise<void> {
    if (row.status !== "filing") return;
    if (row.credential === null) await this.giveUp(row);
    else await this.finish(row);
  }

  /** Abandon a claim without a signed credential. */
  async giveUp(row: KptClaimRow): Promise<void> {
    if (await this.store.giveUp(row.id)) await clean(this, row);
  }

  /** Finish a signed claim: it may be on chain, pending, or neither. */
  async finish(row: KptClaimRow): Promise<KptClaimRow> {
    const at = await recordedAt(this, row);
    return at === null ? await recordClaim(this, row) : await noteRecorded(this, row, at);
  }

  /** Update a claim from the chain: store a record or revocation that the database lacks. */
  async current(row: KptClaimRow): Promise<KptClaimRow> {
    if (row.status === "filing" && row.credential !== null) {
      const at = await recordedAt(this, row);
      return at === null ? row : await this.current(await noteRecorded(this, row, at));
    }
    if (row.status !== "verified") return row;
    const claim = onChain(row);
    const [, isRevoked] = await this.deps.chain.read("campaigns", "recordOf", [claim]);
    if (!isRevoked) return row;
    const [event] = await this.deps.chain.past("campaigns", "KptClaimRevoked", { claim });
    return await noteRevoked(this, row, event?.args.reason ?? "revoked");
  }

  /** Update all claims of a campaign from the chain. Call it before a result is made final. */
  async settleOpen(campaign: number): Promise<void> {
    await this.#each(await this.store.filing({ campaign }), (row) => this.current(row));
    const revoked = await this.deps.chain.past("campaigns", "KptClaimRevoked", { campaign });
    const reasons = new Map(revoked.map(({ args }) => [encodeKptClaimId(args.claim), args.reason]));
    for (const row of await this.store.standing([...reasons.keys()])) {
      await noteRevoked(this, row, reasons.get(row.id) ?? "revoked");
    }
  }

  /** Read the valid claims of a campaign, in the order of filing. */
  async verifiedClaims(campaign: number): Promise<VerifiedClaim[]> {
    await this.settleOpen(campaign);
    const dates = new Map<number, string>();
    const dateAt = (day: number) => {
      const known = dates.get(day) ?? dateOf(day);
      dates.set(day, known);
      return known;
    };
    return (await this.store.verified(campaign)).map(({ startDay, endDay, weighed, fed, ...claim }) => {
      const measured = { ...claim, ...(weighed === null ? {} : { weighed }), ...(fed === null ? {} : { fed }) };
      return { ...measured, startDate: dateAt(startDay), endDate: dateAt(endDay) };
    });
  }

  /** Read which claims of a campaign were revoked, in the order of filing. */
  async revokedClaims(campaign: number): Promise<Pick<VerifiedClaim, "id" | "group" | "position">[]> {
    await this.settleOpen(campaign);
    return await this.store.revoked(campaign);
  }

  /** Compare the evidence of valid claims with each other, with the marks, and with other campaigns. */
  async comparedEvidence(campaign: number, { marks, foreign }: MarksToCompare): Promise<ComparedEvidence> {
    await this.#keepLinks(campaign);
    const elsewhere = await evidenceOfOthers(this.deps.db, { campaign, marks });
    const known = new Set([...marks, ...foreign, ...elsewhere.map(({ mark }) => mark)]);
    return { claims: await claimsWithSharedEvidence(this.deps.db, { campaign, marks: [...known] }), elsewhere };
  }

  /** Store the links of claims that an earlier version filed, from their files. */
  async #keepLinks(campaign: number): Promise<void> {
    const queue = (await claimsWithoutLinks(this.deps.db, campaign)).values();
    const worker = async () => {
      for (const claimId of queue) {
        const row = await this.store.byId(claimId);
        if (row === null) continue;
        const file = await readClaimFile(this.deps, { campaignId: row.campaignId, claimId });
        // Where the file is gone, the CIDs of the evidence are compared.
        const stated = file === null ? (row.evidence ?? []).slice(1) : (file.claim.evidence ?? []);
        await keepEvidenceLinks(this.deps.db, claimId, stated as StatedEvidence[]);
      }
    };
    await Promise.all(Array.from({ length: filesAtOnce }, worker));
  }

  /** Read every claim of a campaign that the chain has, in the order of their ids. */
  async claimsOnRecord(campaign: number): Promise<ClaimOnRecord[]> {
    await this.settleOpen(campaign);
    const rows = await this.store.recorded(campaign);
    return rows.map(onRecord).sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Read the stove-use series of these claims. */
  async stoveUseOnRecord(campaign: number): Promise<StoveUseOnRecord> {
    const rows = await stoveSeriesOnRecord(this.deps.db, campaign);
    const series = rows.map((row) => ({ claimId: row.claim, ...serializeStoveUse(row) }));
    series.sort((a, b) => (a.claimId === b.claimId ? a.item - b.item : a.claimId < b.claimId ? -1 : 1));
    return { rule: serializeCookingRule(), series };
  }
}

function onRecord(row: KptClaimRow): ClaimOnRecord {
  const { id, group, position, totalGrams, logs, reason, householdHash } = row;
  const { weighed, fed, claimHash, credentialHash, credential, evidence, transactionHash, blockNumber } = row;
  const isWhole = transactionHash !== null && blockNumber !== null && credential !== null && evidence !== null;
  if (!isWhole || claimHash === null || credentialHash === null) throw new Error(`Claim ${id} is not recorded.`);
  return {
    id,
    group,
    position,
    startDate: dateOf(row.startDay),
    endDate: dateOf(row.endDay),
    totalGrams,
    logs,
    fuels: row.fuels,
    ...(weighed === null ? {} : { weighed }),
    ...(fed === null ? {} : { fed }),
    status: row.status === "revoked" ? "revoked" : "verified",
    reason,
    householdHash,
    claimHash,
    credentialHash,
    credential,
    evidence,
    transactionHash,
    blockNumber,
  };
}

/** Open the KPT claims; `start` begins to finish interrupted claims. */
export function openKpt(deps: KptDeps): Kpt {
  return new Kpt(deps);
}
