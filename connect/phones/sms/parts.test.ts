import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { septetsOf, toSms } from "../gsm.ts";
import { fitSms, headerOf, splitSms } from "./parts.ts";

describe("parts of an SMS", () => {
  it("are one up to 160 septets or 70 characters of UCS-2", () => {
    assert.deepEqual(splitSms("a".repeat(160)).parts.length, 1);
    assert.deepEqual(splitSms("a".repeat(161)).parts.length, 2);
    assert.deepEqual(splitSms("€".repeat(80)).parts.length, 1);
    assert.deepEqual(splitSms("€".repeat(81)).parts.length, 2);
    assert.deepEqual(splitSms("ж".repeat(70)), { coding: "ucs2", parts: ["ж".repeat(70)] });
    assert.deepEqual(splitSms("ж".repeat(71)).parts.length, 2);
  });

  it("cut neither an escaped character nor a pair of code units", () => {
    const gsm = `${"a".repeat(152)}€${"b".repeat(20)}`;
    assert.deepEqual(splitSms(gsm).parts, ["a".repeat(152), `€${"b".repeat(20)}`]);
    const ucs2 = `${"ж".repeat(66)}🔥${"ж".repeat(20)}`;
    assert.deepEqual(splitSms(ucs2).parts, ["ж".repeat(66), `🔥${"ж".repeat(20)}`]);
  });

  it("are three at most: a longer text is shortened and says so", () => {
    for (const letter of ["a", "€", "ж", "🔥"]) {
      const fitted = fitSms(letter.repeat(1_000));
      const { parts } = splitSms(fitted);
      assert.equal(parts.length, 3, letter);
      assert.ok(fitted.endsWith(`${letter}..`));
    }
    assert.equal(fitSms("short"), "short");
  });

  it("have the same header when they are sent again", () => {
    assert.deepEqual(headerOf("01J", 2, 3), headerOf("01J", 2, 3));
    assert.deepEqual([...headerOf("01J", 2, 3).subarray(4)], [3, 2]);
  });

  it("keep a script that GSM lacks, and drop accents that cost a second SMS", () => {
    assert.equal(toSms("Pagou em São João?"), "Pagou em Sao Joao?");
    assert.equal(toSms("ሱቅ asks you"), "ሱቅ asks you");
    assert.equal(septetsOf(toSms("Prix : 5 €")), 11);
  });
});
