import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { exampleProblems } from "./examples.ts";

const documented = (code: string) =>
  ["/**", " * Add one.", " * @example", ...code.split("\n").map((line) => ` * ${line}`), " */"].join("\n");
const good = documented('```ts\nimport { addOne } from "@acme/numbers";\n\nconst two: number = addOne(1);\n```');

describe("the check of the examples", () => {
  let folder: string;
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  const problems = (...pages: string[]) =>
    exampleProblems(
      join(folder, "tsconfig.json"),
      [join(folder, "index.ts")],
      pages.map((page) => join(folder, page)),
    );
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "hearth-examples-"));
    const compilerOptions = {
      target: "es2022",
      module: "esnext",
      moduleResolution: "bundler",
      strict: true,
      types: [],
      paths: { "@acme/numbers": ["./index.ts"] },
    };
    await write("tsconfig.json", JSON.stringify({ compilerOptions, files: ["index.ts"] }));
  });
  beforeEach(() => write("index.ts", `${good}\nexport const addOne = (n: number) => n + 1;`));
  after(() => rm(folder, { recursive: true, force: true }));

  it("passes when each export has an example that compiles", () => {
    assert.deepEqual(problems(), []);
  });

  it("names a function, a class and a component without an example, under whatever name they are exported", async () => {
    await write("inner.ts", "export class Sum {}\nexport function Total() {\n  return null;\n}");
    const exports = 'export { Sum, Sum as Alias, Total } from "./inner.ts";';
    await write("index.ts", `${exports}\n${good}\nexport const addOne = (n: number) => n + 1;`);
    const found = problems().map((problem) => problem.replace(/^.*: /, ""));
    assert.deepEqual(found, ["Sum has no @example that uses it.", "Total has no @example that uses it."]);
  });

  it("asks no example of a constant or a type", async () => {
    await write("index.ts", "export const limit = 20;\nexport type Page = { size: number };");
    assert.deepEqual(problems(), []);
  });

  it("does not count an example that does not use the export", async () => {
    await write("index.ts", `${documented("```ts\nconst two = 2;\n```")}\nexport function addOne() {}`);
    assert.match(problems().join(), /addOne has no @example that uses it\.$/);
  });

  it("names the export and the line of an example that does not compile", async () => {
    await write("index.ts", `${good}\nexport const addOne = (n: string) => n;`);
    assert.match(problems()[0] ?? "", /index\.ts: addOne, @example, line 3: Type 'string' is not assignable/);
    assert.equal(problems().length, 2);
  });

  it("names the line of a page's block that does not compile", async () => {
    await write("README.md", '# Numbers\n\n```tsx\nimport { addTwo } from "@acme/numbers";\n```\n');
    assert.match(problems("README.md").join(), /README\.md, block of line 4, line 1: .*addTwo/);
  });
});
