import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { type PackedSdk, packSdk, peers } from "./pack.ts";
import { loadedBytes, loadedFiles } from "./size.ts";

const run = promisify(execFile);
const name = "@hearth/oracles-client-sdk";
/** Apps of other developers: one written for this package, one for another of its family. */
const apps = ["consumer.tsx", "family-app.tsx"];

describe("the SDK's package", () => {
  let sdk: PackedSdk;
  before(async () => {
    sdk = await packSdk();
  });
  after(() => sdk?.close());

  it("holds its code, its types, its README and its licence, and nothing else", () => {
    const compiled = sdk.files.filter((file) => file.startsWith("dist/"));
    assert.deepEqual(
      sdk.files.filter((file) => !file.startsWith("dist/")),
      ["LICENSE", "README.md", "package.json"],
    );
    for (const file of compiled) {
      const source = file.replace(/^dist\//, "sdk/src/").replace(/(\.d\.ts|\.js)$/, "");
      assert.ok(existsSync(`${source}.ts`) || existsSync(`${source}.tsx`), `${file} comes of no source`);
    }
    for (const entry of ["index", "core", "live-agent"])
      for (const kind of ["js", "d.ts"])
        assert.ok(compiled.includes(`dist/${entry}.${kind}`), `${entry}.${kind} is missing`);
  });

  it("marks what uses React as code of the browser, for apps with server components, and the core not", async () => {
    const project = await sdk.install("react 19, zod 4");
    for (const file of sdk.files.filter((each) => each.endsWith(".js"))) {
      const text = await readFile(join(project, "node_modules", name, file), "utf8");
      const usesReact = /from "(react|react\/[a-z-]+|react-markdown)"/.test(text);
      assert.equal(text.startsWith('"use client";'), usesReact, file);
    }
  });

  it("says nothing of the machine that built it", async () => {
    const project = await sdk.install("react 19, zod 4");
    for (const file of sdk.files) {
      const text = await readFile(join(project, "node_modules", name, file), "utf8");
      assert.ok(!text.includes(resolve(".")), `${file} names a folder of this machine`);
      assert.doesNotMatch(text, /sourceMappingURL/, file);
    }
  });

  for (const pair of Object.keys(peers) as (keyof typeof peers)[]) {
    for (const [module, moduleResolution] of [
      ["node16", "node16"],
      ["esnext", "bundler"],
    ] as const) {
      it(`is typed under ${moduleResolution} resolution, with ${pair}`, async () => {
        const project = await sdk.install(pair);
        for (const app of apps) await cp(`sdk/test/package/${app}`, join(project, app));
        await writeFile(join(project, "package.json"), '{"type":"module"}');
        const compilerOptions = {
          module,
          moduleResolution,
          target: "es2022",
          lib: ["es2023", "dom", "dom.iterable"],
          jsx: "react-jsx",
          strict: true,
          exactOptionalPropertyTypes: true,
          noEmit: true,
          skipLibCheck: true,
          types: [],
        };
        await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: apps }));
        const { stdout } = await run("node_modules/.bin/tsc", ["-p", project]).catch((error) => error);
        assert.equal(stdout, "");
      });
    }
  }

  it("adds less than 2 kB to an app that imports nothing but ApiError", async () => {
    const project = await sdk.install("react 19, zod 4");
    const bytes = await loadedBytes(`export { ApiError } from "${name}/core"`, project);
    assert.ok(bytes < 2_000, `${bytes} bytes`);
    assert.ok(bytes > 100, "nothing was bundled");
  });

  it("gives an app of what it imports: a chat has nothing of calls, calls nothing of Markdown, the core no React", async () => {
    const project = await sdk.install("react 19, zod 4");
    const marks = {
      calls: "RTCPeerConnection",
      markdown: "dangerouslySetInnerHTML",
      chain: "eth_call",
      react: "react",
    };
    const holds = async (code: string) => {
      const text = (await loadedFiles(code, project)).map((file) => Buffer.from(file).toString()).join();
      return Object.entries(marks).flatMap(([what, mark]) => (text.includes(mark) ? [what] : []));
    };
    assert.deepEqual(await holds(`export * from "${name}"`), ["calls", "markdown", "react"]);
    assert.deepEqual(await holds(`export { useChat } from "${name}"`), ["react"]);
    assert.deepEqual(await holds(`export { renderMessageContent } from "${name}"`), ["markdown", "react"]);
    assert.deepEqual(await holds(`export { useLiveAgent } from "${name}/live-agent"`), ["calls", "react"]);
    assert.deepEqual(await holds(`export * from "${name}/core"`), []);
  });
});
