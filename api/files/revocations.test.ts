import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { eq } from "drizzle-orm";
import { openTestHttp, type TestHttp } from "../../test/support/files/http.ts";
import { openCast } from "../../test/support/files/ucan.ts";
import { mintToken } from "../platform/ucan/index.ts";
import { formatDelegation, generateKey, type Key, mintDelegation } from "../platform/ucan/mint.ts";
import { fileEvents } from "./audit/tables.ts";

describe("revocations", () => {
  let http: TestHttp;
  let cast: Awaited<ReturnType<typeof openCast>>;
  let service: string;
  before(async () => {
    http = await openTestHttp();
    service = http.deps.files.identity.did;
    cast = await openCast(service);
  });
  after(() => http.close());

  /** A token for the issuer's namespace, which identifies the issuer. */
  const self = async (key: Key) => `Bearer ${await mintToken({ issuer: key, audience: service, abilities: ["fs/*"] })}`;
  const use = (token: string) => http.fs("GET", "/revocations", { as: `Bearer ${token}` });
  const revoke = async (as: Key, cid: string, token: string) =>
    http.fs("POST", "/revocations", { as: await self(as), body: JSON.stringify({ cid, token }) });

  async function openChain() {
    // Without it the chains of one second were the same, revocations included.
    const facts = [{ made: crypto.randomUUID() }];
    const one = await cast.give(cast.owner, cast.alice, { facts });
    const two = await cast.give(cast.alice, cast.bob, { proofs: [one], facts });
    const token = await cast.bearer(cast.bob, { proofs: [two] });
    return { one, two, token };
  }

  it("ends a link and everything derived from it immediately, cached or not, and leaves an audit event", async () => {
    const { one, two, token } = await openChain();
    assert.equal((await use(token)).status, 200);
    const answer = await revoke(cast.alice, two.cid.toString(), token);
    assert.equal(answer.status, 201);
    const made = await answer.json();
    assert.deepEqual(
      [made.cid, made.namespace, made.issuer, made.audience, made.revokedBy],
      [two.cid.toString(), cast.owner.did(), cast.alice.did(), cast.bob.did(), cast.alice.did()],
    );
    const refused = await use(token);
    assert.equal(refused.status, 401);
    const body = await refused.json();
    assert.equal(body.code, "REVOKED");
    assert.deepEqual(
      body.details.map(({ path }: { path: string }) => path),
      ["token.proofs.0"],
    );
    const other = await cast.bearer(cast.alice, { proofs: [one] });
    assert.equal((await use(other)).status, 200);
    const events = await http.deps.db.select().from(fileEvents).where(eq(fileEvents.namespace, cast.owner.did()));
    assert.deepEqual(
      events.map(({ kind, invoker }) => [kind, invoker]),
      [["token.revoked", cast.alice.did()]],
    );
  });

  it("lets the owner revoke below, and nobody above their own link or outside of the chain", async () => {
    const { one, two, token } = await openChain();
    for (const stranger of [cast.mallory, cast.bob]) {
      const answer = await revoke(stranger, two.cid.toString(), token);
      assert.deepEqual([answer.status, (await answer.json()).code], [403, "FORBIDDEN"]);
    }
    assert.equal((await revoke(cast.alice, one.cid.toString(), token)).status, 403);
    assert.equal((await use(token)).status, 200);
    assert.equal((await revoke(cast.owner, two.cid.toString(), token)).status, 201);
    assert.equal((await use(token)).status, 401);
  });

  it("answers a repeated revocation with the first", async () => {
    const { two, token } = await openChain();
    const first = await (await revoke(cast.alice, two.cid.toString(), token)).json();
    const again = await revoke(cast.owner, two.cid.toString(), token);
    assert.equal(again.status, 200);
    assert.deepEqual(await again.json(), first);
  });

  it("accepts the CID in any multibase, and the chain as an expired delegation", async () => {
    const old = await cast.give(cast.owner, cast.alice, { expiration: 1_700_000_000 });
    const shown = await formatDelegation(old);
    const { base58btc } = await import("multiformats/bases/base58");
    assert.equal((await revoke(cast.owner, old.cid.toString(base58btc), shown)).status, 201);
    const answer = await http.fs("GET", `/revocations/${old.cid}`);
    assert.equal((await answer.json()).expiresAt, 1_700_000_000);
  });

  it("refuses a revocation that the shown token does not bear out", async () => {
    const { two, token } = await openChain();
    const forged = await mintDelegation({
      issuer: cast.mallory,
      audience: cast.bob.did(),
      owner: cast.owner.did(),
      abilities: ["fs/read"],
    });
    const cases: [string, string, string][] = [
      ["nonsense", token, "cid"],
      [two.cid.toString(), "AAAA", "car"],
      [forged.cid.toString(), token, "cid-in-token"],
      [forged.cid.toString(), await formatDelegation(forged), "root-authority"],
    ];
    for (const [cid, shown, rule] of cases) {
      const answer = await revoke(cast.mallory, cid, shown);
      const body = await answer.json();
      assert.equal(answer.status, 400, rule);
      assert.equal(body.details[0].rule, rule);
    }
  });

  it("shows the owner all of its namespace, others their own, and anyone who knows the CID that one", async () => {
    const { two, token } = await openChain();
    await revoke(cast.alice, two.cid.toString(), token);
    const shown = async (key: Key) => {
      const answer = await http.fs("GET", "/revocations?limit=500", { as: await self(key) });
      return (await answer.json()).items.map(({ cid }: { cid: string }) => cid);
    };
    for (const key of [cast.owner, cast.alice, cast.bob]) assert.ok((await shown(key)).includes(two.cid.toString()));
    assert.deepEqual(await shown(cast.mallory), []);
    const as = await self(cast.mallory);
    assert.equal((await http.fs("GET", `/revocations/${two.cid}`, { as })).status, 200);
    const unknown = await cast.give(cast.owner, cast.bob);
    assert.equal((await http.fs("GET", `/revocations/${unknown.cid}`, { as })).status, 404);
  });

  it("pages through its list", async () => {
    const owner = await generateKey();
    const made: string[] = [];
    for (let index = 0; index < 3; index++) {
      const given = await mintDelegation({
        issuer: owner,
        audience: cast.bob.did(),
        abilities: ["fs/read"],
        facts: [{ index }],
      });
      assert.equal((await revoke(owner, given.cid.toString(), await formatDelegation(given))).status, 201);
      made.push(given.cid.toString());
    }
    const seen: string[] = [];
    let cursor = "";
    do {
      const answer = await http.fs("GET", `/revocations?limit=2${cursor}`, { as: await self(owner) });
      const { items, nextCursor } = await answer.json();
      seen.push(...items.map(({ cid }: { cid: string }) => cid));
      cursor = nextCursor === null ? "" : `&cursor=${nextCursor}`;
    } while (cursor !== "");
    assert.deepEqual(seen, made);
  });

  it("is closed to tokens that are bound to CIDs", async () => {
    const cids = ["bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e"];
    const as = `Bearer ${await cast.bearer(cast.owner, { nb: { cids } })}`;
    assert.equal((await http.fs("GET", "/revocations", { as })).status, 403);
  });
});
