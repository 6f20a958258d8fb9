import assert from "node:assert/strict";
import { test } from "node:test";
import { deliveryForm } from "./delivery.ts";
import { deviceForm } from "./device.ts";
import { householdForm } from "./household.ts";
import { kptForm } from "./kpt.ts";
import texts from "./texts.json" with { type: "json" };
import { formLanguages, translate } from "./texts.ts";
import { usageForm } from "./usage.ts";
import { textsOf } from "./xform.ts";

const campaign = {
  campaignId: "KPT-1",
  testPeriod: { startDate: "2024-02-01", endDate: "2024-02-04", durationDays: 3 },
  season: null,
  externalFactors: null,
  logConvention: "interval",
};
const forms = [
  householdForm,
  deviceForm("PLAN"),
  kptForm(campaign as never),
  usageForm("KPT-1"),
  deliveryForm("did:example:shop"),
];

test("has every text of the forms in each language, and no other", () => {
  const shown = [...new Set(forms.flatMap(({ questions }) => textsOf(questions)))];
  for (const language of formLanguages) {
    assert.deepEqual(
      shown.filter((text) => translate(text, language) === undefined),
      [],
      language,
    );
  }
  const used = shown.map((text) => text.replaceAll(/\d{4}-\d{2}-\d{2}|\d+/g, "#"));
  assert.deepEqual(
    Object.keys(texts).filter((text) => !used.includes(text)),
    [],
  );
});

test("leaves no text in English", () => {
  // What is called the same in French.
  const sameInFrench = ["briquettes"];
  const left = Object.entries(texts).filter(([english, translations]) => translations.includes(english));
  assert.deepEqual(
    left.map(([english]) => english),
    sameInFrench,
  );
});

test("keeps numbers and dates in their order", () => {
  const numbersIn = (text: string) => text.match(/\d[\d-]*/g) ?? [];
  for (const text of forms.flatMap(({ questions }) => textsOf(questions))) {
    for (const language of formLanguages) {
      assert.deepEqual(numbersIn(translate(text, language) ?? ""), numbersIn(text), `${language}: ${text}`);
    }
  }
});
