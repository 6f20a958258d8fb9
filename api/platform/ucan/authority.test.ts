import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openCast, openTestAuthority, type TestAuthority } from "../../../test/support/files/ucan.ts";
import { Access } from "./access.ts";

describe("bearer tokens", () => {
  let test: TestAuthority;
  let cast: Awaited<ReturnType<typeof openCast>>;
  before(async () => {
    test = await openTestAuthority();
    cast = await openCast(test.identity.did);
  });
  after(() => test.close());
  const verify = (token: string) => test.authority.verifyBearer(`Bearer ${token}`);

  it("gives the owner what its own token says", async () => {
    const grant = await verify(await cast.bearer(cast.owner, { abilities: ["fs/*"] }));
    assert.equal(grant.owner, cast.owner.did());
    assert.equal(grant.invoker, cast.owner.did());
    assert.equal(grant.root, true);
    new Access(grant).requireAbility("fs/delete");
  });

  it("accepts a chain of two delegations", async () => {
    const one = await cast.give(cast.owner, cast.alice, { path: "/docs", abilities: ["fs/write"] });
    const two = await cast.give(cast.alice, cast.bob, { path: "/docs/a", proofs: [one] });
    const grant = await verify(await cast.bearer(cast.bob, { path: "/docs/a", proofs: [two] }));
    assert.equal(grant.invoker, cast.bob.did());
    assert.equal(grant.root, false);
    assert.deepEqual([...(grant.scopes[0]?.abilities ?? [])], ["fs/list", "fs/read"]);
  });

  it("knows the owner's own token by who issued it, the whole namespace and no CIDs, whatever its abilities", async () => {
    const given = await cast.give(cast.owner, cast.alice, { abilities: ["fs/*"] });
    const cids = ["bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e"];
    const rootOf = async (token: Promise<string>) => (await verify(await token)).root;
    assert.equal(await rootOf(cast.bearer(cast.owner, { abilities: ["*"] })), true);
    assert.equal(await rootOf(cast.bearer(cast.owner, { abilities: ["fs/*"], nb: { hidden: "*" } })), true);
    assert.equal(await rootOf(cast.bearer(cast.alice, { abilities: ["fs/*"], proofs: [given] })), false);
    assert.equal(await rootOf(cast.bearer(cast.owner, { abilities: ["fs/list", "fs/write"] })), true);
    assert.equal(await rootOf(cast.bearer(cast.owner, { abilities: ["fs/*"], path: "/docs" })), false);
    assert.equal(await rootOf(cast.bearer(cast.owner, { abilities: ["fs/*"], nb: { cids } })), false);
  });

  it("names the agent's run and tool call from the bearer's facts, when they are texts that can be kept", async () => {
    const agentOf = async (fact: Record<string, unknown>) =>
      (await verify(await cast.bearer(cast.owner, { facts: [fact] }))).agent;
    assert.deepEqual(await agentOf({ runId: "run-1", toolCallId: "call-2" }), { runId: "run-1", toolCallId: "call-2" });
    for (const runId of [5, "", "a\0b", "x".repeat(257)]) assert.equal(await agentOf({ runId }), undefined);
  });

  it("serves from its cache until the token expires, and not longer", async () => {
    const now = () => Math.floor(test.clock.now().getTime() / 1000);
    const token = await cast.bearer(cast.owner, { expiration: now() + 600 });
    const first = await verify(token);
    assert.equal(await verify(token), first);
    test.clock.skip(655_000);
    assert.equal(await verify(token), first);
    test.clock.skip(10_000);
    await assert.rejects(verify(token), { code: "EXPIRED" });
  });

  it("gives several capabilities side by side, each with its own path and caveats", async () => {
    const one = await cast.give(cast.owner, cast.alice, {
      path: "/a",
      abilities: ["fs/read"],
      nb: { hidden: "/a/.x" },
    });
    const two = await cast.give(cast.owner, cast.alice, { path: "/b", abilities: ["fs/write"] });
    const access = new Access(
      await verify(
        await cast.bearer(cast.alice, { path: "/b/c", abilities: ["fs/list", "fs/write"], proofs: [one, two] }),
      ),
    );
    assert.ok(access.canSee("fs/write", { path: "/b/c/d", hidden: false }));
    assert.ok(!access.canSee("fs/list", { path: "/a", hidden: false }));
  });
});
