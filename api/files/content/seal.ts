import {
  type CipherGCM,
  createCipheriv,
  createDecipheriv,
  type DecipherGCM,
  randomBytes,
  randomFillSync,
  timingSafeEqual,
} from "node:crypto";
// The steps of the library's streams, in the order in which the streams take them: for a segment, which is in memory as a
// whole, the streams cost more than the steps.
import { getEncryptFrame } from "@aws-crypto/encrypt-node/build/main/src/framed_encrypt_stream.js";
import {
  AlgorithmSuiteIdentifier,
  KeyringTraceFlag,
  NodeAlgorithmSuite,
  NodeDecryptionMaterial,
  NodeEncryptionMaterial,
} from "@aws-crypto/material-management-node";
import { RawAesKeyringNode, RawAesWrappingSuiteIdentifier } from "@aws-crypto/raw-aes-keyring-node";
import {
  aadFactory,
  type BodyHeader,
  decodeBodyHeader,
  deserializeFactory,
  type MessageHeader,
  serializeFactory,
  serializeMessageHeaderAuth,
} from "@aws-crypto/serialize";
import type { VersionKey } from "../keys/key-types.ts";
import { deriveMessageKeys, type MessageKeys } from "./message-keys.ts";
import { type SegmentPlace, sealedHeaderSize, sealOverhead, segmentSize } from "./segments.ts";

/** A committing suite, without a signature. */
const suite = new NodeAlgorithmSuite(AlgorithmSuiteIdentifier.ALG_AES256_GCM_IV12_TAG16_HKDF_SHA512_COMMIT_KEY);
const keyIds = { keyNamespace: "hearth-files", keyName: "version" };
const generated = { ...keyIds, flags: KeyringTraceFlag.WRAPPING_KEY_GENERATED_DATA_KEY };
/** Longer than any segment, so that each message is one final frame with a constant overhead. */
const frameLength = 2 * segmentSize;
const messageIdSize = 32;
const frameHeaderSize = 24;
const tagSize = 16;
const smallPart = 16 << 10;

const utf8 = (text: string) => Buffer.from(text, "utf8");
const { buildMessageHeader, serializeMessageHeader, headerAuthIv } = serializeFactory(utf8, { utf8Sorting: true });
const { deserializeMessageHeader } = deserializeFactory((bytes) => bytesOf(bytes).toString("utf8"), NodeAlgorithmSuite);
const { messageAAD, messageAADContentString } = aadFactory(utf8);

/**
 * Thrown for a segment that cannot be decrypted, or that belongs to another place. Contains the segment's place, never its
 * content.
 */
export class BadSegmentError extends Error {
  readonly place: SegmentPlace;

  constructor(place: SegmentPlace, options?: ErrorOptions) {
    super(
      `Segment ${place.index} of version ${place.version} of file ${place.fileId} is damaged, or belongs to another place.`,
      options,
    );
    this.name = "BadSegmentError";
    this.place = place;
  }
}

/** Encrypts and decrypts the segments of one version with its key. */
export type SegmentSealer = {
  /** Encrypt a segment; returns the ciphertext in parts. */
  seal(place: SegmentPlace, plaintext: Uint8Array): Promise<Uint8Array[]>;
  /** Decrypt and authenticate a whole segment; returns the plaintext in parts. @throws BadSegmentError */
  open(place: SegmentPlace, sealed: readonly Uint8Array[]): Promise<Uint8Array[]>;
};

const sealers = new WeakMap<VersionKey, SegmentSealer>();

/** Each key has one sealer, so that a version whose key is kept in memory is read again at less cost. */
export function createSealer(key: VersionKey): SegmentSealer {
  const known = sealers.get(key);
  if (known !== undefined) return known;
  const sealer = newSealer(key);
  sealers.set(key, sealer);
  return sealer;
}

