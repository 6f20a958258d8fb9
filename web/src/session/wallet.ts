import { hearth } from "../api/client.ts";
import { begin, clearOtherHolder, extend, onSignOut, session } from "./session.ts";
import { WalletError, walletErrorOf } from "./wallet-error.ts";

export type WalletEvent = "accountsChanged" | "chainChanged" | "connect" | "disconnect";
type Listener = (told: never) => void;

/** A wallet of the browser (EIP-1193). */
export type Provider = {
  request(call: { method: string; params?: unknown }): Promise<unknown>;
  on?(event: WalletEvent, listener: Listener): unknown;
  removeListener?(event: WalletEvent, listener: Listener): unknown;
};
/** `id`: the wallet's identifier (rdns), the same after a reload. */
export type FoundWallet = { id: string; name: string; icon?: string; provider: Provider };

type Announcement = CustomEvent<{
  info: { name: string; icon: string; uuid: string; rdns: string };
  provider: Provider;
}>;

/** How long to wait for wallets to announce themselves, in milliseconds; they do it immediately. */
const announceMs = 50;
let connected: Provider | undefined;
onSignOut(() => {
  connected = undefined;
});

/** The wallets of this browser: those that announce themselves (EIP-6963), else `window.ethereum`. */
export async function findWallets(): Promise<FoundWallet[]> {
  const found = new Map<string, FoundWallet>();
  const hear = (event: Event) => {
    const { info, provider } = (event as Announcement).detail;
    found.set(info.uuid, { id: info.rdns, name: info.name, icon: info.icon, provider });
  };
  window.addEventListener("eip6963:announceProvider", hear);
  window.dispatchEvent(new Event("eip6963:requestProvider"));
  await new Promise((resolve) => setTimeout(resolve, announceMs));
  window.removeEventListener("eip6963:announceProvider", hear);
  const { ethereum } = window as { ethereum?: Provider };
  if (found.size === 0 && ethereum !== undefined) return [{ id: "ethereum", name: "Ethereum", provider: ethereum }];
  return [...found.values()];
}

/** Send a request to a wallet. @throws WalletError */
export async function askWallet<T>(provider: Provider, method: string, params?: unknown): Promise<T> {
  try {
    return (await provider.request(params === undefined ? { method } : { method, params })) as T;
  } catch (thrown) {
    throw walletErrorOf(thrown);
  }
}

/** Get a wallet's account, and use this wallet from now on. @throws WalletError when its owner refuses */
export async function openWallet({ id, name, provider }: FoundWallet) {
  const { getAddress } = await import("viem");
  const [account] = await askWallet<string[]>(provider, "eth_requestAccounts");
  if (account === undefined) throw new WalletError("account");
  connected = provider;
  return { address: getAddress(account), id, name };
}

/** Connect a wallet within the current session, for signatures of its account. @throws WalletError */
export async function connectWallet(found: FoundWallet): Promise<`0x${string}`> {
  const wallet = await openWallet(found);
  extend({ wallet });
  return wallet.address;
}

/** The session's wallet, found again after a reload. @throws WalletError when it is no longer there */
export async function walletProvider(): Promise<Provider> {
  if (connected !== undefined) return connected;
  const { wallet } = session();
  const found = (await findWallets()).find(({ id }) => id === wallet?.id);
  if (found === undefined) throw new WalletError("absent");
  connected = found.provider;
  return connected;
}

type TypedData = {
  domain: Record<string, unknown>;
  types: Record<string, readonly { name: string; type: string }[]>;
  primaryType: string;
  message: Record<string, unknown>;
};

/** Let the wallet sign the `typedData` (EIP-712) of POST /v1/transactions/prepare. */
export async function signTypedData({ types, ...data }: TypedData): Promise<`0x${string}`> {
  const { getTypesForEIP712Domain, serializeTypedData } = await import("viem");
  const provider = await walletProvider();
  const { chainId } = data.domain;
  if (chainId !== undefined) await switchChain(provider, Number(chainId));
  // Wallets sign an empty domain when its type is missing.
  const whole = { ...data, types: { EIP712Domain: getTypesForEIP712Domain({ domain: data.domain }), ...types } };
  const text = serializeTypedData(whole as Parameters<typeof serializeTypedData>[0]);
  return await askWallet(provider, "eth_signTypedData_v4", [session().wallet?.address, text]);
}

/** Let a wallet's account sign a text (EIP-191). @throws WalletError */
export async function signMessage(provider: Provider, address: string, text: string): Promise<`0x${string}`> {
  const { stringToHex } = await import("viem");
  return await askWallet(provider, "personal_sign", [stringToHex(text), address]);
}

/**
 * Switch the wallet to a chain: wallets sign typed data and send transactions only for their current one.
 *
 * @throws WalletError when its owner refuses, or it does not know the chain and cannot add it
 */
export async function switchChain(provider: Provider, chainId: number): Promise<void> {
  const hexId = `0x${chainId.toString(16)}`;
  if (Number(await askWallet<string>(provider, "eth_chainId")) === chainId) return;
  try {
    await askWallet(provider, "wallet_switchEthereumChain", [{ chainId: hexId }]);
  } catch (error) {
    if (!(error instanceof WalletError) || error.code !== unknownChain) throw error;
    const rpcUrl = await publicRpcUrl();
    if (rpcUrl === null) throw error;
    const nativeCurrency = { name: "Ether", symbol: "ETH", decimals: 18 };
    const chain = { chainId: hexId, chainName: "Hearth", rpcUrls: [rpcUrl], nativeCurrency };
    await askWallet(provider, "wallet_addEthereumChain", [chain]);
  }
}

const unknownChain = 4902;

/** RPC URL of this server's local chain; null for a public chain, which wallets know. */
async function publicRpcUrl(): Promise<string | null> {
  const { chain } = await hearth.get("/oracle");
  return chain?.rpcUrl ?? null;
}

/** Start a guest session, which can read public data. */
export async function startGuestSession(): Promise<void> {
  await clearOtherHolder();
  const { wallet } = session();
  begin({ guest: true, ...(wallet === undefined ? {} : { wallet }) }, false);
}
