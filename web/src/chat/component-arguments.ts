import { z } from "zod";

// The model writes these arguments: they are validated before display, and displayed as text.

const cell = z
  .union([z.string(), z.number(), z.boolean(), z.null()])
  .transform((value) => (value === null ? "" : String(value)));
const most = { rows: 500, columns: 20, points: 500 };

/** A table: columns by name, and rows as lists in their order or as objects. */
export const tableArguments = z
  .object({
    title: z.string().optional(),
    columns: z.array(z.string()).min(1).max(most.columns),
    rows: z.array(z.union([z.array(cell), z.record(z.string(), cell)])).max(most.rows),
  })
  .transform(({ title, columns, rows }) => ({
    title,
    columns,
    rows: rows.map((row) => (Array.isArray(row) ? row : columns.map((column) => row[column] ?? ""))),
  }));

/** A chart: numbers by series and label. A chart is approximate, so floating-point numbers are allowed here. */
export const chartArguments = z.object({
  title: z.string().optional(),
  kind: z.enum(["bar", "line"]).default("bar"),
  series: z.array(z.string()).min(1).max(8),
  points: z
    .array(z.object({ label: z.string(), values: z.array(z.number().nullable()) }))
    .min(1)
    .max(most.points),
});
export type ChartArguments = z.output<typeof chartArguments>;

/** A voucher in the API's form; amounts are not converted. */
export const voucherArguments = z.object({
  voucherId: z.union([z.string(), z.number()]).transform(String),
  status: z.string().optional(),
  remainingBalance: z.union([z.string(), z.number()]).transform(String).optional(),
  value: z.union([z.string(), z.number()]).transform(String).optional(),
  expiresAt: z.string().optional(),
});

/** A trace: its steps in order. */
export const traceArguments = z.object({
  title: z.string().optional(),
  steps: z
    .array(
      z.object({
        kind: z.string(),
        id: z.union([z.string(), z.number()]).transform(String),
        amount: z.union([z.string(), z.number()]).transform(String).optional(),
        transaction: z.string().optional(),
      }),
    )
    .min(1)
    .max(100),
});

/** The rows of a chart as the drawing library expects them: one object per point. */
export function chartRows({ series, points }: ChartArguments): Record<string, string | number | null>[] {
  return points.map(({ label, values }) => ({
    label,
    ...Object.fromEntries(series.map((name, index) => [name, values[index] ?? null])),
  }));
}
