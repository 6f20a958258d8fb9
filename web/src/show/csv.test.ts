import { expect, it } from "vitest";
import { csvRow } from "./csv.ts";

it("quotes what CSV needs quoted, and calculates nothing", () => {
  expect(csvRow(["a", 'b "c"', "d,e", "f\ng"])).toBe('a,"b ""c""","d,e","f\ng"\r\n');
  expect(csvRow(["=1+1", "@x", "-2", "\tx", '=A1,"b"'])).toBe(`'=1+1,'@x,'-2,'\tx,"'=A1,""b"""\r\n`);
});
