import pg from "pg";
import {
  type Answer,
  blockOf,
  blockQuestion,
  mostBytes,
  type Question,
  type Reader,
  StatementError,
  tooLarge,
  tooSlow,
} from "./reader.ts";
import { grantReading, readerUrlOf } from "./reading-role.ts";

type Settings = { databaseUrl: string; readerUrl?: string; schema: string };

const connections = 6;
/** How long aborting a statement may take after its time limit, in milliseconds. */
const graceMs = 2_000;

/** Read PostgreSQL with the reading role, on separate connections. */
export async function openPostgresReader({ schema, ...settings }: Settings): Promise<Reader> {
  const connectionString = readerUrlOf(settings);
  await grantReading(settings.databaseUrl, connectionString, schema);
  const pool = new pg.Pool({
    connectionString,
    max: connections,
    allowExitOnIdle: true,
    connectionTimeoutMillis: 10_000,
    // The parser uses these settings; the database may have others.
    options: [
      `search_path=${schema}`,
      "default_transaction_read_only=on",
      "standard_conforming_strings=on",
      "lock_timeout=500",
      "work_mem=16MB",
      "max_parallel_workers_per_gather=0",
      "idle_in_transaction_session_timeout=10000",
    ]
      .map((each) => `-c ${each}`)
      .join(" "),
  });
  // A connection that breaks while idle is replaced.
  pool.on("error", () => undefined);

  const ask = async (question: Question): Promise<Answer> => {
    const client = await pool.connect();
    let broken = true;
    try {
      await client.query(`set statement_timeout = ${Math.max(1, Math.floor(question.milliseconds))}`);
      const answer = await collect(client, question);
      broken = false;
      return answer;
    } catch (error) {
      broken = !(error instanceof pg.DatabaseError);
      throw asStatementError(error, question);
    } finally {
      client.release(broken);
    }
  };
  const block = async () => {
    const { rows } = await ask({ text: blockQuestion, parameters: [], milliseconds: 2_000 });
    return blockOf(String((rows[0] as { newest: string }).newest));
  };
  return { ask, block };
}

/** Errors of the statement itself, by their SQLSTATE; others are the server's. */
function asStatementError(error: unknown, { milliseconds }: Question): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  if (error.code === "57014") return new StatementError(tooSlow(milliseconds));
  return /^(0A|2|3|42|54|P)/.test(error.code ?? "") ? new StatementError(error.message) : error;
}

/** Run a statement by the extended protocol, which accepts only one; abort it when its rows get too large. */
function collect(client: pg.PoolClient, { text, parameters, asLists, milliseconds }: Question): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const form = { text, values: parameters, queryMode: "extended", ...(asLists ? { rowMode: "array" } : {}) };
    const query = new pg.Query(form as pg.QueryConfig<unknown[]>);
    const rows: unknown[] = [];
    let bytes = 0;
    const clock = setTimeout(() => reject(new StatementError(tooSlow(milliseconds))), milliseconds + graceMs);
    query.on("row", (row) => {
      bytes += JSON.stringify(row).length;
      if (bytes > mostBytes) reject(new StatementError(tooLarge));
      else rows.push(row);
    });
    query.on("end", ({ fields }) => {
      clearTimeout(clock);
      resolve({ rows, fields: fields.map(({ name, dataTypeID }) => ({ name, dataTypeID })) });
    });
    query.on("error", (error) => {
      clearTimeout(clock);
      reject(error);
    });
    client.query(query);
  });
}
