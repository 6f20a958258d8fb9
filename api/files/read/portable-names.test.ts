import assert from "node:assert/strict";
import { test } from "node:test";
import { PortableNames, portableName } from "./portable-names.ts";

test("makes each name one that Windows, macOS and Linux take", () => {
  const names: [string, string][] = [
    ["report.txt", "report.txt"],
    [".env", ".env"],
    ["CON", "_CON"],
    ["con.txt", "_con.txt"],
    ["Aux.tar.gz", "_Aux.tar.gz"],
    ["COM1", "_COM1"],
    ["lpt9.log", "_lpt9.log"],
    ["COM\u00b9", "_COM\u00b9"],
    ["console", "console"],
    ["nul .txt", "_nul .txt"],
    ["C:", "C_"],
    ['a<b>c:d"e|f?g*h', "a_b_c_d_e_f_g_h"],
    ["back\\slash", "back_slash"],
    ["ends.", "ends_"],
    ["ends. .", "ends___"],
    [" front", "_front"],
    ["..", "__"],
    ["", "_"],
    ["a\u0000b\u202ec", "a\\u{00}b\\u{202e}c".replaceAll("\\", "_")],
    ["\ud800", "\ufffd"],
  ];
  for (const [segment, name] of names) assert.equal(portableName(segment), name, JSON.stringify(segment));
  const long = portableName(`${"é".repeat(400)}.csv`);
  assert.ok(Buffer.byteLength(long) <= 240 && long.endsWith(".csv"), long);
});

test("gives twins that differ by case, form or trailing dots different names, and no file the name of a folder", () => {
  const names = new PortableNames();
  const paths = ["A.txt", "a", "a.txt", "a/b", "a/c", "A/B", "a (2)", "straße", "STRASSE", "x.", "x_"];
  assert.deepEqual(
    paths.map((path) => names.next(path.split("/"))),
    [
      "A.txt",
      "a",
      "a (2).txt",
      "a (2)/b",
      "a (2)/c",
      "A (2)/B (2)",
      "a (2) (2)",
      "straße",
      "STRASSE (2)",
      "x_",
      "x_ (2)",
    ],
  );
});
