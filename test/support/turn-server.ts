import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { killChildWithParent } from "./parent-watchdog.ts";
import { freePorts } from "./ports.ts";

const program = (process.env.PATH ?? "")
  .split(delimiter)
  .concat("/usr/bin", "/usr/local/bin")
  .map((folder) => join(folder, "turnserver"))
  .find((place) => existsSync(place));

/** For `test(name, { skip: withoutTurnServer() }, …)`. */
export const withoutTurnServer = (): string | false =>
  program === undefined && "The test of relayed calls needs coturn: `apt-get install coturn`.";

export type TurnServer = {
  url: string;
  /** All that it has said so far. */
  log: () => string;
  close: () => Promise<void>;
};

/** Start a real coturn for this machine only, which accepts credentials that were made with the secret. */
export async function startTurnServer(secret: string): Promise<TurnServer> {
  if (program === undefined) throw new Error("There is no turnserver.");
  const [port] = (await freePorts(1)) as [number];
  const folder = await mkdtemp(join(tmpdir(), "hearth-turn-"));
  const options = [
    ...["-n", "--no-cli", "--no-tls", "--no-dtls", "--verbose", "--log-file=stdout", "--simple-log"],
    ...["--listening-ip=127.0.0.1", "--relay-ip=127.0.0.1", `--listening-port=${port}`, "--allow-loopback-peers"],
    ...["--realm=hearth.test", "--use-auth-secret", `--static-auth-secret=${secret}`],
    ...[`--userdb=${join(folder, "turndb")}`, `--pidfile=${join(folder, "pid")}`],
  ];
  const server = spawn(program, options, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  killChildWithParent(server);
  let said = "";
  for (const output of [server.stdout, server.stderr]) output.on("data", (words) => (said += words));
  const ended = new Promise<void>((resolve) => server.once("close", () => resolve()));
  const close = async () => {
    server.kill("SIGKILL");
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    while (!(await answers(port))) {
      if (hasEnded(server)) throw new Error(`coturn did not start:\n${said}`);
      await sleep(50);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { url: `turn:127.0.0.1:${port}?transport=udp`, log: () => said, close };
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
