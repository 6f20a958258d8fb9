import type { Page } from "playwright-core";
import { createPublicClient, createWalletClient, defineChain, hexToString, http, isAddress, isHex } from "viem";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";

type Call = { method: string; params?: unknown };
type Refusal = { code: number; message: string };
type Answer = { result: unknown } | { refusal: Refusal };

/**
 * A browser wallet (EIP-1193, announced by EIP-6963) with real accounts on the real chain: it signs what it is asked
 * to, and sends transactions through the chain's RPC. It is as strict as real wallets: it shows an account only after
 * its owner agreed, signs for that account only, requires the domain's type and its current chain in typed data and
 * transactions, requires hexadecimal quantities, and answers 4001 when its owner refuses.
 */
export class BrowserWallet {
  readonly accounts: PrivateKeyAccount[];
  readonly rpcUrl: string;
  /** All requests so far, in order. */
  readonly asked: Call[] = [];
  /** Whether its owner refuses the next question. */
  refuses = false;
  /** Its current chain. */
  chainId: number;
  readonly #known: Set<number>;
  #isOpen = false;
  #page: Page | undefined;

  constructor(rpcUrl: string, { accounts = [newAccount()], chainId = 31337 } = {}) {
    this.rpcUrl = rpcUrl;
    this.accounts = accounts;
    this.chainId = chainId;
    this.#known = new Set([chainId]);
  }

  get account(): PrivateKeyAccount {
    return this.accounts[0] as PrivateKeyAccount;
  }

  /** Install it in every document that the page loads from now on. */
  async install(page: Page, { name = "Test Wallet", rdns = "org.example.wallet" } = {}): Promise<void> {
    this.#page = page;
    const binding = `ask_${rdns.replaceAll(/\W/g, "_")}`;
    await page.exposeFunction(binding, (call: Call) => this.answer(call));
    await page.addInitScript(announce, { name, rdns, binding, icon });
  }

  /** Its owner chooses another account or, without one, disconnects the site. */
  async useAccount(account?: PrivateKeyAccount): Promise<void> {
    this.#isOpen = account !== undefined;
    if (account !== undefined) this.accounts.unshift(account);
    await this.tell("accountsChanged", account === undefined ? [] : [account.address.toLowerCase()]);
  }

  /** Its owner changes the network. */
  async useChain(chainId: number): Promise<void> {
    this.chainId = chainId;
    await this.tell("chainChanged", `0x${chainId.toString(16)}`);
  }

