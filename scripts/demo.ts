// npm run demo: the whole story against the running system, or against one that it starts and stops again.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Config, readConfig } from "../api/config.ts";
import { readOptions } from "./command-options.ts";
import { proveSaving } from "./demo/campaign.ts";
import { convertToItmos } from "./demo/itmo.ts";
import { Narrator } from "./demo/narrator.ts";
import {
  issueVouchers,
  publishedExamples,
  redeemAndClaim,
  registerParticipants,
  traceRedemption,
} from "./demo/story.ts";
import { adminKeyFile } from "./stack/admin-key.ts";

readOptions(
  `npm run demo     tells the whole story, request by request, against the running system, or one that it starts and stops again.
Takes no options: it finds the system by the same variables as npm start (PORT, INDEXER_PORT, CHAIN_PORT, DATA_DIR).`,
  {},
);

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(5_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    // No process listens there.
    return false;
  }
}

/** Starts the system as `npm start` does; its own lines are shown. */
async function startSystem(url: string): Promise<ChildProcess> {
  console.log("Nothing runs yet: starting Hearth for this demo.\n");
  const child = spawn(process.execPath, [join(import.meta.dirname, "dev-stack.ts")], {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, HEARTH_LAUNCHER_PID: String(process.pid) },
  });
  while (!(await isReady(url))) {
    if (child.exitCode !== null) throw new Error("Hearth did not start; its own message is above.");
    await sleep(200);
  }
  return child;
}

async function readAdminKey(config: Config): Promise<string> {
  if (config.adminApiKey !== undefined) return config.adminApiKey;
  const file = adminKeyFile(config.dataDir);
  if (!existsSync(file)) {
    throw new Error(
      `The system at ${config.publicUrl} was started elsewhere: set ADMIN_API_KEY, or DATA_DIR to its folder.`,
    );
  }
  return (await readFile(file, "utf8")).trim();
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
}

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const url = config.publicUrl;
  const own = (await isReady(url)) ? undefined : await startSystem(url);
  try {
    await mkdir(config.dataDir, { recursive: true });
    const admin = { name: "admin", key: await readAdminKey(config) };
    const tell = new Narrator(url);
    const run = Date.now().toString(36).toUpperCase();
    const cast = await registerParticipants(tell, admin, run);
    const held = await issueVouchers(tell, cast, config.dataDir);
    const redemptionId = await redeemAndClaim(tell, cast, held, config);
    await traceRedemption(tell, config, admin, redemptionId);
    await publishedExamples(tell, cast, config);
    await proveSaving(tell, cast, config);
    await convertToItmos(tell, cast, config);
    console.log(`\nThe demo has ended. Explore further: ${url}/docs and ${config.indexer.url}/graphql`);
  } finally {
    if (own !== undefined) await stop(own);
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
