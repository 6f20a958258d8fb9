import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { mostLines, thickHooks } from "./thin-hooks.ts";

const statements = (count: number) => Array.from({ length: count }, (_, i) => `  void ${i};`).join("\n");

describe("the check of the hooks' length", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "hearth-hooks-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));
  const found = async (text: string) => {
    await writeFile(join(folder, "use-oven.ts"), text);
    return thickHooks(folder);
  };

  it("passes a hook as long as the limit, whatever types and comments are next to it", async () => {
    const types = `export type Oven = {\n${"  /** Degrees. */\n  heat?: number;\n".repeat(mostLines)}};`;
    const hook = `/**\n${" * Bakes.\n".repeat(mostLines)} */\nexport function useOven() {\n${statements(mostLines - 2)}\n}`;
    assert.deepEqual(await found(`import { x } from "y";\n\n${types}\n\n${hook}\n`), []);
  });

  it("names the file of a hook that is longer, and counts the functions next to it", async () => {
    const helper = `function bake() {\n${statements(mostLines)}\n}`;
    const text = `export function useOven() {\n  bake();\n}\n\n${helper}\n`;
    assert.match((await found(text)).join(), /use-oven\.ts has 65 lines of code; a file of a hook has 60 at most\.$/);
  });

  it("leaves files alone that declare no hook", async () => {
    assert.deepEqual(await found(`export function bake() {\n${statements(mostLines)}\n}\n`), []);
  });
});
