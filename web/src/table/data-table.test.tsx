// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { chooseLanguage, startI18n } from "../i18n/i18n.ts";
import { DataTable, type DataTableProps } from "./data-table.tsx";

const nothing = { total: 0, at: () => undefined, show: () => {}, error: null, retry: () => {} };
const empty = "A supplier files one.";

function showTable(more: Partial<DataTableProps<string>>): void {
  render(
    <MantineProvider env="test">
      <DataTable<string> {...{ label: "Claims", columns: [], rows: nothing, empty }} rowKey={(row) => row} {...more} />
    </MantineProvider>,
  );
}

beforeAll(async () => {
  // Mantine reads the preferred colour scheme, which jsdom does not implement.
  vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener() {}, removeEventListener() {} }));
  await startI18n();
  await chooseLanguage("en");
});
afterEach(cleanup);

describe("a table without rows", () => {
  it("says who creates the first row", () => {
    showTable({});
    expect(screen.getByText(empty)).toBeTruthy();
  });

  it("mentions the filters that are set, and clears them", () => {
    const onClearFilters = vi.fn();
    showTable({ onClearFilters });
    expect(screen.queryByText(empty)).toBeNull();
    expect(screen.getByText("Nothing matches these filters.")).toBeTruthy();
    fireEvent.click(screen.getByRole("button"));
    expect(onClearFilters).toHaveBeenCalledOnce();
  });

  it("does not show an error as an empty table", () => {
    showTable({ rows: { ...nothing, total: undefined, error: new Error("away") } });
    expect(screen.queryByText(empty)).toBeNull();
    expect(screen.getByRole("alert")).toBeTruthy();
  });
});
