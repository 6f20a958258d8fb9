import { begin, extend, onSignOut, session } from "./session.ts";

/** A wallet of the browser (EIP-1193). */
export type Provider = { request(call: { method: string; params?: unknown }): Promise<unknown> };
export type FoundWallet = { name: string; icon?: string; provider: Provider };

type Announcement = CustomEvent<{ info: { name: string; icon: string; uuid: string }; provider: Provider }>;

let connected: Provider | undefined;
onSignOut(() => {
  connected = undefined;
});

/** The wallets of this browser: those that announce themselves (EIP-6963), else `window.ethereum`. */
export async function findWallets(): Promise<FoundWallet[]> {
  const found = new Map<string, FoundWallet>();
  const hear = (event: Event) => {
    const { info, provider } = (event as Announcement).detail;
    found.set(info.uuid, { name: info.name, icon: info.icon, provider });
  };
  window.addEventListener("eip6963:announceProvider", hear);
  window.dispatchEvent(new Event("eip6963:requestProvider"));
  await new Promise((resolve) => setTimeout(resolve, 50));
  window.removeEventListener("eip6963:announceProvider", hear);
  const { ethereum } = window as { ethereum?: Provider };
  if (found.size === 0 && ethereum !== undefined) return [{ name: "Ethereum", provider: ethereum }];
  return [...found.values()];
}

/** Ask a wallet for its account, and remember which wallet it was. @throws what the wallet says when its owner refuses */
export async function connectWallet({ name, provider }: FoundWallet): Promise<`0x${string}`> {
  const { getAddress } = await import("viem");
  const [account] = (await provider.request({ method: "eth_requestAccounts" })) as string[];
  if (account === undefined) throw new Error("The wallet gave no account.");
  const address = getAddress(account);
  connected = provider;
  extend({ wallet: { address, name } });
  return address;
}

/** The session's wallet, found again after a reload. @throws Error when it is not there any more */
export async function walletProvider(): Promise<Provider> {
  if (connected !== undefined) return connected;
  const { wallet } = session();
  const found = (await findWallets()).find(({ name }) => name === wallet?.name);
  if (found === undefined) throw new Error("No wallet is connected.");
  connected = found.provider;
  return connected;
}

type TypedData = {
  domain: Record<string, unknown>;
  types: Record<string, readonly { name: string; type: string }[]>;
  primaryType: string;
  message: Record<string, unknown>;
};

/** Have the wallet sign typed data (EIP-712), as POST /v1/transactions/prepare returns it in `typedData`. */
export async function signTypedData({ types, ...data }: TypedData): Promise<`0x${string}`> {
  const { getTypesForEIP712Domain, serializeTypedData } = await import("viem");
  const provider = await walletProvider();
  // Wallets sign an empty domain where its type is not told.
  const whole = { ...data, types: { EIP712Domain: getTypesForEIP712Domain({ domain: data.domain }), ...types } };
  const params = [session().wallet?.address, serializeTypedData(whole as Parameters<typeof serializeTypedData>[0])];
  return (await provider.request({ method: "eth_signTypedData_v4", params })) as `0x${string}`;
}

/** Have the wallet sign a text (EIP-191). */
export async function signMessage(text: string): Promise<`0x${string}`> {
  const { stringToHex } = await import("viem");
  const provider = await walletProvider();
  const params = [stringToHex(text), session().wallet?.address];
  return (await provider.request({ method: "personal_sign", params })) as `0x${string}`;
}

/** Begin a session that only reads what is public. */
export function lookAround(): void {
  const { wallet } = session();
  begin({ guest: true, ...(wallet === undefined ? {} : { wallet }) }, false);
}
