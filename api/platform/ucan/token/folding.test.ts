import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Access } from "../access.ts";
import { parseCid } from "../cid.ts";
import { abilities } from "../grant.ts";
import { isDotPath } from "../paths.ts";
import { formatResource } from "../resource.ts";
import { deriveScopes } from "./capabilities.ts";
import { type Link, linksAbove } from "./delegation-chain.ts";

const owner = "did:key:owner";
const cids = [
  "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e",
  "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku",
  "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy",
];
const keys = cids.map((cid) => parseCid(cid).key);
const folders = ["/", "/a", "/a/b", "/a/.h", "/ab", "/c"];
const files = ["/a", "/a/b", "/a/b/x", "/a/.h/y", "/ab/z", "/c", "/.t"];

type Capability = { can: string; with: string; nb?: { cids?: string[]; hidden?: string[] } };

const nb = fc.record(
  {
    cids: fc.subarray(cids),
    hidden: fc.subarray(["*", "/", "/a", "/a/.h", "/.t", "/c", ...cids]),
  },
  { requiredKeys: [] },
);
const capability: fc.Arbitrary<Capability> = fc
  .record({
    can: fc.constantFrom("*", "fs/*", ...abilities),
    path: fc.constantFrom(...folders),
    nb: fc.option(nb, { nil: undefined }),
  })
  .map(({ can, path, nb: given }) => ({
    can,
    with: formatResource(owner, path),
    ...(given === undefined ? {} : { nb: given }),
  }));

/** What each link adds to the one above: some of its capabilities as they are, narrower ones, or anything. */
const step = fc.record({
  kept: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
  change: fc.constantFrom("none", "nb", "path", "can", "any"),
  fresh: fc.array(capability, { minLength: 1, maxLength: 2 }),
  /** A second proof of the same chain. */
  second: fc.option(fc.nat(), { nil: undefined }),
});

function toLink(place: number, issuer: string, capabilities: Capability[], proofs: Link[]): Link {
  const unused = {
    identity: "",
    signedText: "",
    signature: { code: 0, raw: new Uint8Array() },
    audience: "",
    facts: [],
  };
  const times = { expiration: 0, notBefore: undefined };
  const proofCids = proofs.map(({ cid }) => cid);
  return {
    ...unused,
    ...times,
    cid: `link-${place}`,
    issuer,
    claims: capabilities,
    place: `${place}`,
    proofCids,
    proofs,
  };
}

function change(parent: Capability, kind: string, fresh: Capability): Capability {
  if (kind === "none") return parent;
  if (kind === "any") return fresh;
  if (kind === "path") return { ...parent, with: fresh.with };
  if (kind === "can") return { ...parent, can: fresh.can };
  const { nb: _, ...bare } = parent;
  return fresh.nb === undefined ? bare : { ...bare, nb: fresh.nb };
}

function buildChain(first: Capability[], steps: (typeof step extends fc.Arbitrary<infer S> ? S : never)[]): Link[] {
  const links = [toLink(0, owner, first, [])];
  for (const { kept, change: kind, fresh, second } of steps) {
    const above = links.at(-1) as Link;
    const given = above.claims as Capability[];
    const own = kept.map((index) =>
      change(given[index % given.length] as Capability, kind, fresh[index % fresh.length] as Capability),
    );
    const other = second === undefined ? undefined : links[second % links.length];
    const proofs = other === undefined || other === above ? [above] : [above, other];
    links.push(toLink(links.length, `did:key:${links.length}`, own, proofs));
  }
  return links;
}

/** Everything that the link's bearer may do in a small world, as text; undefined when it is refused. */
function reachOf(link: Link): Set<string> | undefined {
  const { scopes, problems } = deriveScopes({ bearer: link, links: linksAbove(link) });
  if (problems.length > 0) return undefined;
  const grant = {
    owner,
    invoker: "",
    tokenCid: "",
    expiresAt: new Date(0),
    root: false,
    scopes,
    confirm: async () => {},
  };
  const access = new Access(grant);
  const reach = new Set<string>();
  for (const path of files) {
    for (const hidden of isDotPath(path) ? [true] : [false, true]) {
      for (const ability of abilities) {
        if (access.canSee(ability, { path, hidden })) reach.add(`${ability} ${path} ${hidden}`);
      }
      for (const key of [...keys, "1220ff"]) {
        if (access.canSeeCid(key, { path, hidden })) reach.add(`${key} ${path} ${hidden}`);
      }
    }
  }
  return reach;
}

describe("folding capabilities along a chain", () => {
  it("never lets a child see or do more than its proofs together", () => {
    let accepted = 0;
    let narrower = 0;
    const first = fc.array(capability, { minLength: 1, maxLength: 3 });
    const steps = fc.array(step, { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(first, steps, (root, grown) => {
        for (const link of buildChain(root, grown).slice(1)) {
          const reach = reachOf(link);
          if (reach === undefined) continue;
          const above = link.proofs.map(reachOf);
          assert.ok(
            above.every((each) => each !== undefined),
            "a refused proof under an accepted child",
          );
          const given = new Set(above.flatMap((each) => [...(each ?? [])]));
          const extra = [...reach].filter((each) => !given.has(each));
          assert.deepEqual(extra, []);
          accepted += 1;
          if (reach.size < given.size && reach.size > 0) narrower += 1;
        }
      }),
      { numRuns: process.env.HEARTH_LONG === "1" ? 100_000 : 600 },
    );
    assert.ok(
      accepted > 200 && narrower > 30,
      `too few cases were accepted: ${accepted}, ${narrower} of them narrower`,
    );
  });

  it("accepts anyone who hands on exactly what was given, with its caveats", () => {
    fc.assert(
      fc.property(fc.array(capability, { minLength: 1, maxLength: 3 }), (root) => {
        const above = toLink(0, owner, root, []);
        const child = toLink(1, "did:key:1", root, [above]);
        assert.deepEqual(reachOf(child), reachOf(above));
      }),
      { numRuns: 500 },
    );
  });

  it("refuses a child that reveals hidden files which its proof keeps silent about", () => {
    const given = toLink(0, owner, [{ can: "fs/read", with: formatResource(owner), nb: {} }], []);
    for (const hidden of [["*"], ["/a"], [cids[0] as string]]) {
      const child = toLink(1, "did:key:1", [{ can: "fs/read", with: formatResource(owner), nb: { hidden } }], [given]);
      assert.equal(reachOf(child), undefined);
    }
  });
});
