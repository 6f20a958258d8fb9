import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import type { Hex } from "viem";
import type { DrawDocument, DrawDocumentGroup } from "../../api/scheme/campaigns/draw/document-schema.ts";
import { kptClaimIdOf } from "../../wire/src/ids.ts";
import type { ChainFacts } from "./chain-facts.ts";
import { checkDraw } from "./check-draw.ts";
import type { KnownAccounts } from "./known-accounts.ts";
import { commitmentFrom, drawnInOrder, frameRootOf, type GroupName, seedFrom } from "./recompute.ts";

const hashOf = (text: string): Hex => `0x${createHash("sha256").update(text).digest("hex")}`;
const leavesOf = (name: string) => Array.from({ length: 9 }, (_, i) => hashOf(`${name} ${i}`)).sort();
const leaves = { reference: leavesOf("r"), intervention: leavesOf("i") };
const roots = { reference: frameRootOf(leaves.reference), intervention: frameRootOf(leaves.intervention) };
const blockHash = hashOf("block 12");
const secrets = { operator: hashOf("operator's secret"), secondParty: hashOf("second party's secret") };
const seed = seedFrom({ blockHash, campaign: 3, roots, secrets });
const operator = "0x00000000000000000000000000000000000000A1";
const party = "0x00000000000000000000000000000000000000b2";
const contract = "0x00000000000000000000000000000000000000c1";

function claimAt(group: GroupName, position: number, blockNumber: number): ChainFacts["claims"][number] {
  const claim = String(kptClaimIdOf({ campaign: 3, group, position, number: 1 }));
  return { claim, group, position, ...placeAt(blockNumber) };
}

const placeAt = (blockNumber: number, logIndex = 0) => ({
  blockNumber,
  logIndex,
  transactionHash: hashOf(`transaction ${blockNumber}`),
});
const actAt = (blockNumber: number, account: string, round = 0) => ({ ...placeAt(blockNumber), round, account });

/** A draw by an earlier block that was discarded. */
const discarded = {
  round: 0,
  reason: "block-lost" as const,
  operator,
  secondParty: party,
  drawBlock: 9,
  seed: null,
};

/** A draw of three households each; one of the reference group was replaced, and three were measured. */
function trueFacts(): ChainFacts {
  return {
    format: "hearth-draw-facts-2",
    chainId: 31337,
    contract,
    campaign: 3,
    readAt: { blockNumber: 50, blockHash: hashOf("block 50") },
    status: "drawn",
    committed: {
      ...placeAt(8),
      campaignId: "KPT-3",
      sampleSize: 3,
      frames: {
        reference: { root: roots.reference, size: 9 },
        intervention: { root: roots.intervention, size: 9 },
      },
    },
    joined: [{ ...actAt(9, party), commitment: commitmentFrom(secrets.secondParty, party) }],
    opened: [{ ...actAt(10, operator), commitment: commitmentFrom(secrets.operator, operator), party, drawBlock: 12 }],
    revealed: [
      { ...actAt(13, operator), secret: secrets.operator },
      { ...actAt(14, party), secret: secrets.secondParty },
    ],
    withheld: [],
    discarded: [{ ...placeAt(10), ...discarded }],
    postponed: [],
    drawn: { ...placeAt(14, 1), drawBlock: 12, blockHash, seed, twoParties: true },
    drawBlockHash: blockHash,
    drawBlockTime: 1_700_000_000,
    replaced: [{ ...placeAt(20), group: "reference", dropped: 1, replacement: 3, reason: 3 }],
    claims: [claimAt("reference", 0, 15), claimAt("reference", 3, 21), claimAt("intervention", 2, 22)],
    drawnTo: { reference: 4, intervention: 3 },
  };
}

