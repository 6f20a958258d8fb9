import { ReplayWindow } from "./replay-window.ts";
import {
  type Bytes,
  concat,
  decodeHeader,
  deriveSframeKey,
  mostFramesOfKey,
  openSframe,
  type SframeKey,
  sealSframe,
} from "./sframe.ts";

/** What a track carries: Opus, or VP8. */
export type MediaKind = "audio" | "video";

/**
 * How many bytes stay readable at the front of a frame. VP8's packetisers read the frame's tag, and of a key frame the start code
 * and the size of the picture (RFC 6386, 9.1); Opus needs nothing.
 */
export function clearLength(kind: MediaKind, frame: Uint8Array): number {
  if (kind === "audio") return 0;
  const isKeyFrame = ((frame[0] ?? 0) & 1) === 0;
  return isKeyFrame ? 10 : 3;
}

/** Bound to the ciphertext: what kind of track it is for, and the bytes before it. */
function metadataOf(kind: MediaKind, clear: Uint8Array): Bytes {
  return concat(new Uint8Array([kind === "audio" ? 0x61 : 0x76]), clear);
}

/** Seals what one participant sends, under its newest key. All its tracks share the counter, so no nonce comes twice. */
export class FrameSealer {
  #key: SframeKey | undefined;
  #counter = 0;
  #newest = -1;

  /**
   * A key with a number that is not above all before is not taken.
   * @param base 32 random bytes that never were a key before
   */
  async takeKey(base: Bytes, keyId: number): Promise<void> {
    if (keyId <= this.#newest) return;
    this.#newest = keyId;
    const key = await deriveSframeKey(base, keyId);
    // Another came meanwhile.
    if (keyId !== this.#newest) return;
    this.#key = key;
    this.#counter = 0;
  }

  /** Undefined without a key, and for what is too short to be a frame: nothing is ever sent readable. */
  async seal(kind: MediaKind, frame: Bytes): Promise<Bytes | undefined> {
    const key = this.#key;
    const length = clearLength(kind, frame);
    if (key === undefined || frame.length < length || this.#counter >= mostFramesOfKey) return undefined;
    const counter = this.#counter++;
    const clear = frame.subarray(0, length);
    return concat(clear, await sealSframe(key, counter, metadataOf(kind, clear), frame.subarray(length)));
  }
}

type OpeningKey = { key: SframeKey; window: ReplayWindow };

/** Opens what one participant sends. It keeps a few keys: frames under the last one are still on their way when a new one comes. */
export class FrameOpener {
  readonly #keys = new Map<number, OpeningKey>();
  #newest = -1;

  /** A key is taken once: one that is told again would open again what was opened. Numbers only rise. */
  async addKey(base: Bytes, keyId: number): Promise<void> {
    if (keyId <= this.#newest) return;
    this.#newest = keyId;
    const key = await deriveSframeKey(base, keyId);
    this.#keys.set(keyId, { key, window: new ReplayWindow() });
    for (const old of this.#keys.keys()) if (this.#keys.size > 3) this.#keys.delete(old);
  }

  /** Undefined for what cannot be opened: no key, another's key, changed on its way, or seen before. */
  async open(kind: MediaKind, frame: Bytes): Promise<Bytes | undefined> {
    const clear = frame.subarray(0, clearLength(kind, frame));
    const sealed = frame.subarray(clear.length);
    const header = decodeHeader(sealed);
    const opening = header && this.#keys.get(header.keyId);
    if (header === undefined || opening === undefined || !opening.window.isNew(header.counter)) return undefined;
    const { key, window } = opening;
    // An operation that fails says nothing more than that: the tag does not fit.
    const plain = await openSframe(key, header, metadataOf(kind, clear), sealed).catch(() => undefined);
    if (plain === undefined || !window.isNew(header.counter)) return undefined;
    window.add(header.counter);
    return concat(clear, plain);
  }
}
