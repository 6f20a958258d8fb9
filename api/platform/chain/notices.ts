/** What a node can be asked to tell of. */
export type NoticeKind = "newHeads" | "newPendingTransactions";

/** After how long a lost connection is tried again, in milliseconds. */
const againMs = 1_000;

/**
 * Has a node tell of something as it happens (eth_subscribe over a WebSocket), for as long as it is not closed. Whoever needs all of
 * it must look for itself while `areComing` is false: before the node has agreed, and after the connection is lost.
 */
export class ChainNotices {
  readonly #url: string;
  readonly #kind: NoticeKind;
  readonly #hear: () => void;
  #socket: WebSocket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #areComing = false;
  #closed = false;

  /** `hear` is called at each notice, and once when the notices begin: something may have happened before. */
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
    // An error is followed by the close.
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
