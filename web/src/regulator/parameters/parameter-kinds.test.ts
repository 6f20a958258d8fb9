import { describe, expect, it } from "vitest";
import { stringifyExact } from "../../../../wire/src/exact.ts";
import { isNumber, parameterOf } from "./parameter-kinds.ts";

const sent = (texts: Record<string, string>) =>
  stringifyExact(
    parameterOf((name) => ({ source: "Decision 1", validFrom: "2026-01-01", validTo: "", ...texts })[name] ?? ""),
  );
const rest = '"source":"Decision 1","validFrom":"2026-01-01"';

describe("a parameter from the form", () => {
  it("keeps every digit, and accepts a decimal comma", () => {
    expect(sent({ kind: "fnrb", area: "zmb", value: "0,380000000000000001" })).toBe(
      `{"kind":"fnrb","key":"ZMB","value":0.380000000000000001,${rest}}`,
    );
    expect(["1.5", "1,5", "7"].every(isNumber)).toBe(true);
    expect(["", "-1", "1e3", "1.5.2", "many"].some(isNumber)).toBe(false);
  });

  it("names a method, its figure or minimum, and the area where it is of one", () => {
    const minimum = { kind: "method-minimum", method: "vm0050-1", minimum: "sample", value: "40" };
    expect(sent(minimum)).toBe(`{"kind":"method-minimum","key":"vm0050-1/sample","value":40,${rest}}`);
    expect(sent({ ...minimum, onlyArea: "ken" })).toContain('"key":"vm0050-1/sample/KEN"');
  });

  it("has a choice in the place of a value, and no part of another kind", () => {
    const order = { kind: "measurement-order", "choice measurement-order": "after-draw", value: "3", area: "ZMB" };
    expect(sent(order)).toBe(`{"kind":"measurement-order","key":"campaigns","choice":"after-draw",${rest}}`);
  });

  it("is of a monitoring plan, with its area or fuel", () => {
    const area = { kind: "plan-area", plan: "PLAN-1", "choice plan-area": "ZMB" };
    expect(sent(area)).toBe(`{"kind":"plan-area","key":"PLAN-1","choice":"ZMB",${rest}}`);
    expect(sent({ ...area, kind: "plan-fuel", "choice plan-fuel": "wood" })).toContain('"choice":"wood"');
  });

  it("is of a Party's year, or of a registry in a phase of CORSIA", () => {
    expect(sent({ kind: "ndc-level", party: "zmb", year: "2030", value: "1000" })).toContain('"key":"ZMB-2030"');
    expect(sent({ kind: "corsia", phase: "first-phase", registry: "Gold Standard", validTo: "2026-12-31" })).toBe(
      `{"kind":"corsia","key":"first-phase/Gold Standard",${rest},"validTo":"2026-12-31"}`,
    );
  });
});
