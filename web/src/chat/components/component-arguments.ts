import { z } from "zod/mini";

// The model writes these arguments: they are validated before display, and displayed as text.

const cell = z.pipe(
  z.union([z.string(), z.number(), z.boolean(), z.null()]),
  z.transform((value) => (value === null ? "" : String(value))),
);
/** Text, or a number as text. */
const text = z.pipe(z.union([z.string(), z.number()]), z.transform(String));
const most = { rows: 500, columns: 20, points: 500 };

/** A table: columns by name, and rows as lists in their order or as objects. */
export const tableArguments = z.pipe(
  z.object({
    title: z.optional(z.string()),
    columns: z.array(z.string()).check(z.minLength(1), z.maxLength(most.columns)),
    rows: z.array(z.union([z.array(cell), z.record(z.string(), cell)])).check(z.maxLength(most.rows)),
  }),
  z.transform(({ title, columns, rows }) => ({
    title,
    columns,
    rows: rows.map((row) => (Array.isArray(row) ? row : columns.map((column) => row[column] ?? ""))),
  })),
);

/** A chart: numbers by series and label. A chart is approximate, so floating-point numbers are allowed here. */
export const chartArguments = z.object({
  title: z.optional(z.string()),
  kind: z._default(z.enum(["bar", "line"]), "bar"),
  series: z.array(z.string()).check(z.minLength(1), z.maxLength(8)),
  points: z
    .array(z.object({ label: z.string(), values: z.array(z.nullable(z.number())) }))
    .check(z.minLength(1), z.maxLength(most.points)),
});
export type ChartArguments = z.output<typeof chartArguments>;

/** A voucher in the API's form; amounts are not converted. */
export const voucherArguments = z.object({
  voucherId: text,
  status: z.optional(z.string()),
  remainingBalance: z.optional(text),
  value: z.optional(text),
  expiresAt: z.optional(z.string()),
});

/** A trace: its steps in order. */
export const traceArguments = z.object({
  title: z.optional(z.string()),
  steps: z
    .array(
      z.object({
        kind: z.string(),
        id: text,
        amount: z.optional(text),
        transaction: z.optional(z.string()),
      }),
    )
    .check(z.minLength(1), z.maxLength(100)),
});

/** The rows of a chart as the drawing library expects them: one object per point. */
export function chartRows({ series, points }: ChartArguments): Record<string, string | number | null>[] {
  return points.map(({ label, values }) => ({
    label,
    ...Object.fromEntries(series.map((name, index) => [name, values[index] ?? null])),
  }));
}
