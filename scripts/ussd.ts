import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { readConfig } from "../api/config.ts";
import type { ErrorBody } from "../api/platform/http/error-response.ts";
import { readRunFile } from "../api/platform/local-run.ts";
import type { CreatedGateway } from "../connect/phones/gateways/schemas.ts";
import { readOptions } from "./command-options.ts";

const help = `npm run ussd -- --phone +260971234567
Plays a household's phone against the running API: shows the USSD menu, sends what you type, and prints the SMS that the phone would
get. It replaces the gateway and the mobile network, and ends with an empty line or Ctrl-D. Register the phone first
(docs/phones.md). Run it on the machine of the API (same DATA_DIR). While it runs, all SMS go to it.`;

const { phone } = readOptions(help, { phone: { type: "string" } });

type Run = { url: string; operatorKey: string };

async function call<T>({ url, operatorKey }: Run, method: string, path: string, body?: unknown): Promise<T> {
  const answer = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${operatorKey}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (answer.ok) return (await answer.json()) as T;
  throw new Error(((await answer.json()) as ErrorBody).message);
}

/** Replace Kannel's sendsms by a server that prints the SMS of this phone. */
async function startSmsPrinter(number: string) {
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? "/", "http://localhost");
    if (searchParams.get("to") === number) console.log(`\nSMS: ${searchParams.get("text")}\n`);
    response.writeHead(202).end("0: Accepted for delivery");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

/** Read the lines that a person types; undefined at the end. */
function openKeyboard() {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  return async (prompt: string): Promise<string | undefined> => {
    process.stdout.write(prompt);
    const { done, value } = await lines.next();
    return done ? undefined : value.trim();
  };
}

async function dial(ussdUrl: string, phoneNumber: string, read: ReturnType<typeof openKeyboard>): Promise<boolean> {
  const sessionId = crypto.randomUUID();
  const typed: string[] = [];
  for (;;) {
    const body = new URLSearchParams({
      sessionId,
      serviceCode: "*384#",
      phoneNumber,
      networkCode: "0",
      text: typed.join("*"),
    });
    const answer = await (await fetch(ussdUrl, { method: "POST", body })).text();
    console.log(`\n${answer.slice(4)}`);
    if (!answer.startsWith("CON ")) return (await read("\n[Enter to dial again, q to end] ")) === "";
    const next = await read("> ");
    if (next === undefined || next === "") return false;
    typed.push(next);
  }
}

try {
  if (phone === undefined) throw new Error(help);
  const run = await readRunFile(readConfig(process.env).dataDir);
  if (!run) throw new Error("The API does not run on this machine. Start it with npm start.");
  const printer = await startSmsPrinter(phone);
  const sms = { kind: "kannel", username: "simulator", password: "simulator", url: printer.url };
  const gateway = await call<CreatedGateway>(run, "POST", "/v1/phones/gateways", { name: "Simulator", sms });
  try {
    const ussdUrl = run.url + new URL(gateway.ussdUrl).pathname;
    const read = openKeyboard();
    while (await dial(ussdUrl, phone, read));
  } finally {
    await call(run, "DELETE", `/v1/phones/gateways/${gateway.id}`);
    printer.close();
  }
  process.exit(0);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
