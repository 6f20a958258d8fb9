import { Delegation } from "@ucanto/core";
import { Verifier } from "@ucanto/principal";
import { access, capability, Schema } from "@ucanto/validator";
import type { OpenAuthority } from "../api/platform/ucan/authority.ts";
import { parseResource } from "../api/platform/ucan/resource.ts";
import { openCast, openTestAuthority } from "../test/support/files/ucan.ts";
import { type Figure, ratioFigure } from "./figures.ts";

/**
 * Validations per second of bearer tokens with a chain of three links, on the embedded database: new tokens, compared
 * with ucanto's validator (which checks less: no CIDs, caveats or revocations), then the same tokens from the cache.
 */
export async function benchTokenValidation(seconds: number): Promise<Figure[]> {
  const test = await openTestAuthority();
  try {
    const cast = await openCast(test.identity.did);
    const one = await cast.give(cast.owner, cast.alice, { path: "/docs" });
    const two = await cast.give(cast.alice, cast.bob, { path: "/docs/a", proofs: [one] });
    const mint = () => cast.bearer(cast.bob, { path: "/docs/a", proofs: [two] });
    const tokens = await Promise.all(Array.from({ length: 200 }, mint));
    const known = test.reopen();
    for (const token of tokens) await verify(known, token);
    const spent = { fresh: 0, cached: 0, ucanto: 0 };
    let rounds = 0;
    while (spent.fresh + spent.cached + spent.ucanto < seconds * 1000) {
      // An authority that has not cached any of the tokens.
      const unknown = test.reopen();
      spent.fresh += await timed(tokens, (token) => verify(unknown, token));
      spent.cached += await timed(tokens, (token) => verify(known, token));
      spent.ucanto += await timed(tokens, verifyByUcanto);
      rounds += 1;
    }
    const rate = (milliseconds: number) => (rounds * tokens.length * 1000) / milliseconds;
    const reference = { name: "ucanto's validator", value: rate(spent.ucanto) };
    return [
      ratioFigure("token validations/s, 3 links", rate(spent.fresh), "/s", reference, 1),
      ratioFigure(
        "token validations/s, cached",
        rate(spent.cached),
        "/s",
        { name: "fresh", value: rate(spent.fresh) },
        20,
      ),
    ];
  } finally {
    await test.close();
  }
}

async function verify(authority: OpenAuthority, token: string): Promise<void> {
  await authority.verifyBearer(`Bearer ${token}`);
}

const readFiles = capability({
  can: "fs/read",
  with: Schema.uri({ protocol: "vfs:" }),
  derives: (claim, proof) => (claim.with.startsWith(proof.with) ? { ok: {} } : { error: new Error("wider") as never }),
});

async function verifyByUcanto(token: string): Promise<void> {
  const { ok: delegation, error } = await Delegation.extract(new Uint8Array(Buffer.from(token, "base64url")));
  if (delegation === undefined) throw error;
  const result = await access(delegation as never, {
    capability: readFiles,
    // Every issuer is a did:key, so the authority is never used.
    authority: Verifier.parse(delegation.issuer.did()),
    principal: Verifier,
    canIssue: (claim, issuer) => parseResource(claim.with)?.owner === issuer,
    validateAuthorization: () => ({ ok: {} }),
  });
  if (result.error) throw result.error;
}

async function timed(tokens: string[], check: (token: string) => Promise<void>): Promise<number> {
  const begin = performance.now();
  for (const token of tokens) await check(token);
  return performance.now() - begin;
}
