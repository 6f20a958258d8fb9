import { type DIDDocument, type DIDResolutionResult, type DIDResolver, type Resolvable, Resolver } from "did-resolver";

/** How long a document is cached, by method, in milliseconds. A did:key is its own document and never changes. */
const TTL_MS: Record<string, number> = { key: 24 * 3600_000, web: 60_000, ethr: 60_000 };
const FAILURE_TTL_MS = 2_000;
const RESOLVE_TIMEOUT_MS = 5_000;
const MAX_CACHED = 5_000;
const MAX_VERIFICATION_METHODS = 32;

export type DidMethod = {
  name: string;
  resolve: DIDResolver;
  /** Identifies the DID's current state; a cached document is used only while this is unchanged. */
  stateOf?: (did: string) => Promise<string>;
};
type Cached = { result: Promise<DIDResolutionResult>; state: string; expiresAt: number };

export const didKeyMethod: DidMethod = {
  name: "key",
  resolve: async (...did) => {
    // The library brings ethers, which is large: it is loaded with the first did:key.
    const { getDidKeyResolver } = await import("@veramo/did-provider-key");
    return await getDidKeyResolver().key(...did);
  },
};

/**
 * Create a resolver for DIDs of the given methods. It limits the time, checks that a document belongs to the DID, and caches it for
 * the method's time while the DID's state is unchanged, so that a change of owner takes effect immediately.
 */
export function createDidResolver(methods: DidMethod[], clock: () => number): Resolvable {
  const byName = new Map(methods.map((method) => [method.name, method]));
  const resolver = new Resolver(Object.fromEntries(methods.map(({ name, resolve }) => [name, resolve])));
  const cache = new Map<string, Cached>();

  async function resolve(did: string): Promise<DIDResolutionResult> {
    const method = byName.get(did.split(":")[1] ?? "");
    if (!method) return failure("methodNotSupported", "The DID's method is not supported");
    const state = await readState(method, did);
    if (typeof state !== "string") return state;
    const known = cache.get(did);
    if (known && known.state === state && known.expiresAt > clock()) return known.result;
    const entry: Cached = { result: resolveOnce(did), state, expiresAt: clock() + (TTL_MS[method.name] ?? 0) };
    remember(cache, did, entry);
    if (failed(await entry.result)) entry.expiresAt = Math.min(entry.expiresAt, clock() + FAILURE_TTL_MS);
    return entry.result;
  }

  async function resolveOnce(did: string): Promise<DIDResolutionResult> {
    try {
      const result = await within(RESOLVE_TIMEOUT_MS, resolver.resolve(did));
      return failed(result) ? result : { ...result, didDocument: checkDocument(did, result) };
    } catch (error) {
      return failure("notFound", (error as Error).message);
    }
  }

  return { resolve: (didUrl) => resolve(didUrl) };
}

/** Thrown for a DID of a chain that is not configured. */
export class UnknownNetworkError extends Error {}

async function readState(method: DidMethod, did: string): Promise<string | DIDResolutionResult> {
  if (!method.stateOf) return "";
  try {
    return await within(RESOLVE_TIMEOUT_MS, method.stateOf(did));
  } catch (error) {
    const code = error instanceof UnknownNetworkError ? "methodNotSupported" : "notFound";
    return failure(code, "The DID's state could not be read");
  }
}

function checkDocument(did: string, { didDocument, didDocumentMetadata }: DIDResolutionResult): DIDDocument {
  if (didDocument?.id !== did) throw new Error("The DID document belongs to another DID");
  if (didDocumentMetadata?.deactivated) throw new Error("The DID is deactivated");
  const methods = didDocument.verificationMethod ?? [];
  if (methods.length > MAX_VERIFICATION_METHODS) throw new Error("The DID document lists too many keys");
  // did-jwt would follow such a method's conditions into other DIDs, without a limit.
  return { ...didDocument, verificationMethod: methods.filter(({ type }) => type !== "ConditionalProof2022") };
}

function remember(cache: Map<string, Cached>, did: string, entry: Cached): void {
  cache.delete(did);
  cache.set(did, entry);
  const [oldest] = cache.keys();
  if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest);
}

function failed(result: DIDResolutionResult): boolean {
  return !result.didDocument || Boolean(result.didResolutionMetadata.error);
}

function failure(error: string, message: string): DIDResolutionResult {
  return { didResolutionMetadata: { error, message }, didDocument: null, didDocumentMetadata: {} };
}

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("The DID did not resolve in time")), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
