import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Access } from "./access.ts";
import { openCast, openTestAuthority, type TestAuthority } from "./testing.ts";

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

  it("takes a chain of two delegations", async () => {
    const one = await cast.give(cast.owner, cast.alice, { path: "/docs", abilities: ["fs/write"] });
    const two = await cast.give(cast.alice, cast.bob, { path: "/docs/a", proofs: [one] });
    const grant = await verify(await cast.bearer(cast.bob, { path: "/docs/a", proofs: [two] }));
    assert.equal(grant.invoker, cast.bob.did());
    assert.equal(grant.root, false);
    assert.deepEqual([...(grant.scopes[0]?.abilities ?? [])], ["fs/list", "fs/read"]);
  });
});
