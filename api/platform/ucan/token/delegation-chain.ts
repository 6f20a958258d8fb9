import { createHash } from "node:crypto";
import { CAR, CBOR, UCAN } from "@ucanto/core";
import { z } from "zod";
import { invalidToken } from "./token-error.ts";

/** The largest token that is read, in bytes of its CAR. */
export const maxTokenBytes = 64 * 1024;
/** Most links from the bearer to the owner, both included. */
export const maxChainLength = 8;
/** Most links of a token; a link may have several proofs. */
const maxLinks = 32;
const maxTextLength = Math.ceil(maxTokenBytes / 3) * 4 + 4;
const sha256Code = 0x12;

/** One capability as its issuer wrote it. */
export type Claim = { can: string; with: string; nb?: unknown };

/** One UCAN of a token, read from the signed text. Its CID is verified, its signature not yet. */
export type Link = {
  cid: string;
  /** SHA-256 of the text that the issuer signed. A CID also covers signature and encoding, which others can vary. */
  identity: string;
  /** Header and payload in JWT form: what the signature covers, whichever way the UCAN is encoded. */
  signedText: string;
  signature: { code: number; raw: Uint8Array };
  issuer: string;
  audience: string;
  claims: Claim[];
  facts: unknown[];
  /** Unix seconds; infinite when it never expires. */
  expiration: number;
  /** Unix seconds. */
  notBefore: number | undefined;
  /** Its position, for error details: `token`, `token.proofs.0`, … */
  place: string;
  proofCids: string[];
  proofs: Link[];
};

/** The links of a token, each once, the bearer first. */
export type Chain = { bearer: Link; links: Link[] };

/**
 * Read a base64 (or base64url) CAR that holds one UCAN and its proofs, and recompute the CID of every block from its bytes.
 * @throws AppError INVALID_TOKEN
 */
export function decodeChain(text: string): Chain {
  const { root, blocks } = decodeCar(text);
  const links = new Map<string, Link>();
  const read = (cid: string, place: string) => links.get(cid) ?? linkOf(cid, blocks, place);
  const bearer = read(findUcan(root, blocks), "token");
  links.set(bearer.cid, bearer);
  let level = [bearer];
  for (let length = 1; level.length > 0; length++) {
    if (length > maxChainLength) invalidToken("chain-length", `A chain has at most ${maxChainLength} links.`);
    const next = new Map<string, Link>();
    for (const link of level) {
      for (const [index, cid] of link.proofCids.entries()) {
        const found = read(cid, `${link.place}.proofs.${index}`);
        links.set(cid, found);
        next.set(cid, found);
        link.proofs[index] = found;
        if (links.size > maxLinks) invalidToken("chain-size", `A token has at most ${maxLinks} links.`);
      }
    }
    level = [...next.values()];
  }
  return { bearer, links: [...links.values()] };
}

/** List the link and all its direct and indirect proofs, each once. */
export function linksAbove(link: Link): Link[] {
  const found = new Set([link]);
  // Iterating a set includes items that are added meanwhile.
  for (const each of found) for (const proof of each.proofs) found.add(proof);
  return [...found];
}

type Blocks = Map<string, { bytes: Uint8Array; code: number }>;

function decodeCar(text: string): { root: string; blocks: Blocks } {
  if (text.length > maxTextLength) invalidToken("token-size", "A token has at most 64 KiB.");
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) invalidToken("base64", "The token is not base64.");
  const bytes = new Uint8Array(Buffer.from(text, "base64"));
  if (bytes.byteLength > maxTokenBytes) invalidToken("token-size", "A token has at most 64 KiB.");
  const car = readCar(bytes);
  const blocks: Blocks = new Map();
  for (const [name, { cid, bytes: block }] of car.blocks) {
    if (cid.multihash.code !== sha256Code) invalidToken("block-hash", "A block's CID is not of SHA-256.");
    if (Buffer.compare(createHash("sha256").update(block).digest(), cid.multihash.digest) !== 0) {
      invalidToken("block-hash", "A block's bytes do not have the CID that they are filed under.");
    }
    blocks.set(name, { bytes: block, code: cid.code });
  }
  const [root, second] = car.roots;
  if (root === undefined || second !== undefined) invalidToken("car-root", "The CAR must have one root.");
  return { root: root.cid.toString(), blocks };
}

