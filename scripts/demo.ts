// npm run demo: the whole story against the running system, or against one that it starts and stops again.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Config, readConfig } from "../api/config.ts";
import { signInLinkFile } from "../api/platform/dev/index.ts";
import { readOptions } from "./command-options.ts";
import { leaveHalfMeasuredCampaign, proveSaving } from "./demo/campaign.ts";
import { convertToItmos } from "./demo/itmo.ts";
import { Narrator } from "./demo/narrator.ts";
import {
  inviteEachRole,
  issueVouchers,
  leaveUnclaimedDelivery,
  published,
  publishedExamples,
  redeemAndClaim,
  registerParticipants,
  traceRedemption,
} from "./demo/story.ts";
import { adminKeyFile } from "./stack/admin-key.ts";

const { verbose: isVerbose = false } = readOptions(
  `npm run demo                 fills the running system with an example scheme, or one that it starts and stops again.
npm run demo -- --verbose    also shows each request and its answer.
It finds the system by the same variables as npm start (PORT, INDEXER_PORT, CHAIN_PORT, DATA_DIR).`,
  { verbose: { type: "boolean" } },
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

type Link = { role: string; url: string };
type Ending = {
  url: string;
  voucherId: string;
  redemptionId: string;
  conversionId: string;
  campaignId: string;
  links: Link[];
  isRunning: boolean;
};

/** Describe what can be opened now. A link works once, on the device that joins with it. */
function ending({ url, voucherId, redemptionId, conversionId, campaignId, links, isRunning }: Ending): string {
  const start = isRunning ? [] : ["The system has stopped again. Run npm start to look at what the demo made.", ""];
  const width = Math.max(...links.map(({ role }) => role.length));
  return [
    "",
    "The example scheme is ready.",
    ...start,
    `  Console        ${url}/console`,
    `  Trace          ${url}/console/regulator/trace/${published.certificate}`,
    `  API reference  ${url}/docs`,
    "",
    "Work that waits:",
    `  To redeem      ${voucherId}, a voucher with CARBON left (supplier)`,
    `  To claim       ${redemptionId}, a delivery that is not paid yet (supplier)`,
    `  To measure     ${campaignId}, a campaign of which half is measured (implementer)`,
    `  To decide      ${conversionId}, a conversion that waits for the registry (regulator)`,
    "",
    "To work in a role, open its link in a private window. Each works once, within 7 days. On this computer, the console's",
    "sign-in page shows the same links; npm run demo makes new ones.",
    ...links.map((link) => `  ${link.role.padEnd(width)}  ${link.url}`),
  ].join("\n");
}

/** Keep the links for the sign-in page, which shows them only on a system for one person on this machine. */
async function keepLinks({ dataDir, isOwnMachine }: Config, links: Link[]): Promise<void> {
  if (!isOwnMachine) return;
  const file = signInLinkFile(dataDir);
  await mkdir(join(file, ".."), { recursive: true, mode: 0o700 });
  await writeFile(file, JSON.stringify({ links }), { mode: 0o600 });
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
    const tell = new Narrator(url, { isVerbose });
    const run = Date.now().toString(36).toUpperCase();
    const cast = await registerParticipants(tell, admin, run);
    const held = await issueVouchers(tell, cast, config.dataDir);
    const redemptionId = await redeemAndClaim(tell, cast, held, config);
    await traceRedemption(tell, config, admin, redemptionId);
    await publishedExamples(tell, cast, config);
    await proveSaving(tell, cast, config);
    const conversionId = await convertToItmos(tell, cast, config);
    const campaignId = await leaveHalfMeasuredCampaign(tell, cast, config);
    const waiting = await leaveUnclaimedDelivery(tell, cast, held);
    const links = await inviteEachRole(tell, cast);
    await keepLinks(config, links);
    const { voucherId } = held;
    const isRunning = own === undefined;
    console.log(ending({ url, voucherId, redemptionId: waiting, conversionId, campaignId, links, isRunning }));
  } finally {
    if (own !== undefined) await stop(own);
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
