import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Hex } from "viem";
import { createAgent } from "../../api/oracle/agent/agent.ts";
import { capabilityTools } from "../../api/oracle/agent/capabilities.ts";
import { bundledPlugins } from "../../api/oracle/plugins/bundled.ts";
import { loadPlugins, routesOf } from "../../api/oracle/plugins/host/load-plugins.ts";
import type { RequirePayment } from "../../api/oracle/runs/admission.ts";
import { AppError } from "../../api/platform/errors.ts";
import { generateKey, type Key } from "../../api/platform/ucan/mint.ts";
import { openLink } from "../browser/link.ts";
import { createTestWorld, type TestWorld } from "./chain.ts";
import { type Act, startModelServer } from "./model-server.ts";
import { quietLog } from "./oracle/agent.ts";
import { mintOracleToken, openTestOracle } from "./oracle/oracle.ts";
import { openPaidOracle, openPayer, type PaidOracle, PRICE } from "./oracle/payments.ts";
import { openTestServices } from "./oracle/plugins.ts";

// An oracle in a separate process, for tests that run where its code cannot: prints its URL, and follows commands.

/** A message that is JSON says what the model does: a list of acts for each of its steps. */
const model = await startModelServer(({ messages }) => {
  const last = messages.findLastIndex(({ role }) => role === "user");
  const step = messages.slice(last + 1).filter(({ role }) => role === "assistant").length;
  const said = JSON.stringify(messages[last]?.content ?? "");
  const acts = /acts:(.*)/s.exec(
    typeof messages[last]?.content === "string" ? messages[last].content : JSON.parse(said)[0].text,
  );
  return acts?.[1] === undefined
    ? [{ text: `You said: ${messages[last]?.content}` }]
    : ((JSON.parse(acts[1]) as Act[][])[step] ?? []);
});
const { services } = await openTestServices({ PUBLIC_URL: "http://localhost:3000" });
const plugins = await loadPlugins({
  plugins: bundledPlugins,
  features: {},
  env: {},
  services,
  log: quietLog,
  ownTools: capabilityTools,
  say: () => {},
});
const endpoint = { baseUrl: model.url, apiKey: undefined, models: ["scripted"] };
const agent = createAgent({ plugins, oracleName: "Hearth", endpoint, log: quietLog });
const owing = new Set<string>();
const requirePayment: RequirePayment = async ({ userDid }) => {
  const claims = ["CLM-1", "CLM-2"];
  if (!owing.has(userDid)) return undefined;
  throw new AppError("PAYMENT_REQUIRED", "Pay first.", {
    extra: { claims, outstandingClaims: claims, claimIds: claims },
  });
};
const pluginRoutes = routesOf(plugins);
const oracle = await openTestOracle(agent, {}, { pluginRoutes, requirePayment });
const link = await openLink(oracle.url);
const keys = new Map<string, Key>();

/** A paid oracle on a separate chain; opened when the first test needs it. */
let paid: Promise<{ world: TestWorld; oracle: PaidOracle }> | undefined;
const payers = new Map<string, Awaited<ReturnType<typeof openPayer>>>();
async function openPaid() {
  const world = await createTestWorld();
  return { world, oracle: await openPaidOracle(world) };
}

/** What a test may tell it: `{do, …}` gives an answer. */
// biome-ignore lint/suspicious/noExplicitAny: each order says what it takes
const orders: Record<string, (order: any) => unknown> = {
  /** A new user: `{did}`. */
  user: async () => {
    const key = await generateKey();
    keys.set(key.did(), key);
    return { did: key.did() };
  },
  /** A token of a user: `{serialized, expiresAt}`. */
  mint: async ({ did, seconds = 300, audience }) => {
    const expiration = Math.floor(Date.now() / 1000) + seconds;
    const issuer = keys.get(did);
    if (issuer === undefined) throw new Error("no such user");
    const capabilities = [{ can: "oracle/*", with: "ixo:oracle" }];
    const serialized = await mintOracleToken({ issuer, audience: audience ?? oracle.did, capabilities, expiration });
    return { serialized, expiresAt: expiration * 1000 };
  },
  /** The oracle that is paid, and somebody who can pay: `{url, network, price, payer}`. */
  paid: async () => {
    paid ??= openPaid();
    const { world, oracle } = await paid;
    const payer = await openPayer(world, oracle.deps);
    payers.set(payer.account.address, payer);
    const registryAddress = oracle.deps.chain.addresses.oracles;
    const network = { rpcUrl: world.anvil.url, registryAddress, chainId: oracle.deps.chain.id };
    return { url: oracle.url, did: oracle.did, network, price: String(PRICE), payer: payer.account.address };
  },
  /** Sign and send, as a wallet does: the hash of the last. */
  sign: async ({ payer, messages }: { payer: string; messages: { to: Hex; data: Hex }[] }) => {
    for (const { to, data } of messages) await payers.get(payer)?.send({ to, data, gas: 300_000n });
    const deposit = await payers.get(payer)?.depositOf();
    return { deposit: String(deposit?.balance) };
  },
  /** Break all connections. */
  cut: () => link.cut(),
  owe: ({ did, owes }) => (owes ? owing.add(did) : owing.delete(did)) !== undefined,
};
const control = createServer((request, response) => {
  const read = async () => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const order = JSON.parse(text) as { do: string };
    return (await orders[order.do]?.(order as never)) ?? null;
  };
  read().then(
    (answer) => response.end(JSON.stringify(answer)),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
});
await new Promise<void>((resolve) => control.listen(0, "127.0.0.1", resolve));
const controlUrl = `http://127.0.0.1:${(control.address() as AddressInfo).port}`;
/** The chain is a process too: it must not outlive this one. */
async function leave(): Promise<void> {
  const { world, oracle } = (await paid) ?? {};
  await oracle?.close();
  await world?.close();
  process.exit();
}
process.on("disconnect", () => void leave());
process.on("SIGTERM", () => void leave());
process.send?.({ url: link.url, did: oracle.did, controlUrl });