  async tell(event: string, told: unknown): Promise<void> {
    await this.#page?.evaluate(
      ([name, detail]) => {
        window.dispatchEvent(new CustomEvent("test-wallet", { detail: { name, detail } }));
      },
      [event, told] as const,
    );
  }

  async answer(call: Call): Promise<Answer> {
    this.asked.push(call);
    try {
      return { result: await this.#do(call.method, (call.params ?? []) as unknown[]) };
    } catch (error) {
      if (error instanceof WalletRefusal) return { refusal: { code: error.code, message: error.message } };
      return { refusal: { code: -32603, message: String(error) } };
    }
  }

  async #do(method: string, params: unknown[]): Promise<unknown> {
    switch (method) {
      case "eth_accounts":
        return this.#shown();
      case "eth_chainId":
        return `0x${this.chainId.toString(16)}`;
      case "eth_requestAccounts":
        if (!this.#isOpen) this.#confirm();
        this.#isOpen = true;
        return this.#shown();
      case "wallet_switchEthereumChain":
        return await this.#switch(params[0]);
      case "wallet_addEthereumChain":
        return this.#add(params[0]);
      case "personal_sign":
        return await this.#signText(params);
      case "eth_signTypedData_v4":
        return await this.#signTyped(params);
      case "eth_sendTransaction":
        return await this.#sendTransaction(params[0]);
      case "eth_getTransactionReceipt":
        return await this.#reader().request({ method, params: params as [`0x${string}`] });
      default:
        throw new WalletRefusal(4200, `${method} is not known here.`);
    }
  }

  #shown(): string[] {
    // Wallets return addresses in lower case.
    return this.#isOpen ? [this.account.address.toLowerCase()] : [];
  }

  #confirm(): void {
    if (!this.refuses) return;
    this.refuses = false;
    throw new WalletRefusal(4001, "User rejected the request.");
  }

  #own(address: unknown): PrivateKeyAccount {
    if (typeof address !== "string" || !isAddress(address, { strict: false })) throw invalid("An address is expected.");
    const isShown = this.#shown().includes(address.toLowerCase());
    if (!isShown) throw new WalletRefusal(4100, "The account has not been authorised by the user.");
    return this.account;
  }

  async #switch(param: unknown): Promise<null> {
    const { chainId } = param as { chainId?: unknown };
    const wanted = quantity(chainId, "chainId");
    if (!this.#known.has(Number(wanted))) throw new WalletRefusal(4902, "Unrecognized chain ID.");
    this.#confirm();
    if (Number(wanted) !== this.chainId) await this.useChain(Number(wanted));
    return null;
  }

  #add(param: unknown): null {
    const { chainId, chainName, rpcUrls, nativeCurrency } = param as Record<string, unknown>;
    const added = Number(quantity(chainId, "chainId"));
    if (typeof chainName !== "string" || !Array.isArray(rpcUrls) || !URL.canParse(String(rpcUrls[0])))
      throw invalid("A chain's name and RPC URL are expected.");
    if ((nativeCurrency as { decimals?: unknown } | undefined)?.decimals !== 18)
      throw invalid("18 decimals are expected.");
    this.#confirm();
    this.#known.add(added);
    this.chainId = added;
    return null;
  }

  async #signText([text, address]: unknown[]): Promise<string> {
    const account = this.#own(address);
    if (!isHex(text)) throw invalid("The text is expected in hexadecimal.");
    // Wallets warn when a sign-in message names another site.
    const domain = /^(\S+) wants you to sign in/.exec(hexToString(text))?.[1];
    if (domain !== undefined && domain !== new URL(this.#page?.url() ?? "").host)
      throw invalid("Another site's message.");
    this.#confirm();
    return await account.signMessage({ message: { raw: text } });
  }

  async #signTyped([address, text]: unknown[]): Promise<string> {
    const account = this.#own(address);
    if (typeof text !== "string") throw invalid("Typed data is expected as text.");
    const data = JSON.parse(text);
    const { EIP712Domain, ...types } = data.types ?? {};
    const described = ((EIP712Domain ?? []) as { name: string }[]).map(({ name }) => name).sort();
    if (
      described.join() !==
      Object.keys(data.domain ?? {})
        .sort()
        .join()
    )
      throw invalid("The type EIP712Domain does not describe the domain.");
    if (Number(data.domain.chainId) !== this.chainId) throw invalid(`The wallet is on chain ${this.chainId}.`);
    this.#confirm();
    return await account.signTypedData({ ...data, types });
  }

  async #sendTransaction(param: unknown): Promise<string> {
    const { from, to, data, value = "0x0", chainId, ...others } = param as Record<string, unknown>;
    const account = this.#own(from);
    if (Object.keys(others).length > 0) throw invalid(`Unknown: ${Object.keys(others)}.`);
    if (typeof to !== "string" || !isAddress(to) || !isHex(data)) throw invalid("An address and data are expected.");
    if (Number(quantity(chainId, "chainId")) !== this.chainId) throw invalid(`The wallet is on chain ${this.chainId}.`);
    const amount = quantity(value, "value");
    this.#confirm();
    const client = createWalletClient({ account, chain: this.#chain(), transport: http(this.rpcUrl) });
    return await client.sendTransaction({ to, data, value: amount });
  }

  #reader() {
    return createPublicClient({ chain: this.#chain(), transport: http(this.rpcUrl) });
  }

  #chain() {
    const nativeCurrency = { name: "Ether", symbol: "ETH", decimals: 18 };
    return defineChain({
      id: this.chainId,
      name: "Test",
      nativeCurrency,
      rpcUrls: { default: { http: [this.rpcUrl] } },
    });
  }
}

class WalletRefusal extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const invalid = (message: string) => new WalletRefusal(-32602, message);

function quantity(value: unknown, name: string): bigint {
  if (typeof value !== "string" || !/^0x(0|[1-9a-f][0-9a-f]*)$/.test(value))
    throw invalid(`${name} is not a hexadecimal quantity.`);
  return BigInt(value);
}

export function newAccount(): PrivateKeyAccount {
  return privateKeyToAccount(generatePrivateKey());
}

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'%3E%3Crect width='8' height='8' fill='%23085'/%3E%3C/svg%3E";

/** Runs in the page: the provider, and its announcement on request. */
function announce({ name, rdns, binding, icon }: { name: string; rdns: string; binding: string; icon: string }): void {
  const listeners = new Map<string, Set<(told: unknown) => void>>();
  const ask = (window as unknown as Record<string, (call: Call) => Promise<Answer>>)[binding] as (
    call: Call,
  ) => Promise<Answer>;
  const provider = {
    async request(call: Call) {
      const answer = await ask(call);
      if ("refusal" in answer) throw answer.refusal;
      return answer.result;
    },
    on: (event: string, listener: (told: unknown) => void) => {
      listeners.set(event, (listeners.get(event) ?? new Set()).add(listener));
    },
    removeListener: (event: string, listener: (told: unknown) => void) => void listeners.get(event)?.delete(listener),
  };
  window.addEventListener("test-wallet", (event) => {
    const { name: told, detail } = (event as CustomEvent<{ name: string; detail: unknown }>).detail;
    for (const listener of listeners.get(told) ?? []) listener(detail);
  });
  const info = Object.freeze({ uuid: crypto.randomUUID(), name, rdns, icon });
  const say = () =>
    window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: Object.freeze({ info, provider }) }));
  window.addEventListener("eip6963:requestProvider", say);
  say();
}
