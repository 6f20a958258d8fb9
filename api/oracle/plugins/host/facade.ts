import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AppError, type ErrorCode, type RuleDetail, statusByCode } from "../../../platform/errors.ts";
import type { Actor } from "../../../platform/http/request-context.ts";
import type { JsonObject } from "../../wire/turn.ts";
import { JsonText } from "./json-text.ts";
import type { OracleTool, ToolContext } from "./tool.ts";

/** A route of this server as a tool: its schema is the one that the API documents. */
export type FacadeOperation = {
  name: string;
  /** What the API's own summary does not say to a model. */
  description?: string;
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** As the document names it, `/v1/vouchers/{voucherId}`. */
  path: string;
  destructive?: boolean;
  /** Said where a method would suggest otherwise: a question that is asked by POST. */
  changes?: boolean;
};

/** Serves a request without a socket; `env.inside` says who acts. */
export type Fetch = (request: Request, env: { inside?: { actor: Actor } }) => Response | Promise<Response>;

type Parameter = { name: string; in: string; required?: boolean; description?: string; schema?: JsonObject };
type Documented = {
  summary?: string;
  parameters?: Parameter[];
  requestBody?: { content?: Record<string, { schema?: JsonObject }> };
};
type ApiDocument = {
  paths: Record<string, Record<string, Documented>>;
  components: { schemas: Record<string, JsonObject> };
};

let documentRead: ApiDocument | undefined;

function apiDocument(): ApiDocument {
  documentRead ??= JSON.parse(
    readFileSync(join(import.meta.dirname, "../../../../openapi.json"), "utf8"),
  ) as ApiDocument;
  return documentRead;
}

/** The REST facade, called in the name of a user: every rule, error and number of it holds for tools too. */
export class Facade {
  #fetch: Fetch | undefined;
  readonly #actorOf: (did: string) => Promise<Actor>;

  constructor(actorOf: (did: string) => Promise<Actor>) {
    this.#actorOf = actorOf;
  }

  /** The app is made of what tools are part of: so it comes later. */
  attach(fetch: Fetch): void {
    this.#fetch = fetch;
  }

  tools(operations: FacadeOperation[]): OracleTool[] {
    return operations.map((operation) => this.#toTool(operation));
  }

  /** @throws AppError the one that the route answers with */
  async call(
    ctx: Pick<ToolContext, "user" | "requestId" | "toolCallId" | "signal">,
    { method, path }: Pick<FacadeOperation, "method" | "path">,
    body?: JsonObject,
  ): Promise<JsonText> {
    if (this.#fetch === undefined) throw new AppError("UNAVAILABLE", "The server is still starting.");
    const headers = new Headers({ "content-type": "application/json", "x-request-id": ctx.requestId });
    // The same call never happens twice, whoever tries it again.
    if (method !== "GET") headers.set("idempotency-key", `oracle:${ctx.toolCallId}`);
    const init = { method, headers, signal: ctx.signal };
    const request = new Request(
      `http://inside${path}`,
      body === undefined ? init : { ...init, body: JSON.stringify(body) },
    );
    const answer = await this.#fetch(request, { inside: { actor: await this.#actorOf(ctx.user) } });
    const text = await answer.text();
    if (answer.ok) return new JsonText(text === "" ? "null" : text);
    throw asAppError(text);
  }

  #toTool({
    name,
    description,
    method,
    path,
    destructive = false,
    changes = method !== "GET",
  }: FacadeOperation): OracleTool {
    const documented = documentedOf(method, path);
    const { summary = name, parameters = [] } = documented;
    const said = parameters.filter((parameter) => parameter.in !== "header");
    const names = { path: namesOf(said, "path"), query: namesOf(said, "query") };
    return {
      name,
      description: description === undefined ? `${summary}.` : `${summary}. ${description}`,
      inputSchema: { jsonSchema: schemaOf(said, documented) },
      ...{ destructive, readOnly: !changes },
      run: async ({ ctx, input }) => {
        const { target, rest } = place(path, names, input as JsonObject);
        return await this.call(ctx, { method, path: target }, method === "GET" ? undefined : rest);
      },
    };
  }
}

