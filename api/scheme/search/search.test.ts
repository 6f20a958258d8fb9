import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Indexer } from "../../../test/indexer/ponder-process.ts";
import { startSchemeIndex } from "../../../test/indexer/scheme-index.ts";
import { openTestScheme, type TestScheme } from "../../../test/support/scheme.ts";
import type { SearchResult, SearchResults } from "../../../wire/src/reports.ts";
import { AppError } from "../../platform/errors.ts";
import type { Actor } from "../../platform/http/request-context.ts";
import { IndexerClient } from "../../platform/indexer/client.ts";
import { search } from "./service.ts";

const admin: Actor = { keyId: "admin", role: "admin", scopes: [], dids: null };
let scheme: TestScheme;
let indexer: Indexer;
let redemptionId: string;

before(async () => {
  scheme = await openTestScheme();
  indexer = await startSchemeIndex(scheme);
  redemptionId = await scheme.redeem();
  for (let i = 0; i < 7; i += 1) await scheme.addSupplier(`did:x:many-shops/${i}`);
});
after(async () => {
  await indexer.stop();
  await scheme.close();
});

const find = (q: string, actor: Actor = admin) => search(scheme.deps, { actor }, q);
const named = ({ results }: SearchResults) => results.map(({ type, id }) => `${type} ${id}`);
const visitor = async (q: string) => {
  const answer = await fetch(`${indexer.url}/reports/search?q=${encodeURIComponent(q)}`);
  return { status: answer.status, body: (await answer.json()) as SearchResults & { details: { rule: string }[] } };
};

describe("the search", () => {
  it("finds a record by its id, in any case and without its prefix, and by its transaction", async () => {
    assert.deepEqual(named(await find(redemptionId)), [`redemption ${redemptionId}`]);
    assert.deepEqual(named(await find(redemptionId.toLowerCase())), [`redemption ${redemptionId}`]);
    const bare = named(await find(redemptionId.replace("REDM-", "")));
    assert.ok(bare.includes(`redemption ${redemptionId}`), bare.join());
    const query = "select transaction_hash as hash from redemption limit 1";
    const rows = await scheme.deps.indexer.query(query, []);
    const hash = String(rows[0]?.hash);
    assert.deepEqual(named(await find(hash)), [`transaction ${hash}`]);
  });

  it("finds participants by a part of their name or DID, and by their account", async () => {
    const { supplierDid } = scheme;
    const rows = await scheme.deps.indexer.query(`select * from supplier where did = $1`, [supplierDid]);
    const { name, account, index } = rows[0] as { name: string; account: string; index: number };
    const expected = { type: "supplier", id: supplierDid, name, status: "authorised", index } as const;
    for (const q of [
      supplierDid.slice(2),
      name.slice(1).toUpperCase(),
      account,
      account.toUpperCase().replace("X", "x"),
    ]) {
      const { results } = await find(q);
      assert.ok(
        results.some((each: SearchResult) => JSON.stringify(each) === JSON.stringify(expected)),
        `${q}: ${JSON.stringify(results)}`,
      );
    }
  });

  it("returns at most five of a type, and says that there are more", async () => {
    const { results, more } = await find("many-shops");
    assert.equal(results.length, 5);
    assert.deepEqual(more, ["supplier"]);
  });

  it("takes the signs of a pattern literally", async () => {
    for (const q of ["%%", "__", "\\\\", "'; --"]) assert.deepEqual((await find(q)).results, [], q);
  });

  it("shows a household only by its whole DID, to those who may see it", async () => {
    const { householdDid, supplierDid } = scheme;
    assert.equal(named(await find(householdDid))[0], `household ${householdDid}`);
    assert.deepEqual(named(await find(householdDid.slice(0, -1))), []);
    const others: Actor[] = [
      { ...admin, role: "supplier", supplierDid },
      { ...admin, role: "implementer", implementerDid: "did:x:somebody-else" },
      { ...admin, role: "integrator" },
    ];
    for (const actor of others) assert.deepEqual(named(await find(householdDid, actor)), [], actor.role);
    assert.deepEqual((await visitor(householdDid)).body.results, []);
  });

  it("answers visitors from the public index, and names what is wrong with a text", async () => {
    assert.deepEqual(named((await visitor(redemptionId)).body), [`redemption ${redemptionId}`]);
    for (const q of ["x", "x".repeat(129)]) {
      const { status, body } = await visitor(q);
      assert.deepEqual([status, body.details.map(({ rule }) => rule)], [400, ["length"]]);
      const answer = await scheme.app.request(`/v1/search?q=${q}`, {
        headers: { authorization: "Bearer test-admin-key-of-24-characters" },
      });
      assert.equal(answer.status, 400);
    }
    assert.equal((await scheme.app.request("/v1/search?q=CERT")).status, 401);
  });

  it("is unavailable without the index", async () => {
    const { log } = scheme.deps;
    const nowhere = new IndexerClient({ url: "http://127.0.0.1:9", token: undefined, log, lastWritten: () => 0 });
    await assert.rejects(
      search({ ...scheme.deps, indexer: nowhere }, { actor: admin }, "CERT-1"),
      (error) => error instanceof AppError && error.code === "UNAVAILABLE",
    );
  });
});
