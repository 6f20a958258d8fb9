import type { AefReport, HearthClient, IndexRow } from "../../../wire/src/index.ts";
import type { Profile } from "../settings/schemas.ts";

const rowsPerPage = 1_000;

const certificateFields = [
  "index",
  "certificateId",
  "activityId",
  "periodStart",
  "periodEnd",
  "verifier",
  "status",
] as const;
const conversionFields = ["index", "publicId", "firstId", "lastId", "endedAt"] as const;
const lotFields = ["conversionIndex", "position", "certificateIndex", "offset", "amount"] as const;
const blockFields = [
  "id",
  "publicId",
  "conversionIndex",
  "cooperativeApproachId",
  "firstTransferringParty",
  "registryId",
  "firstId",
  "lastId",
  "vintage",
  "status",
  "party",
  "createdAt",
  "authorization.authorizationId",
  "authorization.authorizedDay",
] as const;
const actionFields = [
  "sequence",
  "blockId",
  "action",
  "actedAt",
  "usingParty",
  "usingEntity",
  "ndcYear",
  "purpose",
] as const;

export type Certificate = IndexRow<"certificate", (typeof certificateFields)[number]>;
export type Conversion = IndexRow<"itmoConversion", (typeof conversionFields)[number]>;
export type Lot = IndexRow<"conversionLot", (typeof lotFields)[number]>;
export type Block = IndexRow<"itmoBlock", (typeof blockFields)[number]>;
export type Action = IndexRow<"itmoAction", (typeof actionFields)[number]>;

/** What the index knows of the Party's units, and of where they came from. */
export type Facts = {
  certificates: Certificate[];
  conversions: Map<number, Conversion>;
  /** By conversion, in the order of its CARBON. */
  lots: Map<number, Lot[]>;
  blocks: Block[];
  /** The last action on a block. */
  lastActions: Map<string, Action>;
  /** DIDs of verifiers by their hashes. */
  verifiers: Map<string, string>;
  /** Reports of the submitted years, by year. */
  reports: Map<number, AefReport>;
  /** The report of the current year, for authorizations and entities in force. */
  current: AefReport;
};

/**
 * Read the facts from the public index. What refers to other rows is read before them, so that nothing is missing that was added
 * meanwhile.
 * @throws HearthError
 */
export async function readFacts(client: HearthClient, { party, submissions }: Profile): Promise<Facts> {
  const ofParty = { firstTransferringParty: party };
  const actions = await all(
    (after, limit) =>
      client.rows("itmoAction", {
        fields: actionFields,
        where: { ...ofParty, sequence_gt: after },
        orderBy: "sequence",
        limit,
      }),
    ({ sequence }) => sequence,
  );
  const blocks = await all(
    (after, limit) =>
      client.rows("itmoBlock", { fields: blockFields, where: { ...ofParty, id_gt: after }, orderBy: "id", limit }),
    ({ id }) => id,
  );
  const lots = await readLots(client);
  const conversions = await all(
    (after, limit) =>
      client.rows("itmoConversion", {
        fields: conversionFields,
        where: { status: "finalised", index_gt: after },
        orderBy: "index",
        limit,
      }),
    ({ index }) => index,
  );
  const certificates = await all(
    (after, limit) =>
      client.rows("certificate", { fields: certificateFields, where: { index_gt: after }, orderBy: "index", limit }),
    ({ index }) => index,
  );
  const issuers = await all(
    (after, limit) =>
      client.rows("issuer", { fields: ["hash", "did"], where: { hash_gt: after }, orderBy: "hash", limit }),
    ({ hash }) => hash,
  );
  const reports = new Map<number, AefReport>();
  for (const { year, version } of submissions) reports.set(year, await readReport(client, party, year, version));
  const { asOf } = await client.get("/reports/summary");
  return {
    certificates,
    conversions: new Map(conversions.map((each) => [each.index, each])),
    lots: Map.groupBy(lots, ({ conversionIndex }) => conversionIndex),
    blocks,
    lastActions: new Map(actions.map((each) => [each.blockId, each])),
    verifiers: new Map(issuers.map(({ hash, did }) => [hash, did])),
    reports,
    current: await readReport(client, party, new Date(asOf).getUTCFullYear(), "1.0"),
  };
}

const readReport = (client: HearthClient, party: string, year: number, version: string): Promise<AefReport> =>
  client.get("/reports/aef", { query: { party, year, version, keys: "cad-trust" } });

/** Read rows page by page, in the order of a unique column. */
async function all<Row, Position>(
  read: (after: Position | undefined, limit: number) => Promise<Row[]>,
  positionOf: (row: Row) => Position,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const last = rows.at(-1);
    const page = await read(last && positionOf(last), rowsPerPage);
    rows.push(...page);
    if (page.length < rowsPerPage) return rows;
  }
}

/** Read the lots of all conversions. A page may end within a conversion's lots; those are read again with the next page. */
async function readLots(client: HearthClient): Promise<Lot[]> {
  const lots: Lot[] = [];
  let after: number | undefined;
  for (;;) {
    const page = await client.rows("conversionLot", {
      fields: lotFields,
      where: { conversionIndex_gt: after },
      orderBy: "conversionIndex",
      limit: rowsPerPage,
    });
    const last = page.at(-1)?.conversionIndex;
    const isEnd = page.length < rowsPerPage;
    // A conversion has at most 128 lots, so a full page has more than one conversion.
    const whole = isEnd ? page : page.filter(({ conversionIndex }) => conversionIndex !== last);
    lots.push(...whole);
    if (isEnd) break;
    after = whole.at(-1)?.conversionIndex;
  }
  return lots.sort((a, b) => a.conversionIndex - b.conversionIndex || a.position - b.position);
}
