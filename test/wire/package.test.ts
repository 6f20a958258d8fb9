import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { type PackedPackage, packPackage, rootModules } from "../../scripts/pack-package.ts";
import config from "../../wire/tsdown.config.ts";
import { testAdminKey } from "../support/core.ts";
import { openWorld, type World } from "./world.ts";

const run = promisify(execFile);
const example = "first-requests.ts";
const repository = "git+https://git.example/hearth.git";

describe("the package of the HTTP API's client", () => {
  let wire: PackedPackage;
  let project: string;
  let world: World;
  before(async () => {
    world = await openWorld();
    wire = await packPackage("wire", config, repository);
    project = await wire.install({ "@types/node": rootModules });
    await cp(`wire/examples/${example}`, join(project, example));
    await writeFile(join(project, "package.json"), '{"type":"module"}');
  });
  after(async () => {
    await world?.close();
    await wire?.close();
  });

  it("contains its code, types, README and licence, and no paths of the machine that built it", async () => {
    const others = wire.files.filter((file) => !/^dist\/[a-z-]+(\.js|\.d\.ts)$/.test(file));
    assert.deepEqual(others, ["LICENSE", "README.md", "package.json"]);
    for (const file of wire.files) {
      const text = await readFile(join(project, "node_modules/@hearth/wire", file), "utf8");
      assert.ok(!text.includes(resolve(".")), `${file} names a folder of this machine`);
    }
  });

  it("names the repository that publishes it, as npm's provenance requires", async () => {
    const manifest = await readFile(join(project, "node_modules/@hearth/wire/package.json"), "utf8");
    assert.deepEqual(JSON.parse(manifest).repository, { type: "git", url: repository, directory: "wire" });
  });

  for (const [module, moduleResolution] of [
    ["node16", "node16"],
    ["esnext", "bundler"],
  ]) {
    it(`types an empty project's first requests under ${moduleResolution} resolution`, async () => {
      const compilerOptions = {
        module,
        moduleResolution,
        target: "es2022",
        strict: true,
        exactOptionalPropertyTypes: true,
        noEmit: true,
        skipLibCheck: true,
        types: ["node"],
      };
      await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [example] }));
      const { stdout } = await run("node_modules/.bin/tsc", ["-p", project]).catch((error) => error);
      assert.equal(stdout, "");
    });
  }

  it("runs the first requests", async () => {
    const env = { ...process.env, HEARTH_URL: world.baseUrl, HEARTH_KEY: testAdminKey };
    const { stdout } = await run(process.execPath, [join(project, example)], { env });
    assert.equal(stdout, "did:ixo:household/4711 Lusaka\n");
  });

  it("shows them in the README unchanged", async () => {
    const readme = await readFile("wire/README.md", "utf8");
    assert.ok(readme.includes(`\`\`\`ts\n${await readFile(`wire/examples/${example}`, "utf8")}\`\`\``));
  });
});
