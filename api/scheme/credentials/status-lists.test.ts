import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { decodeJWT } from "did-jwt";
import { sql } from "drizzle-orm";
import { openTestCore, type TestCore } from "../../../test/support/core.ts";
import { openTestService, type TestIssuerService } from "../../../test/support/own-credentials.ts";
import { startPostgres, type TestPostgres } from "../../../test/support/postgres.ts";
import { encodeBits } from "./bitstring.ts";
import { openCredentials } from "./issuer.ts";
import { listShape } from "./status-lists.ts";
import { allocateEntries, type ListShape } from "./store.ts";

const at = new Date("2026-03-15T12:00:00Z");
const subjectsOf = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name}-${i}`);

for (const kind of ["PGlite", "PostgreSQL"] as const) {
  describe(`status entries on ${kind}`, () => {
    let core: TestCore;
    let second: TestCore | undefined;
    let postgres: TestPostgres | undefined;
    before(async () => {
      postgres = kind === "PostgreSQL" ? await startPostgres() : undefined;
      const env: Record<string, string> = postgres ? { DATABASE_URL: await postgres.createDatabase() } : {};
      core = await openTestCore(env);
      // The second process has a separate connection pool.
      second = postgres ? await openTestCore(env) : undefined;
    });
    after(async () => {
      await second?.close();
      await core.close();
      await postgres?.stop();
    });
    const allocate = (subjects: string[], shape: ListShape, { deps }: TestCore = core) =>
      allocateEntries(deps.db, { subjects, shape, at });

    it("gives each subject a separate entry, also when two processes allocate into small lists together", async () => {
      const shape = { size: 64, filled: 32 };
      const calls = Array.from({ length: 20 }, (_, i) =>
        allocate(subjectsOf(`race-${i}`, 7), shape, i % 2 === 0 ? core : (second ?? core)),
      );
      const places = (await Promise.all(calls)).flatMap((found) => [...found.values()]);
      assert.equal(places.length, 140);
      assert.equal(new Set(places.map(({ list, entry }) => `${list}:${entry}`)).size, 140);
      assert.ok(places.every(({ entry }) => entry >= 0 && entry < 64));
      const { rows } = await core.deps.db.execute<{ list: number; entries: number; taken: number }>(
        sql`select list, entries, (select count(*)::int from status_entries e where e.list = l.list) as taken
          from status_lists l order by list`,
      );
      assert.deepEqual(
        rows.map(({ entries }) => entries),
        [32, 32, 32, 32, 12],
      );
      assert.ok(rows.every(({ entries, taken }) => entries === taken));
    });

    it("gives a subject the same entry again, for any caller at any time", async () => {
      const subjects = ["same", "same", "other"];
      const calls = Array.from({ length: 6 }, (_, i) => allocate(subjects, listShape, i % 2 ? core : (second ?? core)));
      const found = await Promise.all(calls);
      for (const places of found) assert.deepEqual(places, found[0]);
      assert.equal(found[0]?.size, 2);
    });
  });
}

describe("the bitstring", () => {
  it("is that of the specification: entry 0 is the leftmost bit, GZIP, base64url behind u", async () => {
    // The example of Bitstring Status List v1.0: no bit set of 131 072.
    const published = "uH4sIAAAAAAAAA-3BMQEAAADCoPVPbQwfoAAAAAAAAAAAAAAAAAAAAIC3AYbSVKsAQAAA";
    const unzip = (text: string) => gunzipSync(Buffer.from(text.slice(1), "base64url"));
    const empty = await encodeBits([], listShape.size);
    assert.match(empty, /^u[\w-]+$/);
    assert.deepEqual(unzip(empty), unzip(published));
    assert.deepEqual([...unzip(await encodeBits([0, 7, 9, 23], 24))], [0b10000001, 0b01000000, 0b00000001]);
  });
});

describe("a served status list", () => {
  let now = at;
  let service: TestIssuerService;
  before(async () => {
    service = await openTestService({}, { clock: { now: () => now } });
  });
  after(() => service.close());
  const issue = (statusOf: string) =>
    service.deps.credentials.issue({
      type: "EmissionReductionCredential",
      id: `urn:x:${statusOf}`,
      subject: { certificateId: statusOf },
      issuedAt: now,
      statusOf,
    });
  const get = (headers: Record<string, string> = {}) => fetch(`${service.url}/v1/status-lists/1`, { headers });

  it("is public, and may be cached for its ttl", async () => {
    await issue("CERT-1");
    const answer = await get({ accept: "application/vc+jwt" });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("content-type"), "application/vc+jwt");
    const { vc, jti } = decodeJWT(await answer.text()).payload;
    assert.equal(jti, `${service.url}/v1/status-lists/1`);
    assert.deepEqual(vc.type, ["VerifiableCredential", "BitstringStatusListCredential"]);
    assert.equal(vc.credentialSubject.statusPurpose, "revocation");
    assert.equal(answer.headers.get("cache-control"), `public, max-age=${vc.credentialSubject.ttl / 1000}`);
    assert.equal((await fetch(`${service.url}/v1/status-lists/99`)).status, 404);
    assert.equal((await fetch(`${service.url}/v1/status-lists/x`)).status, 400);
    assert.equal((await fetch(`${service.url}/v1/keys`)).status, 401);
  });

  it("stays byte for byte the same until a bit changes, and returns 304 until then", async () => {
    const first = await get();
    const etag = first.headers.get("etag") ?? "";
    await issue("CERT-2");
    now = new Date(now.getTime() + 3600_000);
    const again = await get({ "if-none-match": etag });
    assert.equal(again.status, 304);
    assert.equal(again.headers.get("cache-control"), first.headers.get("cache-control"));
    const { hash } = await issue("CERT-3");
    await service.deps.credentials.revoke(hash, "wrong");
    const changed = await get({ "if-none-match": etag });
    assert.equal(changed.status, 200);
    assert.notEqual(await changed.text(), await first.text());
    // Another process, or this one after a restart, signs the same bytes.
    const other = openCredentials({ ...service.deps, identity: service.deps.files.identity });
    assert.equal((await other.statusLists.read(1))?.jwt, await (await get()).text());
  });

  it("holds every bit that concurrent callers set", async () => {
    const issued = await Promise.all(subjectsOf("many", 40).map(issue));
    await Promise.all(issued.map(({ hash }) => service.deps.credentials.revoke(hash, "x")));
    const { encodedList } = decodeJWT(await (await get()).text()).payload.vc.credentialSubject;
    const bits = gunzipSync(Buffer.from(encodedList.slice(1), "base64url"));
    const isSet = (entry: number) => ((bits[entry >> 3] ?? 0) >> (7 - (entry & 7))) & 1;
    assert.ok(issued.every(({ statusIndex }) => isSet(statusIndex) === 1));
    assert.equal(
      bits.reduce((sum, byte) => sum + byte.toString(2).replaceAll("0", "").length, 0),
      41,
    );
  });
});
