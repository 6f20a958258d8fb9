import { createHash, createHmac, createSecretKey, randomBytes } from "node:crypto";
import { type Hex, hexToBytes } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { householdCode, householdCodeSecret } from "../../../wire/src/household-code.ts";

/** Make what the codes of a set are derived from. */
export const newSeed = (): string => randomBytes(32).toString("base64url");

/** Derive the codes of one household, in the order in which they are printed. */
export function codesOf(seed: string, household: number, count: number): string[] {
  // With bytes for a key, Node 24 takes five times as long for each code.
  const key = createSecretKey(seed, "base64url");
  return Array.from({ length: count }, (_, nth) =>
    householdCode(
      createHmac("sha256", key)
        .update(`${household} ${nth + 1}`)
        .digest(),
    ),
  );
}

/** Derive a code's one-time key. */
export function codeKey(code: string): Hex {
  return `0x${createHash("sha256").update(householdCodeSecret(code)).digest("hex")}`;
}

/** The address that is committed for a code, as bytes. */
export const codeAddress = (code: string): Uint8Array => hexToBytes(privateKeyToAddress(codeKey(code)));
