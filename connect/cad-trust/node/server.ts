import { OutboundError, type OutboundRequest } from "../../../api/platform/outbound/index.ts";
import { exact, stringifyExact } from "../../../wire/src/index.ts";
import type { RoomHost } from "../../room.ts";
import type { Fields, FieldValue } from "../model/record.ts";
import { type TableName, tableNames } from "../model/table-names.ts";
import { stagingNameOf, tables } from "../model/tables.ts";
import { type Picklist, toPicklist } from "../plan/picklist.ts";
import { CadTrustRefusal, CadTrustUnavailable } from "./errors.ts";

const waitMs = 30_000;
/** Older servers give all rows of a table in one answer. */
const maxBytes = 64 * 1024 * 1024;
/** The most that a server gives in a page. */
const rowsPerPage = 1_000;
/** A server that gives pages without end would keep this process busy for ever. */
const mostPages = 10_000;

type Row = Record<string, unknown>;
type Method = "GET" | "POST" | "PUT" | "DELETE";
/** A record in the server's staging area. */
export type StagedRow = {
  uuid: string;
  /** The server's id of the record; undefined for a record of a table that this publisher does not know. */
  recordId: string | undefined;
  action: string;
  isCommitted: boolean;
  hasFailed: boolean;
  /** The record's fields by their names in the server's database, such as `unit_start_block`. */
  change: Row;
};

/** Names of the server-made ids, by the tables' names in the staging area. */
const idFields = new Map(tableNames.map((name) => [stagingNameOf(name), tables[name].idField]));

/** A field's name in the server's database. */
export const snakeCase = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();

/** Requests to a Climate Action Data Trust server, version 2 of its API. @throws CadTrustRefusal; CadTrustUnavailable */
export type CadTrustServer = ReturnType<typeof openServer>;

/** Two fields that older servers spell in another way. */
const oldSpelling = (name: string): string => name.replace(/CooperativeApproachId$/, "CoopoerativeApproachId");

const newSpelling = (name: string): string => name.replace(/CoopoerativeApproachId$/, "CooperativeApproachId");

