import assert from "node:assert/strict";
import { it } from "node:test";
import { Delegation } from "@ucanto/core";
import type { Delegation as DelegationView } from "@ucanto/interface";
import { Verifier } from "@ucanto/principal";
import { access, capability, Schema } from "@ucanto/validator";
import fc from "fast-check";
import { inSeconds, openCast, openTestAuthority } from "../../../test/support/files/ucan.ts";
import { isWithin } from "./paths.ts";
import { parseResource } from "./resource.ts";

const readFiles = capability({
  can: "fs/read",
  with: Schema.uri({ protocol: "vfs:" }),
  derives: (claim, proof) => {
    const [child, parent] = [parseResource(claim.with), parseResource(proof.with)];
    const within = child !== undefined && child.owner === parent?.owner && isWithin(parent.path, child.path);
    return within ? { ok: {} } : { error: new Error("The claim is wider.") as never };
  },
});

async function ucantoAccepts(token: string, authority: string): Promise<boolean> {
  const { ok: delegation } = await Delegation.extract(new Uint8Array(Buffer.from(token, "base64url")));
  if (delegation === undefined) return false;
  const result = await access(delegation as never, {
    capability: readFiles,
    authority: Verifier.parse(authority as `did:${string}:${string}`),
    principal: Verifier,
    canIssue: (claim, issuer) => parseResource(claim.with)?.owner === issuer,
    validateAuthorization: () => ({ ok: {} }),
  });
  return result.ok !== undefined;
}

const person = fc.constantFrom("owner", "alice", "bob", "mallory");
/** Mostly the owner: a chain that begins with somebody else tells little. */
const beginner = fc.oneof({ weight: 3, arbitrary: fc.constant("owner") }, { weight: 2, arbitrary: person });
const path = fc.constantFrom("/", "/docs", "/docs/a", "/docs2");
const can = fc.constantFrom("fs/read", "fs/read", "fs/*", "*", "fs/list");
const seconds = fc.constantFrom(3600, 3600, 3600, -3600);
const link = fc.record({ to: person, path, can, expires: seconds, starts: fc.constantFrom(0, 0, 3600) });

it("accepts no chain of links that ucanto's own validator refuses", async (t) => {
  const test = await openTestAuthority();
  t.after(() => test.close());
  const cast = await openCast(test.identity.keyDid);
  const keys = new Map(Object.entries({ owner: cast.owner, alice: cast.alice, bob: cast.bob, mallory: cast.mallory }));
  const keyOf = (name: string) => keys.get(name) ?? cast.owner;
  let [accepted, alike] = [0, 0];
  await fc.assert(
    fc.asyncProperty(beginner, fc.array(link, { maxLength: 3 }), path, async (first, links, used) => {
      let from = keyOf(first);
      let proofs: DelegationView[] = [];
      for (const { to, expires, starts, ...given } of links) {
        const times = { expiration: inSeconds(expires), ...(starts === 0 ? {} : { notBefore: inSeconds(starts) }) };
        const made = await cast.give(from, keyOf(to), { path: given.path, abilities: [given.can], proofs, ...times });
        proofs = [made];
        from = keyOf(to);
      }
      const token = await cast.bearer(from, { path: used, proofs });
      const ours = await test.authority.verifyBearer(`Bearer ${token}`).then(
        () => true,
        () => false,
      );
      const theirs = await ucantoAccepts(token, test.identity.keyDid);
      // Ours is stricter: every link must be valid, and claim no more than was given.
      assert.ok(theirs || !ours, "accepted what ucanto refuses");
      if (ours) accepted += 1;
      if (ours === theirs) alike += 1;
    }),
    { numRuns: 150 },
  );
  assert.ok(accepted > 10 && alike > 60, `too few cases tell something: ${accepted} accepted, ${alike} alike`);
});
