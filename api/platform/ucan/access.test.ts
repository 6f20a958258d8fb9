import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Access } from "./access.ts";
import type { Ability, Grant, Scope } from "./grant.ts";

const nothing = { all: false, paths: [], cids: new Set<string>() };
const scope = (over: Partial<Scope> = {}): Scope => ({
  abilities: new Set<Ability>(["fs/list", "fs/read"]),
  path: "/",
  cids: null,
  hidden: nothing,
  ...over,
});
const access = (scopes: Scope[], over: Partial<Grant> = {}) =>
  new Access({
    owner: "did:key:owner",
    invoker: "did:key:invoker",
    tokenCid: "bafy",
    confirm: async () => {},
    expiresAt: new Date(0),
    scopes,
    root: false,
    ...over,
  });
const open = (path: string) => ({ path, hidden: false });
const hidden = (path: string) => ({ path, hidden: true });
const forbidden = { code: "FORBIDDEN" };

describe("Access", () => {
  it("refuses an ability that no capability has with 403, before anything else is known", () => {
    const ctx = access([scope()]);
    assert.throws(() => ctx.requireAbility("fs/write"), forbidden);
    assert.throws(() => ctx.requireSee("fs/write", undefined), forbidden);
    assert.throws(() => ctx.requireSee("fs/write", open("/a")), forbidden);
  });

  it("answers absent, out of scope and hidden alike", () => {
    const ctx: Access = access([scope({ path: "/docs" })]);
    const answers = [undefined, null, open("/docs2/a"), open("/other"), hidden("/docs/.a"), open("/")].map(
      (subject) => {
        try {
          ctx.requireSee("fs/read", subject);
          return "seen";
        } catch (error) {
          return JSON.stringify({ ...(error as object), message: (error as Error).message });
        }
      },
    );
    assert.equal(new Set(answers).size, 1);
    assert.match(answers[0] ?? "", /"code":"NOT_FOUND".*"details":\[\]/);
    ctx.requireSee("fs/read", open("/docs/a"));
  });

  it("shows the hidden only where its own capability reveals it", () => {
    const reveal = { ...nothing, paths: ["/a/.x"] };
    const ctx = access([
      scope({ path: "/a", hidden: reveal }),
      scope({ path: "/b", hidden: { ...nothing, all: true } }),
    ]);
    assert.ok(ctx.canSee("fs/read", hidden("/a/.x")));
    assert.ok(ctx.canSee("fs/read", hidden("/a/.x/y")));
    assert.ok(!ctx.canSee("fs/read", hidden("/a/.xy")));
    assert.ok(!ctx.canSee("fs/read", hidden("/a/.z")));
    assert.ok(ctx.canSee("fs/read", hidden("/b/.z")));
    assert.ok(!ctx.canSee("fs/read", hidden("/c/.z")));
  });

  it("does not lend one capability's path or reveal to another's ability", () => {
    const ctx = access([
      scope({ path: "/a" }),
      scope({ path: "/b", abilities: new Set<Ability>(["fs/delete"]), hidden: { ...nothing, all: true } }),
    ]);
    assert.ok(!ctx.canSee("fs/delete", open("/a/x")));
    assert.ok(!ctx.canSee("fs/read", hidden("/b/x")));
    assert.ok(ctx.canSee("fs/delete", hidden("/b/x")));
  });

  it("keeps a token bound to CIDs to the CID routes", () => {
    const ctx = access([scope({ cids: new Set(["aa"]) })]);
    assert.throws(() => ctx.requireAbility("fs/read"), forbidden);
    assert.throws(() => ctx.requireSee("fs/read", undefined), forbidden);
    assert.deepEqual(ctx.visibility("fs/read"), []);
    ctx.requireCid("aa");
    assert.throws(() => ctx.requireCid("bb"), forbidden);
    assert.ok(ctx.canSeeCid("aa", open("/x")));
    assert.ok(!ctx.canSeeCid("aa", hidden("/x")));
    assert.throws(() => access([scope({ cids: new Set() })]).requireCid("aa"), forbidden);
  });

  it("reveals hidden bytes by their CID for fetches by CID alone", () => {
    const ctx = access([scope({ hidden: { ...nothing, cids: new Set(["aa"]) } })]);
    assert.ok(ctx.canSeeCid("aa", hidden("/.x")));
    assert.ok(!ctx.canSeeCid("bb", hidden("/.x")));
    assert.ok(!ctx.canSee("fs/read", hidden("/.x")));
  });

  it("needs fs/read to fetch by CID", () => {
    const ctx = access([scope({ abilities: new Set<Ability>(["fs/list"]), cids: new Set(["aa"]) })]);
    assert.throws(() => ctx.requireCid("aa"), forbidden);
    assert.throws(() => ctx.visibleCids(), forbidden);
  });

  it("knows the owner's own token", () => {
    assert.throws(() => access([scope()]).requireOwner("fs/read"), forbidden);
    access([scope()], { root: true }).requireOwner("fs/read");
  });

  it("asks the owner's own token for the ability over the whole namespace", () => {
    const list = scope({ abilities: new Set<Ability>(["fs/list"]) });
    const reads = new Set<Ability>(["fs/list", "fs/read"]);
    assert.throws(() => access([list], { root: true }).requireOwner("fs/read"), forbidden);
    const below = access([list, scope({ abilities: reads, path: "/docs" })], { root: true });
    assert.throws(() => below.requireOwner("fs/read"), forbidden);
    access([list, scope({ abilities: reads })], { root: true }).requireOwner("fs/read");
  });
});
