import assert from "node:assert/strict";
import { describe, it, mock } from "node:test";
import { buildSchema, getIntrospectionQuery } from "graphql";
import { Hono } from "hono";
import { FairQueue } from "../../indexer/src/api/fair-queue.ts";
import { questionOf, whyTooLarge } from "../../indexer/src/api/public-graphql.ts";
import { createRateLimit } from "../../indexer/src/api/rate-limit.ts";
import { createTurns } from "../../indexer/src/api/turns.ts";

const page = (name: string) => `type ${name}Page { items: [${name}!]! pageInfo: PageInfo! totalCount: Int! }`;
const list = (name: string, type: string) => `${name}(limit: Int): ${type}Page`;
/** As Ponder makes it of tables and relations. */
const types = buildSchema(`
  type PageInfo { hasNextPage: Boolean! }
  type certificate { certificateId: String ${list("vouchers", "voucher")} }
  type voucher { publicId: String id: String certificate: certificate ${list("redemptions", "redemption")} }
  type redemption { publicId: String id: String claim: claim }
  type claim { id: String payment: payment }
  type payment { amount: String }
  ${["certificate", "voucher", "redemption", "claim"].map(page).join(" ")}
  type Query { ${list("vouchers", "voucher")} ${list("certificates", "certificate")} ${list("claims", "claim")} }
`);
const why = (query: string, variables?: Record<string, unknown>) =>
  whyTooLarge(variables === undefined ? { query } : { query, variables }, types);

