import { gzipSync } from "node:zlib";
import { build } from "esbuild";

/** Return the compressed size in bytes of what a page loads for this code. See `loadedFiles`. */
export async function loadedBytes(code: string, project: string): Promise<number> {
  return (await loadedFiles(code, project)).reduce((sum, contents) => sum + gzipSync(contents).length, 0);
}

/**
 * Bundle and minify this code, and return the files that a page loads at first: without modules that are imported on demand, and
 * without React and zod.
 * @param code source of a module, such as `import { ApiError } from "@hearth/oracles-client-sdk/core"`
 * @param project folder with the packages
 */
export async function loadedFiles(code: string, project: string): Promise<Uint8Array[]> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: project, sourcefile: "entry.js" },
    bundle: true,
    minify: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    metafile: true,
    outdir: project,
    entryNames: "entry",
    write: false,
    logLevel: "error",
    external: ["react", "react/*", "react-dom", "react-dom/*", "zod", "zod/*"],
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const outputs = Object.entries(metafile.outputs);
  const entry = outputs.find(([, { entryPoint }]) => entryPoint?.endsWith("entry.js"));
  if (entry === undefined) throw new Error("The bundle has no entry.");
  const loaded = new Set<string>();
  const load = (path: string) => {
    if (loaded.has(path)) return;
    loaded.add(path);
    for (const { kind, external, path: next } of metafile.outputs[path]?.imports ?? []) {
      if (kind === "import-statement" && external !== true) load(next);
    }
  };
  load(entry[0]);
  const files = outputFiles.filter(({ path }) =>
    [...loaded].some((name) => path.endsWith(`/${name.split("/").at(-1)}`)),
  );
  return files.map(({ contents }) => contents);
}
