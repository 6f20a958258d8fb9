import DataLoader from "dataloader";
import { getTableColumns, sql } from "drizzle-orm";
import type { Database } from "../../platform/db/index.ts";
import { isId } from "../../platform/new-id.ts";
import { ancestorsOf } from "../../platform/ucan/index.ts";
import { underFolder } from "../visibility/visible-where.ts";
import type { FoundFile } from "./file-metadata.ts";
import { files } from "./tables.ts";

/** Columns to select from `files`, with the marks of the folders above, and the key group's current secret. */
export const fileColumns = {
  ...getTableColumns(files),
  folderHidden: underFolder("hidden").as("folder_hidden"),
  folderPublic: underFolder("public").as("folder_public"),
  secretId: sql<string>`(select secret_id from file_key_groups where file_key_groups.id = files.key_group)`.as(
    "secret_id",
  ),
};

/** A path with the marks of the folders above, and whether a live file has it. */
export type PlaceMarks = { hidden: boolean; public: boolean; taken: boolean };

type Place = { namespace: string; path: string };

const options = {
  // Rows are valid only for the current request.
  cache: false,
  maxBatchSize: 256,
  // Callers that resume in the same tick of the event loop share a batch.
  batchScheduleFn: (ask: () => void) => setImmediate(ask),
} as const;

/** Finds single files. Concurrent lookups share a statement. */
export class Lookup {
  readonly #byId: DataLoader<string, FoundFile | undefined>;
  readonly #byPath: DataLoader<Place, FoundFile | undefined>;
  readonly #marks: DataLoader<Place, PlaceMarks>;

  constructor(db: Database) {
    const byIds = prepareByIds(db);
    const byPaths = prepareByPaths(db);
    this.#byId = new DataLoader((ids) => findByIds(byIds, ids), options);
    this.#byPath = new DataLoader((places) => findByPaths(byPaths, places), options);
    this.#marks = new DataLoader((places) => findMarks(db, places), options);
  }

  /** Find the file with that id, live or trashed. */
  async byId(namespace: string, id: string): Promise<FoundFile | undefined> {
    // A malformed id would make the shared statement fail for all callers.
    if (!isId(id)) return undefined;
    const row = await this.#byId.load(id);
    return row?.namespace === namespace ? row : undefined;
  }

  /** Find the live file at that path. */
  byPath(namespace: string, path: string): Promise<FoundFile | undefined> {
    return this.#byPath.load({ namespace, path });
  }

  marksAt(namespace: string, path: string): Promise<PlaceMarks> {
    return this.#marks.load({ namespace, path });
  }
}

/**
 * Prepared once, because building and planning this statement costs more than running it. Its plan is the same for any ids.
 */
function prepareByIds(db: Database) {
  const ids = sql`select jsonb_array_elements_text(${sql.placeholder("ids")}::jsonb)`;
  return db.select(fileColumns).from(files).where(sql`files.id = any(array(${ids}))`).prepare("files_by_ids");
}

async function findByIds(statement: ReturnType<typeof prepareByIds>, ids: readonly string[]) {
  const rows: FoundFile[] = await statement.execute({ ids: JSON.stringify(ids) });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id));
}

const placeKey = ({ namespace, path }: Place) => `${namespace}\n${path}`;

function prepareByPaths(db: Database) {
  // One index lookup for each place. The embedded database keeps no statistics, so for a join it may read the whole table.
  const ids = sql`
    select (select live.id from files live where live.namespace = given.namespace and live.path = given.path
      and live.trashed_at is null)
    from jsonb_to_recordset(${sql.placeholder("places")}::jsonb) as given(namespace text, path text)`;
  return db.select(fileColumns).from(files).where(sql`files.id = any(array(${ids}))`).prepare("files_by_paths");
}

async function findByPaths(statement: ReturnType<typeof prepareByPaths>, places: readonly Place[]) {
  const rows: FoundFile[] = await statement.execute({ places: JSON.stringify(places) });
  const byPlace = new Map(rows.map((row) => [placeKey(row), row]));
  return places.map((place) => byPlace.get(placeKey(place)));
}

async function findMarks(db: Database, places: readonly Place[]): Promise<PlaceMarks[]> {
  const given = places.map((place, at) => ({ at, ...place, above: ancestorsOf(place.path) }));
  // Not `exists`: without statistics, the embedded database would read the whole table for it.
  const { rows } = await db.execute<PlaceMarks>(sql`
    select coalesce(marks.hidden, false) as hidden, coalesce(marks.public, false) as public,
      (select 1 from files where files.namespace = given.namespace and files.path = given.path
        and files.trashed_at is null) is not null as taken
    from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as given(at int, namespace text, path text, above text[])
    cross join lateral (
      select bool_or(flag.hidden) as hidden, bool_or(flag.public) as public from folder_flags flag
      where flag.namespace = given.namespace and flag.path = any(given.above)) marks
    order by given.at`);
  return rows;
}
