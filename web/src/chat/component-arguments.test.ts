import { describe, expect, it } from "vitest";
import { chartArguments, chartRows, tableArguments, traceArguments, voucherArguments } from "./component-arguments.ts";

describe("what the oracle gives a component", () => {
  it("is a table by rows in their order, or by the names of its columns", () => {
    const { rows } = tableArguments.parse({ columns: ["a", "b"], rows: [[1, true], { b: "x" }, [null, "y"]] });
    expect(rows).toEqual([
      ["1", "true"],
      ["", "x"],
      ["", "y"],
    ]);
  });

  it("is refused when it is no table, or more than a page can show", () => {
    expect(tableArguments.safeParse({ columns: "none", rows: [] }).success).toBe(false);
    expect(tableArguments.safeParse({ columns: [], rows: [] }).success).toBe(false);
    expect(tableArguments.safeParse({ columns: ["a"], rows: Array(501).fill([1]) }).success).toBe(false);
    expect(tableArguments.safeParse({ columns: ["a"], rows: [[{ html: "<b>" }]] }).success).toBe(false);
  });

  it("is a chart with a gap where a number is missing", () => {
    const chart = chartArguments.parse({ series: ["x", "y"], points: [{ label: "May", values: [1] }] });
    expect(chart.kind).toBe("bar");
    expect(chartRows(chart)).toEqual([{ label: "May", x: 1, y: null }]);
    expect(chartArguments.safeParse({ series: ["x"], points: [] }).success).toBe(false);
  });

  it("keeps every digit of an amount that comes as text", () => {
    const voucher = voucherArguments.parse({ voucherId: 7, remainingBalance: "9007199254.740991" });
    expect(voucher).toEqual({ voucherId: "7", remainingBalance: "9007199254.740991" });
  });

  it("is a trace of at least one step", () => {
    expect(traceArguments.safeParse({ steps: [] }).success).toBe(false);
    expect(traceArguments.parse({ steps: [{ kind: "voucher", id: 4 }] }).steps[0]?.id).toBe("4");
  });
});
