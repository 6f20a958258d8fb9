import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, beforeEach, describe, test } from "node:test";
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

    /** A separate namespace. */
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

describe("room that others take while an upload runs", () => {
  const limit = 100_000;
  let skipped = 0;
  /** Called when the bytes of a file are stored and not yet committed. */
  let whenStored = async () => {};
  let http: TestHttp;
  before(async () => {
    const clock = { now: () => new Date(Date.now() + skipped) };
    const step = async (name: string) => {
      if (name === "write-stored") await whenStored();
    };
    http = await openTestHttp({ STORE_LIMIT_BYTES: String(limit) }, { clock, step });
  });
  after(() => http.close());
  beforeEach(() => {
    skipped = 0;
    whenStored = async () => {};
  });

  async function newOwner() {
    const issuer = await generateKey();
    const as = () => http.bearer({ issuer, expiration: Math.floor((Date.now() + skipped) / 1000) + 3600 });
    const put = async (path: string, size: number) => {
      const headers = { "content-length": String(size) };
      const answer = await http.fs("POST", `/files?path=${path}`, { as: await as(), body: bytes(size), headers });
      const { details } = await answer.json();
      return details?.[0]?.rule ?? answer.status;
    };
    const begin = async (path: string, size: number) => {
      const headers = tusHeaders({ "upload-length": String(size), "upload-metadata": tusMetadata(path) });
      const begun = await http.fs("POST", "/upload", { as: await as(), headers });
      return (begun.headers.get("location") ?? "").replace("/api/fs", "");
    };
    const patch = async (location: string, offset: number, init: RequestInit) => {
      const type = "application/offset+octet-stream";
      const headers = tusHeaders({ "upload-offset": String(offset), "content-type": type });
      return await http.fs("PATCH", location, { as: await as(), ...init, headers });
    };
    const remove = async (location: string) =>
      (await http.fs("DELETE", location, { as: await as(), headers: tusHeaders({}) })).status;
    return { put, begin, patch, remove };
  }
  const held = async () => {
    const { rows } = await http.deps.db.execute<{ bytes: string; counted: string; rows: string }>(sql`
      select sum(bytes) as bytes, sum(reserved) as counted,
        (select coalesce(sum(bytes), 0) from file_reservations) as rows from namespaces`);
    const { bytes: used = 0, counted = 0, rows: reserved = 0 } = rows[0] ?? {};
    assert.equal(Number(counted), Number(reserved), "the counters are the sum of the reservations");
    return { used: Number(used), reserved: Number(reserved) };
  };

  test("is never what a running part has brought", async () => {
    const [stranger, honest] = [await newOwner(), await newOwner()];
    const location = await stranger.begin("/running", 95_000);
    const slow = slowBody();
    const going = stranger.patch(location, 0, slow.init);
    slow.send(bytes(60_000));
    await sleep(200);
    skipped = 2 * holdMs;
    assert.equal(await honest.put("/a", 50_000), "store-limit");
    slow.breakOff();
    assert.notEqual((await going).status, 204);
    assert.deepEqual(await held(), { used: 0, reserved: 95_000 });
    skipped = 70 * holdMs;
    assert.equal(await honest.put("/a", 30_000), 201);
    assert.deepEqual(await held(), { used: 30_000, reserved: 60_000 });
    assert.equal(await stranger.remove(location), 204);
    assert.deepEqual(await held(), { used: 30_000, reserved: 0 });
  });

  test("is never what the last part brought, while the file is created", async () => {
    const [stranger, honest] = [await newOwner(), await newOwner()];
    const { used } = await held();
    const size = limit - used - 5_000;
    const location = await stranger.begin("/last", size);
    assert.equal((await stranger.patch(location, 0, { body: bytes(10) })).status, 204);
    let meanwhile: unknown;
    whenStored = async () => {
      whenStored = async () => {};
      skipped = 2 * holdMs;
      meanwhile = await honest.put("/b", 20_000);
    };
    const done = await stranger.patch(location, 10, { body: bytes(size - 10) });
    assert.equal(done.status, 204);
    assert.equal(meanwhile, "store-limit");
    assert.deepEqual(await held(), { used: used + size, reserved: 0 });
  });
});

test("creates no file beyond the store limit when its upload expired before the commit", async () => {
  let skipped = 0;
  let whenStored = async () => {};
  const clock = { now: () => new Date(Date.now() + skipped) };
  const step = async (name: string) => {
    if (name === "write-stored") await whenStored();
  };
  const http = await openTestHttp({ STORE_LIMIT_BYTES: "100000" }, { clock, step });
  try {
    const [stranger, honest] = [await generateKey(), await generateKey()];
    const bearer = (issuer: typeof stranger) =>
      http.bearer({ issuer, expiration: Math.floor(clock.now().getTime() / 1000) + 600 });
    const begun = await http.fs("POST", "/upload", {
      as: await bearer(stranger),
      headers: tusHeaders({ "upload-length": "90000", "upload-metadata": tusMetadata("/late") }),
    });
    const patch = async (offset: number, size: number) =>
      http.fs("PATCH", (begun.headers.get("location") ?? "").replace("/api/fs", ""), {
        as: await bearer(stranger),
        body: bytes(size),
        headers: tusHeaders({ "upload-offset": String(offset), "content-type": "application/offset+octet-stream" }),
      });
    skipped = uploadLifeMs - 60_000;
    assert.equal((await patch(0, 80_000)).status, 204);
    let meanwhile = 0;
    whenStored = async () => {
      whenStored = async () => {};
      skipped = uploadLifeMs + 1000;
      const answer = await http.fs("POST", "/files?path=/a", {
        as: await bearer(honest),
        body: bytes(50_000),
        headers: { "content-length": "50000" },
      });
      meanwhile = answer.status;
    };
    const last = await patch(80_000, 10_000);
    assert.equal(meanwhile, 201);
    assert.equal((await last.json()).details[0]?.rule, "store-limit");
    const { rows } = await http.deps.db.execute<{ held: string }>(
      sql`select sum(bytes + reserved) as held from namespaces`,
    );
    assert.equal(Number(rows[0]?.held), 50_000);
  } finally {
    await http.close();
  }
});

test("lets others have room that an announced upload does not use, and lets the upload continue while there is room", async () => {
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
