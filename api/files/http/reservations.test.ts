import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { openTestHttp, type TestHttp } from "../../../test/support/files/http.ts";
import { slowBody, tusHeaders, tusMetadata } from "../../../test/support/files/http-bodies.ts";
import { startPostgres, type TestPostgres } from "../../../test/support/postgres.ts";
import { generateKey } from "../../platform/ucan/mint.ts";
import { uploadLifeMs } from "../uploads/uploads.ts";
import { holdMs } from "../write/reservations.ts";

const quota = 100_000;
const bytes = (count: number) => randomBytes(count);

for (const database of ["PGlite", "PostgreSQL"]) {
  describe(`limits on ${database}`, () => {
    let postgres: TestPostgres | undefined;
    let http: TestHttp;
    let skipped = 0;
    before(async () => {
      postgres = database === "PostgreSQL" ? await startPostgres() : undefined;
      const shared: Record<string, string> =
        postgres === undefined ? {} : { DATABASE_URL: await postgres.createDatabase() };
      const limits = { NAMESPACE_QUOTA_BYTES: String(quota), STORE_LIMIT_BYTES: String(4 * quota) };
      http = await openTestHttp({ ...shared, ...limits }, { clock: { now: () => new Date(Date.now() + skipped) } });
    });
    after(async () => {
      await http?.close();
      await postgres?.stop();
    });

    /** A namespace of its own. */
    async function newOwner() {
      const issuer = await generateKey();
      const as = await http.bearer({ issuer });
      const put = (path: string, size: number) =>
        http.fs("POST", `/files?path=${path}`, {
          as,
          body: bytes(size),
          headers: { "content-length": String(size) },
        });
      const begin = (path: string, length: Record<string, string>) =>
        http.fs("POST", "/upload", { as, headers: tusHeaders({ ...length, "upload-metadata": tusMetadata(path) }) });
      const patch = (location: string, offset: number, size: number) =>
        http.fs("PATCH", location.replace("/api/fs", ""), {
          as,
          body: bytes(size),
          headers: tusHeaders({
            "upload-offset": String(offset),
            "content-type": "application/offset+octet-stream",
          }),
        });
      const counts = async () => {
        const { rows } = await http.deps.db.execute<{ bytes: string; reserved: string; held: string }>(sql`
          select bytes, reserved, (select coalesce(sum(bytes), 0) from file_reservations
            where file_reservations.namespace = namespaces.namespace) as held
          from namespaces where namespace = ${issuer.did()}`);
        const { bytes: used = 0, reserved = 0, held = 0 } = rows[0] ?? {};
        assert.equal(Number(reserved), Number(held), "the counter is the sum of the reservations");
        return { used: Number(used), reserved: Number(reserved) };
      };
      return { issuer, as, put, begin, patch, counts };
    }
    const at = (answer: Response) => answer.headers.get("location") ?? "";
    const refusedFor = async (answer: Response, rule: string) => {
      const body = await answer.json();
      assert.deepEqual([answer.status, body.code, body.details[0]?.rule], [413, "TOO_LARGE", rule]);
    };

    test("counts an upload from its first byte, for every other write, until it ends", async () => {
      const { as, put, begin, counts } = await newOwner();
      const begun = await begin("/big", { "upload-length": "60000" });
      assert.equal(begun.status, 201);
      assert.deepEqual(await counts(), { used: 0, reserved: 60_000 });
      await refusedFor(await put("/a", 50_000), "namespace-quota");
      await refusedFor(await begin("/b", { "upload-length": "50000" }), "namespace-quota");
      assert.equal((await put("/c", 40_000)).status, 201);
      await http.fs("DELETE", at(begun).replace("/api/fs", ""), { as, headers: tusHeaders({}) });
      assert.deepEqual(await counts(), { used: 40_000, reserved: 0 });
      assert.equal((await put("/a", 50_000)).status, 201);
    });

    test("counts an upload of unknown length as it arrives, and keeps no byte beyond the quota", async () => {
      const { put, begin, patch, counts } = await newOwner();
      const location = at(await begin("/deferred", { "upload-defer-length": "1" }));
      assert.equal((await patch(location, 0, 60_000)).status, 204);
      assert.deepEqual(await counts(), { used: 0, reserved: 60_000 });
      await refusedFor(await put("/a", 50_000), "namespace-quota");
      await refusedFor(await patch(location, 60_000, 50_000), "namespace-quota");
      const { reserved } = await counts();
      assert.ok(reserved >= 60_000 && reserved <= quota, `${reserved}`);
    });

    test("turns a reservation into the bytes of the file when the upload ends", async () => {
      const { begin, patch, counts } = await newOwner();
      const location = at(await begin("/whole", { "upload-length": "90000" }));
      assert.equal((await patch(location, 0, 50_000)).status, 204);
      const done = await patch(location, 50_000, 40_000);
      assert.equal(done.status, 204, await done.clone().text());
      assert.ok(done.headers.get("x-vfs-file-id"));
      assert.deepEqual(await counts(), { used: 90_000, reserved: 0 });
    });

    test("gives back what an upload held once it has expired, before anything swept it", async () => {
      const { issuer, begin, put, counts } = await newOwner();
      assert.equal((await begin("/late", { "upload-length": "90000" })).status, 201);
      await refusedFor(await put("/a", 50_000), "namespace-quota");
      skipped = uploadLifeMs + 1000;
      try {
        const as = await http.bearer({ issuer, expiration: Math.floor((Date.now() + skipped) / 1000) + 600 });
        const later = await http.fs("POST", "/files?path=/a", { as, body: bytes(50_000) });
        assert.equal(later.status, 201);
        assert.deepEqual(await counts(), { used: 50_000, reserved: 0 });
      } finally {
        skipped = 0;
      }
    });

    test("counts a body while it streams, and gives it back when the client leaves", async () => {
      const { as, put, counts } = await newOwner();
      const slow = slowBody();
      const going = http.fs("POST", "/files?path=/slow", { ...slow.init, as });
      slow.send(bytes(60_000));
      while ((await counts()).reserved < 60_000) await sleep(5);
      await refusedFor(await put("/a", 50_000), "namespace-quota");
      slow.breakOff();
      assert.equal((await going).status, 400);
      assert.deepEqual(await counts(), { used: 0, reserved: 0 });
      assert.equal((await put("/a", 50_000)).status, 201);
    });

    test("lets a race of all doors fill the quota, and never exceed it", async () => {
      const { as, put, begin, counts } = await newOwner();
      const racers = Array.from({ length: 24 }, (_, i) => {
        if (i % 3 === 0) return begin(`/race/${i}`, { "upload-length": "10000" });
        if (i % 3 === 1) return put(`/race/${i}`, 10_000);
        return http.fs("POST", `/files?path=/race/${i}`, {
          as,
          body: new Blob([bytes(10_000)]).stream(),
          duplex: "half",
        } as never);
      });
      const answers = await Promise.all(racers);
      const statuses = answers.map(({ status }) => status);
      assert.equal(statuses.filter((status) => status === 201).length, 10, statuses.join());
      assert.ok(statuses.every((status) => status === 201 || status === 413));
      const { used, reserved } = await counts();
      assert.equal(used + reserved, quota);
    });

    test("holds all owners together to the limit of the store, also when they race", async () => {
      const owners = await Promise.all(Array.from({ length: 8 }, newOwner));
      const answers = await Promise.all(owners.map(({ put }) => put("/mine", 90_000)));
      const refused = answers.filter(({ status }) => status !== 201);
      assert.ok(refused.length >= 3, `${refused.length} refused`);
      for (const answer of refused) await refusedFor(answer, "store-limit");
      const { rows } = await http.deps.db.execute<{ held: string }>(
        sql`select sum(bytes + reserved) as held from namespaces`,
      );
      assert.ok(Number(rows[0]?.held) <= 4 * quota, `${rows[0]?.held}`);
    });
  });
}

