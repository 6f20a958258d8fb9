import { randomFillSync } from "node:crypto";
import type { Duplex } from "node:stream";
// The library's parts that are needed. The whole, client-node, also loads the clients of AWS services.
import { buildDecrypt, type MessageHeader } from "@aws-crypto/decrypt-node";
// The two steps of the library's encrypting stream: for a small segment, the stream costs more than both steps.
import { getEncryptionInfo } from "@aws-crypto/encrypt-node/build/main/src/encrypt_stream.js";
import { getEncryptFrame } from "@aws-crypto/encrypt-node/build/main/src/framed_encrypt_stream.js";
import {
  AlgorithmSuiteIdentifier,
  CommitmentPolicy,
  KeyringTraceFlag,
  NodeAlgorithmSuite,
  NodeEncryptionMaterial,
} from "@aws-crypto/material-management-node";
import { RawAesKeyringNode, RawAesWrappingSuiteIdentifier } from "@aws-crypto/raw-aes-keyring-node";
import type { VersionKey } from "../keys/key-types.ts";
import { type SegmentPlace, sealedHeaderSize, sealOverhead, segmentSize } from "./segments.ts";

const { decryptStream } = buildDecrypt({
  commitmentPolicy: CommitmentPolicy.REQUIRE_ENCRYPT_REQUIRE_DECRYPT,
  maxEncryptedDataKeys: 1,
});
/** A committing suite, without a signature. */
const suite = new NodeAlgorithmSuite(AlgorithmSuiteIdentifier.ALG_AES256_GCM_IV12_TAG16_HKDF_SHA512_COMMIT_KEY);
const keyIds = { keyNamespace: "hearth-files", keyName: "version" };
const generated = { ...keyIds, flags: KeyringTraceFlag.WRAPPING_KEY_GENERATED_DATA_KEY };
/** Longer than any segment, so that each message is one final frame with a constant overhead. */
const frameLength = 2 * segmentSize;
/** Ciphertext is decrypted in pieces of this size. */
const openingStep = 256 << 10;
const smallPart = 16 << 10;

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

export function createSealer(key: VersionKey): SegmentSealer {
  const keyring = new RawAesKeyringNode({
    ...keyIds,
    unencryptedMasterKey: new Uint8Array(key.export()),
    wrappingSuite: RawAesWrappingSuiteIdentifier.AES256_GCM_IV12_TAG16_NO_PADDING,
  });
  return {
    async seal(place, plaintext) {
      const parts = sealFrame(await newMaterial(keyring, contextOf(place)), plaintext);
      if (lengthOf(parts) !== plaintext.length + sealOverhead)
        throw new Error("A sealed segment has an unexpected length.");
      return parts;
    },
    async open(place, sealed) {
      const stream = decryptStream(keyring, { maxBodySize: frameLength });
      let header: MessageHeader | undefined;
      stream.once("MessageHeader", (found: MessageHeader) => {
        header = found;
      });
      const parts = await throughStream(stream, stepsOf(sealed)).catch((cause) => {
        throw new BadSegmentError(place, { cause });
      });
      if (header === undefined || !sameContext(header.encryptionContext, contextOf(place)))
        throw new BadSegmentError(place);
      return parts;
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
  const { getCipher, messageHeader, rawHeader, dispose } = getEncryptionInfo(material, frameLength);
  const pendingFrame = { content: [], contentLength: plaintext.length, sequenceNumber: 1 };
  const { cipher, bodyHeader } = getEncryptFrame({ pendingFrame, messageHeader, getCipher, isFinalFrame: true, suite });
  const sealed = [...rawHeader, bodyHeader, cipher.update(bytesOf(plaintext)), cipher.final(), cipher.getAuthTag()];
  dispose();
  return joinSmall(sealed);
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

/** Pass the input through a stream, and return the whole output. */
function throughStream(stream: Duplex, input: Iterable<Uint8Array>): Promise<Uint8Array[]> {
  const output: Uint8Array[] = [];
  return new Promise((resolve, reject) => {
    // We keep the listener because the library emits several errors for one damaged message.
    stream.on("error", reject);
    stream.on("data", (part: Uint8Array) => output.push(part));
    stream.once("end", () => resolve(output));
    for (const part of input) stream.write(part);
    stream.end();
  });
}

/**
 * The first part is only the message's header, because decryption copies the chunk that contains it; the others are not copied.
 */
function* stepsOf(sealed: readonly Uint8Array[]): Generator<Uint8Array> {
  let header = sealedHeaderSize;
  for (const part of sealed) {
    const head = part.subarray(0, header);
    header -= head.length;
    if (head.length > 0) yield head;
    for (let at = head.length; at < part.length; at += openingStep) yield part.subarray(at, at + openingStep);
  }
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
