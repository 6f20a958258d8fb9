import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { killChildWithParent } from "./parent-watchdog.ts";
import { freePorts } from "./ports.ts";

const folders = [...(process.env.PATH ?? "").split(":"), "/usr/sbin", "/usr/lib/kannel"];
const find = (name: string) => folders.map((folder) => join(folder, name)).find((place) => existsSync(place));
const programs = { bearerbox: find("bearerbox"), smsbox: find("smsbox") };

const pauseMs = 50;
const limitMs = 60_000;

/** For `describe(name, { skip: withoutKannel() }, …)`. */
export const withoutKannel = (): string | false =>
  (programs.bearerbox === undefined || programs.smsbox === undefined) &&
  "The test with a real SMS gateway needs Kannel: `apt-get install kannel`.";

export type Kannel = {
  /** Of its sendsms service. */
  url: string;
  user: { username: string; password: string };
  /** Start the part that calls `smsUrl` for each SMS that comes in. */
  serve: (smsUrl: string) => Promise<void>;
  /** All that it has said so far. */
  log: () => string;
  close: () => Promise<void>;
};

/** Start a real Kannel for this machine only, bound to the SMSC by SMPP. */
export async function startKannel(smsc: { port: number; password: string }): Promise<Kannel> {
  const { bearerbox, smsbox } = programs;
  if (bearerbox === undefined || smsbox === undefined) throw new Error("There is no Kannel.");
  const [admin, boxes, sendsms] = (await freePorts(3)) as [number, number, number];
  const folder = await mkdtemp(join(tmpdir(), "hearth-kannel-"));
  const user = { username: "hearth", password: "password-of-the-user" };
  const config = join(folder, "kannel.conf");
  let said = "";
  const running: { child: ChildProcess; ended: Promise<void> }[] = [];
  const start = (program: string) => {
    const child = spawn(program, ["-v", "1", config], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
    killChildWithParent(child);
    for (const output of [child.stdout, child.stderr]) output?.on("data", (words) => (said += words));
    running.push({ child, ended: new Promise((resolve) => child.once("close", () => resolve())) });
  };
  const untilSaid = async (words: string) => {
    for (let waited = 0; !said.includes(words); waited += pauseMs) {
      const hasEnded = running.some(({ child }) => child.exitCode !== null);
      if (hasEnded || waited > limitMs) throw new Error(`Kannel did not start:\n${said}`);
      await sleep(pauseMs);
    }
  };
  const write = (more: string) =>
    writeFile(config, core({ admin, boxes, smsc }) + sending({ sendsms, user }) + more, { mode: 0o600 });
  const close = async () => {
    for (const { child } of running) child.kill("SIGKILL");
    await Promise.all(running.map(({ ended }) => ended));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await write("");
    start(bearerbox);
    await untilSaid("entering mainloop");
  } catch (error) {
    await close();
    throw error;
  }
  return {
    url: `http://127.0.0.1:${sendsms}`,
    user,
    log: () => said,
    close,
    serve: async (smsUrl) => {
      await write(incoming(smsUrl));
      start(smsbox);
      await untilSaid("Connected to bearerbox");
    },
  };
}

const core = (ports: { admin: number; boxes: number; smsc: { port: number; password: string } }) => `
group = core
admin-port = ${ports.admin}
admin-password = ${crypto.randomUUID()}
admin-deny-ip = "*.*.*.*"
admin-allow-ip = "127.0.0.1"
smsbox-port = ${ports.boxes}
box-deny-ip = "*.*.*.*"
box-allow-ip = "127.0.0.1"
dlr-storage = internal

group = smsc
smsc = smpp
smsc-id = operator
host = 127.0.0.1
port = ${ports.smsc.port}
transceiver-mode = true
smsc-username = kannel
smsc-password = ${ports.smsc.password}
system-type = ""
reconnect-delay = 1
`;

const sending = (to: { sendsms: number; user: Kannel["user"] }) => `
group = smsbox
bearerbox-host = 127.0.0.1
sendsms-port = ${to.sendsms}
global-sender = 384

group = sendsms-user
username = ${to.user.username}
password = ${to.user.password}
concatenation = true
max-messages = 3
`;

const incoming = (smsUrl: string) => `
group = sms-service
keyword = default
catch-all = true
get-url = "${smsUrl}?id=%I&from=%p&to=%P&text=%b"
omit-empty = true
max-messages = 0
`;
