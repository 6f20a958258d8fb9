import assert from "node:assert/strict";
import fc from "fast-check";
import { mutateBody, mutateTree, write } from "../e2e/fuzz/mutate.ts";
import { createRandom, type Random } from "../e2e/fuzz/random.ts";
import { statement } from "./statement-grammar.ts";

type Asked = { method: string; path: string; headers: Record<string, string>; body?: string | Uint8Array };

/** Requests under way at a time; an address may have eight. */
const atATime = 4;
/** Longer than any question may take, together with the others before it. */
const longestAnswerMs = 60_000;

const questions = [
  "{ vouchers(limit: 3) { totalCount items { publicId status certificate { certificateId } } pageInfo { endCursor } } }",
  "query q($n: Int = 2, $w: householdFilter) { households(limit: $n, where: $w) { items { index vouchers(limit: 2) { items { id } } } } }",
  '{ voucher(id: "1") { id household { index } ...f } } fragment f on voucher { status }',
  '{ vouchers(where: {status_in: ["active"], id_gt: "0"}, orderBy: "id", orderDirection: "desc", after: "x") { items { id } } }',
  "{ _meta { status } a: batchs { items { id } } __schema { types { name fields { name } } } }",
  "query { certificates(limit: 1000) { items { vouchers { items { redemptions { totalCount } } } } } }",
];

const insertions = [
  ...[
    "'",
    '"',
    "\\",
    "\u0000",
    "\ud800",
    "$",
    "{",
    "}",
    "(",
    ")",
    ";",
    "--",
    "/*",
    "*/",
    "#",
    "@skip(if: true)",
    "...f",
  ],
  ...[
    "U&'\\00",
    "$$",
    "E'\\",
    "::",
    "||",
    "0x",
    "1e999",
    "99999999999999999999",
    "\u202e",
    "é",
    "😀",
    " union select ",
    "limit -1",
  ],
];

/** Change a text in one to four places, as a hand or a program that means harm would. */
function mutateText(text: string, random: Random): string {
  let changed = text;
  for (let times = 1 + random.below(4); times > 0; times -= 1) {
    const at = random.below(changed.length + 1);
    const to = Math.min(changed.length, at + 1 + random.below(12));
    const rest = changed.slice(to);
    const action = random.below(5);
    if (action === 0) changed = changed.slice(0, at) + rest;
    else if (action === 1) changed = changed.slice(0, at) + random.pick(insertions) + changed.slice(at);
    else if (action === 2) changed = changed.slice(0, to) + changed.slice(at, to).repeat(1 + random.below(50)) + rest;
    else if (action === 3) changed = changed.slice(0, at) + random.pick(insertions) + rest;
    else changed = rest + changed.slice(0, at);
  }
  return changed;
}

const contentTypes = [
  "application/json",
  "application/json; charset=latin1",
  "text/plain",
  "multipart/form-data",
  "",
  "x",
];

function headersOf(random: Random): Record<string, string> {
  const headers: Record<string, string> = {
    "content-type": random.chance(0.8) ? "application/json" : random.pick(contentTypes),
  };
  if (random.chance(0.1))
    headers.accept = random.pick(["text/html", "*/*", "text/event-stream", "application/xml", ","]);
  if (random.chance(0.1))
    headers["x-request-id"] = random.pick(["a", "é".normalize("NFD").slice(0, 1), "x".repeat(200), "{}"]);
  if (random.chance(0.1)) headers["x-hearth-client"] = random.pick(["10.0.0.1", "", "x".repeat(500)]);
  return headers;
}

/** A body as JSON, sometimes with a broken field, sometimes broken as a whole. */
function bodyOf(tree: Record<string, unknown>, random: Random): string | Uint8Array {
  const holder = { body: tree };
  if (random.chance(0.2)) mutateTree(holder, random);
  const text = write(holder.body);
  return random.chance(0.1) ? mutateBody(text, random) : text;
}

