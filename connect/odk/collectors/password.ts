import { createHash, randomInt } from "node:crypto";

/** Realm of HTTP Digest. It is part of what is stored for each password, so a change would end all passwords. */
export const realm = "Hearth";

/** Letters and digits that nobody takes for others. There are 32: each is 5 random bits. */
const alphabet = "abcdefghijkmnpqrstuvwxyz23456789";

/**
 * Generate a password that people can type: 20 characters, 100 random bits, in groups of four. Who records a request can guess
 * its password offline, by MD5, so it cannot be much shorter.
 */
export function generatePassword(): string {
  const group = () => Array.from({ length: 4 }, () => alphabet[randomInt(alphabet.length)]).join("");
  return Array.from({ length: 5 }, group).join("-");
}

/** Hash a user name and password as HTTP Digest does (HA1 of RFC 7616, section 3.4.2). It is as good as the password. */
export function ha1Of(username: string, password: string): string {
  return createHash("md5").update(`${username}:${realm}:${password}`).digest("hex");
}
