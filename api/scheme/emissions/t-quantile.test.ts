import assert from "node:assert/strict";
import { test } from "node:test";
import { decimal } from "./decimal.ts";
import { tOf, tQuantile } from "./t-quantile.ts";

/** Degrees of freedom, upper tail, t: roots of the regularised incomplete beta function, found with 40 digits. */
const reference: [number, number, string][] = [
  [1, 0.3, "0.7265425280053608858955"],
  [1, 1e-9, "318309886.1837906704906"],
  [2, 0.1, "1.885618083164126731736"],
  [2, 1e-9, "22360.67974145687728762"],
  [3, 0.05, "2.353363434801823877671"],
  [4, 0.1, "1.533206274058943910849"],
  [5, 1e-6, "24.77102972051594417081"],
  [7, 0.05, "1.894578605090007389472"],
  [10, 0.025, "2.228138851986274748395"],
  [15, 0.005, "2.946712883475238917934"],
  [29, 0.1, "1.311433647301551065299"],
  [29, 0.05, "1.699127026533497750631"],
  [30, 1e-9, "8.445862796274242800258"],
  [50, 0.05, "1.675905025163097567489"],
  [100, 0.1, "1.290074761346515969155"],
  [199, 0.05, "1.652546746166563432047"],
  [199, 1e-9, "6.287856351272677018248"],
  [1000, 0.05, "1.646378817285464715593"],
  [9999, 0.1, "1.281636238198313914822"],
  [99999, 0.05, "1.64486886493735101298"],
  [99999, 1e-9, "5.998361467224038914048"],
  [999999, 0.1, "1.28155241213078506717"],
  [999999, 0.05, "1.644855150723564266124"],
  [999999, 1e-9, "5.997862455766336673124"],
];

/** NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2: upper tails 0.10, 0.05, 0.025, 0.01, 0.005. */
const printed: [number, number[]][] = [
  [1, [3.078, 6.314, 12.706, 31.821, 63.657]],
  [2, [1.886, 2.92, 4.303, 6.965, 9.925]],
  [5, [1.476, 2.015, 2.571, 3.365, 4.032]],
  [10, [1.372, 1.812, 2.228, 2.764, 3.169]],
  [20, [1.325, 1.725, 2.086, 2.528, 2.845]],
  [30, [1.31, 1.697, 2.042, 2.457, 2.75]],
  [100, [1.29, 1.66, 1.984, 2.364, 2.626]],
];

test("gives t right to 1e-9 for 1 to 999 999 degrees of freedom and tails down to 1e-9", () => {
  for (const [degrees, tail, expected] of reference) {
    const found = decimal(tQuantile(tail, degrees).toString());
    const error = found.div(expected).minus(1).abs();
    assert.ok(error.lt("1e-9"), `t(${degrees}) of ${tail}: ${found}, not ${expected}`);
  }
});

test("agrees with the closed forms of one, two and four degrees of freedom", () => {
  const near = (found: number, expected: number) => assert.ok(Math.abs(found / expected - 1) < 1e-12, `${found}`);
  for (const tail of [0.3, 0.1, 0.05, 0.001]) {
    near(tQuantile(tail, 1), 1 / Math.tan(Math.PI * tail));
    const alpha = 4 * tail * (1 - tail);
    near(tQuantile(tail, 2), 2 * (0.5 - tail) * Math.sqrt(2 / alpha));
    const q = Math.cos(Math.acos(Math.sqrt(alpha)) / 3) / Math.sqrt(alpha);
    near(tQuantile(tail, 4), 2 * Math.sqrt(q - 1));
  }
});

test("agrees with every digit of the printed table", () => {
  const tails = [0.1, 0.05, 0.025, 0.01, 0.005];
  for (const [degrees, row] of printed) {
    assert.deepEqual(
      tails.map((tail) => Number(tQuantile(tail, degrees).toFixed(3))),
      row,
    );
  }
});

test("takes 5 % of each tail for two-sided-90 and 10 % of one for one-sided-90", () => {
  assert.equal(tOf("two-sided-90", 29).toFixed(9), "1.699127027");
  assert.equal(tOf("one-sided-90", 29).toFixed(9), "1.311433647");
});

test("refuses what has no quantile", () => {
  for (const [tail, degrees] of [
    [0.05, 0],
    [0.05, -1],
    [2, 5],
    [Number.NaN, 5],
  ] as const) {
    assert.throws(() => tQuantile(tail, degrees), RangeError);
  }
});
