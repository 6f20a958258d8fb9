import { sql } from "drizzle-orm";
import { type CampaignRow, type EvidencePiece, evidenceMarks, recordedEvidence } from "../../campaigns/index.ts";
import { openDeviceStore } from "../../devices/index.ts";
import { knownPhotos } from "../../photos/index.ts";
import type { KptServiceDeps } from "../deps.ts";
import { kptClaims } from "../tables.ts";
import type { FlaggedRecord } from "./record-flags.ts";
import { kptEvidence } from "./tables.ts";

const dayMs = 86_400_000;
/** Most names of others with the same photo: thousands of devices may have one. */
const mostOthers = 100;

type Given = Omit<FlaggedRecord, "photos"> & {
  evidence: readonly EvidencePiece[];
  /** Of a record that is not the campaign's: how a flag names it. */
  other: string | null;
};

/**
 * Read the photos of a campaign's records in addition to its claims: households that were replaced or are missing, usage surveys, and devices
 * of its plan. Each is compared with the records of all campaigns, the devices of all plans and all valid claims.
 */
export async function readRecordPhotos(deps: KptServiceDeps, campaign: CampaignRow): Promise<FlaggedRecord[]> {
  const given = [...(await campaignRecords(deps, campaign)), ...(await deviceRecords(deps, campaign.plan))];
  const own = given.filter(({ other }) => other === null);
  if (own.length === 0) return [];
  const marked = new Map(given.map((record) => [record, record.evidence.map(marksOf)]));
  const known = await knownPhotos(deps.db, [...marked.values()].flat());
  const keysOf = (marks: Marks): string[] => {
    const sha256 = known.find(marks)?.sha256 ?? marks.sha256;
    return sha256 === null ? [marks.linkHash] : [marks.linkHash, sha256];
  };
  const ownKeys = new Set(own.flatMap((record) => (marked.get(record) ?? []).flatMap(keysOf)));
  const users = new Users(ownKeys);
  for (const [record, pieces] of marked) {
    const name = record.other ?? record.serial ?? campaign.campaignId;
    for (const [item, piece] of pieces.entries()) {
      for (const key of keysOf(piece)) users.add(key, { id: `${record.id} ${item}`, name });
    }
  }
  for (const { claim, mark } of await claimsWith(deps, [...ownKeys])) users.add(mark, { id: claim, name: claim });
  return own.map((record): FlaggedRecord => {
    const { evidence: _, other: __, ...named } = record;
    return {
      ...named,
      photos: (marked.get(record) ?? []).map((piece, item) => {
        const { takenAt = null, latitude = null, longitude = null } = known.find(piece) ?? {};
        return { takenAt, latitude, longitude, others: users.others(keysOf(piece), `${record.id} ${item}`) };
      }),
    };
  });
}

/** Who has each photo of the campaign's own records, by its marks. */
class Users {
  readonly #wanted: ReadonlySet<string>;
  /** By mark, then by name: the ids of that name, of which two are enough to know. */
  readonly #ids = new Map<string, Map<string, Set<string>>>();

  constructor(wanted: ReadonlySet<string>) {
    this.#wanted = wanted;
  }

  add(mark: string, { id, name }: { id: string; name: string }): void {
    if (!this.#wanted.has(mark)) return;
    const names = this.#ids.get(mark) ?? new Map<string, Set<string>>();
    this.#ids.set(mark, names);
    const ids = names.get(name) ?? new Set();
    names.set(name, ids);
    if (ids.size < 2) ids.add(id);
  }

  /** The first names of those that have one of the marks with another id. */
  others(marks: readonly string[], id: string): string[] {
    const found = marks.flatMap((mark) => {
      const some: string[] = [];
      for (const [name, ids] of this.#ids.get(mark) ?? []) {
        if (some.length === mostOthers) break;
        if (ids.size > 1 || !ids.has(id)) some.push(name);
      }
      return some;
    });
    return [...new Set(found)].sort().slice(0, mostOthers);
  }
}

type Marks = { sha256: string | null; linkHash: string };

function marksOf(piece: EvidencePiece): Marks {
  const { link, bytes } = evidenceMarks(piece);
  return { sha256: bytes, linkHash: link };
}

async function campaignRecords(deps: KptServiceDeps, row: CampaignRow): Promise<Given[]> {
  const isPaired = row.terms.sampling?.paired !== undefined;
  const drawn = row.drawBlock === null ? null : await dayOfBlock(deps, row.drawBlock);
  return (await recordedEvidence(deps.db)).map((record): Given => {
    const { kind, campaign, campaignId, group, position, evidence, visitedOn } = record;
    const isOwn = campaign === row.campaign;
    const place = isPaired && isOwn ? position : `${group} ${position}`;
    return {
      kind,
      group,
      position,
      serial: null,
      id: `${campaignId} ${kind} ${place}`,
      first: visitedOn ?? (isOwn ? drawn : null),
      last: visitedOn,
      evidence,
      other: isOwn ? null : campaignId,
    };
  });
}

/** Read the day of a block in the time zone where the date is earliest. */
async function dayOfBlock({ chain }: KptServiceDeps, block: number): Promise<string> {
  const { timestamp } = await chain.client.getBlock({ blockNumber: BigInt(block) });
  return new Date(Number(timestamp) * 1000 - dayMs / 2).toISOString().slice(0, 10);
}

async function deviceRecords({ db }: KptServiceDeps, ownPlan: number): Promise<Given[]> {
  const devices = await openDeviceStore(db).withEvidence();
  return devices.map(
    ({ serial, plan, installedOn, evidence, createdAt }): Given => ({
      kind: "installed",
      group: null,
      position: null,
      serial,
      id: `device ${serial}`,
      first: installedOn,
      // It was recorded in UTC, and may be the next day where the photo was taken.
      last: new Date(createdAt.getTime() + dayMs).toISOString().slice(0, 10),
      evidence,
      other: plan === ownPlan ? null : serial,
    }),
  );
}

/** The valid claims that have one of the marks: links or SHA-256. */
async function claimsWith(
  { db }: KptServiceDeps,
  marks: readonly string[],
): Promise<{ claim: string; mark: string }[]> {
  const { rows } = await db.execute(sql`
    with wanted as (select jsonb_array_elements_text(${JSON.stringify(marks)}::jsonb) as mark), found as (
      select e.claim, mark from wanted join ${kptEvidence} e on e.link_hash = mark
      union
      select e.claim, mark from wanted join ${kptEvidence} e on e.sha256 = mark
    )
    select found.claim, found.mark from found join ${kptClaims} k on k.id = found.claim and k.status = 'verified'`);
  return rows.map(({ claim, mark }) => ({ claim: String(claim), mark: String(mark) }));
}
