import { randomBytes } from "node:crypto";
import { Agent, type IncomingMessage, request } from "node:http";
import { json } from "node:stream/consumers";
import { parentPort, workerData } from "node:worker_threads";
import { percentile } from "./figures.ts";

/*
 * The client of files-http.ts, in a separate thread: like a client on another machine, it does not hold up the server's thread,
 * but it shares its processors.
 */
export type ClientOptions = { url: string; token: string; connections: number; seconds: number };
/** Small requests: how many there were, how many a second, and the time in which 99 of 100 were answered. */
export type Rate = { count: number; perSecond: number; p99Ms: number };
export type Speed = { megabytesPerSecond: number };
/** Make or read files of 4 KiB for some seconds, or transfer one file of `bytes`: a download gets the last upload. */
export type Question = { kind: "create" | "read" } | { kind: "upload" | "download"; bytes: number };
export type AnswerTo<Q extends Question> = Q extends { bytes: number } ? Speed : Rate;

const { url, token, connections, seconds } = workerData as ClientOptions;
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const type = "application/octet-stream";
const smallSize = 4096;
let files = 0;
let largeId = "";

function send(method: string, path: string, body?: Uint8Array): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: token, ...(body && { "content-type": type, "content-length": body.length }) };
    const sent = request(`${url}/api/fs${path}`, { method, headers, agent }, resolve);
    sent.on("error", reject).end(body);
  });
}

async function create(bytes: Uint8Array): Promise<string> {
  const answer = await send("POST", `/files?path=${encodeURIComponent(`/bench/${files++}`)}`, bytes);
  const body = (await json(answer)) as { id: string };
  if (answer.statusCode !== 201) throw new Error(`${answer.statusCode}: ${JSON.stringify(body)}`);
  return body.id;
}

async function download(id: string): Promise<void> {
  const answer = await send("GET", `/files/${id}/content`);
  if (answer.statusCode !== 200) throw new Error(String(answer.statusCode));
  for await (const _ of answer);
}

async function rate(work: () => Promise<unknown>): Promise<Rate> {
  const times: number[] = [];
  const begun = performance.now();
  const end = begun + seconds * 1000;
  const run = async () => {
    while (performance.now() < end) {
      const before = performance.now();
      await work();
      times.push(performance.now() - before);
    }
  };
  await Promise.all(Array.from({ length: connections }, run));
  const perSecond = times.length / ((performance.now() - begun) / 1000);
  return { count: times.length, perSecond, p99Ms: percentile(times, 0.99) };
}

async function speed(bytes: number, work: () => Promise<unknown>): Promise<Speed> {
  const begun = performance.now();
  await work();
  return { megabytesPerSecond: bytes / 1000 / (performance.now() - begun) };
}

async function answer(question: Question): Promise<Rate | Speed> {
  if ("bytes" in question) return await transfer(question);
  if (question.kind === "create") return await rate(() => create(randomBytes(smallSize)));
  const id = await create(randomBytes(smallSize));
  return await rate(() => download(id));
}

async function transfer({ kind, bytes: size }: Extract<Question, { bytes: number }>): Promise<Speed> {
  if (kind === "download") return await speed(size, () => download(largeId));
  const bytes = randomBytes(size);
  return await speed(size, async () => {
    largeId = await create(bytes);
  });
}

parentPort?.on("message", (question: Question) => {
  answer(question).then(
    (value) => parentPort?.postMessage({ value }),
    (error: unknown) => parentPort?.postMessage({ error: String(error) }),
  );
});
