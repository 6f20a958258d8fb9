import type { Hex } from "viem";
import { BoundedCache } from "../../platform/bounded-cache.ts";
import { Directory, idHash, type Ledger } from "../registry/index.ts";
import {
  CHUNK_LEAVES,
  chunkOf,
  chunkTree,
  LEAF_BYTES,
  type Leaf,
  leafAt,
  positionOf,
  proofFrom,
} from "./allocation-tree.ts";
import { factsOf } from "./facts.ts";
import type { CertificateStore } from "./store.ts";
import type { CertificateRow } from "./tables.ts";

export type CertificateStatus = "pending" | "valid" | "suspended" | "revoked";
/** Numbers of a certificate's statuses in the contract. */
export const certificateStatusNumber = { pending: 1, valid: 2, suspended: 3, revoked: 4 } as const;
const statuses = ["none", "pending", "valid", "suspended", "revoked"] as const;

export type CertificateState = {
  status: CertificateStatus;
  /** Micro-CARBON. */
  verifiedReduction: bigint;
  issued: bigint;
  allocationCount: number;
  recordedCount: number;
};

/**
 * A leaf with everything needed to open its voucher or issue it alone. `leaf` is its position in the whole allocation.
 */
export type ProvenLeaf = Leaf & { leaf: number; proof: Hex[] };

/** Certificates by id or index, their state on chain, and their allocations with proofs. */
export class CertificateDirectory extends Directory<CertificateRow> {
  /** Only for the services of certificates. */
  readonly store: CertificateStore;
  readonly #ledger: Ledger;
  readonly #leaves = new BoundedCache<number, Uint8Array>(64);
  /** Trees by `certificate:chunk`; a full one takes about 60 kB. */
  readonly #trees = new BoundedCache<string, Hex[][]>(512);

  constructor(store: CertificateStore, ledger: Ledger) {
    super({
      ...store,
      indexOnChain: (id) => ledger.certificates.read.certificateIndex([idHash(id)]),
      isTaken: async (index) => (await ledger.certificates.read.certificateOf([index])).status !== 0,
      fromChain: (index) => readRegistration(ledger, index),
    });
    this.store = store;
    this.#ledger = ledger;
  }

  /** Read the certificate's current state on chain. */
  async stateOf(index: number): Promise<CertificateState> {
    const { status, ...sums } = await this.#ledger.certificates.read.certificateOf([index]);
    const word = statuses[status];
    if (word === undefined || word === "none") throw new Error(`The chain knows no certificate ${index}.`);
    return { ...sums, status: word };
  }

  async allocationRoot(index: number): Promise<Hex> {
    return this.#ledger.certificates.read.allocationRoot([index]);
  }

  /**
   * Read the whole allocation in packed leaves (see allocation-tree.ts); empty for a pending certificate or one without
   * allocation.
   */
  async leavesOf(index: number): Promise<Uint8Array> {
    const found = await this.#leaves.through(index, () => this.#loadLeaves(index));
    return found ?? new Uint8Array();
  }

  /** Read the leaf at a position of the allocation, with its proof; null when there is none. */
  async leafAt(index: number, leaf: number): Promise<ProvenLeaf | null> {
    const packed = await this.leavesOf(index);
    const found = leafAt(packed, leaf);
    if (!found) return null;
    const chunk = Math.floor(leaf / CHUNK_LEAVES);
    const key = `${index}:${chunk}`;
    const tree = this.#trees.get(key) ?? chunkTree(chunkOf(packed, chunk));
    this.#trees.set(key, tree);
    return { ...found, leaf, proof: proofFrom(tree, leaf % CHUNK_LEAVES) };
  }

  /** Read a household's leaf, with its proof; null when the certificate allocates nothing to it. */
  async leafOf(index: number, household: number): Promise<ProvenLeaf | null> {
    const position = positionOf(await this.leavesOf(index), household);
    return position < 0 ? null : this.leafAt(index, position);
  }

  /** Whether an implementer's certificates allocate anything to a household. */
  async serves(implementer: number, household: number): Promise<boolean> {
    await this.catchUp();
    for (let after = 0; ; ) {
      const page = await this.store.listAfter(after, 100, implementer);
      for (const { certificate } of page) {
        if (positionOf(await this.leavesOf(certificate), household) >= 0) return true;
      }
      const last = page.at(-1);
      if (!last) return false;
      after = last.certificate;
    }
  }

  async #loadLeaves(index: number): Promise<Uint8Array | null> {
    const row = await this.byIndex(index);
    if (!row || row.facts.allocationCount === 0) return null;
    const expected = row.facts.allocationCount * LEAF_BYTES;
    const stored = await this.store.leavesOf(index);
    if (stored.length === expected) return stored;
    const events = await this.#ledger.past("certificates", "AllocationRecorded", { certificate: index });
    const recorded = new Uint8Array(Buffer.concat(events.map(({ args }) => Buffer.from(args.leaves.slice(2), "hex"))));
    // Some leaves are missing: the allocation is still being recorded.
    if (recorded.length !== expected) return null;
    await this.store.saveLeaves(index, recorded);
    return recorded;
  }
}

async function readRegistration(ledger: Ledger, certificate: number): Promise<CertificateRow | null> {
  const [event] = await ledger.past("certificates", "CertificateRegistered", { certificate });
  if (!event) return null;
  const { registration } = event.args;
  return {
    certificateId: registration.certificateId,
    certificate,
    implementer: registration.implementer,
    plan: registration.plan,
    facts: factsOf(registration),
    transactionHash: event.transactionHash,
    registeredAt: await ledger.timeOf(event.blockNumber),
  };
}
