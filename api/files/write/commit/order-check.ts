import { versionCap } from "../../records/file-metadata.ts";
import type { NamespaceRow, UsageChange } from "../../records/namespace-lock.ts";
import type { CommitOrder, CreateOrder, FolderMarks, ReplaceOrder, Verdict } from "./commit-order.ts";

export type HeadState = { version: number; retained: number; blob: string };

/** What the locked namespaces hold of everything that a batch of orders touches. */
export type BatchState = {
  namespaces: Map<string, NamespaceRow>;
  /** Live files that the orders name. */
  heads: Map<string, HeadState>;
  /** Paths among those of the orders that live files have, by `placeKey`. */
  taken: Set<string>;
  /** What the folders above each order's path say, by `placeKey`. */
  marks: Map<string, FolderMarks>;
  /** Bytes of the orders' reservations, by their ids. */
  reservations: Map<string, number>;
  /** Current secret of each key group. */
  secrets: Map<string, string>;
};

/** What accepted orders change in the counts of a namespace. */
export type WriteUsage = UsageChange & { reserved: number };

const unmarked: FolderMarks = { folderHidden: false, folderPublic: false };

export const placeKey = (namespace: string, path: string) => `${namespace}\n${path}`;

/** Judges orders one after the other as if each were alone, each seeing what the accepted ones before it change. */
export class Judge {
  readonly #state: BatchState;
  readonly usage = new Map<string, WriteUsage>();

  constructor(state: BatchState) {
    this.#state = state;
  }

  judge(order: CommitOrder): Verdict {
    const refusal = this.#refusal(order);
    if (refusal !== undefined) return refusal;
    const verdict = order.kind === "create" ? this.#create(order) : this.#replace(order);
    if (verdict.outcome === "done") this.#count(order);
    return verdict;
  }

  #refusal(order: CommitOrder): Verdict | undefined {
    const head = this.#state.heads.get(order.fileId);
    if (order.kind === "create" && !order.sees(this.#marks(order))) return { outcome: "hidden" };
    if (order.kind === "replace") {
      if (head === undefined || head.blob !== order.head.blob) return { outcome: "lost" };
      if (head.version !== order.head.version) return { outcome: "moved" };
      if (!order.sees(this.#marks(order))) return { outcome: "hidden" };
      if (head.retained >= versionCap) return { outcome: "cap" };
    } else if (this.#state.taken.has(placeKey(order.namespace, order.path))) {
      return { outcome: "taken" };
    }
    if (this.#state.secrets.get(order.keyGroup) !== order.secretId) return { outcome: "rotated" };
    const used = this.#held(order.namespace) - this.#reserved(order);
    if (order.quota !== null && used + order.content.size > order.quota) return { outcome: "quota", used };
    return undefined;
  }

  #create(order: CreateOrder): Verdict {
    const { namespace, path, fileId, content } = order;
    const { sealedVersion: version, blob } = content;
    this.#state.taken.add(placeKey(namespace, path));
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
    return this.#state.marks.get(placeKey(namespace, path)) ?? unmarked;
  }

  /** Bytes of the namespace, those that writes under way have reserved included. */
  #held(namespace: string): number {
    const row = this.#state.namespaces.get(namespace);
    const change = this.usage.get(namespace);
    return (row?.bytes ?? 0) + (row?.reserved ?? 0) + (change?.bytes ?? 0) + (change?.reserved ?? 0);
  }

  #reserved({ reservation }: CommitOrder): number {
    return (reservation === null ? undefined : this.#state.reservations.get(reservation)) ?? 0;
  }

  #count(order: CommitOrder): void {
    const { namespace, kind, content } = order;
    const { bytes, files, versions, reserved } = this.usage.get(namespace) ?? nothing;
    this.usage.set(namespace, {
      bytes: bytes + content.size,
      files: files + (kind === "create" ? 1 : 0),
      versions: versions + 1,
      reserved: reserved - this.#reserved(order),
    });
  }
}

const nothing: WriteUsage = { bytes: 0, files: 0, versions: 0, reserved: 0 };