function readCar(bytes: Uint8Array): ReturnType<typeof CAR.decode> {
  try {
    return CAR.decode(bytes as Parameters<typeof CAR.decode>[0]);
  } catch {
    return invalidToken("car", "The token is not a CAR file.");
  }
}

/** The CAR's root is a UCAN, or names one: an archive `{"ucan@0.9.1": link}` or a message that executes one invocation. */
function findUcan(root: string, blocks: Blocks): string {
  const block = blocks.get(root);
  if (block === undefined) return invalidToken("car-root", "The CAR does not hold its root.");
  if (block.code !== CBOR.code) return root;
  const [[kind, value] = ["", undefined], second] = entriesOf(block.bytes);
  if (second !== undefined) return root;
  if (/^ucan@\d+\.\d+\.\d+$/.test(kind)) return String(value);
  if (!kind.startsWith("ucanto/message@")) return root;
  const executed = Object.entries(value ?? {}).find(([name]) => name === "execute")?.[1];
  if (!Array.isArray(executed) || executed.length !== 1) {
    return invalidToken("car-root", "The message must hold one invocation.");
  }
  return String(executed[0]);
}

function entriesOf(bytes: Uint8Array): [string, unknown][] {
  try {
    return Object.entries(CBOR.decode(bytes as Parameters<typeof CBOR.decode>[0]) as object);
  } catch {
    return invalidToken("car-root", "The CAR's root cannot be read.");
  }
}

function linkOf(cid: string, blocks: Blocks, place: string): Link {
  const block = blocks.get(cid);
  if (block === undefined) return invalidToken("proof-missing", "The CAR does not hold a UCAN that it names.", place);
  const ucan = readUcan(block.bytes, place);
  if (ucan.code !== block.code) return invalidToken("ucan", "The UCAN's codec is not that of its CID.", place);
  const jwt = UCAN.format(ucan);
  const signedText = jwt.slice(0, jwt.lastIndexOf("."));
  return {
    cid,
    identity: createHash("sha256").update(signedText).digest("hex"),
    signedText,
    signature: ucan.signature,
    issuer: ucan.issuer.did(),
    audience: ucan.audience.did(),
    ...readPayload(signedText, place),
    place,
    proofCids: ucan.proofs.map(String),
    proofs: [],
  };
}

function readUcan(bytes: Uint8Array, place: string): UCAN.View {
  try {
    const ucan = UCAN.decode(bytes as Parameters<typeof UCAN.decode>[0]);
    if (/^0\.9\.\d+(-[\w.]+)?$/.test(ucan.version)) return ucan;
  } catch {
    // Refused below like everything else that is not a UCAN.
  }
  return invalidToken("ucan", "This is not a UCAN of version 0.9.", place);
}

const payload = z.object({
  att: z.array(z.object({ can: z.string().toLowerCase(), with: z.string(), nb: z.unknown().optional() })),
  fct: z.array(z.unknown()).default([]),
  exp: z.number().nullable(),
  nbf: z.number().optional(),
});

/** A decoded block can carry more than was signed (its maps take a prototype from `__proto__`): only the signed text counts. */
function readPayload(signedText: string, place: string): Pick<Link, "claims" | "facts" | "expiration" | "notBefore"> {
  const text = Buffer.from(signedText.slice(signedText.indexOf(".") + 1), "base64url").toString("utf8");
  const { success, data } = payload.safeParse(JSON.parse(text));
  if (!success) return invalidToken("ucan", "This is not a UCAN of version 0.9.", place);
  const { att, fct, exp, nbf } = data;
  return { claims: att, facts: fct, expiration: exp ?? Number.POSITIVE_INFINITY, notBefore: nbf };
}
