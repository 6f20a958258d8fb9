import { logInDevelopment } from "./development.ts";
import type { Network } from "./types.ts";

export type OracleChain = { chainId: number; registryAddress: string; stablecoin: string; rpcUrl: string | null };

/** An oracle's public configuration. */
export type OracleConfig = {
  oracleDid: string;
  name: string | undefined;
  apiUrl: string | undefined;
  socketUrl: string | undefined;
  agentCardUri: string | undefined;
  /** The default model. */
  model: string | undefined;
  /** Price of a message in micro-units of the stablecoin, as decimal text; "0" when free. */
  price: string | undefined;
  freeMessages: number | undefined;
  /** Number of claims that may stay unpaid before payment is required. */
  allowance: number | undefined;
  payee: string | undefined;
  chain: OracleChain | undefined;
};

/** Response of the oracle's `GET /oracle`. */
export type Told = {
  name?: string;
  did?: string;
  apiUrl?: string | null;
  wsUrl?: string | null;
  agentCardUri?: string | null;
  model?: string | null;
  price?: string;
  freeMessages?: number;
  allowance?: number;
  payee?: string | null;
  chain?: OracleChain;
};

/**
 * Read an oracle's public configuration from the registry on chain and from the oracle itself. Without a network, ask the oracle at
 * `baseUrl`, at the page's origin, or on localhost during development.
 * @throws Error when the oracle is not registered, or does not answer at any of these addresses
 * @example
 * ```ts
 * import { readOracleConfig } from "@hearth/oracles-client-sdk/core";
 *
 * const { name, price } = await readOracleConfig("did:key:z6Mk", undefined, "http://localhost:3000");
 * console.log(`${name} charges ${price} micro-units per message.`);
 * ```
 */
export async function readOracleConfig(
  oracleDid: string,
  network: Network | undefined,
  baseUrl?: string,
): Promise<OracleConfig> {
  if (network === undefined) return fromOracle(oracleDid, await findOracle(oracleDid, baseUrl));
  // Loaded on demand: an app that sets its URLs never needs it.
  const { readRegistration } = await import("./registry.ts");
  const registered = await readRegistration(network, oracleDid);
  if (registered === undefined) throw new Error(`No oracle is registered as ${oracleDid}.`);
  const told = await askOracle(baseUrl ?? registered.apiUrl).catch((error: unknown) => {
    logInDevelopment(`The oracle at ${registered.apiUrl} did not return its description.`, error);
    return {} as Told;
  });
  const { stablecoin, ...rest } = registered;
  const { chainId, registryAddress, rpcUrl } = network;
  const own = told.did === undefined || told.did === oracleDid ? { name: told.name, model: told.model } : {};
  return fromOracle(oracleDid, { ...rest, ...own, chain: { chainId, registryAddress, stablecoin, rpcUrl } } as Told);
}

function fromOracle(oracleDid: string, told: Told): OracleConfig {
  const { name, apiUrl, wsUrl, agentCardUri, model, price, freeMessages, allowance, payee, chain } = told;
  return {
    oracleDid,
    name,
    price,
    freeMessages,
    allowance,
    chain,
    apiUrl: apiUrl || undefined,
    socketUrl: wsUrl || undefined,
    agentCardUri: agentCardUri || undefined,
    model: model ?? undefined,
    payee: payee ?? undefined,
  };
}

async function findOracle(oracleDid: string, baseUrl: string | undefined): Promise<Told> {
  for (const place of baseUrl === undefined ? likelyPlaces() : [baseUrl]) {
    const told = await askOracle(place).catch(() => undefined);
    if (told !== undefined && told.did === oracleDid) return reachedAt(place, told);
  }
  throw new Error(`The URL of ${oracleDid} is unknown: pass a network to OraclesProvider, or a baseUrl in overrides.`);
}

/** Use the URL at which the oracle answered, even if it is registered with another. */
function reachedAt(place: string, told: Told): Told {
  const isRegistered = told.apiUrl?.replace(/\/+$/, "") === place.replace(/\/+$/, "");
  return { ...told, apiUrl: place, wsUrl: isRegistered ? (told.wsUrl ?? place) : place };
}

/** A new oracle is registered with port 4000 of its machine, but listens on 3000 by default. */
function likelyPlaces(): string[] {
  if (typeof location === "undefined") return [];
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  return [location.origin, ...(isLocal ? ["http://localhost:3000", "http://localhost:4000"] : [])];
}

async function askOracle(baseUrl: string): Promise<Told> {
  const response = await fetch(`${baseUrl.replace(/\/+$/, "")}/oracle`);
  if (!response.ok) throw new Error(`${baseUrl} answered ${response.status}.`);
  return (await response.json()) as Told;
}
