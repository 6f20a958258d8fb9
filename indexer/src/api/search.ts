import { Hono } from "hono";
import type { SearchResult, SearchResults } from "../../../wire/src/reports.ts";
import { int, text, textOrNull } from "../../reports/ask.ts";
import { refuse } from "./errors.ts";
import { ask } from "./reports/ask.ts";
import { matching, readQuery } from "./reports/parameters.ts";
import { findSubject, type Subject } from "./subject.ts";

export const searchRoutes = new Hono();

/** Most results of a type. */
const mostOfType = 5;
const query = { q: matching(/^.{2,128}$/u, "length", "q must have 2 to 128 characters.") };

/** Records whose public id, name, account or serial fits a text. */
searchRoutes.get("/reports/search", async (c) => {
  const read = readQuery(c, query);
  if (!read.ok)
    return refuse(c, "INVALID_INPUT", read.details.map(({ message }) => message).join(" "), { details: read.details });
  return c.json((await search(read.query.q.trim())) satisfies SearchResults);
});

/** Lists in which a part of an id or a name is searched. Each has the columns id, name, status and index. */
const lists: { type: SearchResult["type"]; sql: string }[] = [
  {
    type: "certificate",
    sql: `select certificate_id as id, null as name, status, "index" from certificate
      where certificate_id ilike $1 order by certificate_id`,
  },
  {
    type: "campaign",
    sql: `select campaign_id as id, null as name, status, "index" from campaign
      where campaign_id ilike $1 order by campaign_id`,
  },
  {
    type: "implementer",
    sql: `select did as id, name, status, "index" from implementer
      where did ilike $1 or name ilike $1 or lower(account) = $2 order by name`,
  },
  {
    type: "supplier",
    sql: `select did as id, name, status, "index" from supplier
      where did ilike $1 or name ilike $1 or lower(account) = $2 order by name`,
  },
  {
    type: "product",
    sql: `select product_id as id, name, status, "index" from product
      where product_id ilike $1 or name ilike $1 order by name`,
  },
  {
    type: "authorization",
    sql: `select authorization_id as id, null as name, null as status, "index" from itmo_authorization
      where authorization_id ilike $1 order by authorization_id`,
  },
  {
    type: "approach",
    sql: `select cooperative_approach_id as id, null as name, null as status, "index" from cooperative_approach
      where cooperative_approach_id ilike $1 order by cooperative_approach_id`,
  },
];

async function search(q: string): Promise<SearchResults> {
  const pattern = `%${q.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
  const more: SearchResult["type"][] = [];
  const found = new Map<string, SearchResult>();
  const add = (result: SearchResult) => {
    const key = `${result.type} ${result.id}`;
    if (!found.has(key)) found.set(key, result);
  };
  for (const each of await named(q)) add(each);
  for (const each of await withSerial(q)) add(each);
  for (const { type, sql } of lists) {
    const rows = await ask(
      `${sql} limit ${mostOfType + 1}`,
      sql.includes("$2") ? [pattern, q.toLowerCase()] : [pattern],
    );
    if (rows.length > mostOfType) more.push(type);
    for (const row of rows.slice(0, mostOfType)) {
      const { id, name, status, index } = row;
      add({ type, id: text(id), name: textOrNull(name), status: textOrNull(status), index: int(index) });
    }
  }
  return { results: [...found.values()], more };
}

/** Ids without their prefix, by their length. */
const prefixes: Record<number, string[]> = {
  14: ["VCHR-", "SWAP-"],
  21: ["REDM-", "CLM-", "KPT-", "ITMO-"],
  8: ["CONV-"],
};

/** The record that the text names exactly, also without the prefix of its id. */
async function named(q: string): Promise<SearchResult[]> {
  const bare = /^[0-9A-Za-z*~$=]+$/.test(q) ? (prefixes[q.length] ?? []) : [];
  const answers = await Promise.all([q, ...bare.map((prefix) => `${prefix}${q}`)].map((id) => findSubject(id)));
  return answers.flatMap((answer) => (answer.ok ? [resultOf(answer.subject)] : []));
}

function resultOf(subject: Subject): SearchResult {
  const at = { name: null, index: null };
  if (subject.type === "transaction") return { type: "transaction", id: subject.hash, status: null, ...at };
  if (subject.type === "certificate")
    return { type: "certificate", id: subject.row.certificateId, status: subject.row.status, ...at };
  if (subject.type === "campaign")
    return { type: "campaign", id: subject.row.campaignId, status: subject.row.status, ...at };
  if ("serials" in subject) {
    const status = subject.block?.status ?? (subject.type === "conversion" ? subject.row.status : null);
    return { type: subject.type, id: subject.id, status, ...at };
  }
  const status = "status" in subject.row ? subject.row.status : null;
  return { type: subject.type, id: subject.row.publicId, status, ...at };
}

/** Certificates whose underlying units contain a serial. */
async function withSerial(q: string): Promise<SearchResult[]> {
  if (!/^\d{1,18}$/.test(q)) return [];
  const rows = await ask(
    `select certificate_id as id, registry, status, "index" from certificate
     where first_serial <= $1 and last_serial >= $1 order by certificate_id limit ${mostOfType}`,
    [q],
  );
  return rows.map(({ id, registry, status, index }) => ({
    type: "certificate",
    id: text(id),
    name: text(registry),
    status: text(status),
    index: int(index),
  }));
}
