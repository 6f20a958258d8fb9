import { parseArgs } from "node:util";
import { type Figure, report } from "./figures.ts";
import { benchResume } from "./oracle/resume.ts";
import { benchStreams } from "./oracle/streams.ts";

const help = `npm run bench:oracle -- [--only first,streams,saturation,resume] [--streams 100,500,1000] [--seconds 8] [--disconnects 10000] [--postgres]
Measures the oracle over a model that sends tokens at a pace, beside a plain \`ai\` + Hono server and a bare streamSSE proxy of the
same run, and keeps bench/results/oracle.json. Where taskset is there, the measured server has one core for itself.`;

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "first,streams,saturation,resume" },
    streams: { type: "string", default: "100,500,1000" },
    seconds: { type: "string", default: "8" },
    disconnects: { type: "string", default: "10000" },
    postgres: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

if (values.help) console.log(help);
else {
  const only = values.only.split(",");
  const options = {
    only,
    streams: values.streams.split(",").map(Number),
    seconds: Number(values.seconds),
    postgres: values.postgres,
  };
  const figures: Figure[] = only.includes("resume") ? await benchResume(Number(values.disconnects)) : [];
  if (only.some((part) => part !== "resume")) figures.push(...(await benchStreams(options)));
  await report("oracle", figures);
}