test("lets others have room that an announced upload does not use, and lets the upload go on while there is room", async () => {
  let skipped = 0;
  const limit = 100_000;
  const clock = { now: () => new Date(Date.now() + skipped) };
  const http = await openTestHttp({ STORE_LIMIT_BYTES: String(limit) }, { clock });
  try {
    const [stranger, honest] = [await generateKey(), await generateKey()];
    const as = (issuer: typeof stranger) =>
      http.bearer({ issuer, expiration: Math.floor(clock.now().getTime() / 1000) + 600 });
    const put = async (path: string) => {
      const headers = { "content-length": "30000" };
      const answer = await http.fs("POST", `/files?path=${path}`, {
        as: await as(honest),
        body: bytes(30_000),
        headers,
      });
      const { details } = await answer.json();
      return details?.[0]?.rule ?? answer.status;
    };
    const begun = await http.fs("POST", "/upload", {
      as: await as(stranger),
      headers: tusHeaders({ "upload-length": "95000", "upload-metadata": tusMetadata("/announced") }),
    });
    const location = (begun.headers.get("location") ?? "").replace("/api/fs", "");
    const patch = async (offset: number, size: number) => {
      const type = "application/offset+octet-stream";
      const headers = tusHeaders({ "upload-offset": String(offset), "content-type": type });
      const answer = await http.fs("PATCH", location, { as: await as(stranger), body: bytes(size), headers });
      return answer.status === 204 ? 204 : (await answer.json()).details[0]?.rule;
    };
    const reserved = async () => {
      const { rows } = await http.deps.db.execute<{ reserved: string }>(
        sql`select reserved from namespaces where namespace = ${stranger.did()}`,
      );
      return Number(rows[0]?.reserved);
    };
    assert.equal(await patch(0, 2_000), 204);
    // 2 of 95 hundredths have arrived: they hold the rest for a little more than 31 minutes.
    skipped = 3 * holdMs;
    assert.equal(await put("/a"), "store-limit");
    skipped = 3.2 * holdMs;
    assert.equal(await put("/a"), 201);
    assert.equal(await reserved(), 2_000);
    assert.equal(await patch(2_000, 10_000), 204);
    assert.ok((await reserved()) >= 12_000);
    skipped = 20 * holdMs;
    assert.equal(await put("/b"), 201);
    assert.equal(await patch(12_000, 83_000), "store-limit");
    assert.ok((await reserved()) <= limit - 60_000);
  } finally {
    await http.close();
  }
});
