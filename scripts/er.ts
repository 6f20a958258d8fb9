import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { stringify } from "csv-stringify/sync";
import { AppError } from "../api/platform/errors.ts";
import { zodDetails } from "../api/platform/http/error-response.ts";
import { parseJsonBody } from "../api/platform/values/json.ts";
import { decimalText, displayText } from "../api/scheme/emissions/decimal.ts";
import { type CalculatedReduction, emissionMethods } from "../api/scheme/emissions/methods.ts";
import { calculationRequest } from "../api/scheme/emissions/schemas.ts";
import { answerCalculation, calculateRequest } from "../api/scheme/emissions/service.ts";

const usage = `Usage: npm run er -- <input.json> [--json | --csv]
Calculates a year's emission reduction offline and shows every step with its source.

<input.json>   a body of POST /v1/emissions/calculate (docs/emissions.md); - or nothing reads standard input
--json         the route's answer: be, ae, le, er and lines, every digit
--csv          the lines as CSV, every digit
--help

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

/** @throws AppError with every field that is malformed or every rule that is broken */
function calculate(bytes: Uint8Array): CalculatedReduction {
  const parsed = calculationRequest.safeParse(parseJsonBody(bytes));
  if (parsed.success) return calculateRequest(parsed.data);
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
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return console.log(usage);
  if (positionals.length > 1) throw new UsageError("One input is taken at a time.");
  if (values.json && values.csv) throw new UsageError("Either --json or --csv.");
  const reduction = calculate(await readInput(positionals[0]));
  if (values.json) console.log(JSON.stringify(answerCalculation(reduction), null, 2));
  else console.log(values.csv ? toCsv(reduction) : toTable(reduction));
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