function documentedOf(method: string, path: string): Documented {
  const found = apiDocument().paths[path]?.[method.toLowerCase()];
  if (found === undefined) throw new Error(`The API documents no ${method} ${path}`);
  return found;
}

const namesOf = (parameters: Parameter[], place: string) =>
  parameters.filter((parameter) => parameter.in === place).map(({ name }) => name);

/** One object of path, query and body: what a model fills in. */
function schemaOf(parameters: Parameter[], { requestBody }: Documented): JsonObject {
  const body = inlined(requestBody?.content?.["application/json"]?.schema ?? {}) as JsonObject;
  const own = Object.fromEntries(
    parameters.map(({ name, description, schema = {} }) => [
      name,
      { ...(inlined(schema) as JsonObject), ...(description === undefined ? {} : { description }) },
    ]),
  );
  const required = parameters.filter((parameter) => parameter.required === true).map(({ name }) => name);
  if (body.properties === undefined) {
    // A body of several forms stays as it is; such routes have no parameters beside it.
    if (Object.keys(body).length > 0) return { type: "object", ...body };
    return { type: "object", properties: own, required, additionalProperties: false };
  }
  return {
    ...body,
    properties: { ...(body.properties as JsonObject), ...own },
    required: [...new Set([...((body.required as string[] | undefined) ?? []), ...required])],
  };
}

const reference = "#/components/schemas/";

/** The schema without references, which tools cannot follow. */
function inlined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inlined);
  if (typeof value !== "object" || value === null) return value;
  const { $ref } = value as { $ref?: unknown };
  if (typeof $ref === "string" && $ref.startsWith(reference)) {
    return inlined(apiDocument().components.schemas[$ref.slice(reference.length)] ?? {});
  }
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inlined(each)]));
}

function place(path: string, names: { path: string[]; query: string[] }, input: JsonObject) {
  const query = new URLSearchParams();
  const rest: JsonObject = {};
  for (const [name, value] of Object.entries(input)) {
    if (names.path.includes(name)) continue;
    if (names.query.includes(name)) query.set(name, argumentText(name, value));
    else rest[name] = value;
  }
  const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => pathSegment(name, input[name]));
  return { target: query.size === 0 ? filled : `${filled}?${query}`, rest };
}

/**
 * An argument as one segment of a path. `.` and `..` would be another path, and nothing at all another route.
 * @throws AppError INVALID_INPUT for what cannot be one
 */
export function pathSegment(name: string, value: unknown): string {
  const text = argumentText(name, value);
  if (text === "" || text === "." || text === "..") throw unusable(name, "names nothing that can be asked for");
  return encodeURIComponent(text);
}

function argumentText(name: string, value: unknown): string {
  if (!["string", "number", "boolean"].includes(typeof value)) throw unusable(name, "must be a text or a number");
  const text = String(value);
  if (!text.isWellFormed()) throw unusable(name, "holds half a character");
  return text;
}

function unusable(path: string, why: string): AppError {
  const message = `The argument "${path}" ${why}.`;
  return new AppError("INVALID_INPUT", message, { details: [{ path, rule: "argument", message }] });
}

type ErrorBody = { code?: string; message?: string; details?: RuleDetail[] };

/** The refusal in words: a model reads the message alone, so every broken rule is in it. */
function asAppError(text: string): AppError {
  const { code, message = "The request failed.", details = [] } = readError(text);
  const known = code !== undefined && Object.hasOwn(statusByCode, code) ? (code as ErrorCode) : "INTERNAL";
  const rules = details.map(
    ({ path, rule, message: said }) => `${path === undefined ? "" : `${path}: `}${said} (${rule})`,
  );
  return new AppError(known, [message, ...rules].join("\n"), { details });
}

function readError(text: string): ErrorBody {
  try {
    return JSON.parse(text) as ErrorBody;
  } catch {
    return {};
  }
}
