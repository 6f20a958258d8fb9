import { fork } from "node:child_process";
import type { LoadOrder, LoadResult } from "./load.ts";
import type { BenchStack } from "./stack.ts";

/** Load the stack from a separate process. @throws Error when an answer was not 2xx */
export async function runLoad(stack: BenchStack, order: Omit<LoadOrder, "url" | "key">): Promise<LoadResult> {
  const child = fork(new URL("./load.ts", import.meta.url), { serialization: "advanced" });
  child.send({ url: stack.url, key: stack.key, ...order } satisfies LoadOrder);
  const result = await new Promise<LoadResult>((resolve, reject) => {
    child.once("message", (message) => resolve(message as LoadResult));
    child.once("exit", (code) => reject(new Error(`The load generator ended with ${code}.`)));
  });
  const refused = Object.entries(result.statuses).filter(([status]) => !status.startsWith("2"));
  if (refused.length > 0) throw new Error(`Refused under load: ${JSON.stringify(refused)} ${result.firstRefusal}`);
  return result;
}