function sqlRequest(text: string, random: Random): Asked {
  const query = random.chance(0.7) ? mutateText(text, random) : text;
  const headers = headersOf(random);
  const wrapped = () => {
    const parameters = random.pick([undefined, [], [1, "a", null], [{}], "x", Array.from({ length: 70 }, () => 1)]);
    const json = write({ json: { sql: query, params: parameters } });
    return encodeURIComponent(random.chance(0.2) ? mutateText(json, random).toWellFormed() : json);
  };
  const asked = encodeURIComponent(query.toWellFormed());
  const path = random.pick([
    ...[`/sql?query=${asked}`, `/sql?query=${asked}`, `/sql/db?sql=${wrapped()}`, `/sql/db?sql=${wrapped()}&token=x`],
    ...[`/sql/live?sql=${wrapped()}`, "/sql/tables", `/sql/${asked.slice(0, 200)}`, "/sql", "/sql?query=a&query=b"],
  ]);
  if (random.chance(0.6)) return { method: "GET", path, headers };
  return {
    method: random.pick(["POST", "POST", "POST", "PUT", "DELETE"]),
    path: "/sql",
    headers,
    body: bodyOf({ query }, random),
  };
}

function graphqlRequest(random: Random): Asked {
  const question = random.pick(questions);
  const query = random.chance(0.7) ? mutateText(question, random) : question;
  const variables = random.pick([
    undefined,
    null,
    {},
    { n: 3 },
    { n: -1 },
    { n: "x", w: { index_gt: "a" } },
    { w: { OR: [] } },
    [],
  ]);
  const headers = headersOf(random);
  if (random.chance(0.1)) {
    return { method: "GET", path: `/graphql?query=${encodeURIComponent(query.toWellFormed())}`, headers };
  }
  const operationName = random.pick([undefined, undefined, "q", "", "none"]);
  return {
    method: random.chance(0.95) ? "POST" : "PUT",
    path: "/graphql",
    headers,
    body: bodyOf({ query, variables, operationName }, random),
  };
}

async function judge(
  url: string,
  { method, path, headers, body }: Asked,
  statuses: Map<number, number>,
): Promise<void> {
  const described = `${method} ${path.slice(0, 2_000)} ${JSON.stringify(headers)} ${body?.slice(0, 2_000)}`;
  const left = new AbortController();
  const patience = AbortSignal.any([AbortSignal.timeout(longestAnswerMs), left.signal]);
  const init = { method, headers, signal: patience, ...(body === undefined ? {} : { body: body as BodyInit }) };
  const answer = await fetch(`${url}${path}`, init).catch((cause: unknown) => {
    throw new Error(`No answer: ${described}`, { cause });
  });
  statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
  assert.ok(answer.status < 500, `${answer.status}: ${described}`);
  const type = answer.headers.get("content-type") ?? "";
  if (type.startsWith("text/event-stream")) {
    left.abort();
    return;
  }
  const text = await answer.text();
  if (method === "GET" && path.startsWith("/graphql") && type.startsWith("text/html")) return;
  assert.match(type, /json/, `${answer.status} ${type}: ${described}`);
  const { code, message, errors } = JSON.parse(text) as {
    code?: string;
    message?: string;
    errors?: { message: string }[];
  };
  if (answer.status < 400) return;
  // GraphQL's own errors have the form that its clients read.
  const why = errors?.[0]?.message ?? (code && message);
  assert.ok(why, `${text.slice(0, 300)}: ${described}`);
}

/** Send so many mutated requests to `/sql` and as many to `/graphql`; returns how often each status was answered. */
export async function fuzzDoors(url: string, count: number, seed: number): Promise<Record<string, number>> {
  const random = createRandom(seed);
  const texts = fc.sample(statement, { numRuns: count, seed }).map(({ text }) => text);
  const statuses = new Map<number, number>();
  const requests = texts.flatMap((text) => [sqlRequest(text, random), graphqlRequest(random)]).values();
  let asked = 0;
  const work = async () => {
    for (const request of requests) {
      await judge(url, request, statuses);
      asked += 1;
      if (asked % 100 === 0) assert.equal((await fetch(`${url}/ready`)).status, 200);
    }
  };
  await Promise.all(Array.from({ length: atATime }, work));
  assert.equal((await fetch(`${url}/ready`)).status, 200);
  return Object.fromEntries(statuses);
}
