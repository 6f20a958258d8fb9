import { AppError } from "../../../api/platform/errors.ts";
import type { CadTrustRecord, Fields } from "../model/record.ts";
import { CadTrustRefusal, CadTrustUnavailable } from "../node/errors.ts";
import type { CadTrustServer, StagedRow } from "../node/server.ts";
import { fieldsToSend, isRemovable, type Target } from "../plan/make-plan.ts";
import { changedFields } from "../plan/same-value.ts";
import { problem } from "../problems.ts";
import type { RecordRow } from "../tables.ts";
import type { Attempt } from "./attempt.ts";
import { RecordFinder } from "./find-record.ts";
import { differencesOf } from "./read-back.ts";

/** Put everything that is missing or changed into the server's staging area, parents first. */
export async function stageTarget(attempt: Attempt, target: Target, staged: readonly StagedRow[]): Promise<void> {
  const rows = new Map((await attempt.store.records(attempt.server.url)).map((row) => [row.key, row]));
  const stage = new Stage(attempt, rows);
  for (const record of target.records) await stage.put(record);
  const wanted = new Set(target.records.map(({ key }) => key));
  const inStaging = new Set(staged.map(({ recordId }) => recordId));
  for (const row of rows.values()) {
    if (!isRemovable(row.table) || wanted.has(row.key)) continue;
    const isStaged = row.state === "removing" && inStaging.has(row.remoteId ?? "");
    if (!isStaged) await stage.remove(row);
  }
}

class Stage {
  readonly #attempt: Attempt;
  readonly #rows: Map<string, RecordRow>;
  readonly #requests: CadTrustServer;
  readonly #finder: RecordFinder;

  constructor(attempt: Attempt, rows: Map<string, RecordRow>) {
    this.#attempt = attempt;
    this.#rows = rows;
    this.#requests = attempt.server.requests;
    this.#finder = new RecordFinder(attempt.server.requests);
  }

  async put(record: CadTrustRecord): Promise<void> {
    const fields = fieldsToSend(record, (key) => this.#rows.get(key)?.remoteId ?? undefined);
    if (fields === undefined) throw new CadTrustRefusal(`${record.key} refers to a record that is not on the server.`);
    const row = this.#rows.get(record.key);
    if (row === undefined || row.remoteId === null) return await this.#create(record, fields);
    // The server edits committed records only; this one is edited after its commit.
    if (row.publishedAt === null) return;
    const isChanged = changedFields(row.table, row.sent, fields).length > 0;
    // What still differs after an edit of this publication is reported, not sent again.
    const isOpen = row.state === "editing" || (isFaulty(row) && row.changedAt < this.#attempt.run.createdAt);
    if (isChanged || isOpen) await this.#edit(row, fields);
  }

  async remove(row: RecordRow): Promise<void> {
    if (row.remoteId === null || row.publishedAt === null) return;
    await this.#attempt.keep();
    await this.#change(row, { state: "removing" });
    const isThere = await this.#refusable(row, () => this.#requests.remove(row.table, row.remoteId ?? ""));
    if (isThere) this.#attempt.counts.removed += 1;
  }

  async #create({ key, table }: CadTrustRecord, fields: Fields): Promise<void> {
    await this.#attempt.keep();
    const found = await this.#finder.find(table, fields, this.#taken());
    const row: RecordRow = {
      server: this.#attempt.server.url,
      key,
      table,
      state: found === undefined ? "sending" : "staged",
      remoteId: found?.id ?? null,
      sent: fields,
      problems: [],
      changedAt: this.#attempt.now(),
      publishedAt: found?.isCommitted && !found.isInStaging ? this.#attempt.now() : null,
    };
    await this.#attempt.store.putRecord(this.#attempt.run, row);
    this.#rows.set(key, row);
    if (found !== undefined) return await this.#adopt(row, fields);
    const made = await this.#refusable(row, () => this.#requests.create(table, fields));
    // Some servers name no id in the answer.
    const id = made ?? (await new RecordFinder(this.#requests).find(table, fields, this.#taken()))?.id;
    if (id === undefined) throw new CadTrustUnavailable(`The server shows no id of ${key}.`);
    await this.#change(row, { state: "staged", remoteId: id });
    this.#attempt.counts.created += 1;
  }

  /** A record that was committed before is compared, and corrected where it differs. */
  async #adopt(row: RecordRow, fields: Fields): Promise<void> {
    if (row.publishedAt === null) return;
    const read = await this.#requests.read(row.table, row.remoteId ?? "");
    if (read !== undefined && differencesOf(row, read).length > 0) await this.#edit(row, fields);
  }

  async #edit(row: RecordRow, fields: Fields): Promise<void> {
    await this.#attempt.keep();
    await this.#change(row, { state: "editing" });
    // A blank is sent only where it removes a value: some validators take no null.
    const sent = Object.entries(fields).filter(([name, value]) => value !== null || (row.sent[name] ?? null) !== null);
    await this.#refusable(row, () => this.#requests.edit(row.table, row.remoteId ?? "", Object.fromEntries(sent)));
    await this.#change(row, { state: "staged", sent: fields, problems: [] });
    this.#attempt.counts.edited += 1;
  }

  /** Keep the server's reason with the record. @throws AppError RULE_VIOLATION when the server refuses */
  async #refusable<T>(row: RecordRow, send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof CadTrustRefusal)) throw error;
      await this.#change(row, { state: "refused", problems: [error.message] });
      const details = [problem("registry-refused", row.key, { answer: error.message })];
      throw new AppError("RULE_VIOLATION", `The server refused ${row.key}.`, { details, cause: error });
    }
  }

  async #change(row: RecordRow, change: Partial<Omit<RecordRow, "server" | "key" | "table">>): Promise<void> {
    const dated = { ...change, changedAt: this.#attempt.now() };
    await this.#attempt.store.changeRecord(this.#attempt.run, row, dated);
    Object.assign(row, dated);
  }

  #taken(): Set<string> {
    return new Set([...this.#rows.values()].flatMap(({ remoteId }) => remoteId ?? []));
  }
}

const isFaulty = ({ state }: RecordRow): boolean => state === "differs" || state === "refused";
