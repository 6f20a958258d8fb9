import { versionCap } from "../../records/file-metadata.ts";
import type { NamespaceRow, UsageChange } from "../../records/namespace-lock.ts";
import type { CommitOrder, CreateOrder, FolderMarks, ReplaceOrder, Verdict } from "./commit-order.ts";

export type HeadState = { version: number; retained: number; blob: string };

/** The database's state of everything that a batch of orders touches, read while its namespaces are locked. */
export type BatchState = {
  namespaces: Map<string, NamespaceRow>;
  /** Live files that the orders name. */
  heads: Map<string, HeadState>;
  /** Paths of the orders that live files already have, as `pathKey`. */
  taken: Set<string>;
  /** Combined marks of the folders above each order's path, by `pathKey`. */
  marks: Map<string, FolderMarks>;
  /** Bytes of the orders' reservations, by their ids. */
  reservations: Map<string, number>;
  /** Current secret of each key group. */
  secrets: Map<string, string>;
};

/** How accepted orders change the counts of a namespace. */
export type WriteUsage = UsageChange & { reserved: number };

const unmarked: FolderMarks = { folderHidden: false, folderPublic: false };

export const pathKey = (namespace: string, path: string) => `${namespace}\n${path}`;

/** Checks orders one after the other. Each sees the changes of the orders accepted before it. */
export class OrderCheck {
  readonly #state: BatchState;
  readonly usage = new Map<string, WriteUsage>();

  constructor(state: BatchState) {
    this.#state = state;
  }

  check(order: CommitOrder): Verdict {
    const refused = this.#refuse(order);
    if (refused !== undefined) return refused;
    const verdict = order.kind === "create" ? this.#create(order) : this.#replace(order);
    if (verdict.outcome === "done") this.#addUsage(order);
    return verdict;
  }

  #refuse(order: CommitOrder): Verdict | undefined {
    const head = this.#state.heads.get(order.fileId);
    if (order.kind === "create" && !order.sees(this.#marks(order))) return { outcome: "hidden" };
    if (order.kind === "replace") {
      if (head === undefined || head.blob !== order.head.blob) return { outcome: "lost" };
      if (head.version !== order.head.version) return { outcome: "moved" };
      if (!order.sees(this.#marks(order))) return { outcome: "hidden" };
      if (head.retained >= versionCap) return { outcome: "cap" };
    } else if (this.#state.taken.has(pathKey(order.namespace, order.path))) {
      return { outcome: "taken" };
    }
    if (this.#state.secrets.get(order.keyGroup) !== order.secretId) return { outcome: "rotated" };
    const reserved = this.#reserved(order);
    const used = this.#used(order.namespace) - reserved;
    if (order.quota !== null && used + order.content.size > order.quota) return { outcome: "quota", used };
    const missing = order.reservations.length === 0 ? 0 : order.content.size - reserved;
    if (missing > 0) return { outcome: "unreserved", missing };
    return undefined;
  }

  #create(order: CreateOrder): Verdict {
    const { namespace, path, fileId, content } = order;
    const { sealedVersion: version, blob } = content;
    this.#state.taken.add(pathKey(namespace, path));
    this.#state.heads.set(fileId, { version, retained: 1, blob });
    return { outcome: "done", version, retained: 1, marks: this.#marks(order) };
  }

  #replace(order: ReplaceOrder): Verdict {
    const { fileId, head, content } = order;
    const retained = (this.#state.heads.get(fileId)?.retained ?? 0) + 1;
    const version = head.version + 1;
    this.#state.heads.set(fileId, { version, retained, blob: content.blob });
    return { outcome: "done", version, retained, marks: this.#marks(order) };
  }

  #marks({ namespace, path }: CommitOrder): FolderMarks {
    return this.#state.marks.get(pathKey(namespace, path)) ?? unmarked;
  }

  /** Bytes that the namespace uses and has reserved. */
  #used(namespace: string): number {
    const row = this.#state.namespaces.get(namespace);
    const change = this.usage.get(namespace);
    return (row?.bytes ?? 0) + (row?.reserved ?? 0) + (change?.bytes ?? 0) + (change?.reserved ?? 0);
  }

  #reserved({ reservations }: CommitOrder): number {
    return reservations.reduce((sum, id) => sum + (this.#state.reservations.get(id) ?? 0), 0);
  }

  #addUsage(order: CommitOrder): void {
    const { namespace, kind, content } = order;
    const { bytes, files, versions, reserved } = this.usage.get(namespace) ?? noUsage;
    this.usage.set(namespace, {
      bytes: bytes + content.size,
      files: files + (kind === "create" ? 1 : 0),
      versions: versions + 1,
      reserved: reserved - this.#reserved(order),
    });
  }
}

const noUsage: WriteUsage = { bytes: 0, files: 0, versions: 0, reserved: 0 };
