import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { readOptions } from "./command-options.ts";

const help = `node scripts/bundle-call-worker.ts
Bundle the worker that encrypts calls into the SDK's source.`;

const folder = join(import.meta.dirname, "../sdk/src/live-agent");
export const workerFile = join(folder, "worker-source.ts");

/** Bundle the worker of live calls into a module that contains its source as text, so that no other file must be served. */
export async function bundleCallWorker(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(folder, "worker.ts")],
    bundle: true,
    write: false,
    minify: true,
    format: "iife",
    target: "es2022",
    charset: "ascii",
  });
  const source = outputFiles[0]?.text.trim();
  if (source === undefined) throw new Error("The worker was not bundled.");
  const comment = "/** Generated from worker.ts by scripts/bundle-call-worker.ts; a test compares the two. */";
  return `${comment}\nexport const workerSource: string =\n  ${quoted(source)};\n`;
}

/** Quote a text with many double quotes as the formatter does. */
function quoted(text: string): string {
  const escaped = text.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\n", "\\n");
  return `'${escaped}'`;
}

if (import.meta.main) {
  readOptions(help, {});
  await writeFile(workerFile, await bundleCallWorker());
}
