import { readFile } from "node:fs/promises";
import type { DIDDocument, DIDResolutionResult, Resolvable } from "did-resolver";
import { and, eq, gt } from "drizzle-orm";
import { z } from "zod";
import type { Database } from "../../platform/db/index.ts";
import { keyOfDidKey } from "../../platform/dids/index.ts";
import { oracleDidKeys } from "./tables.ts";

const didKey = z.string().refine((did) => keyOfDidKey(did) !== undefined, "must be a did:key");
const registrySchema = z.record(
  z.string().startsWith("did:"),
  z.union([didKey.transform((one) => [one]), z.array(didKey).min(1)]),
);

/** The signing keys of each DID, from the local file. */
export type DidRegistry = ReadonlyMap<string, readonly string[]>;

/**
 * Read the file that DID_REGISTRY names: a JSON map from DIDs to a did:key, or a list of them.
 * @throws Error naming the file and what is wrong with it
 */
export async function readDidRegistry(path: string | undefined): Promise<DidRegistry> {
  if (path === undefined) return new Map();
  try {
    return new Map(Object.entries(registrySchema.parse(JSON.parse(await readFile(path, "utf8")))));
  } catch (cause) {
    const why = cause instanceof z.ZodError ? z.prettifyError(cause) : (cause as Error).message;
    throw new Error(`DID_REGISTRY ${path} cannot be used: ${why}`, { cause });
  }
}

type Sources = { registry: DidRegistry; db: Database; clock: { now: () => Date }; resolver: Resolvable };

/** Extend a resolver by the keys of the local registry, the session keys of wallets, and did:pkh. */
export function withRegisteredKeys({ registry, db, clock, resolver }: Sources): Resolvable {
  const sessionKeys = async (did: string): Promise<string[]> => {
    if (!/^did:(pkh|ethr):/.test(did)) return [];
    const live = and(eq(oracleDidKeys.did, did), gt(oracleDidKeys.expiresAt, clock.now()));
    const rows = await db.select({ keyDid: oracleDidKeys.keyDid }).from(oracleDidKeys).where(live);
    return rows.map(({ keyDid }) => keyDid);
  };
  return {
    async resolve(did) {
      const local = registry.get(did);
      if (local !== undefined) return found(documentOf(did, local));
      const keys = await sessionKeys(did);
      if (keys.length > 0 && (await isOwnAccount(did, resolver))) return found(documentOf(did, keys));
      const account = /^did:pkh:(eip155:\d+:0x[0-9a-fA-F]{40})$/.exec(did)?.[1];
      if (account !== undefined) return found(walletDocument(did, account));
      return resolver.resolve(did);
    },
  };
}

/**
 * Check whether the account in a DID still controls it. A did:ethr can be transferred, for instance when its key was stolen; then
 * session keys of the first account are no longer valid. For a chain that is not configured here the answer is yes.
 */
async function isOwnAccount(did: string, resolver: Resolvable): Promise<boolean> {
  if (!did.startsWith("did:ethr:")) return true;
  const { didDocument, didResolutionMetadata } = await resolver.resolve(did);
  if (didDocument === null) return didResolutionMetadata.error === "methodNotSupported";
  const owner = didDocument.verificationMethod?.find(({ id }) => id === `${did}#controller`)?.blockchainAccountId;
  return owner?.split(":").at(-1)?.toLowerCase() === did.split(":").at(-1)?.toLowerCase();
}

/** A DID document with these keys only. */
function documentOf(did: string, keys: readonly string[]): DIDDocument {
  const verificationMethod = keys.flatMap((keyDid) => {
    const key = keyOfDidKey(keyDid);
    if (key === undefined) return [];
    const id = `${did}#${keyDid.slice("did:key:".length)}`;
    return [{ id, type: "JsonWebKey2020", controller: did, publicKeyJwk: key.key.export({ format: "jwk" }) }];
  });
  return { id: did, verificationMethod, capabilityInvocation: verificationMethod.map(({ id }) => id) } as DIDDocument;
}

function walletDocument(did: string, blockchainAccountId: string): DIDDocument {
  const id = `${did}#blockchainAccountId`;
  const type = "EcdsaSecp256k1RecoveryMethod2020";
  return { id: did, verificationMethod: [{ id, type, controller: did, blockchainAccountId }], authentication: [id] };
}

function found(didDocument: DIDDocument): DIDResolutionResult {
  return { didDocument, didDocumentMetadata: {}, didResolutionMetadata: {} };
}
