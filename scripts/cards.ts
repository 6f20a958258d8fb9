import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { readConfig } from "../api/config.ts";
import type { ErrorBody } from "../api/platform/http/error-response.ts";
import { readRunFile } from "../api/platform/local-run.ts";
import type { BatchResponse, CardWithChanges } from "../api/scheme/cards/schemas.ts";
import { cardCode } from "../wire/src/card-code.ts";
import { readOptions } from "./command-options.ts";

const help = `npm run cards -- --count 1000 --language sw --implementer did:example:implementer [--per-sheet 8] [--out cards.pdf]
npm run cards -- --batch 01JDHB3ZK2V9WQXTM5C6R7Y8FA [--per-sheet 8] [--language fr] [--out cards.pdf]
npm run cards -- --card 407182936514
Makes a batch of household cards and saves its A4 sheets as PDF, or saves those of an earlier batch again. Run it on the machine
of the running API (same DATA_DIR). Languages: en, fr, pt, sw. A sheet has 10 cards, or 8 (docs/cards.md).
--card shows a card and its changes, by its 12 digits, its 11 digits or the text of its QR code.`;

const values = readOptions(help, {
  count: { type: "string" },
  language: { type: "string" },
  implementer: { type: "string" },
  batch: { type: "string" },
  card: { type: "string" },
  "per-sheet": { type: "string", default: "10" },
  out: { type: "string", default: "cards.pdf" },
});

/** Call the running API with its operator key. @throws Error with the answer's message */
async function call(path: string, body?: unknown): Promise<Response> {
  const run = await readRunFile(readConfig(process.env).dataDir);
  if (!run) throw new Error("The API does not run on this machine. Start it with npm start.");
  const answer = await fetch(run.url + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${run.operatorKey}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (answer.ok) return answer;
  const { message, details } = (await answer.json()) as ErrorBody;
  throw new Error(
    [message, ...details.map(({ path: field, message: text }) => `  ${field ?? ""}: ${text}`)].join("\n"),
  );
}

async function makeBatch(): Promise<string> {
  const { count, language = "en", implementer: implementerDid } = values;
  const made = await call("/v1/card-batches", { count: Number(count), language, implementerDid });
  const { batchId } = (await made.json()) as BatchResponse;
  console.log(`batch ${batchId}`);
  return batchId;
}

/** Print a card and who changed it. */
async function showCard(code: string): Promise<void> {
  const card = (await (await call(`/v1/cards/${encodeURIComponent(code)}`)).json()) as CardWithChanges;
  console.log(`card ${cardCode(card.cardId)}: ${card.status}, batch ${card.batchId}, place ${card.place}`);
  console.log(`household ${card.householdDid ?? "none"}`);
  for (const { at, status, role, channel, reason } of card.changes)
    console.log(`${at} ${status} by ${role}${channel === null ? "" : ` (${channel})`} ${reason ?? ""}`.trim());
}

async function saveSheets(): Promise<void> {
  const batchId = values.batch ?? (await makeBatch());
  const query = new URLSearchParams({ perSheet: values["per-sheet"] });
  if (values.language !== undefined) query.set("language", values.language);
  const { body } = await call(`/v1/card-batches/${encodeURIComponent(batchId)}/sheets?${query}`);
  await pipeline(Readable.fromWeb(body as ReadableStream), createWriteStream(values.out));
  console.log(`saved ${values.out}`);
}

try {
  const wanted = [values.batch, values.count, values.card].filter((value) => value !== undefined);
  if (wanted.length !== 1) throw new Error(help);
  if (values.card === undefined) await saveSheets();
  else await showCard(values.card);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
