import { describe, expect, it } from "vitest";
import { chartArguments, chartRows, tableArguments, traceArguments, voucherArguments } from "./component-arguments.ts";

describe("arguments of the oracle's components", () => {
  it("accepts a table with rows as lists or as objects by column", () => {
    const { rows } = tableArguments.parse({ columns: ["a", "b"], rows: [[1, true], { b: "x" }, [null, "y"]] });
    expect(rows).toEqual([
      ["1", "true"],
      ["", "x"],
      ["", "y"],
    ]);
  });

  it("refuses a table that is invalid or too large to show", () => {
    expect(tableArguments.safeParse({ columns: "none", rows: [] }).success).toBe(false);
    expect(tableArguments.safeParse({ columns: [], rows: [] }).success).toBe(false);
    expect(tableArguments.safeParse({ columns: ["a"], rows: Array(501).fill([1]) }).success).toBe(false);
    expect(tableArguments.safeParse({ columns: ["a"], rows: [[{ html: "<b>" }]] }).success).toBe(false);
  });

  it("accepts a chart with a gap where a number is missing", () => {
    const chart = chartArguments.parse({ series: ["x", "y"], points: [{ label: "May", values: [1] }] });
    expect(chart.kind).toBe("bar");
    expect(chartRows(chart)).toEqual([{ label: "May", x: 1, y: null }]);
    expect(chartArguments.safeParse({ series: ["x"], points: [] }).success).toBe(false);
  });

  it("keeps every digit of an amount given as text", () => {
    const voucher = voucherArguments.parse({ voucherId: 7, remainingBalance: "9007199254.740991" });
    expect(voucher).toEqual({ voucherId: "7", remainingBalance: "9007199254.740991" });
  });

  it("accepts a trace of at least one step", () => {
    expect(traceArguments.safeParse({ steps: [] }).success).toBe(false);
    expect(traceArguments.parse({ steps: [{ kind: "voucher", id: 4 }] }).steps[0]?.id).toBe("4");
  });
});
