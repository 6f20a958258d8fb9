import excel from "exceljs";
import { describe, expect, it } from "vitest";
import { writeTable } from "./write-table.ts";

type Row = { id: string; name: string; amount: string };
const rows: Row[] = [
  { id: "1", name: 'said "yes", then\nleft', amount: "12345678901234567890.000001" },
  { id: "2", name: "=1+2", amount: "-5.5" },
  { id: "3", name: "@SUM(A1)", amount: "0" },
  { id: "4", name: "<é & 家\u0001>", amount: "007" },
];
const columns = [
  { key: "id", header: "Id", cell: () => null, text: (row: Row) => row.id },
  { key: "name", header: "Name", cell: () => null, text: (row: Row) => row.name },
  { key: "amount", header: "Amount", cell: () => null, text: (row: Row) => row.amount },
  { key: "actions", header: "", cell: () => null },
];
async function* pages() {
  yield rows.slice(0, 2);
  // A row that moved while the table was read.
  yield rows.slice(1);
}
const signal = new AbortController().signal;
const table = { columns, rowKey: ({ id }: Row) => id, pages };

async function sheetOf(file: Blob): Promise<unknown[][]> {
  const book = new excel.Workbook();
  await book.xlsx.load(await file.arrayBuffer());
  const found: unknown[][] = [];
  book.worksheets[0]?.eachRow((row) => found.push((row.values as unknown[]).slice(1)));
  return found;
}

describe("a downloaded table", () => {
  it("has every row once, with all digits as text and without formulas", async () => {
    const counts: number[] = [];
    const onRows = (count: number) => counts.push(count);
    const file = await writeTable(table, "xlsx", { signal, onRows });
    expect(counts).toEqual([2, 4]);
    expect(await sheetOf(file)).toEqual([
      ["Id", "Name", "Amount"],
      ["1", 'said "yes", then\nleft', "12345678901234567890.000001"],
      ["2", "'=1+2", "-5.5"],
      ["3", "'@SUM(A1)", "0"],
      ["4", "<é & 家\ufffd>", "007"],
    ]);
  });

  it("is CSV by RFC 4180", async () => {
    const file = await writeTable(table, "csv", { signal, onRows: () => {} });
    expect(await file.text()).toBe(
      'Id,Name,Amount\r\n1,"said ""yes"", then\nleft",12345678901234567890.000001\r\n' +
        "2,'=1+2,-5.5\r\n3,'@SUM(A1),0\r\n4,<é & 家\u0001>,007\r\n",
    );
  });

  it("has all fields of the records where no column has a text", async () => {
    const records = [{ id: "a", at: { day: 1, by: null }, list: [1, 2] }, { id: "b" }];
    const all = async function* () {
      yield records;
    };
    const bare = { columns: [], rowKey: ({ id }: { id: string }) => id, pages: all };
    const file = await writeTable(bare, "csv", { signal, onRows: () => {} });
    expect(await file.text()).toBe('id,at.day,at.by,list\r\na,1,,"[1,2]"\r\nb,,,\r\n');
  });

  it("stops when it is cancelled", async () => {
    const control = new AbortController();
    const writing = writeTable(table, "csv", { signal: control.signal, onRows: () => control.abort() });
    await expect(writing).rejects.toThrow();
  });

  it("writes many rows", async () => {
    const many = async function* () {
      for (let page = 0; page < 10; page += 1)
        yield Array.from({ length: 1_000 }, (_, i) => ({ id: String(page * 1_000 + i), name: "x", amount: "1" }));
    };
    const file = await writeTable({ ...table, pages: many }, "xlsx", { signal, onRows: () => {} });
    expect((await sheetOf(file)).length).toBe(10_001);
  }, 60_000);
});
