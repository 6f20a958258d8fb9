import { generateKey, parseKey } from "../../../api/platform/keys/index.ts";
import { createSecretBox, sealingKeysOf } from "../../../api/platform/secret-box.ts";
import type { RoomHost } from "../../room.ts";
import type { CollectorRow } from "../tables.ts";
import { collectSettings, qrCodeOf } from "./collect-settings.ts";
import { generatePassword, ha1Of } from "./password.ts";
import type { CreatedCollector } from "./schemas.ts";

/** What a person gets to sign in with, and what is stored of it. */
export type CollectorSecrets = {
  /** Id of the collector, which is also the user name. */
  id: string;
  token: string;
  password: string;
  stored: Pick<CollectorRow, "secretHash" | "sealedKey" | "sealedHa1" | "keyForPassword">;
};
type Shown = Pick<CreatedCollector, "url" | "settings" | "qrCode" | "digestUrl" | "username" | "password">;

/** Make a collector's token and password, and encrypt the API key for each. @param collectorId a new one when absent */
export function makeSecrets({ secretBox }: RoomHost, apiKey: string, collectorId?: string): CollectorSecrets {
  const { id, key: token, secretHash } = generateKey("ho", collectorId);
  const password = generatePassword();
  const stored = {
    secretHash,
    sealedKey: boxOf(token).seal(apiKey),
    sealedHa1: secretBox.seal(ha1Of(id, password)),
    keyForPassword: secretBox.seal(apiKey),
  };
  return { id, token, password, stored };
}

/** Show a collector's secrets, which happens once. */
export async function showSecrets(
  { publicUrl }: RoomHost,
  name: string,
  { id, token, password }: CollectorSecrets,
): Promise<Shown> {
  const digestUrl = `${publicUrl}/odk`;
  const url = `${digestUrl}/key/${token}`;
  const settings = collectSettings({ url, name });
  return { url, settings, qrCode: await qrCodeOf(settings), digestUrl, username: id, password };
}

/** Encrypts with the token's secret, which is 32 random bytes. */
export function boxOf(token: string) {
  const secret = parseKey(token, "ho")?.secret ?? "";
  return createSecretBox(sealingKeysOf(Buffer.from(secret, "base64url").toString("hex")), "collector");
}
