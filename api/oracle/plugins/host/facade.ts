import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AppError, type ErrorCode, type RuleDetail, statusByCode } from "../../../platform/errors.ts";
import type { Actor } from "../../../platform/http/index.ts";
import type { JsonObject } from "../../wire/turn.ts";
import { JsonText } from "./json-text.ts";
import type { OracleTool, ToolContext } from "./tool.ts";

/** A route of this server as a tool. Its schema is the one in the API document. */
export type FacadeOperation = {
  name: string;
  /** Added to the API's summary for the model. */
  description?: string;
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** As in the API document: `/v1/vouchers/{voucherId}`. */
  path: string;
  destructive?: boolean;
  /** Whether it changes something. By default every method but GET does. */
  changes?: boolean;
};

/** Serves a request within this process; `env.inside` names the actor. */
export type Fetch = (request: Request, env: { inside?: { actor: Actor } }) => Response | Promise<Response>;

export type FacadeDeps = {
  fetch: Fetch;
  /** As whom a user changes something: with the role of the user's DID. */
  actorOf: (did: string) => Promise<Actor>;
  /** As whom a user reads: also with the rights of a key that the user connected. */
  readerOf: (did: string) => Promise<Actor>;
};

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

/** Calls the REST API in the name of a user, so that tools have the same rules, errors and numbers as every other client. */
export class Facade {
  readonly #deps: FacadeDeps;

  constructor(deps: FacadeDeps) {
    this.#deps = deps;
  }

  tools(operations: FacadeOperation[]): OracleTool[] {
    return operations.map((operation) => this.#toTool(operation));
  }

  /** @throws AppError the route's error */
  async call(
    ctx: Pick<ToolContext, "user" | "requestId" | "toolCallId" | "signal">,
    { method, path }: Pick<FacadeOperation, "method" | "path">,
    body?: JsonObject,
  ): Promise<JsonText> {
    const headers = new Headers({ "content-type": "application/json", "x-request-id": ctx.requestId });
    // A call that is retried takes effect once.
    if (method !== "GET") headers.set("idempotency-key", `oracle:${ctx.toolCallId}`);
    const init = { method, headers, signal: ctx.signal };
    const request = new Request(
      `http://inside${path}`,
      body === undefined ? init : { ...init, body: JSON.stringify(body) },
    );
    const { fetch, actorOf, readerOf } = this.#deps;
    const actor = await (method === "GET" ? readerOf : actorOf)(ctx.user);
    const response = await fetch(request, { inside: { actor } });
    const text = await response.text();
    if (response.ok) return new JsonText(text === "" ? "null" : text);
    throw parseError(text);
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
    const given = parameters.filter((parameter) => parameter.in !== "header");
    const names = { path: namesOf(given, "path"), query: namesOf(given, "query") };
    return {
      name,
      description: description === undefined ? `${summary}.` : `${summary}. ${description}`,
      inputSchema: { jsonSchema: schemaOf(given, documented) },
      destructive,
      readOnly: !changes,
      run: async ({ ctx, input }) => {
        const { target, rest } = buildRequest(path, names, input as JsonObject);
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

/** One schema for path, query and body together. */
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
    // A body with alternatives stays as it is. Such routes have no parameters.
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

/** Inline references, because tools cannot resolve them. */
function inlined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inlined);
  if (typeof value !== "object" || value === null) return value;
  const { $ref } = value as { $ref?: unknown };
  if (typeof $ref === "string" && $ref.startsWith(reference)) {
    return inlined(apiDocument().components.schemas[$ref.slice(reference.length)] ?? {});
  }
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inlined(each)]));
}

function buildRequest(path: string, names: { path: string[]; query: string[] }, input: JsonObject) {
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
 * Encode an argument as one path segment. Refuses `.`, `..` and empty text, which would lead to another route.
 * @throws AppError INVALID_INPUT
 */
export function pathSegment(name: string, value: unknown): string {
  const text = argumentText(name, value);
  if (text === "" || text === "." || text === "..") throw unusable(name, "is not a valid path segment");
  return encodeURIComponent(text);
}

function argumentText(name: string, value: unknown): string {
  if (!["string", "number", "boolean"].includes(typeof value)) throw unusable(name, "must be a text or a number");
  const text = String(value);
  if (!text.isWellFormed()) throw unusable(name, "contains an incomplete character");
  return text;
}

function unusable(path: string, why: string): AppError {
  const message = `The argument "${path}" ${why}.`;
  return new AppError("INVALID_INPUT", message, { details: [{ path, rule: "argument", message }] });
}

type ErrorBody = { code?: string; message?: string; details?: RuleDetail[] };

/** Parse an error response. A model reads only the message, so it lists every broken rule. */
function parseError(text: string): AppError {
  const { code, message = "The request failed.", details = [] } = parseErrorBody(text);
  const known = code !== undefined && Object.hasOwn(statusByCode, code) ? (code as ErrorCode) : "INTERNAL";
  const rules = details.map(
    ({ path, rule, message: said }) => `${path === undefined ? "" : `${path}: `}${said} (${rule})`,
  );
  return new AppError(known, [message, ...rules].join("\n"), { details });
}

function parseErrorBody(text: string): ErrorBody {
  try {
    return JSON.parse(text) as ErrorBody;
  } catch {
    return {};
  }
}
