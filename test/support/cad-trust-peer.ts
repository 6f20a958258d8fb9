import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { examplePicklist, validators } from "./cad-trust-schemas.ts";

type Row = Record<string, unknown>;
type Staged = {
  uuid: string;
  table: string;
  action: "INSERT" | "UPDATE" | "DELETE";
  id: string;
  data: Row;
  committed: boolean;
  failed_commit: boolean;
};
/** What happens to the next write of a table: it is done, but the answer is lost or an error; or it is not done. */
type Fault = "lost" | "error-after" | "error-before";

export const peerApiKey = "key-of-the-cad-trust-server";
const home = "77641db780adc6c74f1ff357804e26a799e4a09157f426aac588963a39bdb2d9";

const idFields: Record<string, string> = {
  methodology: "cadTrustMethodologyId",
  program: "cadTrustProgramId",
  project: "cadTrustProjectId",
  location: "cadTrustLocationId",
  estimation: "cadTrustEstimationId",
  "co-benefit": "cadTrustCoBenefitId",
  "project-methodology": "cadTrustProjectMethodologyId",
  validation: "cadTrustValidationId",
  verification: "cadTrustVerificationId",
  issuance: "cadTrustIssuanceId",
  unit: "cadTrustUnitId",
  label: "cadTrustLabelId",
  "unit-label": "cadTrustUnitLabelId",
  "aef-t1-submission": "cadTrustAefT1SubmissionId",
  "aef-t2-authorizations": "cadTrustAefT2AuthorizationsId",
  "aef-t3-actions": "cadTrustAefT3ActionsId",
  "aef-t4-holdings": "cadTrustAefT4HoldingsId",
  "aef-t5-authorized-entities": "cadTrustAefT5AuthorizedEntitiesId",
};
const snake = (name: string) => name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();

/**
 * A peer that stands for a Climate Action Data Trust server, version 2: it validates by the restated validators, makes ids, keeps a
 * staging area, refuses writes while it commits, and edits only what it has committed. It is not that server: it has no ledger.
 */
