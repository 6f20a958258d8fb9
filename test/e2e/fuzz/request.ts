import { type Generator, generate, type Schema } from "./generate.ts";
import { mutateBody, mutateTree, nastySegments, write } from "./mutate.ts";
import type { Random } from "./random.ts";

type Parameter = { name: string; in: string; required?: boolean; schema?: Schema };
type Content = Record<string, { schema?: Schema }>;
export type Operation = { method: string; path: string; parameters: Parameter[]; content: Content };
export type Document = {
  paths: Record<string, Record<string, { parameters?: Parameter[]; requestBody?: { content: Content } }>>;
  components?: { schemas?: Record<string, Schema> };
};

/** Every operation of the document. */
export function operationsOf(document: Document): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { parameters = [], requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      parameters,
      content: requestBody?.content ?? {},
    })),
  );
}

export type FuzzRequest = { method: string; path: string; headers: Record<string, string>; body?: string | Uint8Array };

/** A request for the operation, broken in one to three places. */
export function mutatedRequest(operation: Operation, use: Generator): FuzzRequest {
  const { random } = use;
  const request: FuzzRequest = {
    method: operation.method,
    path: fillPath(operation, use),
    headers: { "content-type": "application/json" },
  };
  const [type, media] = Object.entries(operation.content)[0] ?? [];
  const json = type?.includes("json") === true && !type.includes("ndjson");
  if (media !== undefined && json) request.body = brokenJson(media.schema ?? {}, use);
  else if (media !== undefined)
    request.body = mutateBody("did,account,region,men,women,children,elderly\ndid:x:1,,,1,1,1,1\n", random);
  else if (operation.method !== "GET" && random.chance(0.3)) request.body = mutateBody("{}", random);
  const query = brokenQuery(operation, use);
  if (query !== "") request.path += `?${query}`;
  breakHeaders(request.headers, random);
  return request;
}

function brokenJson(schema: Schema, use: Generator): string | Uint8Array {
  const { random } = use;
  // Objects only get mutations that a strict reader refuses or a rule decides about.
  const tree = { body: generate(schema, "body", use) };
  const times = 1 + random.below(3);
  for (let i = 0; i < times; i++) mutateTree(tree.body, random);
  const text = write(tree.body);
  return random.chance(0.15) ? mutateBody(text, random) : text;
}

function fillPath({ path, parameters }: Operation, use: Generator): string {
  const { random } = use;
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (random.chance(0.4)) return random.pick(nastySegments);
    const schema = parameters.find((each) => each.in === "path" && each.name === name)?.schema ?? {};
    const known = name === "id" ? pathNoun(path) : name;
    return encodeURIComponent(String(generate(schema, known, use)));
  });
}

/** `/v1/vouchers/{id}/suspend` → `voucherId`. */
function pathNoun(path: string): string {
  const noun = /^\/v1\/([\w-]+?)s?\/\{/.exec(path)?.[1] ?? "id";
  return `${noun}Id`;
}

function brokenQuery({ parameters }: Operation, use: Generator): string {
  const { random } = use;
  const parts: string[] = [];
  for (const { name, in: where, schema = {} } of parameters) {
    if (where !== "query" || random.chance(0.6)) continue;
    const raw = generate(schema, name, use);
    const value = raw !== null && typeof raw === "object" && "text" in raw ? String(raw.text) : String(raw);
    parts.push(
      `${name}=${random.chance(0.5) ? random.pick([...nastySegments, "501", "1.5", "", "&"]) : encodeURIComponent(value)}`,
    );
    if (random.chance(0.1)) parts.push(`${name}=again`);
  }
  if (random.chance(0.1)) parts.push(random.pick(["x=1", "__proto__=1", "%00=1", "=", "limit[]=1", "%E0%A4%A=1"]));
  return parts.join("&");
}

function breakHeaders(headers: Record<string, string>, random: Random): void {
  if (random.chance(0.2))
    headers["content-type"] = random.pick([
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data",
      ";",
      "a/b",
    ]);
  if (random.chance(0.1))
    headers["idempotency-key"] = random.pick(["k", "x".repeat(300), "a b", `k${random.below(50)}`]);
  if (random.chance(0.05)) headers["x-request-id"] = random.pick(["ok", "x".repeat(200), "<script>"]);
  if (random.chance(0.05)) headers.dpop = random.pick(["", "x.y.z", "e30.e30.e30"]);
  if (random.chance(0.05)) headers["last-event-id"] = random.pick(["-1", "abc", "99999999999999999999"]);
}