/** Make the requests to a server. @param apiKey null when it needs none */
export function openServer(
  call: RoomHost["callOutside"],
  { url, apiKey }: { url: string; apiKey: string | null },
  signal?: AbortSignal,
) {
  /** Tables of which the server wants the old spelling. */
  const spelledOld = new Set<TableName>();

  async function send(method: Method, path: string, body?: unknown): Promise<unknown> {
    const request: OutboundRequest = {
      method,
      headers: {
        accept: "application/json",
        ...(apiKey === null ? {} : { "x-api-key": apiKey }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: stringifyExact(body) }),
      // The API key is only for this server.
      returnsRedirect: true,
      signal,
      timeoutMs: waitMs,
      maxBytes,
    };
    let status: number;
    let text: string;
    try {
      // Such a server usually runs in the regulator's own network.
      const response = await call(`${url}/v2/${path}`, request, { privateNetwork: true });
      status = response.status;
      text = response.body.toString("utf8");
    } catch (cause) {
      const why = cause instanceof OutboundError ? `The server ${cause.message}.` : "The server does not answer.";
      throw new CadTrustUnavailable(why, { cause });
    }
    const answer = parse(text);
    if (status >= 200 && status < 300 && answer !== undefined) return answer;
    const reason = reasonOf(answer);
    if (status >= 400 && status < 500 && ![408, 425, 429].includes(status)) {
      // The server refuses writes while it commits.
      if (/pending commit/i.test(reason)) throw new CadTrustUnavailable(reason);
      throw new CadTrustRefusal(`${status}: ${reason}`);
    }
    throw new CadTrustUnavailable(`The server answered ${status}: ${reason}`);
  }

  /** Read a list page by page. Older servers give all rows in one answer. */
  async function* rows(path: string): AsyncGenerator<Row> {
    const joint = path.includes("?") ? "&" : "?";
    for (let page = 1; ; page += 1) {
      const answer = await send("GET", `${path}${joint}page=${page}&limit=${rowsPerPage}`);
      if (Array.isArray(answer)) return yield* answer.map(toRow);
      const { data, pageCount } = toRow(answer);
      if (!Array.isArray(data)) throw new CadTrustUnavailable(`The answer of ${path} is not a list.`);
      yield* data.map(toRow);
      // Not `page >= pageCount`: what is not a number ends the list, too.
      if (!(page < Number(pageCount ?? 1)) || data.length === 0 || page >= mostPages) return;
    }
  }

  /** Write a record, and again in the old spelling when the server asks for it. */
  async function write(method: "POST" | "PUT", path: string, table: TableName, fields: Fields): Promise<Row> {
    const bodyOf = () =>
      Object.fromEntries(
        Object.entries(fields).map(([name, value]) => [
          spelledOld.has(table) ? oldSpelling(name) : name,
          toJson(table, name, value),
        ]),
      );
    try {
      return toRow(await send(method, path, bodyOf()));
    } catch (error) {
      const isSpelling = error instanceof CadTrustRefusal && /Coop(oe|e)rativeApproachId/.test(error.message);
      const hasOldSpelling = table === "aef-t3-actions" || table === "aef-t4-holdings";
      if (!isSpelling || !hasOldSpelling || spelledOld.has(table)) throw error;
      spelledOld.add(table);
      return toRow(await send(method, path, bodyOf()));
    }
  }

  return {
    async picklist(): Promise<Picklist> {
      return toPicklist(await send("GET", "governance/meta/pickList"));
    },
    /** The id of the organization for which the server writes; undefined when it does not say. */
    async homeOrganization(): Promise<string | undefined> {
      const answer = await send("GET", "organizations");
      const found = Object.entries(toRow(answer)).find(([, each]) => {
        const { isHome, is_home: inOldSpelling } = toRow(each);
        return isHome === true || inOldSpelling === true || isHome === 1 || inOldSpelling === 1;
      });
      return found?.[0];
    },
    /** Everything in the staging area; of one table only, when it is given. */
    async staged(table?: TableName): Promise<StagedRow[]> {
      const found: StagedRow[] = [];
      const path = table === undefined ? "staging" : `staging?table=${stagingNameOf(table)}`;
      for await (const row of rows(path)) {
        // An older server ignores the filter.
        if (table !== undefined && row.table !== stagingNameOf(table)) continue;
        const { change, original } = toRow(row.diff);
        const fields = toRow(Array.isArray(change) ? change[0] : change);
        // A removal may show only what it removes, or have the record's id for its own.
        const shown = { ...toRow(Array.isArray(original) ? original[0] : original), ...fields };
        const idField = idFields.get(String(row.table));
        const recordId = idField === undefined ? undefined : (shown[snakeCase(idField)] ?? shown[idField]);
        const ofRemoval = row.action === "DELETE" ? String(row.uuid) : undefined;
        found.push({
          uuid: String(row.uuid),
          recordId: typeof recordId === "string" ? recordId : ofRemoval,
          action: String(row.action),
          isCommitted: isTrue(row.committed),
          hasFailed: isTrue(row.failed_commit ?? row.failedCommit),
          change: fields,
        });
      }
      return found;
    },
    /** Every committed record of a table. */
    rows: (table: TableName): AsyncGenerator<Row> => rows(table),
    /** A committed record; undefined when there is none. */
    async read(table: TableName, id: string): Promise<Row | undefined> {
      try {
        const row = toRow(await send("GET", `${table}/${encodeURIComponent(id)}`));
        return Object.fromEntries(Object.entries(row).map(([name, value]) => [newSpelling(name), value]));
      } catch (error) {
        if (error instanceof CadTrustRefusal && error.message.startsWith("404:")) return undefined;
        throw error;
      }
    },
    /** Stage a new record. @returns the id that the server made */
    async create(table: TableName, fields: Fields): Promise<string | undefined> {
      const answer = await write("POST", table, table, withoutBlanks(fields));
      const id = answer[tables[table].idField];
      return typeof id === "string" ? id : undefined;
    },
    /** Stage new values of a committed record. It needs all fields. */
    async edit(table: TableName, id: string, fields: Fields): Promise<void> {
      await write("PUT", `${table}/${encodeURIComponent(id)}`, table, fields);
    },
    /** Stage the removal of a committed record. @returns false when the server has none */
    async remove(table: TableName, id: string): Promise<boolean> {
      try {
        await send("DELETE", `${table}/${encodeURIComponent(id)}`);
        return true;
      } catch (error) {
        if (error instanceof CadTrustRefusal && error.message.startsWith("404:")) return false;
        throw error;
      }
    },
    /** Commit these records of the staging area, and nothing that others staged. */
    async commit(ids: string[], author: string, comment: string): Promise<void> {
      await send("POST", "staging/commit", { ids, author, comment });
    },
    /** Put a record whose commit failed back into the staging area. */
    async retry(uuid: string): Promise<void> {
      await send("POST", "staging/retry", { uuid });
    },
  };
}

const isTrue = (value: unknown): boolean => value === true || value === 1;
const toRow = (value: unknown): Row =>
  value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Row) : {};

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The server's reason, as one short line. */
function reasonOf(answer: unknown): string {
  const { message, error, errors } = toRow(answer);
  const parts = [message, typeof error === "string" ? error : undefined, ...(Array.isArray(errors) ? errors : [])];
  const text = parts.filter((part): part is string => typeof part === "string").join(": ");
  return text === "" ? "no reason given" : text.replace(/[\s\p{Cc}\p{Cs}]+/gu, " ").slice(0, 1_000);
}

/** Some validators refuse null in a new record. */
const withoutBlanks = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

function toJson(table: TableName, name: string, value: FieldValue): unknown {
  const kind = tables[table].fields.find((field) => field.name === name)?.kind;
  return kind === "number" && typeof value === "string" ? exact(value) : value;
}
