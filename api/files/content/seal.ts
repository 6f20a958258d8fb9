import {
  AlgorithmSuiteIdentifier,
  buildClient,
  CommitmentPolicy,
  RawAesKeyringNode,
  RawAesWrappingSuiteIdentifier,
} from "@aws-crypto/client-node";
import type { VersionKey } from "../keys/key-kinds.ts";
import { type SegmentPlace, sealOverhead, segmentSize } from "./segments.ts";

const { encrypt, decrypt } = buildClient({
  commitmentPolicy: CommitmentPolicy.REQUIRE_ENCRYPT_REQUIRE_DECRYPT,
  maxEncryptedDataKeys: 1,
});
const suiteId = AlgorithmSuiteIdentifier.ALG_AES256_GCM_IV12_TAG16_HKDF_SHA512_COMMIT_KEY;
/** Longer than any segment: each message is one final frame, so its overhead is the same for any length. */
const frameLength = 2 * segmentSize;

/** Thrown when a sealed segment is not, to the bit, what was sealed at its place. Tells the place, never the content. */
export class BadSegmentError extends Error {
  readonly place: SegmentPlace;

  constructor(place: SegmentPlace, cause?: unknown) {
    super(`Segment ${place.index} of version ${place.version} of file ${place.fileId} is damaged or not its own.`, {
      cause,
    });
    this.name = "BadSegmentError";
    this.place = place;
  }
}

/** Seals and opens the segments of one version with its key. */
export type SegmentSealer = {
  seal(place: SegmentPlace, plaintext: Uint8Array): Promise<Uint8Array>;
  /** @throws BadSegmentError */
  open(place: SegmentPlace, sealed: Uint8Array): Promise<Uint8Array>;
};

export function createSealer(key: VersionKey): SegmentSealer {
  const keyring = new RawAesKeyringNode({
    keyNamespace: "hearth-files",
    keyName: "version",
    unencryptedMasterKey: new Uint8Array(key.export()),
    wrappingSuite: RawAesWrappingSuiteIdentifier.AES256_GCM_IV12_TAG16_NO_PADDING,
  });
  return {
    async seal(place, plaintext) {
      const { result } = await encrypt(keyring, plaintext, {
        suiteId,
        frameLength,
        encryptionContext: contextOf(place),
      });
      if (result.length !== plaintext.length + sealOverhead)
        throw new Error("A sealed segment has an unexpected length.");
      return result;
    },
    async open(place, sealed) {
      const opened = await decrypt(keyring, sealed).catch((error) => {
        throw new BadSegmentError(place, error);
      });
      const found = opened.messageHeader.encryptionContext;
      const expected = Object.entries(contextOf(place));
      const same = expected.every(([name, value]) => found[name] === value);
      if (!same || Object.keys(found).length !== expected.length) throw new BadSegmentError(place);
      return opened.plaintext;
    },
  };
}

/** Every value has one width, so that equal lengths of plaintext seal to equal lengths. */
function contextOf({ fileId, version, index, last }: SegmentPlace): Record<string, string> {
  return {
    file: fileId.padStart(26, "0"),
    version: String(version).padStart(10, "0"),
    segment: String(index).padStart(10, "0"),
    last: last ? "1" : "0",
  };
}
