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

/** Kind of a track: Opus audio or VP8 video. */
export type MediaKind = "audio" | "video";

/**
 * Return the number of bytes at the start of a frame that stay unencrypted. VP8 packetisers read the frame tag and, in key frames,
 * the start code and the picture size (RFC 6386, 9.1); Opus needs none.
 */
export function clearLength(kind: MediaKind, frame: Uint8Array): number {
  if (kind === "audio") return 0;
  const isKeyFrame = ((frame[0] ?? 0) & 1) === 0;
  return isKeyFrame ? 10 : 3;
}

/** Authenticate the kind of the track and the unencrypted bytes together with the ciphertext. */
function metadataOf(kind: MediaKind, clear: Uint8Array): Bytes {
  return concat(new Uint8Array([kind === "audio" ? 0x61 : 0x76]), clear);
}

/** Encrypt what one participant sends with its newest key. All tracks share the counter, so that no nonce repeats. */
export class FrameSealer {
  #key: SframeKey | undefined;
  #counter = 0;
  #newest = -1;

  /**
   * Switch to a new key; ignore it unless its id is higher than all before.
   * @param base 32 random bytes that were never used as a key
   */
  async takeKey(base: Bytes, keyId: number): Promise<void> {
    if (keyId <= this.#newest) return;
    this.#newest = keyId;
    const key = await deriveSframeKey(base, keyId);
    // A newer key arrived meanwhile.
    if (keyId !== this.#newest) return;
    this.#key = key;
    this.#counter = 0;
  }

  /** Encrypt a frame; undefined without a key or for a truncated frame, so that nothing is ever sent unencrypted. */
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

/** Decrypt what one participant sends. Keep three keys, because frames of the old key arrive after a new one. */
export class FrameOpener {
  readonly #keys = new Map<number, OpeningKey>();
  #newest = -1;

  /** Add a key; ignore it unless its id is higher than all before, because a repeated key would allow replays. */
  async addKey(base: Bytes, keyId: number): Promise<void> {
    if (keyId <= this.#newest) return;
    this.#newest = keyId;
    const key = await deriveSframeKey(base, keyId);
    this.#keys.set(keyId, { key, window: new ReplayWindow() });
    for (const old of this.#keys.keys()) if (this.#keys.size > 3) this.#keys.delete(old);
  }

  /** Decrypt a frame; undefined when the key is missing or wrong, or the frame was modified or seen before. */
  async open(kind: MediaKind, frame: Bytes): Promise<Bytes | undefined> {
    const clear = frame.subarray(0, clearLength(kind, frame));
    const sealed = frame.subarray(clear.length);
    const header = decodeHeader(sealed);
    const opening = header && this.#keys.get(header.keyId);
    if (header === undefined || opening === undefined || !opening.window.isNew(header.counter)) return undefined;
    const { key, window } = opening;
    // WebCrypto fails without a reason: the tag does not match.
    const plain = await openSframe(key, header, metadataOf(kind, clear), sealed).catch(() => undefined);
    if (plain === undefined || !window.isNew(header.counter)) return undefined;
    window.add(header.counter);
    return concat(clear, plain);
  }
}
