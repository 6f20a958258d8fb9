import { AppError, type RuleDetail } from "../../../platform/errors.ts";
import { type CsvRow, readCsvRows } from "../../../platform/values/csv.ts";
import { inParts, limitRows } from "../../../platform/values/import-rows.ts";
import { parseScaled } from "../../../platform/values/numbers.ts";
import { timestamp } from "../../../platform/values/text.ts";
import { cookingRule } from "./cooking-rule.ts";

/** Type of the piece of evidence that is the series of a stove-use monitor. */
export const stoveSeriesType = "stove-use-series";
export const stoveSeriesMediaType = "text/csv";

/** A reading of a stove-use monitor. */
export type Reading = {
  /** Milliseconds since 1970-01-01. */
  at: number;
  /** Day as the monitor writes it, in its own time zone. */
  date: string;
  isOn: boolean;
};

export type StoveSeries = {
  /** `temperature`: °C; a hot reading is on. `state`: the monitor reports on and off. */
  measure: "temperature" | "state";
  readings: Reading[];
};

const leastReadings = 2;
const celsiusDecimals = 3;
const coldest = -50_000n;
const hottest = 1_000_000n;
const states = new Map([
  ["on", true],
  ["true", true],
  ["1", true],
  ["off", false],
  ["false", false],
  ["0", false],
]);
const columns = { known: ["timestamp", "temperature", "on"], required: ["timestamp"] };

const faults = {
  "series-timestamp": "a time with its offset is expected, such as 2024-02-01T17:30:00+02:00.",
  "series-temperature": "a temperature is from -50 to 1000 °C, with at most 3 decimals.",
  "series-state": "on, off, true, false, 1 or 0 is expected.",
  "series-order": "each reading is later than the one before.",
} as const;

/** Read the CSV file of a stove-use monitor, or name everything that is wrong with it. */
export async function readStoveSeries(
  bytes: Uint8Array,
): Promise<{ series: StoveSeries } | { broken: Omit<RuleDetail, "path">[] }> {
  try {
    return await read(bytes);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { broken: error.details.map(({ rule, message }) => ({ rule, message })) };
  }
}

async function read(bytes: Uint8Array): Promise<Awaited<ReturnType<typeof readStoveSeries>>> {
  const found = openFaults();
  const readings: Reading[] = [];
  let measure: StoveSeries["measure"] | undefined;
  let row = 0;
  let last = Number.NEGATIVE_INFINITY;
  for await (const each of limitRows(readCsvRows(inParts(bytes), columns))) {
    row += 1;
    const { cells, details } = each;
    if (details.length > 0) {
      for (const { rule, message } of details) found.add(rule, row, lowerFirst(message));
      continue;
    }
    measure ??= measureOf(each);
    if (measure === undefined) return { broken: [oneMeasure] };
    const { time, isOn } = readRow(cells, measure, (rule) => found.add(ruleOf(rule), row, faults[rule]));
    if (time === undefined) continue;
    const at = Date.parse(time);
    if (at <= last) found.add("series-order", row, faults["series-order"]);
    last = Math.max(last, at);
    if (isOn !== undefined) readings.push({ at, date: time.slice(0, 10), isOn });
  }
  const broken = found.list();
  if (readings.length < leastReadings) {
    broken.push({ rule: "series-length", message: `A series has at least ${leastReadings} readings.` });
  }
  return broken.length > 0 || measure === undefined ? { broken } : { series: { measure, readings } };
}

const oneMeasure = {
  rule: "series-columns",
  message: "A series has the column temperature (°C) or the column on, and not both.",
};

function measureOf({ cells }: CsvRow): StoveSeries["measure"] | undefined {
  const [hasTemperature, hasState] = [cells.has("temperature"), cells.has("on")];
  if (hasTemperature === hasState) return undefined;
  return hasTemperature ? "temperature" : "state";
}

function readRow(
  cells: ReadonlyMap<string, string>,
  measure: StoveSeries["measure"],
  fault: (rule: "series-timestamp" | "series-temperature" | "series-state") => void,
): { time: string | undefined; isOn: boolean | undefined } {
  const time = timestamp.safeParse(cells.get("timestamp"));
  if (!time.success) fault("series-timestamp");
  const isOn =
    measure === "state" ? states.get((cells.get("on") ?? "").toLowerCase()) : isHot(cells.get("temperature"));
  if (isOn === undefined) fault(measure === "state" ? "series-state" : "series-temperature");
  return { time: time.data, isOn };
}

function isHot(text = ""): boolean | undefined {
  const celsius = parseScaled(text, celsiusDecimals);
  if (celsius === undefined || celsius < coldest || celsius > hottest) return undefined;
  return celsius > cookingRule.thresholdMilliCelsius;
}

/** A wrong value is one rule, whatever the monitor measures. */
function ruleOf(rule: keyof typeof faults): string {
  return rule === "series-temperature" || rule === "series-state" ? "series-value" : rule;
}

/** Collect faults of rows: one for each rule, with its first row and how many more there are. */
function openFaults() {
  const found = new Map<string, { row: number; more: number; message: string }>();
  return {
    add(rule: string, row: number, message: string): void {
      const known = found.get(rule);
      if (known === undefined) found.set(rule, { row, more: 0, message });
      else known.more += 1;
    },
    list: () =>
      [...found].map(([rule, { row, more, message }]) => ({
        rule,
        message: `Row ${row}${more === 0 ? "" : ` and ${more} more`}: ${message}`,
      })),
  };
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
