import { ApiMemory } from "./api-memory.ts";
import { planId, registerBenchPlan } from "./campaign-scene.ts";
import type { Figure } from "./figures.ts";
import { processorOfTree } from "./process-tree.ts";
import { type BenchStack, waitForOperation } from "./stack.ts";

const aimSeconds = 60;
const aimMebibytes = 256;

/**
 * Time and memory of an import of households, and of as many devices, one in each of them. The aim is for the API's whole memory on a
 * separate PostgreSQL; the embedded database is a part of the API's process, so there it is for what the import adds.
 */
export async function benchImports(stack: BenchStack, rows: number, onPostgres: boolean): Promise<Figure[]> {
  const memory = new ApiMemory(stack);
  const run = (given: Import) => benchImport(stack, memory, { ...given, onPostgres });
  const didOf = (i: number) => `did:example:import/${i}`;
  const households = Array.from({ length: rows }, (_, i) => `${didOf(i)},,region-${i % 12},1,2,3,0`);
  const figures = await run({
    what: `${rows} households`,
    path: "/v1/households/import",
    csv: ["did,account,region,men,women,children,elderly", ...households].join("\n"),
  });
  await registerBenchPlan(stack);
  const devices = Array.from({ length: rows }, (_, i) => `STOVE-${i},Jiko 2,${didOf(i)},2024-01-${10 + (i % 20)}`);
  const path = `/v1/devices/import?planId=${planId}`;
  const csv = ["serial,model,householdDid,installedOn", ...devices].join("\n");
  return [...figures, ...(await run({ what: `${rows} devices`, path, csv }))];
}

type Import = { what: string; path: string; csv: string };

async function benchImport(
  stack: BenchStack,
  memory: ApiMemory,
  { what, path, csv, onPostgres }: Import & { onPostgres: boolean },
): Promise<Figure[]> {
  memory.resetPeak();
  const processorBefore = processorOfTree(stack.pid);
  const begin = performance.now();
  const { operationId } = await stack.call("POST", path, csv, { "content-type": "text/csv" });
  const operation = await waitForOperation(stack, String(operationId));
  const seconds = (performance.now() - begin) / 1000;
  const processor = processorOfTree(stack.pid) - processorBefore;
  const peak = memory.peak();
  if (operation.status !== "succeeded") throw new Error(`The import ended as ${JSON.stringify(operation)}`);
  const limits = { aim: `≤ ${aimSeconds} s`, met: seconds <= aimSeconds };
  const added = `API memory that the import of ${what} adds`;
  return [
    { name: `import of ${what}`, value: seconds, unit: "s", ...limits },
    { name: `processor time of the import of ${what}, whole system`, value: processor, unit: "s" },
    {
      name: `API memory, peak of the import of ${what}`,
      value: peak,
      unit: "MiB",
      reference: { name: "the memory before it, MiB", value: memory.before },
      ratio: peak / memory.before,
      ...(onPostgres ? { aim: `≤ ${aimMebibytes} MiB`, met: peak <= aimMebibytes } : {}),
    },
    onPostgres
      ? { name: added, value: peak - memory.before, unit: "MiB" }
      : growthFigure(added, peak - memory.before, aimMebibytes),
  ];
}

export function growthFigure(name: string, value: number, most: number): Figure {
  return { name, value, unit: "MiB", aim: `≤ ${most} MiB`, met: value <= most };
}
