// The copy of the embedded index, in a separate thread, so that a statement can be aborted by ending the thread.
import { parentPort } from "node:worker_threads";
import { asText, type Connection, openInMemory } from "./pglite.ts";
import { answerOf, isOfStatement, StatementError } from "./reader.ts";

export type Rows = { table: string; keys: string[]; count: number; whole: boolean; bytes: ArrayBuffer };
export type Order =
  | { kind: "make"; statements: string[] }
  | { kind: "take"; rows: Rows[] }
  | { kind: "ask"; text: string; parameters: unknown[]; asLists: boolean };
/** An error with `isOfStatement` comes from the statement; any other error means that the copy is unusable. */
export type Reply = { value?: unknown; error?: { message: string; isOfStatement: boolean } };

const port = parentPort;
if (port === null) throw new Error("The copy of the index runs in a thread only");
const database = await openInMemory();

/**
 * Copy the changes since the last time. @returns tables in which the index has fewer rows than the copy would have, because some
 * were deleted; then nothing is copied, and these tables must be copied whole
 */
async function take(all: Rows[]): Promise<string[]> {
  const wrong: string[] = [];
  const refused = new Error("rows are missing");
  try {
    await database.transaction(async (connection) => {
      for (const rows of all) if (!(await takeTable(connection.query.bind(connection), rows))) wrong.push(rows.table);
      if (wrong.length > 0) throw refused;
    });
  } catch (error) {
    if (error !== refused) throw error;
  }
  if (wrong.length === 0 && all.some(({ whole }) => whole)) await database.exec("analyze");
  return wrong;
}

async function takeTable(query: Connection["query"], { table, keys, count, whole, bytes }: Rows): Promise<boolean> {
  const blob = new Blob([bytes]);
  if (whole) {
    await query(`delete from ${table}`);
    await query(`copy ${table} from '/dev/blob' with (format binary)`, [], { blob });
  } else {
    await query(`create temp table incoming (like ${table}) on commit drop`);
    await query("copy incoming from '/dev/blob' with (format binary)", [], { blob });
    const same = keys.map((key) => `${table}.${key} = incoming.${key}`).join(" and ");
    await query(`delete from ${table} using incoming where ${same}`);
    await query(`insert into ${table} select * from incoming`);
    await query("drop table incoming");
  }
  const { rows } = await query(`select count(*)::int as n from ${table}`);
  return (rows[0] as { n: number }).n === count;
}

const stop = new Error("done");

/** In a transaction that is never committed, with the reading role. */
async function ask(text: string, parameters: unknown[], asLists: boolean): Promise<Reply> {
  let reply: Reply = {};
  try {
    await database.transaction(async (connection) => {
      await connection.query("set transaction read only");
      await connection.query("set local role reader");
      const rowMode = asLists ? "array" : "object";
      reply = { value: answerOf(await connection.query(text, parameters, { rowMode, serializers: asText })) };
      throw stop;
    });
  } catch (error) {
    if (error instanceof StatementError) return failure(error.message, true);
    if (error !== stop) throw error;
  }
  return reply;
}

const failure = (message: string, isOfStatement: boolean): Reply => ({ error: { message, isOfStatement } });

async function answer(order: Order): Promise<Reply> {
  try {
    if (order.kind === "ask") return await ask(order.text, order.parameters, order.asLists);
    if (order.kind === "take") return { value: await take(order.rows) };
    await database.exec(order.statements.join(";\n"));
    return {};
  } catch (error) {
    return failure((error as Error).message, order.kind === "ask" && isOfStatement(error));
  }
}

// One request at a time: the main thread waits for each reply.
port.on("message", async (order: Order) => port.postMessage(await answer(order)));