export async function startCadTrustPeer(
  options: { spelling?: "old" | "new"; picklist?: Record<string, string[]> } = {},
) {
  const schemas = validators(options.spelling);
  const picklist = options.picklist ?? examplePicklist;
  const staging: Staged[] = [];
  const tables = new Map(Object.keys(idFields).map((name) => [name, new Map<string, Row>()]));
  /** Writes in the order in which they came, such as `POST unit`. */
  const requests: string[] = [];
  const faults = new Map<string, Fault>();
  /** Answers that wait until a test lets them go. What was asked is done before. */
  const holds = new Map<string, Promise<void>>();
  let looksUntilWritten = 0;

  const exists = (id: string) =>
    [...tables.values()].some((rows) => rows.has(id)) ||
    staging.some((row) => row.action === "INSERT" && row.id === id);
  const isPending = () => staging.some(({ committed, failed_commit: failed }) => committed && !failed);

  /** The ledger has taken the commit. */
  function write(): void {
    for (const { table, action, id, data } of staging.filter(({ committed }) => committed)) {
      const rows = tables.get(table);
      if (action === "DELETE") rows?.delete(id);
      else rows?.set(id, { ...rows.get(id), ...data });
    }
    staging.splice(0, staging.length, ...staging.filter(({ committed }) => !committed));
  }

  function change(method: string, table: string, id: string | undefined, body: Row): [number, unknown] {
    if (isPending()) return refuse("You currently have changes that are being written: pending commits");
    const rows = tables.get(table) as Map<string, Row>;
    if (method !== "POST" && !rows.has(id ?? "")) return [404, { message: `${table} not found`, success: false }];
    if (method === "DELETE") {
      stage(table, "DELETE", id ?? "", {});
      return [200, { message: "Deletion staged successfully", success: true }];
    }
    const { error } = (schemas[table] as (typeof schemas)[string]).validate(body);
    if (error !== undefined) return refuse(error.details[0]?.message ?? error.message);
    for (const [name, value] of Object.entries(body)) {
      const isLink = name.startsWith("cadTrust") && typeof value === "string";
      if (isLink && !exists(value)) return refuse(`${name} '${value}' does not exist`);
    }
    const recordId = id ?? randomUUID();
    const uuid = stage(table, method === "POST" ? "INSERT" : "UPDATE", recordId, body);
    // The real server names no id for this table.
    const named = method === "POST" && table !== "aef-t2-authorizations" ? { [idFields[table] ?? ""]: recordId } : {};
    return [200, { message: "Staged successfully", uuid, ...named, success: true }];
  }

  function stage(table: string, action: Staged["action"], id: string, body: Row): string {
    const uuid = randomUUID();
    const isOwned = ["methodology", "program", "project", "unit"].includes(table);
    const dated = Object.entries(body).map(([name, value]) => [
      name,
      /^\d{4}-\d\d-\d\d$/.test(String(value)) ? `${value}T00:00:00.000Z` : value,
    ]);
    const data = { ...Object.fromEntries(dated), [idFields[table] ?? ""]: id, ...(isOwned ? { orgUid: home } : {}) };
    staging.push({ uuid, table, action, id, data, committed: false, failed_commit: false });
    return uuid;
  }

  function commit({ ids }: Row): [number, unknown] {
    if (isPending()) return refuse("pending commits");
    const chosen = staging.filter(({ uuid }) => !Array.isArray(ids) || ids.length === 0 || ids.includes(uuid));
    if (chosen.length === 0) return refuse("No records to send to DataLayer");
    for (const row of chosen) row.committed = true;
    looksUntilWritten = 1;
    return [200, { message: "Staging Table committing to full node", success: true }];
  }

  function stagedPage(query: URLSearchParams): [number, unknown] {
    if (isPending() && --looksUntilWritten < 0) write();
    const table = query.get("table");
    const found = staging.filter((row) => table === null || row.table.replaceAll("-", "_") === table);
    const data = found.map(({ data: fields, id: _, table: name, ...row }) => {
      const shown = Object.fromEntries(Object.entries(fields).map(([key, value]) => [snake(key), value]));
      const diff = row.action === "DELETE" ? { original: shown, change: {} } : { original: {}, change: [shown] };
      return { ...row, table: name.replaceAll("-", "_"), diff };
    });
    return paged(data, query);
  }

  function paged(rows: readonly unknown[], query: URLSearchParams): [number, unknown] {
    const [page, limit] = [Number(query.get("page")), Number(query.get("limit"))];
    if (!(page >= 1 && limit >= 1 && limit <= 1000)) return refuse("page and limit are required");
    return [
      200,
      { page, pageCount: Math.ceil(rows.length / limit), data: rows.slice((page - 1) * limit, page * limit) },
    ];
  }

  function answer(method: string, [table = "", id]: string[], query: URLSearchParams, body: Row): [number, unknown] {
    if (table === "organizations") return [200, { [home]: { orgUid: home, name: "Hearth", isHome: true } }];
    if (table === "governance") return [200, picklist];
    if (table === "staging" && method === "GET") return stagedPage(query);
    if (table === "staging" && id === "commit") return commit(body);
    const rows = tables.get(table);
    if (rows === undefined) return [404, { message: "Not found", success: false }];
    if (method !== "GET") return change(method, table, id, body);
    if (id === undefined) return paged([...rows.values()], query);
    const row = rows.get(id);
    return row === undefined ? [404, { message: `${table} not found`, success: false }] : [200, row];
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://peer");
    const method = request.method ?? "GET";
    const text = await readText(request);
    if (request.headers["x-api-key"] !== peerApiKey) return void response.writeHead(403).end('{"message":"forbidden"}');
    const path = pathname.replace("/v2/", "").split("/").map(decodeURIComponent);
    const name = `${method} ${path[1] === "commit" ? "commit" : path[0]}`;
    if (method !== "GET") requests.push(name);
    const fault = faults.get(name);
    faults.delete(name);
    if (fault === "error-before") return void response.writeHead(502).end("bad gateway");
    const held = holds.get(name);
    holds.delete(name);
    const [status, body] = answer(method, path, searchParams, text === "" ? {} : (JSON.parse(text) as Row));
    await held;
    if (fault === "lost") return void response.destroy();
    if (fault === "error-after") return void response.writeHead(500).end('{"message":"database is locked"}');
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  }

  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    staging,
    requests,
    faults,
    holds,
    /** Committed records of a table. */
    rows: (table: string): Row[] => [...(tables.get(table)?.values() ?? [])],
    tables,
    /** Stage a record as another program would. */
    stage,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

export type CadTrustPeer = Awaited<ReturnType<typeof startCadTrustPeer>>;

const refuse = (error: string): [number, unknown] => [400, { message: "Error", error, success: false }];
