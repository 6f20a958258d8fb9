import { readOptions } from "../scripts/command-options.ts";
import type { Figure } from "./figures.ts";
import { report } from "./figures.ts";

const help = `npm run bench:files -- [--only content,writes,http,tokens,finding] [--mebibytes 512] [--seconds 6] [--sizes 1000,10000,100000,1000000]
Measures the file store and compares it with references of the same run. Saves bench/results/files.json.`;

const values = readOptions(help, {
  only: { type: "string", default: "content,writes,http,tokens,finding" },
  mebibytes: { type: "string", default: "512" },
  seconds: { type: "string", default: "6" },
  sizes: { type: "string", default: "1000,10000,100000,1000000" },
});

// The modules below read these variables when they are loaded.
process.env.BENCH_FILES ??= values.sizes;
process.env.BENCH_SECONDS ??= values.seconds;
process.env.LOG_LEVEL ??= "silent";

const parts: Record<string, () => Promise<Figure[]>> = {
  content: async () => (await import("./files-content.ts")).benchContent(Number(values.mebibytes)),
  writes: async () => (await import("./files-writes.ts")).benchWrites(),
  http: async () => (await import("./files-http.ts")).benchHttp(Number(values.seconds)),
  tokens: async () => (await import("./token-validation.ts")).benchTokenValidation(Number(values.seconds)),
  finding: async () => (await import("./files-finding.ts")).benchFinding(),
};

const names = values.only.split(",");
const unknown = names.filter((name) => parts[name] === undefined);
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(", ")}.\n${help}`);
  process.exitCode = 2;
} else {
  const figures: Figure[] = [];
  for (const name of names) figures.push(...((await parts[name]?.()) ?? []));
  await report("files", figures);
}
