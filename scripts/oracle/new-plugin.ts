import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const kebabCase = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** Words of a plugin's name, in the forms that its files use. */
function formsOf(name: string) {
  const words = name.split("-");
  const camel = words.map((word, i) => (i === 0 ? word : `${word[0]?.toUpperCase()}${word.slice(1)}`)).join("");
  const title = words.join(" ");
  return { camel, snake: words.join("_"), title: `${title[0]?.toUpperCase()}${title.slice(1)}` };
}

/**
 * Write the folder of a new plugin, with a tool that works and its test, and add it to the bundled ones.
 * @returns the files that were written or changed
 * @throws Error when the name is not kebab-case or taken
 */
export async function writeNewPlugin(pluginsFolder: string, name: string): Promise<string[]> {
  if (!kebabCase.test(name))
    throw new Error(`"${name}" is not a plugin name: use lower-case letters, digits and hyphens.`);
  const folder = join(pluginsFolder, name);
  if (existsSync(folder)) throw new Error(`There is a plugin "${name}" already: ${folder}`);
  const bundled = join(pluginsFolder, "bundled.ts");
  const list = addToList(await readFile(bundled, "utf8"), name);
  await mkdir(folder);
  const files = { [join(folder, "plugin.ts")]: pluginText(name), [join(folder, `${name}.test.ts`)]: testText(name) };
  for (const [path, text] of Object.entries(files)) await writeFile(path, text, { flag: "wx" });
  await writeFile(bundled, list);
  return [...Object.keys(files), bundled];
}

function addToList(text: string, name: string): string {
  const { camel } = formsOf(name);
  const imports = [...text.matchAll(/^import .*$/gm)].map(([line]) => line);
  const own = `import { ${camel} } from "./${name}/plugin.ts";`;
  const last = imports.at(-1);
  const end = text.lastIndexOf("];");
  if (last === undefined || end < 0 || text.includes(`{ ${camel} }`)) throw new Error("bundled.ts is not as expected.");
  const place = imports.find((line) => line.includes('"./') && line.replace(/.*"/, "") > own) ?? last;
  const before = text.slice(0, end).trimEnd();
  const inside = before.endsWith(",") || before.endsWith("[") ? before : `${before},`;
  return `${inside}\n  ${camel},\n${text.slice(end)}`.replace(place, `${place}\n${own}`);
}

function pluginText(name: string): string {
  const { camel, snake, title } = formsOf(name);
  return `import { z } from "zod";
import { defineOraclePlugin } from "../host/plugin.ts";
import type { Services } from "../host/services.ts";
import { defineOracleTool } from "../host/tool.ts";

export const ${camel} = defineOraclePlugin<Services>({
  name: "${name}",
  version: "1.0.0",
  manifest: {
    title: "${title}",
    summary: "Says how long a text is.",
    whenToUse: ["when the user asks how long a text is"],
    tags: ["${name}"],
    category: "data",
  },
  getTools: () => [
    defineOracleTool({
      name: "${snake}_length",
      description: "The number of characters of a text.",
      inputSchema: z.strictObject({ text: z.string() }),
      destructive: false,
      readOnly: true,
      run: async ({ input }) => ({ length: input.text.length }),
    }),
  ],
});
`;
}

function testText(name: string): string {
  const { camel, snake } = formsOf(name);
  return `import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bootOf, quietLog, turnOf } from "../../../../test/support/oracle/agent.ts";
import { createAgent } from "../../agent/agent.ts";
import type { Services } from "../host/services.ts";
import { ${camel} } from "./plugin.ts";

describe("the plugin ${name}", () => {
  it("answers through the agent once it is loaded", async () => {
    const plugins = await bootOf<Services>([${camel}]);
    const agent = createAgent({ plugins, oracleName: "Test", endpoint: undefined, log: quietLog });
    const session = { id: "$s", roomId: "room", loadedPlugins: ["${name}"], state: {} };
    const turn = turnOf('/tool ${snake}_length {"text":"stove"}', { session });
    await agent.runTurn(turn);
    assert.match(turn.said(), /"length":5/);
  });
});
`;
}
