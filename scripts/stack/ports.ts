import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export type Listener = { variable: string; port: number; host: string };

/** How long a port of a system that was just killed may take to come free, in milliseconds. */
const COMING_FREE = 3_000;

/**
 * Make sure that every listener's port is free.
 * @throws one sentence that names the first taken port and the variable that moves it
 */
export async function requireFreePorts(listeners: readonly Listener[]): Promise<void> {
  for (const [index, { variable, port }] of listeners.entries()) {
    const other = listeners.slice(0, index).find((listener) => listener.port === port && port !== 0);
    if (other !== undefined)
      throw new Error(`${other.variable} and ${variable} are both ${port}. Give each its own port.`);
  }
  for (const listener of listeners) await requireFree(listener);
}

async function requireFree({ variable, port, host }: Listener): Promise<void> {
  for (const until = Date.now() + COMING_FREE; ; await sleep(100)) {
    const failure = await tryListen(port, host);
    if (failure === undefined) return;
    if (failure.code === "EADDRINUSE" && Date.now() < until) continue;
    const why: Record<string, string> = {
      EADDRINUSE: `Port ${port} is taken by another program. Stop it, or set ${variable} to a free port.`,
      EACCES: `Port ${port} may not be used by this user. Set ${variable} to a port above 1023.`,
      EADDRNOTAVAIL: `${host} is not an address of this machine. Set HOST to one that is.`,
    };
    throw new Error(why[failure.code ?? ""] ?? `Port ${port} (${variable}) cannot be used: ${failure.message}`);
  }
}

function tryListen(port: number, host: string): Promise<NodeJS.ErrnoException | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", (error) => resolve(error));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}
