/** Kinds of notices that a node can send. */
export type NoticeKind = "newHeads" | "newPendingTransactions";

/** Pause before a lost connection is opened again, in milliseconds. */
const againMs = 1_000;

/**
 * Receives notices from a node over a WebSocket (eth_subscribe) until it is closed. A user that must miss nothing polls while
 * `areComing` is false: before the node has accepted the subscription, and after the connection is lost.
 */
export class ChainNotices {
  readonly #url: string;
  readonly #kind: NoticeKind;
  readonly #hear: () => void;
  #socket: WebSocket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #areComing = false;
  #closed = false;

  /** @param hear called for each notice, and once when the subscription starts, because notices may have been missed before */
  constructor(rpcUrl: string, kind: NoticeKind, hear: () => void) {
    this.#url = rpcUrl.replace(/^http/, "ws");
    this.#kind = kind;
    this.#hear = hear;
    this.#connect();
  }

  get areComing(): boolean {
    return this.#areComing;
  }

  close(): void {
    this.#closed = true;
    this.#areComing = false;
    clearTimeout(this.#timer);
    this.#socket?.close();
  }

  #connect(): void {
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    const order = { jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: [this.#kind] };
    socket.addEventListener("open", () => socket.send(JSON.stringify(order)));
    socket.addEventListener("message", ({ data }) => this.#take(JSON.parse(String(data))));
    // A close event always follows an error.
    socket.addEventListener("error", () => {});
    socket.addEventListener("close", () => {
      this.#areComing = false;
      if (!this.#closed) this.#timer = setTimeout(() => this.#connect(), againMs).unref();
    });
  }

  #take(message: { method?: string; result?: unknown }): void {
    if (this.#closed) return;
    const agreed = typeof message.result === "string";
    if (agreed) this.#areComing = true;
    if (agreed || message.method === "eth_subscription") this.#hear();
  }
}
