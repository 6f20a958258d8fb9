import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { readConfig } from "../api/config.ts";
import type { ErrorBody } from "../api/platform/http/error-response.ts";
import { readRunFile } from "../api/platform/local-run.ts";
import type { Plan, Publication, RecordAnswer } from "../connect/cad-trust/publications/schemas.ts";
import type { Settings } from "../connect/cad-trust/settings/schemas.ts";
import { readCommand } from "./command-options.ts";

const help = `npm run cad-trust -- settings settings.json   set the server and the projects (docs/registries.md)
npm run cad-trust -- plan                     show what would be sent, and what the server would refuse
npm run cad-trust -- publish                  send it, commit it, and read it back
npm run cad-trust -- undp > projects.json     write the projects as UNDP's national registry imports them
npm run cad-trust -- status                   show the last publication, and the records that need attention
Publishes to a Climate Action Data Trust server. Run it on the machine of the running API (same DATA_DIR). A publication that was
stopped continues; --help shows this.`;

const { command, args } = readCommand(help, ["settings", "plan", "publish", "undp", "status"]);

/** Call the running API with its operator key. @throws Error with the answer's message and every detail */
async function call<T>(method: string, path: string, body?: string): Promise<T> {
  const run = await readRunFile(readConfig(process.env).dataDir);
  if (!run) throw new Error("The API does not run on this machine. Start it with npm start.");
  const answer = await fetch(`${run.url}/v1/cad-trust/${path}`, {
    method,
    headers: { authorization: `Bearer ${run.operatorKey}` },
    ...(body === undefined ? {} : { body }),
  });
  if (answer.ok) return (await answer.json()) as T;
  const { message, details } = (await answer.json()) as ErrorBody;
  throw new Error([message, ...details.map(lineOf)].join("\n"));
}

type Problem = { path?: string | undefined; message: string };
const lineOf = ({ path, message }: Problem): string => `  ${path === undefined ? "" : `${path}: `}${message}`;

function show({ server, dryRun, records, changes, notes, problems }: Plan): void {
  console.log(`${server}${dryRun ? " (dry run)" : ""}: ${records} records, ${changes.length} to send`);
  for (const { action, key, changes: fields } of changes) {
    console.log(`${action.padEnd(6)} ${key}`);
    for (const { field, from, to } of fields)
      console.log(`         ${field}: ${JSON.stringify(from)} → ${JSON.stringify(to)}`);
  }
  for (const note of notes) console.log(note);
  if (problems.length === 0) return;
  console.log(`${problems.length} problems; nothing can be sent:`);
  for (const problem of problems) console.log(lineOf(problem));
  process.exitCode = 1;
}

function showRun({ id, status, message, created, edited, removed, problems }: Publication): void {
  const detail = message === null ? "" : `: ${message}`;
  console.log(`publication ${id} ${status}${detail} (${created} created, ${edited} edited, ${removed} removed)`);
  for (const problem of problems) console.log(lineOf(problem));
  if (status === "failed") process.exitCode = 1;
}

async function publish(): Promise<void> {
  let run = await call<Publication>("POST", "publications");
  let said = "";
  while (run.endedAt === null) {
    const line = `${run.status}${run.message === null ? "" : `: ${run.message}`}`;
    if (line !== said) console.log(line);
    said = line;
    await sleep(1_000);
    run = await call<Publication>("GET", `publications/${run.id}`);
  }
  showRun(run);
}

async function status(): Promise<void> {
  const { serverUrl, dryRun } = await call<Settings>("GET", "settings");
  console.log(`${serverUrl}${dryRun ? " (dry run)" : ""}`);
  const [last] = (await call<{ items: Publication[] }>("GET", "publications?limit=1")).items;
  if (last === undefined) console.log("Nothing was published yet.");
  else showRun(last);
  for (const state of ["sending", "editing", "removing", "staged", "differs", "refused"]) {
    const { items } = await call<{ items: RecordAnswer[] }>("GET", `records?limit=500&state=${state}`);
    for (const { key, problems } of items)
      console.log([`${state.padEnd(8)} ${key}`, ...problems].join("\n           "));
  }
}

try {
  if (command === "settings") {
    const [file] = args;
    if (file === undefined) throw new Error(help);
    const { serverUrl } = await call<Settings>("PUT", "settings", await readFile(file, "utf8"));
    console.log(`saved; the server is ${serverUrl}`);
  } else if (command === "plan") show(await call<Plan>("GET", "plan"));
  else if (command === "publish") await publish();
  else if (command === "undp") console.log(JSON.stringify(await call("GET", "undp-programmes"), undefined, 2));
  else await status();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
