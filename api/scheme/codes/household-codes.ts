import { setImmediate as nextTurn } from "node:timers/promises";
import { and, asc, eq, gt, gte, inArray, lt } from "drizzle-orm";
import type { Hex } from "viem";
import { BoundedCache } from "../../platform/bounded-cache.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db/index.ts";
import { sealedColumns } from "../../platform/sealed-columns.ts";
import { createSecretBox, type SealingKeys, type SecretBox } from "../../platform/secret-box.ts";
import { codeAddress, codesOf, newSeed } from "./secrets.ts";
import { type CodeSetRow, codeSets, codeTrees } from "./tables.ts";
import type { CodeTree } from "./tree.ts";

export const sealedCodeColumns = sealedColumns(codeSets, "code", ["sealedSeed"]);

export type NewCodeSet = Omit<CodeSetRow, "sealedSeed" | "createdAt">;

/** Which households a tree has, and what is committed for them. */
export type TreePlace = { root: Hex; firstLeaf: number; households: number[] };

/**
 * One-time codes of households. The database holds the addresses of the codes' keys, and a seed that is sealed until the
 * papers are handed out. So its copy alone redeems nothing.
 */
export class HouseholdCodes {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #box: SecretBox;
  /** Trees by root; one takes about 600 kB. */
  readonly #trees = new BoundedCache<Hex, CodeTree>(16);

  constructor({ db, clock, sealingKeys }: { db: Database; clock: Clock; sealingKeys: SealingKeys }) {
    this.#db = db;
    this.#clock = clock;
    this.#box = createSecretBox(sealingKeys, "code");
  }

  /** Create a set with a new seed, unless it exists. */
  async create(set: NewCodeSet): Promise<CodeSetRow> {
    const row = { ...set, sealedSeed: this.#box.seal(newSeed()), createdAt: this.#clock.now() };
    await this.#db.insert(codeSets).values(row).onConflictDoNothing();
    const stored = await this.set(set.codeSetId);
    if (stored === null) throw new Error(`The code set ${set.codeSetId} was not stored.`);
    return stored;
  }

  async set(codeSetId: string): Promise<CodeSetRow | null> {
    return (await this.#db.select().from(codeSets).where(eq(codeSets.codeSetId, codeSetId)))[0] ?? null;
  }

  /** The set whose codes have this root; null for codes that the service did not make. */
  async setOfRoot(root: Hex): Promise<CodeSetRow | null> {
    const [tree] = await this.#db
      .select({ codeSetId: codeTrees.codeSetId })
      .from(codeTrees)
      .where(eq(codeTrees.root, root));
    return tree === undefined ? null : this.set(tree.codeSetId);
  }

  /** The address that is committed for a code, as bytes. */
  keyOf(code: string): Uint8Array {
    return codeAddress(code);
  }

  /** Sets after an id, oldest first. */
  async setsAfter(after: string, limit: number, implementerDids: string[] | undefined): Promise<CodeSetRow[]> {
    const own = implementerDids === undefined ? undefined : inArray(codeSets.implementerDid, implementerDids);
    const found = and(gt(codeSets.codeSetId, after), own);
    return this.#db.select().from(codeSets).where(found).orderBy(asc(codeSets.codeSetId)).limit(limit);
  }

  /** Delete what the codes are derived from. They can still be used, but never be printed again. */
  async forget(codeSetId: string): Promise<void> {
    await this.#db.update(codeSets).set({ sealedSeed: null }).where(eq(codeSets.codeSetId, codeSetId));
  }

  /** The root of the tree that begins at a leaf, if it was made before. */
  async madeRoot(codeSetId: string, firstLeaf: number): Promise<Hex | null> {
    const found = and(eq(codeTrees.codeSetId, codeSetId), eq(codeTrees.firstLeaf, firstLeaf));
    const [row] = await this.#db.select({ root: codeTrees.root }).from(codeTrees).where(found);
    return (row?.root as Hex | undefined) ?? null;
  }

  /** Make and store the tree of some households. @returns its root, which is committed on chain */
  async makeTree(set: CodeSetRow, firstLeaf: number, households: number[]): Promise<Hex> {
    const { CodeTree } = await import("./tree.ts");
    const keys: Uint8Array[][] = [];
    const nodes: Uint8Array[] = [];
    for (const household of households) {
      const own = this.codesOf(set, household).map(codeAddress);
      keys.push(own);
      nodes.push(CodeTree.nodeOf(household, own));
      // Deriving keys takes processor time: other requests have a turn after each household.
      await nextTurn();
    }
    const { root, parts } = CodeTree.join(households, keys, nodes);
    const row = { root, codeSetId: set.codeSetId, firstLeaf, households, keys: parts.keys, nodes: parts.nodes };
    await this.#db.insert(codeTrees).values(row).onConflictDoNothing();
    return root;
  }

  /** The codes of one household. @throws Error when the set's seed was deleted */
  codesOf({ codeSetId, sealedSeed, codesPerVoucher }: CodeSetRow, household: number): string[] {
    if (sealedSeed === null) throw new Error(`The codes of ${codeSetId} cannot be derived any more.`);
    return codesOf(this.#box.open(sealedSeed), household, codesPerVoucher);
  }

  /** The trees of a set that begin at a leaf or later, and before another, in order. */
  async treesBetween(codeSetId: string, from: number, to: number): Promise<TreePlace[]> {
    const { root, firstLeaf, households } = codeTrees;
    const found = and(eq(codeTrees.codeSetId, codeSetId), gte(firstLeaf, from), lt(firstLeaf, to));
    const rows = this.#db.select({ root, firstLeaf, households }).from(codeTrees).where(found).orderBy(asc(firstLeaf));
    return (await rows).map((row) => ({ ...row, root: row.root as Hex }));
  }

  /** The next tree of a set, whose first leaf is after a leaf; undefined after the last one. */
  async treeAfter(codeSetId: string, after: number): Promise<TreePlace | undefined> {
    const { root, firstLeaf, households } = codeTrees;
    const [tree] = await this.#db
      .select({ root, firstLeaf, households })
      .from(codeTrees)
      .where(and(eq(codeTrees.codeSetId, codeSetId), gt(firstLeaf, after)))
      .orderBy(asc(firstLeaf))
      .limit(1);
    return tree && { ...tree, root: tree.root as Hex };
  }

  /** The proof that a household's key is below a root; undefined when it is not. */
  async proofOf(root: Hex, household: number, key: Hex): Promise<Hex[] | undefined> {
    const tree = await this.#trees.through(root, async () => {
      const [row] = await this.#db.select().from(codeTrees).where(eq(codeTrees.root, root));
      if (row === undefined) return null;
      const { CodeTree } = await import("./tree.ts");
      return new CodeTree(row);
    });
    return tree?.proofOf(household, key);
  }
}
