import { readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { readOptions } from "./command-options.ts";
import { askCompiler, productionFiles, readTexts } from "./solc.ts";

const help = `node scripts/contract-shapes.ts [--check]
Write each contract's storage layout and selectors to test/contracts/shapes.json. --check writes nothing and fails when they differ.`;

/**
 * Write where every contract keeps its storage, and its functions' selectors, to test/contracts/shapes.json; with
 * --check compare, and exit with 1 on a difference. A slot more on a hot path, or a selector that clients know and that
 * is gone, shows before it is deployed.
 */
const PATH = "test/contracts/shapes.json";

type Slot = { label: string; slot: string; offset: number; type: string };
type Types = Record<string, { label: string; numberOfBytes: string }> | null;
type Compiled = {
  storageLayout: { storage: Slot[]; types: Types };
  evm: { methodIdentifiers: Record<string, string> };
};
type Shape = { storage: string[]; selectors: Record<string, string> };

function shapeOf({ storageLayout, evm }: Compiled): Shape {
  const { storage, types } = storageLayout;
  return {
    storage: storage.map(({ label, slot, offset, type }) => {
      const { label: name, numberOfBytes } = types?.[type] ?? { label: type, numberOfBytes: "?" };
      return `${slot}.${offset} ${label}: ${name} (${numberOfBytes})`;
    }),
    selectors: evm.methodIdentifiers,
  };
}

async function takeShapes(): Promise<Record<string, Shape>> {
  const texts = readTexts(productionFiles());
  const { contracts } = askCompiler<{ contracts: Record<string, Record<string, Compiled>> }>(texts, {
    "*": { "*": ["storageLayout", "evm.methodIdentifiers"] },
  });
  const shapes: Record<string, Shape> = {};
  for (const [path, text] of texts) {
    for (const [name, compiled] of Object.entries(contracts[path] ?? {})) {
      // Only deployed contracts: they include the parts of their bases and interfaces.
      if (text.includes(`\ncontract ${name} `)) shapes[name] = shapeOf(compiled);
    }
  }
  return shapes;
}

/** List the differences of the shapes as lines. */
function differences(before: Record<string, Shape>, now: Record<string, Shape>): string[] {
  const linesOf = (shapes: Record<string, Shape>) =>
    Object.entries(shapes).flatMap(([name, { storage, selectors }]) => [
      ...storage.map((slot) => `${name} storage ${slot}`),
      ...Object.entries(selectors).map(([signature, selector]) => `${name} ${signature} 0x${selector}`),
    ]);
  const [was, is] = [new Set(linesOf(before)), new Set(linesOf(now))];
  return [
    ...[...was].filter((line) => !is.has(line)).map((line) => `- ${line}`),
    ...[...is].filter((line) => !was.has(line)).map((line) => `+ ${line}`),
  ];
}

const values = readOptions(help, { check: { type: "boolean", default: false } });
process.chdir(dirname(import.meta.dirname));
const shapes = await takeShapes();
if (values.check) {
  const changed = differences(JSON.parse(await readFile(PATH, "utf8")), shapes);
  for (const line of changed) console.error(line);
  if (changed.length > 0) {
    console.error(
      `Contracts differ from ${PATH}: if that is meant, run node scripts/contract-shapes.ts and commit it.`,
    );
    process.exitCode = 1;
  }
} else {
  await writeFile(PATH, `${JSON.stringify(shapes, null, 2)}\n`);
}
