import type { MediaKind } from "./media-frames.ts";
import type { Bytes } from "./sframe.ts";
import type { TransformOptions, WorkerCommand, WorkerReport } from "./worker.ts";
import { workerSource } from "./worker-source.ts";

/** Encoded streams, the older interface of Chromium before 141. */
type StreamingEnd = { createEncodedStreams?: () => { readable: ReadableStream; writable: WritableStream } };

const hasTransform = () => typeof globalThis.RTCRtpScriptTransform === "function";
const hasStreams = () =>
  typeof globalThis.RTCRtpSender === "function" && "createEncodedStreams" in globalThis.RTCRtpSender.prototype;

/**
 * Tell whether this browser can encrypt media end to end. Where it cannot, calls are refused: media is never sent unencrypted.
 * @example
 * ```ts
 * import { canEncryptMedia } from "@hearth/oracles-client-sdk/live-agent";
 *
 * export const callLabel = (): string => (canEncryptMedia() ? "Call" : "This browser cannot make encrypted calls.");
 * ```
 */
export function canEncryptMedia(): boolean {
  return hasTransform() || hasStreams();
}

/** Options that a connection needs so that its media can be encrypted. */
export function connectionOptions(): RTCConfiguration {
  return hasTransform() ? {} : ({ encodedInsertableStreams: true } as RTCConfiguration);
}

/** Encrypt what this participant sends and decrypt what the others send, in a worker. */
export class MediaCipher {
  readonly #worker: Worker;
  /** Callbacks by transform number, called when frames pass through the transform. */
  readonly #flowing = new Map<number, () => void>();
  #count = 0;

  constructor() {
    const url = URL.createObjectURL(new Blob([workerSource], { type: "text/javascript" }));
    this.#worker = new Worker(url, { name: "hearth-call" });
    URL.revokeObjectURL(url);
    this.#worker.onmessage = ({ data }: MessageEvent<WorkerReport>) => this.#flowing.get(data.number)?.();
  }

  /** Encrypt with this key from now on. */
  sendWith(base: Bytes, keyId: number): void {
    this.#tell({ type: "send-key", base, keyId });
  }

  /** Decrypt what a participant sends with this key. */
  receiveWith(from: string, base: Bytes, keyId: number): void {
    this.#tell({ type: "receive-key", from, base, keyId });
  }

  forget(from: string): void {
    this.#tell({ type: "forget", from });
  }

  /**
   * Encrypt what a sender sends. Call it in the same task that creates the sender: browsers send media of senders without a
   * transform unencrypted. Resolves when frames have passed through the transform; before that, give the sender nothing
   * private to send.
   */
  seal(sender: RTCRtpSender, kind: MediaKind): Promise<void> {
    const number = this.#count++;
    const flows = new Promise<void>((resolve) => this.#flowing.set(number, resolve));
    this.#attach(sender, { kind, number });
    return flows;
  }

  open(receiver: RTCRtpReceiver, kind: MediaKind, from: string): void {
    this.#attach(receiver, { kind, from, number: this.#count++ });
  }

  close(): void {
    this.#worker.terminate();
  }

  #attach(end: (RTCRtpSender | RTCRtpReceiver) & StreamingEnd, options: TransformOptions): void {
    if (hasTransform()) {
      end.transform = new RTCRtpScriptTransform(this.#worker, options);
      return;
    }
    const streams = end.createEncodedStreams?.();
    if (streams === undefined) throw new Error("This browser cannot encrypt media end to end.");
    const { readable, writable } = streams;
    this.#tell({ type: "streams", ...options, readable, writable }, [readable, writable]);
  }

  #tell(command: WorkerCommand, transferred: Transferable[] = []): void {
    this.#worker.postMessage(command, transferred);
  }
}
