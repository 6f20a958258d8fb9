import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import type { z } from "@hono/zod-openapi";
import { stringify } from "csv-stringify/sync";
import { AppError } from "../api/platform/errors.ts";
import { zodDetails } from "../api/platform/http/error-response.ts";
import { parseJsonBody } from "../api/platform/values/json.ts";
import { campaignAnswer } from "../api/scheme/emissions/campaign/answer.ts";
import { evaluateCampaign } from "../api/scheme/emissions/campaign/evaluate.ts";
import { campaignInput } from "../api/scheme/emissions/campaign/schemas.ts";
import { decimalText, displayText } from "../api/scheme/emissions/decimal.ts";
import { methodAnswer } from "../api/scheme/emissions/methods/answer.ts";
import type { Method } from "../api/scheme/emissions/methods/definition.ts";
import { methods } from "../api/scheme/emissions/methods/registry.ts";
import { methodInputs } from "../api/scheme/emissions/methods/schemas.ts";
import { type CalculatedReduction, emissionMethods } from "../api/scheme/emissions/methods.ts";
import { calculationRequest } from "../api/scheme/emissions/schemas.ts";
import { calculateRequest, serializeCalculation } from "../api/scheme/emissions/service.ts";
import { campaignTable, describeMethod, listMethods, methodTable } from "./er-methods.ts";

const usage = `Usage: npm run er -- <input.json> [--method <id> | --campaign] [--json | --csv]
Calculates an emission reduction offline and shows every step with its source.

<input.json>   a body of POST /v1/emissions/calculate; with --method or --campaign an input of that kind
               (docs/emissions.md); - or nothing reads standard input
--method <id>  calculates by this method from {parameters, baseline, project}
--campaign     evaluates a kitchen performance test: minimums, missing positions, what can be certified
--json         the result as JSON, with all digits
--csv          the lines as CSV, with all digits; not with --method or --campaign
--help         this text; with --method the method's parameters, formulas and minimums

Methods:
${listMethods()}

Exit 0: calculated. Exit 1: refused, each broken rule named, or not readable. Exit 2: this command is not understood.`;

/** Decimals that the table shows. */
const shownPlaces = 12;

class UsageError extends Error {}
class UnreadableError extends Error {}

async function readInput(file: string | undefined): Promise<Uint8Array> {
  if (file === undefined && process.stdin.isTTY) throw new UsageError("An input is needed.");
  if (file === undefined || file === "-") return Buffer.from(await text(process.stdin));
  // npm changes to the project's folder; the path is meant from where it was called.
  return readFile(resolve(process.env.INIT_CWD ?? ".", file)).catch((cause: NodeJS.ErrnoException) => {
    throw new UnreadableError(
      `${file} cannot be read: ${cause.code === "ENOENT" ? "there is no such file" : cause.message}.`,
    );
  });
}

/** @throws AppError with every field that is malformed */
function parse<Output>(schema: z.ZodType<Output>, bytes: Uint8Array): Output {
  const parsed = schema.safeParse(parseJsonBody(bytes));
  if (parsed.success) return parsed.data;
  throw new AppError("INVALID_INPUT", "The input is not well formed.", { details: zodDetails(parsed.error) });
}

function toCsv({ lines }: CalculatedReduction): string {
  const rows = lines.map(({ name, value, unit, source }) => [name, decimalText(value), unit, source]);
  return stringify([["name", "value", "unit", "source"], ...rows]).trimEnd();
}

function toTable({ method, version, lines }: CalculatedReduction): string {
  const { title, formula } = emissionMethods[method];
  const rows = lines.map(({ name, value, unit, source }) => [name, displayText(value, shownPlaces), unit, source]);
  const [names = 0, values = 0, units = 0] = [0, 1, 2].map((column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const table = rows.map(([name = "", value = "", unit = "", source = ""]) =>
    `${name.padEnd(names)}  ${value.padStart(values)}  ${unit.padEnd(units)}  ${source}`.trimEnd(),
  );
  return [`${title}, version ${version} (${method})`, ...formula.map((each) => `  ${each}`), "", ...table].join("\n");
}

function sayRefusal({ message, details }: AppError): void {
  console.error(message);
  for (const { path, rule, message: reason } of details) console.error(`  ${path ?? "input"}: ${reason} (${rule})`);
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: "boolean", default: false },
      csv: { type: "boolean", default: false },
      method: { type: "string" },
      campaign: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const method = methodNamed(values.method);
  if (values.help) return console.log(method === undefined ? usage : describeMethod(method));
  if (positionals.length > 1) throw new UsageError("One input is taken at a time.");
  if (values.json && values.csv) throw new UsageError("Either --json or --csv.");
  if (method !== undefined && values.campaign) throw new UsageError("Either --method or --campaign.");
  if (values.csv && (method !== undefined || values.campaign)) {
    throw new UsageError("--csv is not for --method or --campaign.");
  }
  const bytes = await readInput(positionals[0]);
  const shown = values.campaign
    ? campaignResult(bytes)
    : method === undefined
      ? pairsResult(bytes)
      : methodResult(method, bytes);
  if (values.json) console.log(JSON.stringify(shown.answer, null, 2));
  else console.log(values.csv ? shown.csv() : shown.table());
}

/** A result in each form that the command can show. */
type Shown = { answer: unknown; table: () => string; csv: () => string };

const noCsv = (): string => {
  throw new RangeError("--csv has been refused before.");
};

function pairsResult(bytes: Uint8Array): Shown {
  const reduction = calculateRequest(parse(calculationRequest, bytes));
  return { answer: serializeCalculation(reduction), table: () => toTable(reduction), csv: () => toCsv(reduction) };
}

function methodResult(method: Method, bytes: Uint8Array): Shown {
  const result = method.calculate(parse(methodInputs, bytes));
  return { answer: methodAnswer(result), table: () => methodTable(result), csv: noCsv };
}

function campaignResult(bytes: Uint8Array): Shown {
  const outcome = evaluateCampaign(parse(campaignInput, bytes));
  return { answer: campaignAnswer(outcome), table: () => campaignTable(outcome), csv: noCsv };
}

function methodNamed(id: string | undefined): Method | undefined {
  if (id === undefined) return undefined;
  const method = methods.get(id);
  if (method === undefined) throw new UsageError(`${id} is not a method; these are:\n${listMethods()}`);
  return method;
}

await main().catch((error: unknown) => {
  if (error instanceof AppError) {
    sayRefusal(error);
    process.exitCode = 1;
  } else if (error instanceof UnreadableError) {
    console.error(error.message);
    process.exitCode = 1;
  } else if (error instanceof UsageError || (error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS")) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exitCode = 2;
  } else throw error;
});
