import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { septetsOf, toGsm } from "./gsm.ts";
import { phoneLanguages } from "./tables.ts";
import { phoneTexts, unpaidReasons } from "./texts.ts";

/** What a USSD answer has besides its text: `END `. */
const most = 160 - 4;

describe("what a household reads on its phone", () => {
  for (const language of phoneLanguages) {
    it(`fits a USSD answer and loses no letter, in ${language}`, () => {
      const texts = phoneTexts[language];
      const carbon = "9007199254.740991";
      const answers = [
        ...Object.values(texts).filter((text) => typeof text === "string"),
        ...unpaidReasons.map((reason) => texts.unpaid(reason)),
        texts.balance(carbon, 20, "2099-12-31"),
        texts.ask("S".repeat(30), "P".repeat(30), carbon),
        texts.approved(carbon),
      ];
      for (const text of answers) {
        assert.ok(septetsOf(toGsm(text)) <= most, `${septetsOf(toGsm(text))} septets: ${text}`);
        assert.equal(toGsm(text).split("?").length, text.split("?").length, text);
      }
    });
  }

  it("is in another language in each language", () => {
    const fixed = Object.entries(phoneTexts.en).filter(
      ([name, text]) => typeof text === "string" && name !== "languages",
    );
    for (const [name] of fixed) {
      const said = phoneLanguages.map((language) => phoneTexts[language][name as keyof typeof phoneTexts.en]);
      assert.equal(new Set(said).size, 4, name);
    }
    for (const reason of unpaidReasons)
      assert.equal(new Set(phoneLanguages.map((language) => phoneTexts[language].unpaid(reason))).size, 4);
  });
});
