import { UsageError } from "./usage.ts";

/** Fields that hold JSON, and those that are text whatever they look like. */
const nested = new Set(["contracts", "actions"]);
const plainNumber = /^\d+(\.\d+)?$/;
/** The one field of an action that may be given without its name: `propose price 0.021`. */
const onlyField: Record<string, string> = {
  price: "price",
  fee: "fee",
  "operator-cap": "amount",
  "pin-cap": "amount",
  "lifecycle-cap": "amount",
  "dispute-stake": "amount",
  "itmo-daily-cap": "tonnes",
  delay: "seconds",
  threshold: "threshold",
  cancel: "operationId",
  execute: "operationId",
};

/**
 * The JSON text of a proposal made of `field=value` words. Numbers keep their own digits: they never become floats.
 * @throws UsageError
 */
export function actionBody(words: string[]): Record<string, unknown> {
  const [action, ...fields] = words;
  if (action === undefined) throw new UsageError("propose needs an action. See --help.");
  const body: Record<string, unknown> = { action };
  for (const word of fields) {
    const [name, value] = fieldOf(action, word, fields.length);
    if (name in body) throw new UsageError(`${name} is given twice.`);
    body[name] = jsonOfField(name, value);
  }
  return body;
}

function fieldOf(action: string, word: string, count: number): [string, string] {
  const at = word.indexOf("=");
  if (at > 0) return [word.slice(0, at), word.slice(at + 1)];
  const name = onlyField[action];
  if (name === undefined || count > 1)
    throw new UsageError(`"${word}" names no field: write field=value, as --help shows.`);
  return [name, word];
}

function jsonOfField(name: string, value: string): unknown {
  if (nested.has(name)) return rawJson(name, value);
  if (value === "none") return null;
  return plainNumber.test(value) ? JSON.rawJSON(value) : value;
}

/** JSON text, unchanged, so that its numbers keep their digits. */
function rawJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text, (_key, value, context?: { source?: string }) =>
      typeof value === "number" ? JSON.rawJSON(context?.source ?? String(value)) : value,
    );
  } catch {
    throw new UsageError(`${name} must be JSON.`);
  }
}
