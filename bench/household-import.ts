import type { Figure } from "./figures.ts";
import { type BenchStack, waitForOperation } from "./stack.ts";

/** Time of an import, and the API process's peak memory from its metrics. */
export async function benchHouseholdImport(stack: BenchStack, rows: number): Promise<Figure[]> {
  const lines = Array.from({ length: rows }, (_, i) => `did:example:import/${i},,region-${i % 12},1,2,3,0`);
  const csv = `did,account,region,men,women,children,elderly\n${lines.join("\n")}\n`;
  const idle = await residentBytes(stack);
  let peak = idle;
  const sampler = setInterval(async () => {
    peak = Math.max(peak, await residentBytes(stack).catch(() => 0));
  }, 250);
  const begin = performance.now();
  const { operationId } = await stack.call("POST", "/v1/households/import", csv, { "content-type": "text/csv" });
  const operation = await waitForOperation(stack, `${operationId}`);
  const seconds = (performance.now() - begin) / 1000;
  clearInterval(sampler);
  if (operation.status !== "succeeded") throw new Error(`The import ended as ${JSON.stringify(operation)}`);
  return [
    { name: `import of ${rows} households`, value: seconds, unit: "s" },
    { name: `import of ${rows} households, rate`, value: rows / seconds, unit: "rows/s" },
    { name: "peak memory of the API process during the import", value: peak / 2 ** 20, unit: "MiB" },
    { name: "memory of the API process before the import", value: idle / 2 ** 20, unit: "MiB" },
  ];
}

async function residentBytes(stack: BenchStack): Promise<number> {
  const text = await (
    await fetch(`${stack.url}/metrics`, { headers: { authorization: `Bearer ${stack.key}` } })
  ).text();
  const bytes = /process_resident_memory_bytes(?:\{[^}]*\})? ([\d.e+]+)/.exec(text)?.[1];
  if (bytes === undefined) throw new Error("/metrics does not tell process_resident_memory_bytes.");
  return Number(bytes);
}
