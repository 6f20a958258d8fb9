import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { inSeconds, openCast, openTestAuthority, type TestAuthority } from "../../../test/support/files/ucan.ts";
import { AppError } from "../errors.ts";
import { abilities } from "./grant.ts";
import { generateKey, type MintOptions, mintToken } from "./mint.ts";
import { formatResource } from "./resource.ts";

type Cast = Awaited<ReturnType<typeof openCast>>;
type Given = Partial<MintOptions>;
/** What the answer must be: the grant's paths, or the code of the refusal and one of the rules it names. */
type Verdict = "accepted" | [code: string, rule: string];

const day = 24 * 3600;
const other = (ability: string) => (ability === "fs/delete" ? "fs/write" : "fs/delete");

/** owner → alice → bob → service; each link may differ from the plain one. */
async function chain({ owner, alice, bob, give, bearer }: Cast, one: Given, two: Given, last: Given): Promise<string> {
  const first = await give(owner, alice, one);
  const second = await give(alice, bob, { ...two, proofs: [first] });
  return bearer(bob, { ...last, proofs: [second] });
}

type Attack = [name: string, verdict: Verdict, mint: (cast: Cast, ability: string) => Promise<string>];

const times: Attack[] = [
  ["the owner's own token", "accepted", (cast, a) => cast.bearer(cast.owner, { abilities: [a] })],
  [
    "a chain of two delegations",
    "accepted",
    (c, a) => chain(c, { abilities: [a] }, { abilities: [a] }, { abilities: [a] }),
  ],
  [
    "expired within the tolerance",
    "accepted",
    (c, a) => c.bearer(c.owner, { abilities: [a], expiration: inSeconds(-55) }),
  ],
  ["expired", ["EXPIRED", "expiry"], (c, a) => c.bearer(c.owner, { abilities: [a], expiration: inSeconds(-61) })],
  [
    "too early within the tolerance",
    "accepted",
    (c, a) => c.bearer(c.owner, { abilities: [a], notBefore: inSeconds(55) }),
  ],
  ["too early", ["TOO_EARLY", "not-before"], (c, a) => c.bearer(c.owner, { abilities: [a], notBefore: inSeconds(70) })],
  [
    "infinite expiry",
    ["INVALID_TOKEN", "finite-expiry"],
    (c, a) => c.bearer(c.owner, { abilities: [a], expiration: Number.POSITIVE_INFINITY }),
  ],
  ["a life of a day", "accepted", (c, a) => c.bearer(c.owner, { abilities: [a], expiration: inSeconds(day) })],
  [
    "a life of more than a day",
    ["INVALID_TOKEN", "token-ttl"],
    (c, a) => c.bearer(c.owner, { abilities: [a], expiration: inSeconds(day + 90) }),
  ],
  [
    "a proof of a year",
    "accepted",
    (c, a) => chain(c, { abilities: [a], expiration: inSeconds(365 * day) }, { abilities: [a] }, { abilities: [a] }),
  ],
  [
    "an expired proof",
    ["EXPIRED", "expiry"],
    (c, a) => chain(c, { abilities: [a], expiration: inSeconds(-61) }, { abilities: [a] }, { abilities: [a] }),
  ],
  [
    "a proof that is too early",
    ["TOO_EARLY", "not-before"],
    (c, a) => chain(c, { abilities: [a] }, { abilities: [a], notBefore: inSeconds(70) }, { abilities: [a] }),
  ],
  [
    "a proof that never expires",
    ["INVALID_TOKEN", "finite-expiry"],
    (c, a) =>
      chain(c, { abilities: [a], expiration: Number.POSITIVE_INFINITY }, { abilities: [a] }, { abilities: [a] }),
  ],
];

