import { randomInt } from "node:crypto";
import { writeSheets } from "../api/scheme/cards/sheets/write-sheets.ts";
import { readOptions } from "../scripts/command-options.ts";
import { type Figure, report } from "./figures.ts";

const help = `npm run bench:cards -- [--cards 100000]
Measures the time and the process's peak memory of writing cards as A4 sheets, 10 a sheet, in French. Saves
bench/results/cards.json.`;
const values = readOptions(help, { cards: { type: "string", default: "100000" } });
const count = Number(values.cards);
const aimSeconds = 300;
const aimMebibytes = 256;

async function* cards() {
  for (let place = 1; place <= count; place++) yield { cardId: String(randomInt(10 ** 11)).padStart(11, "0"), place };
}

const begin = performance.now();
let bytes = 0;
for await (const chunk of writeSheets(cards(), { language: "fr", perSheet: 10, createdAt: new Date(0) })) {
  bytes += chunk.length;
}
const seconds = (performance.now() - begin) / 1000;
// Linux and macOS report kibibytes through Node.
const peak = process.resourceUsage().maxRSS / 1024;
const figures: Figure[] = [
  { name: `${count} cards as PDF`, value: seconds, unit: "s", aim: `≤ ${aimSeconds} s`, met: seconds <= aimSeconds },
  {
    name: "peak memory of the process",
    value: peak,
    unit: "MiB",
    aim: `≤ ${aimMebibytes} MiB`,
    met: peak <= aimMebibytes,
  },
  { name: "size of the file", value: bytes / 2 ** 20, unit: "MiB" },
];
await report("cards", figures);
