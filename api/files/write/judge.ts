import type { NamespaceRow, UsageChange } from "../namespace-lock.ts";
import { versionCap } from "../records.ts";
import type { CommitOrder, CreateOrder, ReplaceOrder, Verdict } from "./order.ts";

export type HeadState = { version: number; retained: number; blob: string };

/** What the locked namespaces hold of everything that a batch of orders touches. */
export type BatchState = {
  namespaces: Map<string, NamespaceRow>;
  /** Live files that the orders name. */
  heads: Map<string, HeadState>;
  /** Paths among those of the orders that live files have, by `placeKey`. */
  taken: Set<string>;
  /** Current secret of each key group. */
  secrets: Map<string, string>;
};

export const placeKey = (namespace: string, path: string) => `${namespace}\n${path}`;

/** Judges orders one after the other as if each were alone, each seeing what the accepted ones before it change. */
export class Judge {
  readonly #state: BatchState;
  readonly usage = new Map<string, UsageChange>();

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
    if (order.kind === "replace") {
      if (head === undefined || head.blob !== order.head.blob) return { outcome: "lost" };
      if (head.version !== order.head.version) return { outcome: "moved" };
      if (head.retained >= versionCap) return { outcome: "cap" };
    } else if (this.#state.taken.has(placeKey(order.namespace, order.path))) {
      return { outcome: "taken" };
    }
    if (this.#state.secrets.get(order.keyGroup) !== order.secretId) return { outcome: "rotated" };
    const used = this.#bytes(order.namespace);
    if (order.quota !== null && used + order.content.size > order.quota) return { outcome: "quota", used };
    return undefined;
  }

  #create({ namespace, path, fileId, content }: CreateOrder): Verdict {
    const { sealedVersion: version, blob } = content;
    this.#state.taken.add(placeKey(namespace, path));
    this.#state.heads.set(fileId, { version, retained: 1, blob });
    return { outcome: "done", version, retained: 1 };
  }

  #replace({ fileId, head, content }: ReplaceOrder): Verdict {
    const retained = (this.#state.heads.get(fileId)?.retained ?? 0) + 1;
    const version = head.version + 1;
    this.#state.heads.set(fileId, { version, retained, blob: content.blob });
    return { outcome: "done", version, retained };
  }

  #bytes(namespace: string): number {
    return (this.#state.namespaces.get(namespace)?.bytes ?? 0) + (this.usage.get(namespace)?.bytes ?? 0);
  }

  #count({ namespace, kind, content }: CommitOrder): void {
    const { bytes, files, versions } = this.usage.get(namespace) ?? { bytes: 0, files: 0, versions: 0 };
    const change = { bytes: bytes + content.size, files: files + (kind === "create" ? 1 : 0), versions: versions + 1 };
    this.usage.set(namespace, change);
  }
}
