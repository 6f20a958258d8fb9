import { createSecretKey, hkdfSync, type KeyObject } from "node:crypto";
import { type NodeAlgorithmSuite, unwrapDataKey } from "@aws-crypto/material-management-node";
import { kdfCommitKeyInfo } from "@aws-crypto/serialize";

/** What a message is encrypted with, and the commitment in its header that binds it to that one key. */
export type MessageKeys = { key: KeyObject; commitment: Buffer };

type DataKey = Parameters<typeof unwrapDataKey>[0];

/**
 * Derive a message's keys from its data key, as the library's committing suites do (HKDF, RFC 5869). The library builds HKDF from
 * HMACs whose keys are bytes; since Node 24 such an HMAC costs five times as much as one whose key is a KeyObject.
 */
export function deriveMessageKeys(suite: NodeAlgorithmSuite, dataKey: DataKey, messageId: Uint8Array): MessageKeys {
  const { kdfHash, keyLengthBytes, commitmentLength, saltLengthBytes } = suite;
  if (kdfHash === undefined || commitmentLength === undefined) throw new Error("The suite does not commit to its key.");
  if (messageId.length !== saltLengthBytes) throw new Error("The message's id is not that of a committing suite.");
  const { keyLabel, commitLabel } = kdfCommitKeyInfo(suite);
  const secret = createSecretKey(unwrapDataKey(dataKey));
  const derive = (label: Uint8Array, length: number) =>
    Buffer.from(hkdfSync(kdfHash, secret, messageId, label, length));
  const bytes = derive(keyLabel, keyLengthBytes);
  const key = createSecretKey(bytes);
  bytes.fill(0);
  return { key, commitment: derive(commitLabel, commitmentLength / 8) };
}
