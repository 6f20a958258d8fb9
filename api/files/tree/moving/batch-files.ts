import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import type { Transaction } from "../../../platform/db/index.ts";
import { type Ability, ancestorsOf, notFound } from "../../../platform/ucan/index.ts";
import type { FileContext } from "../../deps.ts";
import { type FoundFile, isHidden } from "../../records/file-metadata.ts";
import { fileColumns } from "../../records/lookup.ts";
import { files } from "../../records/tables.ts";
import type { FileLocation } from "../../write/free-path.ts";
import { pathTaken } from "./destination.ts";

type Marks = { hidden: boolean; public: boolean };

/**
 * The current state of a batch's files, and of the files at their destinations. One statement reads them and one writes them. The
 * namespace is locked, so nothing else changes them meanwhile.
 */
export class BatchFiles {
  readonly #tx: Transaction;
  readonly #ctx: FileContext;
  readonly #rows = new Map<string, FoundFile>();
  /** Live files at the paths that the batch touches. */
  readonly #live = new Map<string, FoundFile>();
  readonly #marks = new Map<string, Marks>();
  /** Changed rows that are not written yet, and their paths in the database. */
  readonly #changed = new Map<string, FoundFile>();
  readonly #vacated = new Map<string, string>();

  private constructor(tx: Transaction, ctx: FileContext) {
    this.#tx = tx;
    this.#ctx = ctx;
  }

  /** @param destinations paths to which files of the batch may move */
  static async read(
    tx: Transaction,
    ctx: FileContext,
    { ids, destinations }: { ids: readonly string[]; destinations: readonly string[] },
  ): Promise<BatchFiles> {
    const batch = new BatchFiles(tx, ctx);
    const own = eq(files.namespace, ctx.access.grant.owner);
    const rows = await tx
      .select(fileColumns)
      .from(files)
      .where(and(own, inArray(files.id, [...ids])));
    for (const row of rows) batch.#rows.set(row.id, row);
    const paths = [...new Set([...destinations, ...rows.map(({ path }) => path)])];
    if (paths.length === 0) return batch;
    const live = and(own, inArray(files.path, paths), isNull(files.trashedAt));
    for (const row of await tx.select(fileColumns).from(files).where(live)) batch.#live.set(row.path, row);
    await batch.#readMarks([...new Set(destinations.flatMap(ancestorsOf))]);
    return batch;
  }

  async #readMarks(folders: string[]): Promise<void> {
    if (folders.length === 0) return;
    const found = await this.#tx.execute<Marks & { path: string }>(sql`
      select path, hidden, public from folder_flags
      where namespace = ${this.#ctx.access.grant.owner} and path = any(${sql.param(folders)}::text[])`);
    for (const { path, ...marks } of found.rows) this.#marks.set(path, marks);
  }

  /** As findFile. @throws AppError NOT_FOUND */
  find(ability: Ability, id: string, { trashed = false } = {}): FoundFile {
    const row = this.#rows.get(id);
    if (row === undefined || (row.trashedAt !== null) !== trashed) throw notFound();
    this.#ctx.access.requireSee(ability, { path: row.path, hidden: isHidden(row) });
    return row;
  }

  /**
   * Read the marks above a path where a file will be. @throws AppError NOT_FOUND when it would be out of the caller's scope
   * there, or hidden from it
   */
  requireReachable(ability: Ability, { path, hidden }: { path: string; hidden: boolean }): FileLocation {
    const marks = ancestorsOf(path).flatMap((folder) => this.#marks.get(folder) ?? []);
    const location = {
      path,
      folderHidden: marks.some((mark) => mark.hidden),
      folderPublic: marks.some((mark) => mark.public),
    };
    this.#ctx.access.requireSee(ability, { path, hidden: isHidden({ ...location, hidden }) });
    return location;
  }

  /** @throws AppError CONFLICT when a live file has the path; NOT_FOUND when the caller may not see that file */
  requireFree(ability: Ability, path: string): void {
    const taken = this.#live.get(path);
    if (taken !== undefined) throw pathTaken(this.#ctx, ability, taken);
  }

  /** Record a changed file for the following items. */
  async change(row: FoundFile): Promise<void> {
    const before = this.#rows.get(row.id);
    // In a single statement, the database would see two files at one path.
    const vacatedBy = this.#vacated.get(row.path);
    if (vacatedBy !== undefined && vacatedBy !== row.id) await this.write();
    if (before !== undefined && before.trashedAt === null) this.#live.delete(before.path);
    if (before !== undefined && !this.#changed.has(row.id)) this.#vacated.set(before.path, row.id);
    if (row.trashedAt === null) this.#live.set(row.path, row);
    this.#rows.set(row.id, row);
    this.#changed.set(row.id, row);
  }

  /** Write the changed rows in one statement. */
  async write(): Promise<void> {
    const rows = [...this.#changed.values()].map(({ id, path, version, trashedAt, updatedAt }) => ({
      id,
      path,
      version,
      trashed_at: trashedAt?.toISOString() ?? null,
      updated_at: updatedAt.toISOString(),
    }));
    this.#changed.clear();
    this.#vacated.clear();
    if (rows.length === 0) return;
    await this.#tx.execute(sql`
      update files set path = given.path, version = given.version, trashed_at = given.trashed_at,
        updated_at = given.updated_at
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (
        id text, path text, version int, trashed_at timestamptz, updated_at timestamptz)
      where files.id = given.id`);
  }
}
