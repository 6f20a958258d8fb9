import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

const folder = join(import.meta.dirname, "../sdk/src/live-agent");
export const workerFile = join(folder, "worker-source.ts");

/** The worker of live calls as a text in a module: a page makes a worker of it without another file to be served. */
export async function bundleCallWorker(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(folder, "worker.ts")],
    ...{ bundle: true, write: false, minify: true, format: "iife", target: "es2022", charset: "ascii" },
  });
  const source = outputFiles[0]?.text.trim();
  if (source === undefined) throw new Error("The worker was not bundled.");
  const comment = "/** Made of worker.ts by scripts/bundle-call-worker.ts; a test holds it against its source. */";
  return `${comment}\nexport const workerSource: string =\n  ${quoted(source)};\n`;
}

/** As the formatter writes a text that is full of double quotes. */
function quoted(text: string): string {
  const escaped = text.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\n", "\\n");
  return `'${escaped}'`;
}

if (import.meta.main) await writeFile(workerFile, await bundleCallWorker());
