import type { Act, Script } from "../support/model-server.ts";

/** A script in steps: the n-th request of a turn gets the n-th list. */
export function inSteps(...steps: Act[][]): Script {
  return ({ messages }) => {
    const begin = messages.findLastIndex(({ role }) => role === "user");
    const step = messages.slice(begin).filter(({ role }) => role === "assistant").length;
    return steps[step] ?? [{ text: "The script has no such step." }];
  };
}

/** Call a tool. */
export const call = (name: string, args: object): Act[] => [{ calls: [{ name, args }] }];

/** Load one of the oracle's capabilities, as a model does before it uses a tool that is not always available. */
export const load = (name: string): Act[] => call("load_capability", { names: [name] });

/** Call a tool with arguments in several pieces; the last piece is sent when `last` has settled. */
export function slowCall(name: string, args: object, pieces: number, last: Promise<unknown>): Act[] {
  const text = JSON.stringify(args);
  const size = Math.ceil(text.length / pieces);
  const parts = Array.from({ length: pieces }, (_, i) => text.slice(i * size, (i + 1) * size));
  return parts.flatMap((part, i): Act[] => {
    const hold: Act[] = i === pieces - 1 ? [{ until: last }] : [];
    return [...hold, i === 0 ? { rawCall: { name, args: part } } : { rawArgs: part }, { waitMs: 20 }];
  });
}
