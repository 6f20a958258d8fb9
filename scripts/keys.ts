import { parseArgs } from "node:util";
import { readConfig } from "../api/config.ts";
import { ConfigError } from "../api/platform/config-error.ts";
import { DatabaseLockedError } from "../api/platform/db/client.ts";
import type { ErrorBody } from "../api/platform/http/error-response.ts";
import { generateKey } from "../api/platform/keys/format.ts";
import { keyRoutes } from "../api/platform/keys/routes.ts";
import type { ApiKey, CreatedApiKey } from "../api/platform/keys/schemas.ts";
import { readRunFile } from "../api/platform/local-run.ts";
import { createLog } from "../api/platform/log.ts";
import { createBaseApp, mount } from "../api/platform/server/base-app.ts";
import { openCoreDeps } from "../api/platform/server/core.ts";

const usage = `API keys, made on the machine that runs the API (same DATA_DIR or DATABASE_URL).

  npm run keys -- create --role <role> --name <text> [options]   prints the key, once
  npm run keys -- list
  npm run keys -- revoke <id>

Roles: admin, implementer, supplier, evaluator, regulator, integrator
Options of create:
  --supplier-did <did>          the supplier that the key acts for (role supplier)
  --implementer-did <did>       the implementer that the key acts for (role implementer)
  --public-jwk <json>           public key of the DPoP proofs (role supplier)
  --scope <scope>               what an integrator may do; repeat for more
  --did <did>                   whom an integrator may act for; repeat for more, none means all
  --ip-range <range>            address or CIDR range; repeat for more
  --requests-per-minute <n>
  --expires-at <time>           ISO 8601, such as 2027-01-01T00:00:00Z
  --json                        print records as JSON
  --help`;

const options = {
  role: { type: "string" },
  name: { type: "string" },
  "supplier-did": { type: "string" },
  "implementer-did": { type: "string" },
  "public-jwk": { type: "string" },
  scope: { type: "string", multiple: true },
  did: { type: "string", multiple: true },
  "ip-range": { type: "string", multiple: true },
  "requests-per-minute": { type: "string" },
  "expires-at": { type: "string" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

class UsageError extends Error {}

type Send = (method: string, path: string, body?: unknown) => Promise<Response>;

/** Use the running server if there is one, otherwise the database directly. Both ways run the same routes. */
async function connect(): Promise<{ send: Send; close: () => Promise<void> }> {
  const config = readConfig(process.env);
  const init = (method: string, key: string, body: unknown): RequestInit => ({
    method,
    headers: { authorization: `Bearer ${key}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const run = await readRunFile(config.dataDir);
  const alive =
    run &&
    (await fetch(`${run.url}/health`)
      .then(({ ok }) => ok)
      .catch(() => false));
  if (run && alive)
    return {
      send: (method, path, body) => fetch(run.url + path, init(method, run.operatorKey, body)),
      close: async () => {},
    };
  const operatorKey = generateKey().key;
  const { deps, close } = await openCoreDeps(config, createLog({ logLevel: "error" }), { operatorKey });
  const app = createBaseApp(deps);
  mount(app, keyRoutes(deps));
  return { send: async (method, path, body) => app.request(path, init(method, operatorKey, body)), close };
}

async function responseOf<T>(answer: Response): Promise<T> {
  const body = await answer.json();
  if (answer.ok) return body as T;
  const { message, details } = body as ErrorBody;
  throw new UsageError([message, ...details.map(({ path, message: text }) => `  ${path ?? ""}: ${text}`)].join("\n"));
}

type Values = ReturnType<typeof parse>["values"];

function newKey(values: Values): Record<string, unknown> {
  if (values.role === undefined) throw new UsageError("create needs --role. See --help.");
  const body: Record<string, unknown> = { role: values.role, name: values.name ?? `${values.role} key` };
  const put = (field: string, value: unknown) => {
    if (value !== undefined) body[field] = value;
  };
  put("supplierDid", values["supplier-did"]);
  put("implementerDid", values["implementer-did"]);
  put("publicJwk", values["public-jwk"] === undefined ? undefined : readJwk(values["public-jwk"]));
  put("scopes", values.scope);
  put("dids", values.did);
  put("ipRanges", values["ip-range"]);
  put(
    "requestsPerMinute",
    values["requests-per-minute"] === undefined ? undefined : Number(values["requests-per-minute"]),
  );
  put("expiresAt", values["expires-at"]);
  return body;
}

function readJwk(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError("--public-jwk must be JSON.");
  }
}

async function list(send: Send): Promise<ApiKey[]> {
  const all: ApiKey[] = [];
  let cursor: string | null = null;
  do {
    const path: string = `/v1/keys?limit=500${cursor === null ? "" : `&cursor=${cursor}`}`;
    const page: { items: ApiKey[]; nextCursor: string | null } = await responseOf(await send("GET", path));
    all.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return all;
}

function line({ id, role, name, supplierDid, implementerDid, expiresAt, revokedAt }: ApiKey): string {
  const state =
    revokedAt !== null ? "revoked" : expiresAt !== null && new Date(expiresAt) <= new Date() ? "expired" : "in force";
  return [id, role.padEnd(11), state.padEnd(8), name, supplierDid ?? implementerDid ?? ""].join("  ");
}

function parse() {
  return parseArgs({ options, allowPositionals: true });
}

async function run(command: string | undefined, id: string | undefined, values: Values): Promise<void> {
  if (command !== "create" && command !== "list" && command !== "revoke") throw new UsageError(usage);
  if (command === "revoke" && id === undefined) throw new UsageError("revoke needs the key's id. See list.");
  const body = command === "create" ? newKey(values) : undefined;
  const { send, close } = await connect();
  try {
    if (command === "create") {
      const made = await responseOf<CreatedApiKey>(await send("POST", "/v1/keys", body));
      console.log(values.json ? JSON.stringify(made) : made.key);
    } else if (command === "list") {
      const keys = await list(send);
      console.log(values.json ? JSON.stringify(keys) : keys.map(line).join("\n"));
    } else {
      const ended = await responseOf<ApiKey>(await send("DELETE", `/v1/keys/${encodeURIComponent(id ?? "")}`));
      console.log(values.json ? JSON.stringify(ended) : line(ended));
    }
  } finally {
    await close();
  }
}

async function main(): Promise<void> {
  const { values, positionals } = parse();
  if (values.help) console.log(usage);
  else await run(positionals[0], positionals[1], values);
}

main().catch((error: unknown) => {
  const known = error instanceof UsageError || error instanceof ConfigError || error instanceof DatabaseLockedError;
  const badOption = error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
  console.error(known || badOption ? (error as Error).message : error);
  process.exitCode = known || badOption ? 2 : 1;
});