function groupOf(group: GroupName, drawn: number): DrawDocumentGroup {
  const isReplaced = (position: number) => group === "reference" && position === 1;
  const order = drawnInOrder(seed, group, leaves[group]).slice(0, drawn);
  return {
    root: roots[group],
    size: 9,
    leaves: [...leaves[group]],
    sample: order.map((leaf, position) => ({ position, leaf, status: isReplaced(position) ? "replaced" : "sampled" })),
    replacements:
      group === "reference"
        ? [{ dropped: 1, replacement: 3, reason: "moved", transactionHash: hashOf("transaction 20") }]
        : [],
  };
}

const documentAct = (blockNumber: number, account: string) => ({
  round: 0,
  account,
  blockNumber,
  transactionHash: hashOf(`transaction ${blockNumber}`),
});

function trueDocument(): DrawDocument {
  return {
    format: "hearth-draw-2",
    chainId: 31337,
    contract,
    campaignId: "KPT-3",
    campaign: 3,
    status: "drawn",
    sampleSize: 3,
    commit: { blockNumber: 8, transactionHash: hashOf("transaction 8"), drawBlock: 12 },
    parties: {
      committed: [
        { ...documentAct(10, operator), commitment: commitmentFrom(secrets.operator, operator) },
        { ...documentAct(9, party), commitment: commitmentFrom(secrets.secondParty, party) },
      ],
      revealed: [
        { ...documentAct(13, operator), secret: secrets.operator },
        { ...documentAct(14, party), secret: secrets.secondParty },
      ],
      withheld: [],
    },
    discarded: [{ ...discarded, blockNumber: 10, transactionHash: hashOf("transaction 10") }],
    serviceAccounts: [operator],
    draw: {
      drawBlock: 12,
      blockHash,
      blockTime: 1_700_000_000,
      seed,
      secrets,
      twoParties: true,
      blockNumber: 14,
      transactionHash: hashOf("transaction 14"),
    },
    groups: { reference: groupOf("reference", 4), intervention: groupOf("intervention", 3) },
  };
}

/** The sentences of what does not hold after a change. */
function faultsAfter(change: (document: DrawDocument, facts: ChainFacts) => void): string[] {
  const [document, facts] = [trueDocument(), trueFacts()];
  change(document, facts);
  return checkDraw(document, facts).flatMap(({ holds, sentence }) => (holds ? [] : [sentence]));
}

function expectFault(faults: string[], sentence: RegExp): void {
  assert.ok(
    faults.some((fault) => sentence.test(fault)),
    `${sentence} among:\n${faults.join("\n")}`,
  );
}

function requireItem<T>(item: T | undefined): T {
  if (item === undefined) throw new Error("The example lacks it.");
  return item;
}

/** The document once for each of its fields, with that field changed. */
function changesOf(document: DrawDocument): [path: string, changed: DrawDocument][] {
  const paths: (string | number)[][] = [];
  const collect = (value: unknown, path: (string | number)[]) => {
    if (value !== null && typeof value === "object") {
      for (const [key, inner] of Object.entries(value)) collect(inner, [...path, key]);
    } else paths.push(path);
  };
  collect(document, []);
  return paths.map((path) => {
    const changed = structuredClone(document);
    const owner = path
      .slice(0, -1)
      .reduce((at, key) => (at as Record<string, unknown>)[key] as object, changed as object);
    const key = path.at(-1) ?? "";
    const fields = owner as Record<string, unknown>;
    fields[key] = otherThan(fields[key]);
    return [path.join("."), changed];
  });
}

function otherThan(value: unknown): unknown {
  if (typeof value === "number") return value + 1;
  if (typeof value === "boolean") return !value;
  if (typeof value === "string" && value.startsWith("0x")) return hashOf(value).slice(0, value.length);
  return value === "sampled" ? "replaced" : value === "replaced" ? "sampled" : "absent";
}

