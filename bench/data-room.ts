import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { exifPhoto } from "../test/support/exif-photo.ts";
import { ApiMemory } from "./api-memory.ts";
import { benchClaim, campaignId, drawBenchCampaign, type SampledHousehold } from "./campaign-scene.ts";
import type { Figure } from "./figures.ts";
import { growthFigure } from "./imports.ts";
import { processorOfTree } from "./process-tree.ts";
import type { BenchStack } from "./stack.ts";

const callers = 32;
const megabyte = 1_000_000;
const aims = { closeSeconds: 5, roomMebibytes: 256 };

/**
 * A campaign of `claims` claims, each with a photo of real size: its close, its data room, its monitoring report, and the repetition
 * of its result.
 */
export async function benchDataRoom(stack: BenchStack, claims: number, photoMegabytes: number): Promise<Figure[]> {
  const households = await drawBenchCampaign(stack, Math.ceil(claims / 2));
  const photoBytes = Math.floor((photoMegabytes * megabyte) / claims);
  const filing = await timed(() => fileClaims(stack, households, photoBytes));
  console.log(`filed ${claims} claims with ${photoMegabytes} MB of photos in ${filing.seconds.toFixed(0)} s`);
  const memory = new ApiMemory(stack);
  const processorBefore = processorOfTree(stack.pid);
  const closed = await timed(() => stack.call("POST", `/v1/campaigns/${campaignId}/close`, {}));
  const closeProcessor = processorOfTree(stack.pid) - processorBefore;
  const closePeak = memory.peak() - memory.before;
  const zip = join(stack.dataDir, "data-room.zip");
  memory.resetPeak();
  const { seconds, firstByteSeconds } = await download(stack, `/v1/campaigns/${campaignId}/data-room`, zip);
  const roomPeak = memory.peak() - memory.before;
  const megabytes = (await stat(zip)).size / megabyte;
  const plain = await timed(() => hashFile(zip));
  const pdf = join(stack.dataDir, "report.pdf");
  memory.resetPeak();
  const report = await download(stack, `/v1/campaigns/${campaignId}/monitoring-report`, pdf);
  const reportPeak = memory.peak() - memory.before;
  const repeated = await repeat(stack, zip);
  const size = `${claims} claims`;
  const hashing = { name: "SHA-256 of the ZIP on disk, MB/s", value: megabytes / plain.seconds };
  return [
    {
      name: `close of a campaign of ${size}`,
      value: closed.seconds,
      unit: "s",
      aim: `≤ ${aims.closeSeconds} s`,
      met: closed.seconds <= aims.closeSeconds,
    },
    { name: "processor time of the close, whole system", value: closeProcessor, unit: "s" },
    { name: "API memory that the close adds", value: closePeak, unit: "MiB" },
    { name: `data room of ${size}`, value: megabytes, unit: "MB" },
    { name: "data room, first byte", value: firstByteSeconds, unit: "s" },
    {
      name: "data room, rate",
      value: megabytes / (seconds - firstByteSeconds),
      unit: "MB/s",
      reference: hashing,
      ratio: megabytes / (seconds - firstByteSeconds) / hashing.value,
    },
    growthFigure("API memory that the data room adds", roomPeak, aims.roomMebibytes),
    { name: `monitoring report of ${size}`, value: report.seconds, unit: "s" },
    { name: "API memory that the report adds", value: reportPeak, unit: "MiB" },
    {
      name: `repetition of the result of ${size}`,
      value: repeated.seconds,
      unit: "s",
      reference: { name: "SHA-256 of the ZIP on disk, s", value: plain.seconds },
      ratio: repeated.seconds / plain.seconds,
    },
    { name: "memory of the repetition, peak", value: repeated.mebibytes, unit: "MiB" },
  ];
}

async function timed<T>(work: () => Promise<T>): Promise<{ seconds: number; value: T }> {
  const begin = performance.now();
  const value = await work();
  return { seconds: (performance.now() - begin) / 1000, value };
}

/** File a claim of each household, with a photo of `photoBytes` bytes. */
export async function fileClaims(stack: BenchStack, households: SampledHousehold[], photoBytes: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: callers });
  const queue = households.entries();
  const caller = async () => {
    for (const [i, household] of queue) {
      const photo = Buffer.concat([
        exifPhoto({ takenAt: "2024-02-02T12:00:00", mark: `${i}` }),
        randomBytes(photoBytes),
      ]);
      const evidence = photoBytes === 0 ? [] : [`data:image/jpeg;base64,${photo.toString("base64")}`];
      await post(stack, agent, JSON.stringify({ ...benchClaim(household, i), evidence }));
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  agent.destroy();
}

async function post(stack: BenchStack, agent: Agent, body: string): Promise<void> {
  const headers = { authorization: `Bearer ${stack.key}`, "content-type": "application/json" };
  const sent = request(`${stack.url}/v1/claims`, { method: "POST", agent, headers });
  sent.end(body);
  const [response] = await once(sent, "response");
  const text = await response.setEncoding("utf8").reduce((all: string, part: string) => all + part, "");
  if (response.statusCode !== 201) throw new Error(`A claim was answered ${response.statusCode}: ${text}`);
}

export async function download(stack: BenchStack, path: string, file: string) {
  const begin = performance.now();
  const response = await fetch(stack.url + path, { headers: { authorization: `Bearer ${stack.key}` } });
  if (!response.ok || response.body === null) throw new Error(`${path} answered ${response.status}.`);
  let firstByteSeconds = 0;
  await pipeline(
    Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]),
    async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        firstByteSeconds ||= (performance.now() - begin) / 1000;
        yield chunk;
      }
    },
    createWriteStream(file),
  );
  return { seconds: (performance.now() - begin) / 1000, firstByteSeconds };
}

async function hashFile(file: string): Promise<void> {
  await pipeline(createReadStream(file, { highWaterMark: megabyte }), createHash("sha256"));
}

/** Repeat the result as `npm run repeat` does, in a separate process. */
export async function repeat(stack: BenchStack, zip: string): Promise<{ seconds: number; mebibytes: number }> {
  const did = join(stack.dataDir, "did.json");
  await download(stack, "/.well-known/did.json", did);
  const program = join(import.meta.dirname, "repeat-with-memory.ts");
  const begin = performance.now();
  const child = spawn(process.execPath, [program, zip, "--did-document", did, "--unanchored"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  child.stdout.on("data", (part) => (said += part));
  let errors = "";
  child.stderr.on("data", (part) => (errors += part));
  const [code] = await once(child, "close");
  const seconds = (performance.now() - begin) / 1000;
  if (code !== 0) throw new Error(`The repetition ended with ${code}: ${said}${errors}`);
  return { seconds, mebibytes: Number(/peak (\d+)/.exec(errors)?.[1] ?? Number.NaN) / 1024 };
}
