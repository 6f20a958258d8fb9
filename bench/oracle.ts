import { readOptions } from "../scripts/command-options.ts";
import { type Figure, report } from "./figures.ts";
import { benchResume } from "./oracle/resume.ts";
import { benchStreams } from "./oracle/streams.ts";

const help = `npm run bench:oracle -- [--only first,streams,saturation,resume] [--streams 100,500,1000] [--seconds 8] [--disconnects 10000] [--postgres] [--quick]
Measures the oracle with a model that sends tokens at a fixed pace, and compares it with a plain \`ai\` + Hono server and a bare
streamSSE proxy in the same run. Saves bench/results/oracle.json. Where taskset exists, the measured server has its own core. About six minutes; --quick has fewer and shorter streams and 1 000 disconnects.`;

const values = readOptions(help, {
  only: { type: "string", default: "first,streams,saturation,resume" },
  streams: { type: "string" },
  seconds: { type: "string" },
  disconnects: { type: "string" },
  postgres: { type: "boolean", default: false },
  quick: { type: "boolean", default: false },
});

const { quick } = values;
const only = values.only.split(",");
const disconnects = Number(values.disconnects ?? (quick ? 1_000 : 10_000));
const options = {
  only,
  streams: (values.streams ?? (quick ? "100,500" : "100,500,1000")).split(",").map(Number),
  seconds: Number(values.seconds ?? (quick ? 4 : 8)),
  postgres: values.postgres,
};
const figures: Figure[] = only.includes("resume") ? await benchResume(disconnects) : [];
if (only.some((part) => part !== "resume")) figures.push(...(await benchStreams(options)));
await report("oracle", figures);
