import { spawn } from "node:child_process";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { WebSocket, WebSocketServer } from "ws";

/**
 * Start Firefox with these arguments, and forward its WebDriver BiDi. Playwright expects a newer Firefox than the long-lived one of
 * Debian. It gives up when a command of emulation is unknown, so such commands are answered as done. It tells downloads apart by their
 * navigation, which Firefox leaves out, so their address is put there.
 */
const firefox = spawn(process.env.HEARTH_FIREFOX ?? "firefox", process.argv.slice(2), {
  stdio: ["ignore", "inherit", "pipe"],
});
firefox.once("exit", (code) => process.exit(code ?? 1));
createInterface({ input: firefox.stderr }).on("line", (line) => {
  const target = /^WebDriver BiDi listening on (ws:\/\/\S+)$/.exec(line)?.[1];
  if (target === undefined) console.error(line);
  else forward(target);
});

function forward(target: string): void {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  server.on("connection", (playwright) => relay(playwright, new WebSocket(`${target}/session`)));
  server.on("listening", () => {
    const { port } = server.address() as AddressInfo;
    console.error(`WebDriver BiDi listening on ws://127.0.0.1:${port}`);
  });
}

type Command = { id: number; method: string };
type Message = {
  type: string;
  id?: number;
  error?: string;
  method?: string;
  params?: { navigation?: string | null; url?: string };
};

function relay(playwright: WebSocket, browser: WebSocket): void {
  const opened = new Promise<void>((resolve) => browser.once("open", () => resolve()));
  const emulations = new Set<number>();
  playwright.on("message", async (data) => {
    const text = String(data);
    const { id, method } = JSON.parse(text) as Command;
    if (method.startsWith("emulation.")) emulations.add(id);
    await opened;
    browser.send(text);
  });
  browser.on("message", (data) => {
    const text = String(data);
    const message = JSON.parse(text) as Message;
    const isUnknown = message.error === "unknown command" && emulations.has(message.id ?? -1);
    if (isUnknown) playwright.send(JSON.stringify({ type: "success", id: message.id, result: {} }));
    else playwright.send(withNavigation(message) ?? text);
  });
  browser.once("close", () => playwright.close());
  playwright.once("close", () => browser.close());
}

function withNavigation({ method, params, ...event }: Message): string | undefined {
  if (method?.startsWith("browsingContext.download") !== true || params?.navigation !== null) return undefined;
  return JSON.stringify({ ...event, method, params: { ...params, navigation: params.url } });
}
