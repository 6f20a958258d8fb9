import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "drizzle-orm";
import { type Listening, listen, openTestHttp, type TestHttp } from "../../../test/support/files/http.ts";
import { openAgent, type TestAgent } from "../../../test/support/files/mcp.ts";
import { startPostgres, type TestPostgres } from "../../../test/support/postgres.ts";

type Entry = { path: string; damaged?: true; cid: string };

for (const database of ["PGlite", "PostgreSQL"]) {
  describe(`damaged rows on ${database}`, () => {
    let postgres: TestPostgres | undefined;
    let http: TestHttp;
    let server: Listening;
    let agent: TestAgent;
    const made: { id: string; path: string; cid: string }[] = [];
    before(async () => {
      postgres = database === "PostgreSQL" ? await startPostgres() : undefined;
      const shared: Record<string, string> =
        postgres === undefined ? {} : { DATABASE_URL: await postgres.createDatabase() };
      http = await openTestHttp({ ...shared, LOG_LEVEL: "silent" });
      server = await listen(http.app);
      agent = await openAgent(server.url, await http.bearer());
      for (const name of ["a", "b", "c", "d", "e"]) {
        const answer = await http.fs("POST", `/files?path=/docs/${name}.txt&public=true`, { body: "common words" });
        const file = await answer.json();
        await http.fs("PUT", `/files/${file.id}`, { body: `common words of ${name}` });
        made.push(file);
      }
      const [key, details, old] = [made[0]?.id, made[2]?.id, made[3]?.id];
      const spoilt = sql`decode(repeat('ab', 40), 'hex')`;
      await http.deps.db.execute(sql`update files set file_key = ${spoilt} where id = ${key}`);
      await http.deps.db.execute(sql`update files set details = ${spoilt} where id = ${details}`);
      await http.deps.db.execute(sql`update file_versions set details = ${spoilt} where file_id = ${old}`);
    });
    after(async () => {
      await agent?.close();
      await server?.close();
      await http?.close();
      await postgres?.stop();
    });
    const get = async (path: string) => {
      const answer = await http.fs("GET", path);
      assert.equal(answer.status, 200, `${path}: ${await answer.clone().text()}`);
      return await answer.json();
    };
    const paths = ["/docs/a.txt", "/docs/b.txt", "/docs/c.txt", "/docs/d.txt", "/docs/e.txt"];
    const damagedOf = (items: Entry[]) => items.filter(({ damaged }) => damaged).map(({ path }) => path);

    test("shows them as damaged in lists, trees and globs, and everything else as it is", async () => {
      for (const route of ["/files?path=/docs", "/tree?path=/docs", "/glob?pattern=/docs/*"]) {
        const { items } = (await get(route)) as { items: Entry[] };
        assert.deepEqual(
          items.map(({ path }) => path),
          paths,
          route,
        );
        assert.deepEqual(damagedOf(items), ["/docs/a.txt", "/docs/c.txt"], route);
        assert.ok(items.every(({ damaged, cid }) => (damaged ? cid === "" : cid.startsWith("bafkrei"))));
      }
      assert.equal((await get(`/files/${made[0]?.id}`)).damaged, true);
    });

    test("finds the others by their words and lines, and by CIDs that a damaged one had too", async () => {
      const search = (await get("/search?q=common")) as { items: { file: Entry }[] };
      assert.deepEqual(search.items.map(({ file }) => file.path).sort(), ["/docs/b.txt", "/docs/d.txt", "/docs/e.txt"]);
      const grep = (await get("/grep?q=common")) as { items: Entry[] };
      assert.deepEqual(
        grep.items.map(({ path }) => path),
        ["/docs/b.txt", "/docs/d.txt", "/docs/e.txt"],
      );
      const cids = (await get("/cids")) as { items: Entry[] };
      assert.deepEqual(
        cids.items.map(({ path }) => path),
        ["/docs/b.txt", "/docs/d.txt", "/docs/e.txt"],
      );
      for (const answer of [
        await http.fs("GET", `/cid/${made[0]?.cid}`),
        await http.fs("GET", `/files/${made[2]?.id}/versions/1/content`),
      ]) {
        assert.deepEqual([answer.status, await answer.text()], [200, "common words"]);
      }
    });

    test("lists versions around a damaged one", async () => {
      const versions = async (at: number) =>
        (await get(`/files/${made[at]?.id}/versions`)).versions.map(({ damaged = false }) => damaged);
      assert.deepEqual(await versions(0), [true, true]);
      assert.deepEqual(await versions(2), [true, false]);
      assert.deepEqual(await versions(3), [false, true]);
      assert.deepEqual(await versions(4), [false, false]);
    });

    test("lists the audit, zips the folder, and answers a damaged content by a fault that names it", async () => {
      assert.equal((await get("/events")).items.length, 10);
      assert.ok((await get(`/files/${made[0]?.id}/events`)).items.length >= 2);
      const zip = await http.fs("GET", "/folder/download?path=/docs");
      const text = Buffer.from(await zip.arrayBuffer()).toString("latin1");
      for (const name of ["a.txt.damaged.txt", "b.txt", "d.txt", "e.txt"]) assert.ok(text.includes(name), name);
      const content = await http.fs("GET", `/files/${made[0]?.id}/content`);
      assert.equal(content.status, 500);
      assert.equal((await http.app.request(`/public/id/${made[0]?.id}`)).status, 404);
      assert.equal((await http.app.request(`/public/id/${made[1]?.id}`)).status, 200);
    });

    test("purges the others of their key group, which stay as they are", async () => {
      const before = await get("/files?path=/docs");
      const make = async (path: string) =>
        (await http.fs("POST", `/files?path=${path}`, { body: "passing words" })).json();
      const [gone, unread] = [await make("/docs/gone.txt"), await make("/docs/unread.txt")];
      const spoilt = sql`decode(repeat('ab', 40), 'hex')`;
      await http.deps.db.execute(sql`update file_words set sealed = ${spoilt} where file_id = ${unread.id}`);
      for (const { id } of [gone, unread]) {
        const answer = await http.fs("POST", `/files/${id}/purge`);
        assert.equal(answer.status, 200, await answer.text());
      }
      assert.deepEqual(await get("/files?path=/docs"), before);
      const search = (await get("/search?q=common")) as { items: { file: Entry }[] };
      assert.deepEqual(search.items.map(({ file }) => file.path).sort(), ["/docs/b.txt", "/docs/d.txt", "/docs/e.txt"]);
      const answer = await http.fs("GET", `/cid/${made[1]?.cid}`);
      assert.deepEqual([answer.status, await answer.text()], [200, "common words"]);
    });

    test("serves agents alike", async () => {
      const list = await agent.call("vfs_list", { path: "/docs" });
      assert.deepEqual(damagedOf(list.body.items as Entry[]), ["/docs/a.txt", "/docs/c.txt"]);
      const versions = await agent.call("vfs_versions", { path: "/docs/c.txt" });
      assert.equal(versions.isError, false);
      const search = await agent.call("vfs_search", { q: "common" });
      assert.equal((search.body.items as unknown[]).length, 3);
      const read = await agent.call("vfs_read", { path: "/docs/a.txt" });
      assert.deepEqual([read.isError, read.body.status], [true, 500]);
      const back = await agent.call("vfs_restore_version", { path: "/docs/c.txt", version: 1 });
      assert.equal(back.isError, false, JSON.stringify(back.body));
      assert.equal((await agent.call("vfs_delete", { path: "/docs/a.txt" })).isError, false);
    });

    test("refuses to purge a file whose key group has lost its secret, and purges it once the secret is back", async () => {
      const id = made[1]?.id;
      const { rows } = await http.deps.db.execute<{ id: string; secret_id: string }>(
        sql`select g.id, g.secret_id from file_key_groups g join files f on f.key_group = g.id where f.id = ${id}`,
      );
      const nameSecret = (secretId = "") =>
        http.deps.db.execute(sql`update file_key_groups set secret_id = ${secretId} where id = ${rows[0]?.id}`);
      await nameSecret("f".repeat(32));
      const refused = await http.fs("POST", `/files/${id}/purge`);
      const body = await refused.json();
      assert.deepEqual([refused.status, body.code], [409, "CONFLICT"], JSON.stringify(body));
      assert.match(body.message, /^The key of file .* is lost, so it can neither be read nor purged/);
      const batch = await http.fs("POST", "/batch/purge", { body: JSON.stringify({ ids: [id, made[4]?.id] }) });
      const { results } = await batch.json();
      assert.deepEqual(
        results.map(({ status }: { status: number }) => status),
        [409, 409],
      );
      await nameSecret(rows[0]?.secret_id);
      assert.equal((await http.fs("POST", `/files/${id}/purge`)).status, 200);
    });
  });
}
