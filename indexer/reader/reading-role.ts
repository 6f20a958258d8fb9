import { createHash, createHmac } from "node:crypto";
import pg from "pg";

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

/**
 * Get the URL of the role that runs anonymous statements: the operator's, or that of a role which the indexer creates. Its name
 * is derived from the database and its password from the indexer's URL, so that nothing must be stored.
 */
export function readerUrlOf({ databaseUrl, readerUrl }: { databaseUrl: string; readerUrl?: string }): string {
  if (readerUrl !== undefined) return readerUrl;
  const url = new URL(databaseUrl);
  const place = `${url.host}${url.pathname}`;
  for (const parameter of ["user", "password"]) url.searchParams.delete(parameter);
  url.username = `hearth_reader_${digest(place).slice(0, 12)}`;
  url.password = createHmac("sha256", databaseUrl).update("the indexer's reading role").digest("hex");
  return url.href;
}

/**
 * Ensure that there is a role that can only read. @throws Error that says what the operator can do if there is none, or if the
 * role can do more
 */
export async function prepareReadingRole(settings: { databaseUrl: string; readerUrl?: string }): Promise<void> {
  if (settings.readerUrl === undefined) await makeRole(settings.databaseUrl, readerUrlOf(settings));
  const client = new pg.Client({ connectionString: readerUrlOf(settings) });
  try {
    await client.connect();
  } catch (cause) {
    throw new Error(
      `The reading role cannot connect to the indexer's PostgreSQL database: ${(cause as Error).message}. ${remedy}`,
      { cause },
    );
  }
  try {
    const powers = await powersOf(client);
    if (powers.length > 0) {
      throw new Error(
        `The reading role of the indexer's PostgreSQL database can do more than read: ${powers.join(", ")}. ${remedy}`,
      );
    }
  } finally {
    await client.end();
  }
}

const remedy =
  "Let the indexer's role create roles, or name one that can only log in as INDEXER_READER_DATABASE_URL; see docs/operations.md.";

async function makeRole(databaseUrl: string, readerUrl: string): Promise<void> {
  const { username, password } = new URL(readerUrl);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ may: boolean }>(
      "select rolsuper or rolcreaterole as may from pg_roles where rolname = current_user",
    );
    if (rows[0]?.may !== true) throw new Error(`The indexer's PostgreSQL role cannot make a reading role. ${remedy}`);
    const known = await client.query("select 1 from pg_roles where rolname = $1", [username]);
    const role = pg.escapeIdentifier(username);
    await client.query(
      `${known.rowCount === 0 ? "create" : "alter"} role ${role} login password ${pg.escapeLiteral(password)} connection limit 20`,
    );
    const { rows: named } = await client.query<{ name: string }>("select current_database() as name");
    await client.query(`grant connect on database ${pg.escapeIdentifier(named[0]?.name ?? "")} to ${role}`);
  } finally {
    await client.end();
  }
}

/** Describe what a role can do besides reading. */
async function powersOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ power: string }>(`
    select unnest(array[
      case when rolsuper then 'is superuser' end, case when rolcreaterole then 'creates roles' end,
      case when rolcreatedb then 'creates databases' end, case when rolreplication then 'replicates' end,
      case when rolbypassrls then 'bypasses row security' end]) as power
    from pg_roles where rolname = current_user
    union all select 'is a member of ' || rolname from pg_roles
    where rolname <> current_user and pg_has_role(current_user, oid, 'member')
    union all select 'creates in schema ' || nspname from pg_namespace
    where nspname !~ '^pg_' and has_schema_privilege(oid, 'create')
    union all select 'writes ' || c.oid::regclass::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
      and has_table_privilege(c.oid, 'insert, update, delete, truncate')`);
  return rows.flatMap(({ power }) => (power === null ? [] : [power])).slice(0, 10);
}

/** Let the role read the public tables and views of a schema. Ponder creates them again for each version of the code. */
export async function grantReading(databaseUrl: string, readerUrl: string, schema: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const reader = new pg.Client({ connectionString: readerUrl });
    await reader.connect();
    const { rows } = await reader.query<{ name: string }>("select current_user as name").finally(() => reader.end());
    const role = pg.escapeIdentifier(rows[0]?.name ?? "");
    const within = pg.escapeIdentifier(schema);
    const tables = await client.query<{ name: string }>(publicTablesQuestion, [schema]);
    const named = [...tables.rows.map(({ name }) => name), "_ponder_checkpoint"].map(
      (name) => `${within}.${pg.escapeIdentifier(name)}`,
    );
    await client.query(`grant usage on schema ${within} to ${role}`);
    await client.query(`grant select on ${named.join(", ")} to ${role}`);
  } finally {
    await client.end();
  }
}

/** Ponder's own tables begin with an underscore. */
export const publicTablesQuestion = `
  select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = $1 and c.relkind in ('r', 'v') and c.relname !~ '^_' order by 1`;
