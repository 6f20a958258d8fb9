import { describe, expect, it } from "vitest";
import { isDay } from "./days.ts";
import { readLines } from "./lists.ts";

describe("text typed by a field team", () => {
  it("is split into lines without duplicates and empty lines", () => {
    expect(readLines(" did:x:1 \n\ndid:x:2,did:x:1;did:x:3\r\n")).toEqual(["did:x:1", "did:x:2", "did:x:3"]);
    expect(readLines(" \n")).toEqual([]);
  });

  it("is a day only if the calendar has it", () => {
    expect(isDay("2024-02-29")).toBe(true);
    for (const text of ["2023-02-29", "2024-13-01", "24-01-01", "", "2024-1-1"]) expect(isDay(text), text).toBe(false);
  });
});
