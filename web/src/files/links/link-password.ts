import { CompactEncrypt, compactDecrypt } from "jose";

/** Iterations of PBKDF2: a try takes about a tenth of a second. */
const iterations = 600_000;
const algorithms = { alg: "PBES2-HS512+A256KW", enc: "A256GCM" } as const;

/** Encrypt a link with a password, as a compact JWE. */
export async function sealWithPassword(plain: Uint8Array, password: string): Promise<string> {
  return await new CompactEncrypt(plain)
    .setProtectedHeader(algorithms)
    .setKeyManagementParameters({ p2c: iterations })
    .encrypt(new TextEncoder().encode(password));
}

/** Decrypt a link. @throws Error when the password is wrong or the text is damaged */
export async function openWithPassword(sealed: string, password: string): Promise<Uint8Array> {
  const { plaintext } = await compactDecrypt(sealed, new TextEncoder().encode(password), {
    keyManagementAlgorithms: [algorithms.alg],
    contentEncryptionAlgorithms: [algorithms.enc],
    // A forged link must not keep the device busy.
    maxPBES2Count: iterations,
  });
  return plaintext;
}
