import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { parseSync } from "libpg-query";
import pg from "pg";
import { checkStatement } from "../../indexer/reader/check-statement.ts";
import { openEmbeddedReader } from "../../indexer/reader/embedded-reader.ts";
import { openInMemory } from "../../indexer/reader/pglite.ts";
import { openPostgresReader } from "../../indexer/reader/postgres-reader.ts";
import type { Reader } from "../../indexer/reader/reader.ts";
import { prepareReadingRole } from "../../indexer/reader/reading-role.ts";
import { askAll } from "../support/ask-statements.ts";
import { startPostgres, type TestPostgres } from "../support/postgres.ts";
import { postgresPrograms, serverUser } from "../support/postgres-program.ts";
import { publicNames, worldOfStatements } from "./statement-grammar.ts";

/** Every n-th statement also goes to the embedded index, whose reader rests after each question. */
const embeddedStep = process.env.HEARTH_LONG === "1" ? 10 : 200;
/** Everything that a statement could have changed, as one text. */
const state = `select (select json_agg(v order by id) from hearth.voucher v)::text || (select json_agg(h order by id) from hearth.household h)::text
  || (select count(*) from secret.marker) || (select count(*) from pg_class) || (select count(*) from pg_proc)
  || (select count(*) from pg_roles) || (select count(*) from pg_extension) || (select count(*) from pg_description) as state`;

/** The statements of the SQL files that PostgreSQL is published with: its views, its functions, its extensions. */
async function readCorpus(): Promise<string[]> {
  const folder = join(await postgresPrograms(serverUser()), "..", "share", "postgresql");
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".sql"));
  const texts = await Promise.all(files.sort().map((name) => readFile(join(folder, name), "utf8")));
  return texts.flatMap(statementsIn);
}

/** @param text a file for psql: lines of psql's commands begin with a backslash, and placeholders are between `@` */
function statementsIn(text: string): string[] {
  const bytes = Buffer.from(text.replace(/^\\.*$/gm, "").replace(/@[\w:]+@/g, "public"));
  return (parseSync(bytes.toString()).stmts ?? []).map(({ stmt_location = 0, stmt_len = bytes.length }) =>
    bytes.toString("utf8", stmt_location, stmt_location + stmt_len).trim(),
  );
}

/** The SELECT that a view stands for; nothing for another statement. */
const selectsOf = (text: string) =>
  /^create\s+(?:or\s+replace\s+)?view\b.*?\bas\s+((?:select|with)\b.*)/is.exec(text)?.slice(1) ?? [];

describe("the statements that PostgreSQL is published with", () => {
  let corpus: string[];
  let postgres: TestPostgres;
  let owner: pg.Client;
  let reader: Reader;

  before(async () => {
    const statements = await readCorpus();
    corpus = [...statements, ...statements.flatMap(selectsOf)];
    postgres = await startPostgres();
    const databaseUrl = await postgres.createDatabase();
    owner = new pg.Client({ connectionString: databaseUrl });
    await owner.connect();
    await owner.query(worldOfStatements);
    await prepareReadingRole({ databaseUrl });
    reader = await openPostgresReader({ databaseUrl, schema: "hearth" });
  });
  after(async () => {
    await owner?.end();
    await postgres?.stop();
  });

  it("are refused by rules with names, every one", (t) => {
    const selects = corpus.filter((text) => /^(select|with)\b/i.test(text));
    t.diagnostic(`${corpus.length} statements, ${selects.length} of them SELECT`);
    assert.ok(corpus.length > 4_000 && selects.length > 100, `${corpus.length} ${selects.length}`);
    for (const text of corpus) {
      const broken = checkStatement(text, 0, publicNames);
      assert.ok(broken.length > 0 && broken.every(({ rule, message }) => rule !== "" && message !== ""), text);
    }
  });

  it("change nothing when the check is left out, on PostgreSQL", async () => {
    const before = (await owner.query(state)).rows;
    await askAll(reader, corpus);
    assert.deepEqual((await owner.query(state)).rows, before);
  });

  it("change nothing when the check is left out, on the embedded index", async (t) => {
    const index = await openInMemory();
    t.after(() => index.close());
    await index.exec(worldOfStatements);
    const before = (await index.query(state)).rows;
    await askAll(
      openEmbeddedReader(index, "hearth"),
      corpus.filter((_, i) => i % embeddedStep === 0),
    );
    assert.deepEqual((await index.query(state)).rows, before);
  });
});
