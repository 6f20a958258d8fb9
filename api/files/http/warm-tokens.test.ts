import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestHttp } from "../../../test/support/files/http.ts";
import { openTwoProcesses } from "../../../test/support/files/two-processes.ts";
import { mintToken } from "../../platform/ucan/index.ts";
import { formatDelegation, generateKey, type Key, mintDelegation } from "../../platform/ucan/mint.ts";

/*
 * Two processes that know their callers' tokens already, while many requests come at the same moment: these share the query of what
 * is revoked.
 */
let close: () => Promise<void>;
let processes: TestHttp[] = [];
let skippedMs = 0;
let service: string;
let owner: Key;
let id: string;
before(async () => {
  const clock = { now: () => new Date(Date.now() + skippedMs) };
  const opened = await openTwoProcesses({ clock });
  close = opened.close;
  const first = opened.one;
  processes = [first, opened.two];
  service = first.deps.files.identity.did;
  owner = first.owner;
  id = (await (await first.fs("POST", "/files?path=/shared/a.txt", { body: "private" })).json()).id;
});
after(() => close?.());

async function delegate() {
  const friend = await generateKey();
  const common = { owner: owner.did(), abilities: ["fs/read" as const], path: "/shared" };
  const given = await mintDelegation({ issuer: owner, audience: friend.did(), ...common });
  const token = await mintToken({ issuer: friend, audience: service, proofs: [given], ...common });
  return { given, token };
}

/** Ask both processes for the file at the same moment, several times with each token. */
async function ask(tokens: readonly string[], path = `/files/${id}/content`): Promise<string[][]> {
  const once = async (http: TestHttp, token: string) => {
    const answer = await http.fs("GET", path, { as: `Bearer ${token}` });
    const text = await answer.text();
    return answer.status === 200 ? text : `${answer.status} ${JSON.parse(text).code}`;
  };
  const answers = processes.flatMap((http) =>
    Array.from({ length: 6 }, () => Promise.all(tokens.map((token) => once(http, token)))),
  );
  return await Promise.all(answers);
}

const all = (answers: string[][], expected: string[]) => {
  for (const answer of answers) assert.deepEqual(answer, expected);
};

test("refuses a revoked token immediately in both processes, and continues to serve the others", async () => {
  const [ended, other] = [await delegate(), await delegate()];
  const tokens = [ended.token, other.token];
  all(await ask(tokens), ["private", "private"]);
  const body = JSON.stringify({ cid: ended.given.cid.toString(), token: await formatDelegation(ended.given) });
  const as = `Bearer ${await mintToken({ issuer: owner, audience: service, abilities: ["fs/*"] })}`;
  const revoked = await processes[0]?.fs("POST", "/revocations", { as, body });
  assert.equal(revoked?.status, 201);
  all(await ask(tokens), ["401 REVOKED", "private"]);
});

test("refuses a token that was altered, or whose proof was, next to the warm one", async () => {
  const { token } = await delegate();
  all(await ask([token]), ["private"]);
  const bytes = Buffer.from(token, "base64");
  const altered = [40, Math.floor(bytes.length / 2), bytes.length - 20].map((at) => {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    return changed.toString("base64");
  });
  const answers = await ask([token, ...altered]);
  for (const [whole, ...others] of answers) {
    assert.equal(whole, "private");
    for (const other of others) assert.match(other, /^401 /);
  }
});

test("shows nothing of the file to the token of another key, as of a file that there is not", async () => {
  const stranger = await generateKey();
  const foreign = await mintToken({ issuer: stranger, audience: service, abilities: ["fs/*"] });
  const { token } = await delegate();
  all(await ask([token, foreign]), ["private", "404 NOT_FOUND"]);
  all(await ask([token, foreign], "/files/01ARZ3NDEKTSV4RRFFQ69G5FAV/content"), ["404 NOT_FOUND", "404 NOT_FOUND"]);
});

test("serves a single-use token to one of many simultaneous requests", async () => {
  const facts = [{ nonce: crypto.randomUUID() }];
  const token = await mintToken({ issuer: owner, audience: service, abilities: ["fs/read"], facts });
  const answers = (await ask([token])).flat();
  assert.equal(answers.filter((answer) => answer === "private").length, 1);
  assert.equal(answers.filter((answer) => answer === "401 REPLAYED").length, answers.length - 1);
});

test("refuses a warm token when it has expired", async () => {
  const expiration = Math.floor(Date.now() / 1000) + 600;
  const token = await mintToken({ issuer: owner, audience: service, abilities: ["fs/read"], expiration });
  all(await ask([token]), ["private"]);
  skippedMs = 700_000;
  all(await ask([token]), ["401 EXPIRED"]);
  skippedMs = 0;
});
