import { mkdtemp, rm } from "node:fs/promises";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Address, createPublicClient, type Hex, http } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { deploy } from "../../../scripts/deploy.ts";
import { type Anvil, type AnvilOptions, startAnvil } from "../../support/anvil.ts";

export type Keys = Record<"operator" | "registrar" | "evaluator" | "guardian", Hex> & { council: Hex[] };

/** A separate chain, keys for each role, and a folder for the deployment file. */
export async function openChain(options: AnvilOptions = {}) {
  const anvil: Anvil = await startAnvil({ blockSeconds: 0.05, ...options });
  const folder = await mkdtemp(join(tmpdir(), "hearth-deploy-"));
  const keys: Keys = {
    operator: generatePrivateKey(),
    registrar: generatePrivateKey(),
    evaluator: generatePrivateKey(),
    guardian: generatePrivateKey(),
    council: [generatePrivateKey(), generatePrivateKey(), generatePrivateKey()],
  };
  const address = (key: Hex): Address => privateKeyToAccount(key).address;
  const roles = {
    operator: address(keys.operator),
    registrar: address(keys.registrar),
    evaluator: address(keys.evaluator),
    guardian: address(keys.guardian),
    council: keys.council.map(address),
  };
  const out = join(folder, "deployment.json");
  return {
    anvil,
    keys,
    roles,
    out,
    client: createPublicClient({ transport: http(anvil.url), pollingInterval: 20, cacheTime: 0 }),
    deploy: (more: Partial<Parameters<typeof deploy>[0]> = {}) => deploy({ rpcUrl: anvil.url, out, roles, ...more }),
    close: async () => {
      await anvil.stop("SIGKILL");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type OpenChain = Awaited<ReturnType<typeof openChain>>;

/** A transport to the chain that fails permanently after some transactions. */
export async function openFailingRpc(url: string, transactions: number) {
  let left = transactions;
  const server = createServer(async (incoming, answer) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    if (body.includes("eth_sendRawTransaction") && left-- <= 0) return incoming.socket.destroy();
    const onward = request(url, { method: "POST", headers: { "content-type": "application/json" } }, (response) => {
      answer.writeHead(response.statusCode ?? 500, { "content-type": "application/json" });
      response.pipe(answer);
    });
    onward.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
