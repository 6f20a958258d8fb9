import { useEffect } from "react";
import { dropWallet, extend, session, signOut, useSession } from "./session.ts";
import { useStore } from "./use-store.ts";
import { askWallet, type Provider, walletProvider } from "./wallet.ts";

/** The wallet's last reported state; undefined before its first report. */
export type WalletState = { chainId?: number; isConnected: boolean };

let state: WalletState = { isConnected: true };
const listeners = new Set<() => void>();
function note(part: Partial<WalletState>): void {
  state = { ...state, ...part };
  for (const listener of listeners) listener();
}

/**
 * Use the wallet's current accounts (EIP-1193). A session signed by an account that the wallet no longer has ends. With
 * an API key, the session continues with the wallet's new account.
 */
export async function takeAccounts(accounts: readonly string[]): Promise<void> {
  const { wallet, key } = session();
  if (wallet === undefined) return;
  const [account] = accounts;
  if (account?.toLowerCase() === wallet.address.toLowerCase()) return;
  if (key?.standing !== undefined) return await signOut(account === undefined ? "no-account" : "other-account");
  if (account === undefined) return dropWallet();
  const { getAddress } = await import("viem");
  extend({ wallet: { ...wallet, address: getAddress(account) } });
}

function listen(provider: Provider): () => void {
  const onAccounts = (accounts: string[]) => void takeAccounts(accounts);
  const onChain = (chainId: string) => note({ chainId: Number(chainId) });
  const onConnect = ({ chainId }: { chainId: string }) => note({ chainId: Number(chainId), isConnected: true });
  const onDisconnect = () => note({ isConnected: false });
  provider.on?.("accountsChanged", onAccounts);
  provider.on?.("chainChanged", onChain);
  provider.on?.("connect", onConnect);
  provider.on?.("disconnect", onDisconnect);
  return () => {
    provider.removeListener?.("accountsChanged", onAccounts);
    provider.removeListener?.("chainChanged", onChain);
    provider.removeListener?.("connect", onConnect);
    provider.removeListener?.("disconnect", onDisconnect);
  };
}

/** Read the wallet's current state: its account may have changed during a reload. */
async function catchUp(provider: Provider): Promise<void> {
  await takeAccounts(await askWallet<string[]>(provider, "eth_accounts"));
  note({ chainId: Number(await askWallet<string>(provider, "eth_chainId")), isConnected: true });
}

/** Follow the session's wallet. Returns its last reported state. */
export function useWalletState(): WalletState {
  const { wallet } = useSession();
  const id = wallet?.id;
  useEffect(() => {
    if (id === undefined) return;
    let stop = () => {};
    let isOver = false;
    const begin = async () => {
      const provider = await walletProvider();
      if (isOver) return;
      stop = listen(provider);
      await catchUp(provider);
    };
    begin().catch(() => note({ isConnected: false }));
    return () => {
      isOver = true;
      stop();
    };
  }, [id]);
  return useStore(subscribe, () => state);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
