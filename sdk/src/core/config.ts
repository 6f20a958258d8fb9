import { logInDevelopment } from "./development.ts";
import type { Network } from "./types.ts";

export type OracleChain = { chainId: number; registryAddress: string; stablecoin: string; rpcUrl: string | null };

/** What is publicly known of an oracle. */
export type OracleConfig = {
  oracleDid: string;
  name: string | undefined;
  apiUrl: string | undefined;
  socketUrl: string | undefined;
  agentCardUri: string | undefined;
  /** The model that answers by default. */
  model: string | undefined;
  /** Of a message, in micro-units of the stablecoin, as decimal text; "0": free. */
  price: string | undefined;
  freeMessages: number | undefined;
  /** How many claims may be unpaid before payment is required. */
  allowance: number | undefined;
  payee: string | undefined;
  chain: OracleChain | undefined;
};

/** What an oracle says of itself at `GET /oracle`. */
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
  // On demand: an app that names its URLs never loads it.
  const { readRegistration } = await import("./registry.ts");
  const registered = await readRegistration(network, oracleDid);
  if (registered === undefined) throw new Error(`No oracle is registered as ${oracleDid}.`);
  const told = await askOracle(baseUrl ?? registered.apiUrl).catch((error: unknown) => {
    logInDevelopment(`The oracle at ${registered.apiUrl} does not say more of itself.`, error);
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
    ...{ oracleDid, name, price, freeMessages, allowance, chain },
    ...{ apiUrl: apiUrl || undefined, socketUrl: wsUrl || undefined, agentCardUri: agentCardUri || undefined },
    ...{ model: model ?? undefined, payee: payee ?? undefined },
  };
}

async function findOracle(oracleDid: string, baseUrl: string | undefined): Promise<Told> {
  for (const place of baseUrl === undefined ? likelyPlaces() : [baseUrl]) {
    const told = await askOracle(place).catch(() => undefined);
    if (told !== undefined && told.did === oracleDid) return reachedAt(place, told);
  }
  throw new Error(`Where ${oracleDid} answers is not known: give OraclesProvider a network, or overrides a baseUrl.`);
}

/** Where it answered is where it can be reached, whatever it is registered at. */
function reachedAt(place: string, told: Told): Told {
  const isRegistered = told.apiUrl?.replace(/\/+$/, "") === place.replace(/\/+$/, "");
  return { ...told, apiUrl: place, wsUrl: isRegistered ? (told.wsUrl ?? place) : place };
}

/** The registered URL of a new oracle is port 4000 of the machine that it was made on; it listens on 3000. */
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
