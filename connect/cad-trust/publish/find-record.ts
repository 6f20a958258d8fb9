import type { Fields } from "../model/record.ts";
import type { TableName } from "../model/table-names.ts";
import { tables } from "../model/tables.ts";
import { type CadTrustServer, snakeCase } from "../node/server.ts";
import { isSame } from "../plan/same-value.ts";

/** A record of ours that is on the server. */
export type FoundRecord = { id: string; isCommitted: boolean; isInStaging: boolean };
type Candidate = FoundRecord & { fields: Record<string, unknown> };

/**
 * Finds records on the server by our own ids, so that none is created twice: after a lost answer, after a failure of our database,
 * or when our database was restored. Each table is read once.
 */
export class RecordFinder {
  readonly #server: CadTrustServer;
  readonly #tables = new Map<TableName, Promise<Candidate[]>>();
  #home: Promise<string | undefined> | undefined;

  constructor(server: CadTrustServer) {
    this.#server = server;
  }

  /**
   * Find the record with these fields' own id and parents.
   * @param taken ids that other records of ours have
   */
  async find(table: TableName, fields: Fields, taken: ReadonlySet<string>): Promise<FoundRecord | undefined> {
    const { ownId, parents, fields: described } = tables[table];
    const kinds = new Map(described.map(({ name, kind }) => [name, kind]));
    const names = [...ownId, ...parents.filter((name) => fields[name] !== undefined)];
    let candidates = this.#tables.get(table);
    if (candidates === undefined) {
      candidates = this.#read(table);
      this.#tables.set(table, candidates);
    }
    return (await candidates).find(
      (each) =>
        !taken.has(each.id) &&
        names.every((name) => isSame(kinds.get(name) ?? "text", fields[name] ?? null, each.fields[name])),
    );
  }

  async #read(table: TableName): Promise<Candidate[]> {
    const { idField, ownId, parents } = tables[table];
    const found: Candidate[] = [];
    for (const { action, change, isCommitted, recordId: id } of await this.#server.staged(table)) {
      if (action !== "INSERT" || id === undefined) continue;
      const fields = Object.fromEntries(
        [...ownId, ...parents].map((name) => [name, change[snakeCase(name)] ?? change[name]]),
      );
      found.push({ id, isCommitted, isInStaging: true, fields });
    }
    this.#home ??= this.#server.homeOrganization();
    const home = await this.#home;
    for await (const row of this.#server.rows(table)) {
      const id = row[idField];
      const owner = row.orgUid ?? row.createdByOrgUid;
      // Others' records can have the same ids, such as a methodology's code.
      const isOurs = typeof owner !== "string" || home === undefined || owner === home;
      if (typeof id === "string" && isOurs) found.push({ id, isCommitted: true, isInStaging: false, fields: row });
    }
    return found;
  }
}