const authority: Attack[] = [
  ["issued by another user", ["ESCALATION", "root-authority"], (c, a) => c.bearer(c.mallory, { abilities: [a] })],
  [
    "a chain that another user begins",
    ["ESCALATION", "root-authority"],
    async (c, a) => {
      const given = await c.give(c.mallory, c.alice, { abilities: [a] });
      return c.bearer(c.alice, { abilities: [a], proofs: [given] });
    },
  ],
  [
    "another user who shows somebody else's delegation",
    ["WRONG_AUDIENCE", "audience"],
    async (c, a) => {
      const given = await c.give(c.owner, c.alice, { abilities: [a] });
      return c.bearer(c.mallory, { abilities: [a], proofs: [given] });
    },
  ],
  [
    "a token for somebody else",
    ["WRONG_AUDIENCE", "audience"],
    (c, a) => c.bearer(c.owner, { abilities: [a], audience: c.mallory.did() }),
  ],
  [
    "a delegation of another namespace",
    ["ESCALATION", "root-authority"],
    async (c, a) => {
      const given = await c.give(c.mallory, c.alice, { abilities: ["*"], owner: c.mallory.did() });
      return c.bearer(c.alice, { abilities: [a], proofs: [given] });
    },
  ],
  [
    "capabilities of two owners",
    ["INVALID_TOKEN", "one-owner"],
    async (c, a) => {
      const { delegate, DID } = await import("@ucanto/core");
      const given = await c.give(c.owner, c.alice, { abilities: [a] });
      const { formatDelegation } = await import("./mint.ts");
      const resources = [formatResource(c.owner.did()), formatResource(c.alice.did())];
      const made = await delegate({
        issuer: c.alice,
        audience: DID.parse(c.audience as `did:web:${string}`),
        capabilities: resources.map((at) => ({ can: a as "fs/read", with: at })) as [
          { can: "fs/read"; with: `vfs://${string}` },
        ],
        expiration: inSeconds(600),
        proofs: [given],
      });
      return formatDelegation(made);
    },
  ],
  [
    "no capability over files",
    ["INVALID_TOKEN", "no-capability"],
    async (c) => {
      const { delegate, DID } = await import("@ucanto/core");
      const { formatDelegation } = await import("./mint.ts");
      const made = await delegate({
        issuer: c.owner,
        audience: DID.parse(c.audience as `did:web:${string}`),
        capabilities: [{ can: "store/add", with: c.owner.did() }],
        expiration: inSeconds(600),
      });
      return formatDelegation(made);
    },
  ],
  [
    "another ability than was given",
    ["ESCALATION", "ability-narrow"],
    (c, a) => chain(c, { abilities: [a] }, { abilities: [a] }, { abilities: [other(a)] }),
  ],
  [
    "all abilities under one",
    ["ESCALATION", "ability-narrow"],
    (c, a) => chain(c, { abilities: [a] }, { abilities: [a] }, { abilities: ["fs/*"] }),
  ],
  [
    "everything under all abilities of files",
    ["ESCALATION", "ability-narrow"],
    (c) => chain(c, { abilities: ["fs/*"] }, { abilities: ["*"] }, { abilities: ["fs/read"] }),
  ],
  [
    "the ability under everything",
    "accepted",
    (c, a) => chain(c, { abilities: ["*"] }, { abilities: ["fs/*"] }, { abilities: [a] }),
  ],
  [
    "an ability mid-chain that was not given, not even used",
    ["ESCALATION", "ability-narrow"],
    (c, a) => chain(c, { abilities: [a] }, { abilities: [a, other(a)] }, { abilities: [a] }),
  ],
];

const pathCase = (name: string, verdict: Verdict, given: string, used: string): Attack => [
  name,
  verdict,
  (c, a) => chain(c, { abilities: [a], path: given }, { abilities: [a], path: given }, { abilities: [a], path: used }),
];
const paths: Attack[] = [
  pathCase("a narrower path", "accepted", "/docs", "/docs/a/b"),
  pathCase("the same path", "accepted", "/docs", "/docs"),
  pathCase("a wider path", ["ESCALATION", "path-narrow"], "/docs/a", "/docs"),
  pathCase("the whole namespace", ["ESCALATION", "path-narrow"], "/docs", "/"),
  pathCase("a path that begins alike", ["ESCALATION", "path-narrow"], "/docs", "/docs2"),
  pathCase("another case", ["ESCALATION", "path-narrow"], "/docs", "/Docs/a"),
  pathCase("a path in another normal form", "accepted", "/caf\u00e9", "/cafe\u0301/menu"),
  pathCase("an encoded percent sign, which is decoded once", ["ESCALATION", "path-narrow"], "/docs/a", "/docs%2Fa"),
  pathCase("a path with dot segments", ["INVALID_TOKEN", "resource"], "/docs", "/docs/../secret"),
  pathCase("a path with an empty segment", ["INVALID_TOKEN", "resource"], "/docs", "/docs//a"),
];

