import { spawn } from "node:child_process";
import { once } from "node:events";
import { freePorts } from "../support/ports.ts";

export type ExampleApp = { url: string; close: () => Promise<void> };

/** Serve the SDK's example app with the documented command, for an oracle at this URL. */
export async function serveExampleApp(oracle: string): Promise<ExampleApp> {
  const [port] = await freePorts(1);
  const child = spawn(process.execPath, ["scripts/example-chat.ts", "--port", `${port}`, "--oracle", oracle], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const ended = once(child, "exit");
  const ready = new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      output += chunk;
      if (output.includes("Ctrl-C stops it.")) resolve();
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    ended.then(() => reject(new Error(`The example app ended:\n${output}`)), reject);
  });
  const close = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  try {
    await ready;
  } catch (error) {
    await close();
    throw error;
  }
  return { url: `http://localhost:${port}`, close };
}
