import { createInterface } from "node:readline";
import { readConfig } from "../api/config.ts";
import type { ErrorBody } from "../api/platform/http/error-response.ts";
import { readRunFile } from "../api/platform/local-run.ts";
import type { CreatedGateway, SimulatedMessages } from "../connect/phones/gateways/schemas.ts";
import { readOptions } from "./command-options.ts";

const help = `npm run ussd -- --phone +260971234567
Plays a household's phone against the running API: shows the USSD menu, sends what you type, and prints the SMS that the phone would
get. It replaces the gateway and the mobile network, and ends with q or Ctrl-D: purchases to approve reach the phone only while it
runs. Register the phone first (docs/phones.md). Run it on the machine of the API (same DATA_DIR), where no other gateway is set up.`;

/** How often it looks for SMS. */
const pauseMs = 500;
const { phone } = readOptions(help, { phone: { type: "string" } });

type Run = { url: string; operatorKey: string };

async function call<T>({ url, operatorKey }: Run, method: string, path: string, body?: unknown): Promise<T> {
  const answer = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${operatorKey}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (answer.ok) return (await answer.json()) as T;
  throw new Error(((await answer.json()) as ErrorBody).message);
}

/** Print each SMS of this phone once, as soon as it is there. */
function printMessages(run: Run, gatewayId: string, number: string) {
  const shown = new Set<string>();
  const look = async () => {
    const { items } = await call<SimulatedMessages>(run, "GET", `/v1/phones/gateways/${gatewayId}/messages`);
    for (const { id, to, text } of items.toReversed()) {
      if (to !== number || shown.has(id)) continue;
      shown.add(id);
      console.log(`\nSMS: ${text}\n`);
    }
  };
  let looking = Promise.resolve();
  const timer = setInterval(() => {
    looking = look().catch((error: Error) => console.error(error.message));
  }, pauseMs);
  return async () => {
    clearInterval(timer);
    await looking;
    await look();
  };
}

/** Read the lines that a person types; undefined at the end. */
function openKeyboard() {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  return async (prompt: string): Promise<string | undefined> => {
    process.stdout.write(prompt);
    const { done, value } = await lines.next();
    return done || value.trim() === "q" ? undefined : value.trim();
  };
}

/** Play one session. @returns whether to dial again */
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
    const response = await fetch(ussdUrl, { method: "POST", body });
    const answer = await response.text();
    if (!response.ok) throw new Error(`The API answered ${response.status}: ${answer}`);
    console.log(`\n${answer.slice(4)}`);
    if (!answer.startsWith("CON ")) return (await read("\n[Enter to dial again, q to end] ")) !== undefined;
    const next = await read("> ");
    if (next === undefined) return false;
    typed.push(next);
  }
}

try {
  if (phone === undefined) throw new Error(help);
  const run = await readRunFile(readConfig(process.env).dataDir);
  if (!run) throw new Error("The API does not run on this machine. Start it with npm start.");
  const order = { name: "Simulator", sms: { kind: "simulator" } };
  const gateway = await call<CreatedGateway>(run, "POST", "/v1/phones/gateways", order);
  const endPrinting = printMessages(run, gateway.id, phone);
  try {
    const ussdUrl = run.url + new URL(gateway.ussdUrl).pathname;
    const read = openKeyboard();
    while (await dial(ussdUrl, phone, read));
  } finally {
    await endPrinting();
    await call(run, "DELETE", `/v1/phones/gateways/${gateway.id}`);
  }
  process.exit(0);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
