import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { freePorts } from "../support/ports.ts";
import { openVoucherTest, type VoucherTest } from "../support/vouchers.ts";

export type World = { hearth: VoucherTest; baseUrl: string; close: () => Promise<void> };

/** Open the whole API behind a real HTTP server. */
export async function openWorld(env: Record<string, string> = {}): Promise<World> {
  const [port = 0] = await freePorts(1);
  const baseUrl = `http://127.0.0.1:${port}`;
  const hearth = await openVoucherTest({ PUBLIC_URL: baseUrl, ...env });
  const server = createAdaptorServer({ fetch: hearth.app.fetch }) as Server;
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await hearth.close();
  };
  return { hearth, baseUrl, close };
}