function newSealer(key: VersionKey): SegmentSealer {
  const keyring = new RawAesKeyringNode({
    ...keyIds,
    unencryptedMasterKey: new Uint8Array(key.export()),
    wrappingSuite: RawAesWrappingSuiteIdentifier.AES256_GCM_IV12_TAG16_NO_PADDING,
  });
  /** The headers that were opened last: what they say depends on nothing but the key and their bytes. */
  let last: OpenHead | undefined;
  const openHeadOnce = async (head: Buffer) => {
    if (last?.head.equals(head)) return last;
    last = await openHead(keyring, ownCopy(head));
    return last;
  };
  return {
    async seal(place, plaintext) {
      const parts = sealFrame(await newMaterial(keyring, contextOf(place)), plaintext);
      if (lengthOf(parts) !== plaintext.length + sealOverhead)
        throw new Error("A sealed segment has an unexpected length.");
      return parts;
    },
    async open(place, sealed) {
      try {
        return await openFrame(openHeadOnce, contextOf(place), sealed);
      } catch (cause) {
        throw new BadSegmentError(place, { cause });
      }
    },
  };
}

/** Create a data key, wrapped by the keyring. The keyring itself would create it in the thread pool, behind disk work. */
async function newMaterial(
  keyring: RawAesKeyringNode,
  context: Record<string, string>,
): Promise<NodeEncryptionMaterial> {
  const dataKey = randomFillSync(new Uint8Array(suite.keyLengthBytes));
  return await keyring.onEncrypt(new NodeEncryptionMaterial(suite, context).setUnencryptedDataKey(dataKey, generated));
}

/** Encrypt the plaintext as a message of one final frame. */
function sealFrame(material: NodeEncryptionMaterial, plaintext: Uint8Array): Uint8Array[] {
  const messageId = randomBytes(messageIdSize);
  const { key, commitment } = deriveMessageKeys(suite, material.getUnencryptedDataKey(), messageId);
  material.zeroUnencryptedDataKey();
  const { encryptedDataKeys, encryptionContext } = material;
  const about = { suite, encryptedDataKeys, encryptionContext, messageId, frameLength, suiteData: commitment };
  const messageHeader = buildMessageHeader(about);
  const getCipher = (iv: Uint8Array) => createCipheriv(suite.encryption, key, iv);
  const pendingFrame = { content: [], contentLength: plaintext.length, sequenceNumber: 1 };
  const { cipher, bodyHeader } = getEncryptFrame({ pendingFrame, messageHeader, getCipher, isFinalFrame: true, suite });
  const header = authenticatedHeader(messageHeader, getCipher);
  return joinSmall([...header, bodyHeader, cipher.update(bytesOf(plaintext)), cipher.final(), cipher.getAuthTag()]);
}

/** Serialize a message's header with its authentication tag. */
function authenticatedHeader(messageHeader: MessageHeader, getCipher: (iv: Uint8Array) => CipherGCM): Uint8Array[] {
  const header = serializeMessageHeader(messageHeader);
  const headerIv = headerAuthIv(suite.ivLength);
  const cipher = getCipher(headerIv).setAAD(header);
  cipher.final();
  return [header, serializeMessageHeaderAuth({ headerIv, headerAuthTag: cipher.getAuthTag(), messageHeader })];
}