describe("anonymous GraphQL", () => {
  it("may be a page of a list with what hangs on each row", () => {
    const query = `{ vouchers(limit: 100) { totalCount items { publicId certificate { certificateId }
      redemptions(limit: 10) { items { publicId claim { payment { amount } } } } } } }`;
    assert.equal(why(query), undefined);
    assert.equal(why("{ __schema { types { name fields { name type { ofType { name } } } } } }"), undefined);
  });

  it("is refused when lists within lists multiply", () => {
    const nested = "{ certificates { items { vouchers { items { redemptions { items { publicId } } } } } } }";
    assert.match(why(nested) ?? "", /more than 150 lists/);
    assert.match(
      why("{ vouchers(limit: 1000) { items { redemptions { items { id } } } } }") ?? "",
      /more than 150 lists/,
    );
    assert.match(
      why("{ a: vouchers(limit: 6000) { items { id } } b: claims(limit: 6000) { items { id } } }") ?? "",
      /rows/,
    );
  });

  it("cannot hide its size in a variable, a default, a fragment, a page's other fields or many lists", () => {
    const byVariable = "query($n: Int = 1000) { vouchers(limit: $n) { items { redemptions { totalCount } } } }";
    assert.match(why(byVariable) ?? "", /lists/);
    assert.match(why(byVariable, { n: 900 }) ?? "", /lists/);
    assert.equal(why(byVariable, { n: 10 }), undefined);
    assert.match(why(byVariable, { n: -1 }) ?? "", /rows|lists/);
    const byFragment = `query { vouchers(limit: 1000) { ...page } } fragment page on voucherPage { items { ...row } }
      fragment row on voucher { redemptions { ... on redemptionPage { totalCount } } }`;
    assert.match(why(byFragment) ?? "", /lists/);
    const many = Array.from({ length: 11 }, (_, i) => `a${i}: vouchers(limit: 1) { totalCount }`).join(" ");
    assert.match(why(`{ ${many} }`) ?? "", /More than 10 lists/);
    assert.equal(why("query { ...a } fragment a on Query { ...b } fragment b on Query { ...a }"), undefined);
  });

  it("counts a list by its type, though only its type's name is asked for", () => {
    const outer = "certificates(limit: 1000) { items { vouchers(limit: 1000) { __typename } } }";
    assert.match(why(`{ ${outer} }`) ?? "", /lists/);
    assert.match(why("{ vouchers(limit: 1000) { items { a: redemptions { __typename } } } }") ?? "", /lists/);
    assert.match(
      why(
        "{ vouchers(limit: 1000) { items { ... { redemptions { ...t } } } } } fragment t on redemptionPage { __typename }",
      ) ?? "",
      /lists/,
    );
    const many = Array.from({ length: 11 }, (_, i) => `a${i}: vouchers(limit: 1) { __typename }`).join(" ");
    assert.match(why(`{ ${many} }`) ?? "", /More than 10 lists/);
  });

  it("may ask for all types, and for no types within types, which multiply without a database", () => {
    assert.equal(why(getIntrospectionQuery()), undefined);
    const nested = (depth: number, aliases: number): string =>
      depth === 0
        ? "name"
        : Array.from({ length: aliases }, (_, i) => `a${i}: fields { type { ${nested(depth - 1, aliases)} } }`).join(
            " ",
          );
    for (const root of ["__schema { types", '__type(name: "Query")', "... on Query { __schema { queryType"]) {
      const close = "}".repeat((root.match(/\{/g) ?? []).length);
      assert.equal(why(`{ ${root} { ${nested(1, 1)} } ${close} }`), undefined);
      assert.match(why(`{ ${root} { ${nested(2, 1)} } ${close} }`) ?? "", /by __type/);
      assert.match(why(`{ ${root} { ${nested(1, 31)} } ${close} }`) ?? "", /More than 30 lists of types/);
    }
    const hidden = `query { __schema { types { ...t } } } fragment t on __Type { fields { ...f } }
      fragment f on __Field { type { ... { possibleTypes { name } } } }`;
    assert.match(why(hidden) ?? "", /by __type/);
  });

  it("is weighed in no time, however it is written", () => {
    const layers = Array.from({ length: 60 }, (_, i) => `fragment f${i} on Query { ...f${i + 1} ...f${i + 1} }`).join(
      " ",
    );
    const begin = performance.now();
    for (const leaf of ["vouchers { items { id } }", "__typename"]) {
      assert.ok(why(`query { ...f0 } ${layers} fragment f60 on Query { ${leaf} }`));
    }
    assert.ok(performance.now() - begin < 1_000);
  });

  it("is a JSON object with a query, or none", () => {
    assert.deepEqual(questionOf('{"query":"{a}","variables":{"n":1}}'), { query: "{a}", variables: { n: 1 } });
    for (const text of ["", "[]", '[{"query":"{a}"}]', '{"query":1}', "null"])
      assert.equal(questionOf(text), undefined);
  });
});

describe("anonymous queries", () => {
  const settings = { atATime: 2, perAddressAtATime: 2, waiting: 3, perAddress: 4 };
  const { addressOf } = createRateLimit(100, "the word");

  function openServer(gives = false) {
    const finish: (() => void)[] = [];
    const app = new Hono();
    const { takeTurn, goAhead } = createTurns({ ...settings, gives }, addressOf, (c) => c.req.query("free") === "1");
    app.use("/slow", takeTurn);
    app.use("/trace", goAhead);
    app.get("/trace", async (c) => {
      await new Promise<void>((resolve) => finish.push(resolve));
      return c.text("traced");
    });
    app.get("/slow", async (c) => {
      await new Promise<void>((resolve) => finish.push(resolve));
      return c.text("done");
    });
    const ask = (address: string, query = "", headers = {}, signal?: AbortSignal) =>
      app.request(
        `/slow${query}`,
        { headers, ...(signal === undefined ? {} : { signal }) },
        { incoming: { socket: { remoteAddress: address } } },
      );
    return { ask, finish, app };
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it("take turns: so many at a time, so many of one address, so many waiting", async () => {
    const { ask, finish } = openServer();
    const own = Array.from({ length: 4 }, () => ask("10.0.0.1"));
    await turn();
    assert.equal(finish.length, 2);
    const fifth = await ask("10.0.0.1");
    assert.deepEqual([fifth.status, fifth.headers.get("retry-after")], [429, "1"]);
    const other = ask("10.0.0.2");
    await turn();
    assert.equal((await ask("10.0.0.3")).status, 503);
    const free = ask("10.0.0.3", "?free=1");
    await turn();
    assert.equal(finish.length, 3);
    for (let done = 0; done < 6; done += 1) {
      finish[done]?.();
      await turn();
      await turn();
    }
    for (const answer of await Promise.all([...own, other, free])) assert.equal(answer.status, 200);
    const again = ask("10.0.0.1");
    await turn();
    finish.at(-1)?.();
    assert.equal((await again).status, 200);
  });

  it("go to the caller that has used the least time, and leave a place next to slow ones", async () => {
    const queue = new FairQueue({ atATime: 3, perAsker: 2 });
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const add = (asker: string) =>
      queue.add(asker, async () => {
        begun.push(asker);
        await new Promise<void>((resolve) => ends.push(resolve));
      });
    const clock = mock.method(performance, "now", () => now);
    let now = 0;
    try {
      for (let i = 0; i < 6; i += 1) add("slow");
      assert.deepEqual([begun, queue.size], [["slow", "slow"], 4]);
      now = 5_000;
      for (const end of ends.splice(0)) end();
      await turn();
      assert.deepEqual(begun.splice(0), ["slow", "slow", "slow", "slow"]);
      // Another that is as slow gets no second place next to it.
      add("other");
      now = 15_000;
      ends.pop()?.();
      await turn();
      assert.deepEqual(begun.splice(0), ["other"]);
      for (let i = 0; i < 3; i += 1) add("other");
      add("quick");
      assert.deepEqual(begun.splice(0), ["quick"]);
      assert.equal(queue.size, 5);
      // Nobody has used anything yet: a caller that asks for one thing is before a caller that asks for many.
      const fresh = new FairQueue({ atATime: 1, perAsker: 1 });
      const order: string[] = [];
      const work = (asker: string) => async () => void order.push(asker);
      for (const asker of ["first", "many", "many", "many", "one"]) fresh.add(asker, work(asker));
      for (let i = 0; i < 5; i += 1) await turn();
      assert.deepEqual(order, ["first", "one", "many", "many", "many"]);
    } finally {
      clock.mock.restore();
    }
  });

  it("are not asked of the database when their client has left meanwhile", async () => {
    const { ask, finish } = openServer();
    const running = Array.from({ length: 2 }, () => ask("10.0.0.1"));
    const client = new AbortController();
    const waiting = ask("10.0.0.2", "", {}, client.signal);
    await turn();
    client.abort();
    for (const end of finish.splice(0)) end();
    await Promise.all(running);
    assert.equal((await waiting).status, 503);
    assert.equal(finish.length, 0);
  });

  it("let a trace that has begun come to its end first, where the database does one thing at a time", async () => {
    const { ask, finish, app } = openServer(true);
    const trace = app.request("/trace");
    await turn();
    const question = ask("10.0.0.1");
    await turn();
    assert.equal(finish.length, 1);
    finish[0]?.();
    assert.equal(await (await trace).text(), "traced");
    await turn();
    await turn();
    assert.equal(finish.length, 2);
    finish[1]?.();
    assert.equal((await question).status, 200);
  });

  it("are distinguished behind the API, only by its secret", async () => {
    const { ask, finish } = openServer();
    const by = (client: string, word: string) =>
      ask("127.0.0.1", "", { "x-hearth-client": client, "x-hearth-word": word });
    const own = Array.from({ length: 4 }, () => by("10.0.0.1", "the word"));
    await turn();
    assert.equal((await by("10.0.0.1", "the word")).status, 429);
    const other = by("10.0.0.2", "the word");
    await turn();
    for (let done = 0; done < 5; done += 1) {
      finish[done]?.();
      await turn();
      await turn();
    }
    for (const answer of await Promise.all([...own, other])) assert.equal(answer.status, 200);
    const claimed = Array.from({ length: 4 }, (_, i) => by(`10.0.1.${i}`, "another word"));
    await turn();
    assert.equal((await by("10.0.1.9", "another word")).status, 429);
    for (let done = 5; done < 9; done += 1) {
      finish[done]?.();
      await turn();
      await turn();
    }
    await Promise.all(claimed);
  });
});