describe("the check of a draw", () => {
  it("finds a true draw true, and says so of each part", () => {
    const findings = checkDraw(trueDocument(), trueFacts());
    assert.deepEqual(
      findings.filter(({ holds }) => !holds),
      [],
    );
    const said = findings.map(({ sentence }) => sentence).join("\n");
    for (const part of [
      /campaign KPT-3, number 3/,
      /9 households of the reference frame make the root that block 8 committed/,
      /No household is in both frames/,
      /before the hash of block 12, which drew, could be known/,
      /Both secrets were committed before block 12, and revealed after it/,
      /Neither the operator 0x[0-9a-zA-Z]{40} nor the second party 0x[0-9a-zA-Z]{40} could have chosen the draw alone/,
      /The seed 0x[0-9a-f]{64} follows/,
      /The 4 households drawn of the reference group are the first/,
      /1 households of the reference group were replaced/,
      /Each of the 3 claims on chain/,
    ]) {
      assert.match(said, part);
    }
  });

  it("takes no document's statement for who the second party is", () => {
    const faultsFor = (known: KnownAccounts, operators?: string[]) =>
      checkDraw(trueDocument(), { ...trueFacts(), operators }, known).flatMap(({ holds, sentence }) =>
        holds ? [] : [sentence],
      );
    assert.deepEqual(faultsFor({ serviceAccounts: [operator] }, []), []);
    assert.deepEqual(faultsFor({ secondParty: party.toUpperCase().replace("0X", "0x") }), []);
    expectFault(faultsFor({ serviceAccounts: [operator, party] }), /the service signs with both accounts/);
    expectFault(faultsFor({}, [party]), /both accounts, 0x\w+ and 0x\w+, have the operator's role/);
    expectFault(faultsFor({ secondParty: contract }), /The second party that you know is 0x\w+; 0x\w+ took part/);
  });

  it("finds a changed leaf", () => {
    const faults = faultsAfter(({ groups }) => {
      groups.reference.leaves[4] = hashOf("somebody else");
    });
    expectFault(faults, /reference frame's leaves make the root .* a household was changed, added or left out/);
  });

  it("finds a leaf left out, one named twice, and one in both frames", () => {
    expectFault(
      faultsAfter(({ groups }) => void groups.intervention.leaves.pop()),
      /intervention frame has 8 households; 9 were committed/,
    );
    const both = faultsAfter(({ groups }) => {
      groups.intervention.leaves[0] = requireItem(groups.reference.leaves[0]);
      groups.intervention.leaves[1] = requireItem(groups.intervention.leaves[2]);
    });
    expectFault(both, /is in both frames/);
    expectFault(both, /intervention frame names a household twice/);
  });

  it("finds a swapped member", () => {
    const faults = faultsAfter(({ groups }) => {
      const drawn = drawnInOrder(seed, "intervention", leaves.intervention);
      requireItem(groups.intervention.sample[1]).leaf = requireItem(drawn[7]);
    });
    expectFault(faults, /Position 1 of the intervention group is 0x[0-9a-f]{64} by the draw; the document says/);
  });

  it("finds a member left out, one that was never drawn, and a position named twice", () => {
    expectFault(
      faultsAfter(({ groups }) => void groups.intervention.sample.pop()),
      /Position 2 of the intervention group is missing/,
    );
    const more = faultsAfter(({ groups }) => {
      const { sample } = groups.intervention;
      sample.push({ position: 5, leaf: requireItem(leaves.intervention[0]), status: "sampled" });
      sample.push(requireItem(sample[0]));
    });
    expectFault(more, /Position 5 of the intervention group was never drawn/);
    expectFault(more, /names a position of the intervention group twice/);
  });

  it("finds another seed, in the document and on chain", () => {
    expectFault(
      faultsAfter(({ draw }) => {
        requireItem(draw ?? undefined).seed = hashOf("other");
      }),
      /The document's seed is 0x[0-9a-f]{64}; the chain has/,
    );
    const onChain = faultsAfter((document, { drawn }) => {
      requireItem(drawn ?? undefined).seed = hashOf("other");
      requireItem(document.draw ?? undefined).seed = hashOf("other");
    });
    expectFault(onChain, /The seed should be 0x/);
    expectFault(onChain, /by the draw; the document says/);
  });

  it("finds a draw by another block's hash, or by one that was known at the commit", () => {
    expectFault(
      faultsAfter((_, facts) => {
        facts.drawBlockHash = hashOf("block 12, really");
      }),
      /The draw used the hash 0x.*; block 12 has 0x/,
    );
    expectFault(
      faultsAfter((_, { opened }) => {
        requireItem(opened[0]).drawBlock = 10;
      }),
      /Block 10 set block 10 to draw, whose hash was known/,
    );
    expectFault(
      faultsAfter((_, facts) => {
        facts.postponed = [{ ...placeAt(30), drawBlock: 12 }];
      }),
      /Block 30 set block 12 to draw, whose hash was known/,
    );
  });

  it("recognises a postponed draw", () => {
    const faults = faultsAfter((_, facts) => {
      requireItem(facts.opened[0]).drawBlock = 11;
      facts.postponed = [{ ...placeAt(11), drawBlock: 12 }];
    });
    assert.deepEqual(faults, []);
  });

  it("names each draw that was discarded, and each campaign that had one of the frames drawn", () => {
    const [document, facts] = [trueDocument(), trueFacts()];
    facts.sameFrame = [{ campaign: 2, group: "intervention", status: "abandoned", drawBlock: 6 }];
    const told = checkDraw(document, facts).flatMap(({ holds, sentence }) => (holds ? [sentence] : []));
    const wanted = [
      /Block 10 discarded the draw of round 0 by block 9, by 0x0+A1 and 0x0+b2, which was not complete: nobody revealed/,
      /Campaign number 2 has this intervention frame, too: its draw block is 6, its status abandoned/,
    ];
    for (const sentence of wanted)
      assert.ok(
        told.some((each) => sentence.test(each)),
        `${sentence} in ${told}`,
      );
    const hidden = faultsAfter((shown) => void delete shown.discarded);
    expectFault(
      hidden,
      /The document lacks a discarded draw: 0x0+a1 in round 0, block-lost 0x0+b2 9 no seed, block 10/,
    );
    const invented = faultsAfter((_, chain) => {
      chain.discarded = [];
    });
    expectFault(invented, /The chain has no such discarded draw/);
  });

  it("names the party that could have chosen the draw alone", () => {
    const alone = faultsAfter((document, facts) => {
      const own = seedFrom({ blockHash, campaign: 3, roots, secrets: { ...secrets, secondParty: null } });
      Object.assign(requireItem(facts.drawn ?? undefined), { seed: own, twoParties: false });
      requireItem(facts.opened[0]).party = null;
      facts.joined = [];
      facts.revealed.pop();
      document.parties.committed.pop();
      document.parties.revealed.pop();
    });
    expectFault(alone, /One party alone could have chosen the draw: the operator 0x0+A1 had the only secret/);
    const bothOwn = faultsAfter(({ serviceAccounts }) => void serviceAccounts.push(party));
    expectFault(bothOwn, /One party alone could have chosen the draw: the service signs with both accounts/);
    const again = faultsAfter((_, facts) => {
      for (const acts of [facts.joined, facts.opened, facts.revealed]) for (const act of acts) act.round = 1;
      facts.opened.unshift({ ...requireItem(facts.opened[0]), ...actAt(8, operator), drawBlock: 9 });
      facts.withheld = [actAt(9, operator)];
    });
    expectFault(again, /the operator 0x0+A1 withheld its secret in round 0 and so got another draw/);
    expectFault(again, /The contract says that two parties drew; its events do not/);
  });

  it("finds a secret that was not committed, was known before the draw block, or is missing", () => {
    const other = faultsAfter((_, { revealed }) => {
      requireItem(revealed[1]).secret = hashOf("other");
    });
    expectFault(other, /The secret of 0x0+b2 is not the one that it had committed to/);
    expectFault(other, /The seed should be/);
    const early = faultsAfter((_, { revealed }) => {
      requireItem(revealed[0]).blockNumber = 12;
    });
    expectFault(early, /The secret of 0x0+A1 was known in block 12, before the draw block was over/);
    const missing = faultsAfter((_, { revealed }) => void revealed.pop());
    expectFault(missing, /0x0+b2 revealed no secret in the last round/);
    const late = faultsAfter((_, { joined }) => {
      requireItem(joined[0]).blockNumber = 11;
    });
    expectFault(late, /0x0+b2 joined after the opening/);
  });

  it("compares every field of the document with the chain", () => {
    const changed = changesOf(trueDocument());
    assert.ok(changed.length > 60, `${changed.length}`);
    for (const [path, document] of changed) {
      const faults = checkDraw(document, trueFacts()).filter(({ holds }) => !holds);
      // The service's own accounts are its statement; the chain has nothing to compare them with.
      if (path.startsWith("serviceAccounts") || path === "format") continue;
      assert.ok(faults.length > 0, `${path} can be changed`);
    }
  });

  it("finds a wrong replacement, in the document and on chain", () => {
    const inDocument = faultsAfter(({ groups }) => {
      requireItem(groups.reference.replacements[0]).dropped = 2;
      requireItem(groups.reference.sample[1]).status = "sampled";
    });
    expectFault(
      inDocument,
      /The document replaces position 2 by 3 \(moved\) in the reference group; the chain does not/,
    );
    expectFault(inDocument, /The chain replaces position 1 by 3 \(moved\)/);
    expectFault(inDocument, /Position 1 of the reference group is not sampled/);
    const onChain = faultsAfter((_, { replaced }) => {
      Object.assign(requireItem(replaced[0]), { dropped: 7, replacement: 5 });
    });
    expectFault(onChain, /Position 7 of the reference group was replaced by 5; 3 came next/);
    expectFault(onChain, /Position 7 of the reference group was replaced when it was not in the sample/);
  });

  it("finds a node that leaves a replacement out", () => {
    const faults = faultsAfter((_, facts) => {
      facts.replaced = [];
    });
    expectFault(faults, /The contract has drawn 4 of the reference group; its events tell of 3/);
  });

  it("finds claims whose position the sample lacks, was not drawn, or had been replaced", () => {
    const missing = faultsAfter(({ groups }) => {
      groups.intervention.sample = groups.intervention.sample.filter(({ position }) => position !== 2);
    });
    expectFault(missing, /Claim KPT-\S+ is of position 2 of the intervention group, which the document's sample lacks/);
    const undrawn = faultsAfter((_, { claims }) => {
      claims.push(claimAt("intervention", 3, 30), claimAt("reference", 3, 16), claimAt("reference", 1, 30));
    });
    expectFault(undrawn, /is of position 3 of the intervention group, which was not drawn/);
    expectFault(undrawn, /is of position 3 of the reference group, which was not drawn/);
    expectFault(undrawn, /is of position 1 of the reference group, which had been replaced/);
    expectFault(
      faultsAfter((_, { claims }) => void claims.push(claimAt("reference", 2, 13))),
      /is of position 2 of the reference group and older than the draw/,
    );
  });

  it("finds a document of another campaign", () => {
    const faults = faultsAfter((document) => {
      Object.assign(document, { campaignId: "KPT-4", contract: hashOf("x").slice(0, 42), sampleSize: 2 });
    });
    expectFault(faults, /campaign id is KPT-4; the chain has KPT-3/);
    expectFault(faults, /The document's contract is 0x/);
    expectFault(faults, /The document's sample size is 2/);
  });

  it("verifies nothing before the draw", () => {
    const faults = faultsAfter((document, facts) => {
      document.draw = null;
      facts.drawn = null;
    });
    assert.deepEqual(faults, ["The campaign has not been drawn: there is no sample to verify."]);
  });

  it("tells the first faults of a kind and counts the rest", () => {
    const faults = faultsAfter(({ groups }) => {
      for (const each of groups.reference.sample) each.leaf = hashOf(`wrong ${each.position}`);
      groups.reference.sample.push(
        ...[20, 21, 22].map((position) => ({ position, leaf: hashOf("x"), status: "sampled" as const })),
      );
    });
    expectFault(faults, /… and 2 more of this kind/);
  });
});
