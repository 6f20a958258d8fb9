import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openCast, openTestAuthority, type TestAuthority } from "../../../test/support/files/ucan.ts";
import { startPostgres, type TestPostgres } from "../../../test/support/postgres.ts";
import { openDatabase } from "../db/client.ts";
import { openAuthority } from "./authority.ts";

type Cast = Awaited<ReturnType<typeof openCast>>;

/** What must hold on one process's database and on one that several share. */
function describeStores(name: string, open: () => Promise<TestAuthority>) {
  describe(`used nonces and revocations on ${name}`, () => {
    let test: TestAuthority;
    let cast: Cast;
    before(async () => {
      test = await open();
      cast = await openCast(test.identity.did);
    });
    after(() => test.close());

    it("accepts a nonce once, also after a restart and in another token of the same issuer", async () => {
      const nonce = crypto.randomUUID();
      const token = `Bearer ${await cast.bearer(cast.owner, { nonce })}`;
      await test.authority.verifyBearer(token);
      await assert.rejects(test.authority.verifyBearer(token), { code: "REPLAYED" });
      await assert.rejects(test.reopen().verifyBearer(token), { code: "REPLAYED" });
      const again = `Bearer ${await cast.bearer(cast.owner, { nonce, path: "/other" })}`;
      await assert.rejects(test.authority.verifyBearer(again), { code: "REPLAYED" });
    });

    it("tells issuers apart, so that nobody uses up another's nonce", async () => {
      const nonce = crypto.randomUUID();
      const mallory = cast.mallory.did();
      await test.authority.verifyBearer(`Bearer ${await cast.bearer(cast.mallory, { nonce, owner: mallory })}`);
      await test.authority.verifyBearer(`Bearer ${await cast.bearer(cast.owner, { nonce })}`);
    });

    it("does not use a nonce up for a token that is refused", async () => {
      const nonce = crypto.randomUUID();
      const wrong = `Bearer ${await cast.bearer(cast.owner, { nonce, audience: cast.bob.did() })}`;
      await assert.rejects(test.authority.verifyBearer(wrong), { code: "WRONG_AUDIENCE" });
      await test.authority.verifyBearer(`Bearer ${await cast.bearer(cast.owner, { nonce })}`);
    });

    it("lets one of many through that come together", async () => {
      const token = `Bearer ${await cast.bearer(cast.owner, { nonce: crypto.randomUUID() })}`;
      const other = test.reopen();
      const tried = await Promise.allSettled(
        Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? test.authority : other).verifyBearer(token)),
      );
      assert.equal(tried.filter(({ status }) => status === "fulfilled").length, 1);
    });

    it("forgets nonces only when their tokens are long expired", async () => {
      const token = `Bearer ${await cast.bearer(cast.owner, { nonce: crypto.randomUUID() })}`;
      await test.authority.verifyBearer(token);
      test.clock.skip(3600_000 + 55_000);
      await test.authority.verifyBearer(
        `Bearer ${await cast.bearer(cast.owner, { nonce: "sweep", expiration: soon(test) })}`,
      );
      await assert.rejects(test.authority.verifyBearer(token), { code: "REPLAYED" });
    });

    it("knows a revocation after a restart", async () => {
      const token = await cast.bearer(cast.owner, { expiration: soon(test) });
      await test.authority.verifyBearer(`Bearer ${token}`);
      await test.revoke(token, 0);
      await assert.rejects(test.reopen().verifyBearer(`Bearer ${token}`), { code: "REVOKED" });
    });
  });
}

const soon = ({ clock }: TestAuthority) => Math.floor(clock.now().getTime() / 1000) + 600;

describeStores("PGlite", () => openTestAuthority());

describe("on a PostgreSQL that several processes share", () => {
  let postgres: TestPostgres;
  let url: string;
  before(async () => {
    postgres = await startPostgres();
    url = await postgres.createDatabase();
  });
  after(() => postgres.stop());

  it("sees another process's revocation immediately, though the token is cached here", async () => {
    const test = await openTestAuthority({ DATABASE_URL: url });
    const second = await openDatabase({ dataDir: test.core.config.dataDir, databaseUrl: url });
    try {
      const cast = await openCast(test.identity.did);
      const resolver = { resolve: () => Promise.reject(new Error("not asked")) };
      const { clock, identity } = test;
      const other = openAuthority({ db: second.db, exclusive: false, clock, identity, resolver });
      const given = await cast.give(cast.owner, cast.alice);
      const token = await cast.bearer(cast.alice, { proofs: [given] });
      await other.verifyBearer(`Bearer ${token}`);
      await test.revoke(token, 1);
      await assert.rejects(other.verifyBearer(`Bearer ${token}`), { code: "REVOKED" });
      const once = `Bearer ${await cast.bearer(cast.owner, { nonce: "n" })}`;
      await test.authority.verifyBearer(once);
      await assert.rejects(other.verifyBearer(once), { code: "REPLAYED" });
    } finally {
      await second.close();
      await test.close();
    }
  });

  describeStores("PostgreSQL", async () => openTestAuthority({ DATABASE_URL: await postgres.createDatabase() }));
});
