import { z } from "zod/mini";
import { serverNow } from "../../api/server-time.ts";
import type { Identity } from "../../identity/identity-store.ts";
import { loadSigning } from "../../identity/load-signing.ts";
import type { parseToken } from "../../identity/mint.ts";
import { formatResource } from "../../identity/resource.ts";
import type { SigningKey } from "../../identity/signing-key.ts";

/** What the person who opens a link may do: read, or also add and change files. */
export const linkRights = ["read", "write"] as const;
export type LinkRight = (typeof linkRights)[number];

const abilitiesOf = {
  read: ["fs/list", "fs/read"],
  write: ["fs/list", "fs/read", "fs/write"],
} as const satisfies Record<LinkRight, readonly string[]>;

export const linkDays = [1, 7, 30, 365] as const;
/** A password shorter than this is refused: anyone who has the link can try passwords without a server. */
export const leastPassword = 10;

/** What is stored about a link, so that its maker can list and revoke it. It does not open anything. */
export const linkRecord = z.object({
  /** CID of the delegation, which revokes it. */
  cid: z.string(),
  /** The delegation to the link's key. */
  token: z.string(),
  path: z.string(),
  right: z.enum(linkRights),
  /** Unix seconds. */
  expiresAt: z.number(),
  madeAt: z.number(),
  hasPassword: z.boolean(),
});
export type LinkRecord = z.infer<typeof linkRecord>;

/** An opened link: its key, and what the owner delegated to it. */
export type OpenLink = {
  key: SigningKey;
  proof: Awaited<ReturnType<typeof parseToken>>;
  owner: string;
  path: string;
  right: LinkRight;
  /** Unix seconds. */
  expiresAt: number;
};

const secret = z.object({ key: z.string(), token: z.string() });
const passwordMark = "p.";
/** Only links with a password need it. */
const loadEncryption = () => import("./link-password.ts");

type LinkOrder = { path: string; right: LinkRight; days: number; password: string };

/**
 * Make a link that opens a file or folder without an account. A key is made for the link alone; the owner delegates to it,
 * and both are in the link's fragment, which browsers send to no server.
 */
export async function makeLink(
  { key: issuer, did }: Identity,
  { path, right, days, password }: LinkOrder,
): Promise<{ url: string; record: LinkRecord }> {
  const { createKeyText, formatToken, mint, openKeyText, toBase64Url } = await loadSigning();
  const key = await createKeyText();
  const madeAt = Math.floor(serverNow(Date.now()) / 1000);
  const expiration = madeAt + days * 86_400;
  const resource = formatResource(did, path.normalize("NFC"));
  const claims = abilitiesOf[right].map((can) => ({ can, with: resource }));
  const delegation = await mint({ issuer, audience: openKeyText(key).did(), claims, expiration });
  const token = await formatToken(delegation);
  const plain = new TextEncoder().encode(JSON.stringify({ key, token }));
  const fragment =
    password === ""
      ? toBase64Url(plain)
      : `${passwordMark}${await (await loadEncryption()).sealWithPassword(plain, password)}`;
  const record: LinkRecord = {
    cid: delegation.cid.toString(),
    token,
    path,
    right,
    expiresAt: expiration,
    madeAt,
    hasPassword: password !== "",
  };
  return { url: `${window.location.origin}/console/shared#${fragment}`, record };
}

export const needsPassword = (fragment: string): boolean => fragment.startsWith(passwordMark);

/** Open a link. @throws Error when it is damaged, or the password is wrong */
export async function openLink(fragment: string, password = ""): Promise<OpenLink> {
  const { fromBase64, openKeyText, parseToken } = await loadSigning();
  const plain = needsPassword(fragment)
    ? await (await loadEncryption()).openWithPassword(fragment.slice(passwordMark.length), password)
    : fromBase64(fragment);
  const { key, token } = secret.parse(JSON.parse(new TextDecoder().decode(plain)));
  const proof = await parseToken(token);
  const [first] = proof.capabilities;
  const [, owner = "", path = ""] = /^vfs:\/\/([^/]+)(\/.*)?$/.exec(first?.with ?? "") ?? [];
  const signer = openKeyText(key);
  if (owner === "" || proof.audience.did() !== signer.did()) throw new Error("The link is damaged.");
  return {
    key: signer,
    proof,
    owner: decodeURIComponent(owner),
    path: path === "" ? "/" : path.split("/").map(decodeURIComponent).join("/"),
    right: proof.capabilities.some(({ can }) => can === "fs/write") ? "write" : "read",
    expiresAt: Number(proof.expiration),
  };
}