const cid = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";
const otherCid = "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku";
const caveatCase = (name: string, verdict: Verdict, given: MintOptions["nb"], used: MintOptions["nb"]): Attack => [
  name,
  verdict,
  (c, a) => {
    const nb = (value: MintOptions["nb"]) => (value === undefined ? {} : { nb: value });
    return chain(
      c,
      { abilities: [a], ...nb(given) },
      { abilities: [a], ...nb(given) },
      { abilities: [a], ...nb(used) },
    );
  },
];
const caveats: Attack[] = [
  caveatCase("hidden files under a proof that says nothing", ["ESCALATION", "hidden-narrow"], undefined, {
    hidden: "*",
  }),
  caveatCase("a hidden path under a proof that says nothing", ["ESCALATION", "hidden-narrow"], {}, { hidden: ["/.x"] }),
  caveatCase("a hidden CID under a proof that says nothing", ["ESCALATION", "hidden-narrow"], {}, { hidden: cid }),
  caveatCase("hidden files under an empty list", ["ESCALATION", "hidden-narrow"], { hidden: [] }, { hidden: "/.x" }),
  caveatCase("everything hidden under one path", ["ESCALATION", "hidden-narrow"], { hidden: "/.x" }, { hidden: "*" }),
  caveatCase("the root under one path", ["ESCALATION", "hidden-narrow"], { hidden: "/.x" }, { hidden: ["/"] }),
  caveatCase("a hidden path that begins alike", ["ESCALATION", "hidden-narrow"], { hidden: "/.x" }, { hidden: "/.xy" }),
  caveatCase("a hidden CID under a path", ["ESCALATION", "hidden-narrow"], { hidden: "/.x" }, { hidden: [cid] }),
  caveatCase("a narrower hidden path", "accepted", { hidden: "/.x" }, { hidden: ["/.x/y"] }),
  caveatCase("nothing hidden under everything", "accepted", { hidden: "*" }, undefined),
  caveatCase("any hidden thing under everything", "accepted", { hidden: "/" }, { hidden: ["/.x", cid, "*"] }),
  caveatCase("a CID that was not given", ["ESCALATION", "cids-narrow"], { cids: [cid] }, { cids: [cid, otherCid] }),
  caveatCase("CIDs under an empty list", ["ESCALATION", "cids-narrow"], { cids: [] }, { cids: [cid] }),
  caveatCase("fewer CIDs", "accepted", { cids: [cid, otherCid] }, { cids: [otherCid] }),
  caveatCase("CIDs under no restriction", "accepted", undefined, { cids: [cid] }),
  caveatCase("CIDs left out, which are inherited", "accepted", { cids: [cid] }, undefined),
  caveatCase("a caveat that is not known", ["INVALID_TOKEN", "nb-unknown"], undefined, { maxSize: 5 }),
  caveatCase("a caveat mid-chain that is not known", ["INVALID_TOKEN", "nb-unknown"], { maxSize: 5 }, {}),
  caveatCase("CIDs that are none", ["INVALID_TOKEN", "nb-cids"], undefined, { cids: ["nonsense"] }),
  caveatCase("CIDs that are not a list", ["INVALID_TOKEN", "nb-cids"], undefined, { cids: cid }),
  caveatCase("hidden that is a truth value", ["INVALID_TOKEN", "nb-hidden"], undefined, { hidden: true }),
  caveatCase("hidden that is not a path", ["INVALID_TOKEN", "nb-hidden"], undefined, { hidden: "/a/../b" }),
];

for (const ability of abilities) {
  describe(`a bearer of ${ability}`, () => {
    let test: TestAuthority;
    let cast: Cast;
    before(async () => {
      test = await openTestAuthority();
      cast = await openCast(test.identity.did);
    });
    after(() => test.close());

    for (const [name, verdict, mint] of [...times, ...authority, ...paths, ...caveats]) {
      it(`is ${verdict === "accepted" ? "accepted" : `refused with ${verdict[0]}`}: ${name}`, async () => {
        const token = `Bearer ${await mint(cast, ability)}`;
        if (verdict === "accepted") {
          await test.authority.verifyBearer(token);
          return;
        }
        await assert.rejects(test.authority.verifyBearer(token), (error) => {
          assert.ok(error instanceof AppError);
          assert.equal(error.status, 401);
          assert.equal(error.code, verdict[0], JSON.stringify(error.details));
          assert.ok(
            error.details.some(({ rule }) => rule === verdict[1]),
            JSON.stringify(error.details),
          );
          return true;
        });
      });
    }

    it("is refused whole when a link is revoked, wherever it stands", async () => {
      for (const revoked of [0, 1, 2]) {
        const one = await cast.give(cast.owner, cast.alice, { abilities: [ability] });
        const two = await cast.give(cast.alice, cast.bob, { abilities: [ability], proofs: [one] });
        const token = await cast.bearer(cast.bob, { abilities: [ability], proofs: [two] });
        await test.authority.verifyBearer(`Bearer ${token}`);
        await test.revoke(token, revoked);
        await assert.rejects(test.authority.verifyBearer(`Bearer ${token}`), { code: "REVOKED" });
      }
    });

    it("serves once with a nonce", async () => {
      const token = `Bearer ${await cast.bearer(cast.owner, { abilities: [ability], nonce: crypto.randomUUID() })}`;
      await test.authority.verifyBearer(token);
      await assert.rejects(test.authority.verifyBearer(token), { code: "REPLAYED" });
    });

    it("is refused when its chain has more than eight links", async () => {
      const keys = await Promise.all(Array.from({ length: 8 }, generateKey));
      let proofs: MintOptions["proofs"] = [];
      let from = cast.owner;
      const tokens: string[] = [];
      for (const key of keys) {
        proofs = [await cast.give(from, key, { abilities: [ability], proofs })];
        from = key;
        tokens.push(
          await mintToken({
            issuer: key,
            audience: cast.audience,
            owner: cast.owner.did(),
            abilities: [ability],
            proofs,
          }),
        );
      }
      await test.authority.verifyBearer(`Bearer ${tokens[6]}`);
      await assert.rejects(test.authority.verifyBearer(`Bearer ${tokens[7]}`), (error: AppError) => {
        assert.deepEqual([error.code, error.details[0]?.rule], ["INVALID_TOKEN", "chain-length"]);
        return true;
      });
    });
  });
}