/** Copy into separate memory: a small Buffer shares its memory with others, which would be kept as long as it. */
function ownCopy(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

/** View the same memory as a Buffer. */
function bytesOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Every value has a fixed width, so that the ciphertext's length depends only on the plaintext's length. */
function contextOf({ fileId, version, index, last }: SegmentPlace): Record<string, string> {
  return {
    file: fileId.padStart(26, "0"),
    version: String(version).padStart(10, "0"),
    segment: String(index).padStart(10, "0"),
    last: last ? "1" : "0",
  };
}

function sameContext(found: Readonly<Record<string, string>>, expected: Record<string, string>): boolean {
  const names = Object.keys(expected);
  return Object.keys(found).length === names.length && names.every((name) => found[name] === expected[name]);
}

/**
 * Decrypt and authenticate a message of one final frame with this context, and nothing after it.
 * @throws Error when any of it is wrong; then no plaintext is returned
 */
async function openFrame(
  open: (head: Buffer) => Promise<OpenHead>,
  context: Record<string, string>,
  sealed: readonly Uint8Array[],
): Promise<Uint8Array[]> {
  const { head, body, tag } = splitMessage(sealed);
  const { messageHeader, frame, getDecipher } = await open(head);
  if (!sameContext(messageHeader.encryptionContext, context)) throw wrong("context");
  if (frame.contentLength !== lengthOf(body)) throw wrong("length");
  // Node would accept a shorter tag.
  if (tag.length !== tagSize) throw wrong("tag");
  const about = messageAADContentString({ contentType: messageHeader.contentType, isFinalFrame: true });
  const aad = messageAAD(messageHeader.messageId, about, frame.sequenceNumber, frame.contentLength);
  const decipher = getDecipher(frame.iv, aad, tag);
  const opened = body.map((part) => decipher.update(part));
  decipher.final();
  return opened;
}

/** A message's two headers, and what decrypts and authenticates the rest of it. */
type OpenHead = {
  head: Buffer;
  messageHeader: MessageHeader;
  frame: BodyHeader;
  getDecipher: (iv: Uint8Array, aad: Uint8Array, authTag: Uint8Array) => DecipherGCM;
};

/** Read and authenticate a message's two headers. */
async function openHead(keyring: RawAesKeyringNode, head: Buffer): Promise<OpenHead> {
  const info = deserializeMessageHeader(head, { maxEncryptedDataKeys: 1 });
  if (!info || !("suiteData" in info.messageHeader) || info.messageHeader.suiteId !== suite.id) throw wrong("header");
  const { rawHeader, headerAuth, messageHeader } = info;
  const { key, commitment } = await unwrapKeys(keyring, messageHeader);
  if (!timingSafeEqual(commitment, messageHeader.suiteData)) throw wrong("commitment");
  const getDecipher = (iv: Uint8Array, aad: Uint8Array, authTag: Uint8Array) =>
    createDecipheriv(suite.encryption, key, iv).setAAD(aad).setAuthTag(authTag);
  getDecipher(headerAuth.headerIv, rawHeader, headerAuth.headerAuthTag).final();
  const frame = decodeBodyHeader(head, info, sealedHeaderSize) || undefined;
  if (frame?.sequenceNumber !== 1 || !frame.isFinalFrame) throw wrong("frame");
  if (frame.readPos !== head.length) throw wrong("length");
  return { head, messageHeader, frame, getDecipher };
}

async function unwrapKeys(keyring: RawAesKeyringNode, header: MessageHeader): Promise<MessageKeys> {
  const { encryptionContext, encryptedDataKeys, messageId } = header;
  const empty = new NodeDecryptionMaterial(suite, encryptionContext);
  const material = await keyring.onDecrypt(empty, [...encryptedDataKeys]);
  try {
    return deriveMessageKeys(suite, material.getUnencryptedDataKey(), messageId);
  } finally {
    material.zeroUnencryptedDataKey();
  }
}

function wrong(part: string): Error {
  return new Error(`The message's ${part} is not that of a segment.`);
}

/** Divide a message into its two headers, its ciphertext, which is not copied, and its tag. */
function splitMessage(sealed: readonly Uint8Array[]): { head: Buffer; body: Uint8Array[]; tag: Buffer } {
  const total = lengthOf(sealed);
  const headEnd = sealedHeaderSize + frameHeaderSize;
  const between = (from: number, to: number) => {
    let at = 0;
    return sealed.flatMap((part) => {
      const cut = part.subarray(Math.max(0, from - at), Math.max(0, to - at));
      at += part.length;
      return cut.length === 0 ? [] : [cut];
    });
  };
  const bodyEnd = Math.max(headEnd, total - tagSize);
  return {
    head: Buffer.concat(between(0, headEnd)),
    body: between(headEnd, bodyEnd),
    tag: Buffer.concat(between(bodyEnd, total)),
  };
}

/** Join small neighbouring parts, because the blob store makes one call per part. */
function joinSmall(parts: readonly Uint8Array[]): Uint8Array[] {
  const joined: Uint8Array[] = [];
  let small: Uint8Array[] = [];
  const flush = () => {
    if (small.length > 0) joined.push(Buffer.concat(small));
    small = [];
  };
  for (const part of parts) {
    if (part.length < smallPart) {
      small.push(part);
    } else {
      flush();
      joined.push(part);
    }
  }
  flush();
  return joined;
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}
