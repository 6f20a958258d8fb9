import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeFinding } from "./find.ts";
import { findInTranslations } from "./translations.ts";

const linesOf = (file: string, text: string) => findInTranslations(file, text).map(describeFinding);

describe("the check of translations", () => {
  it("finds English in the texts of a file or folder that is named for a language", () => {
    const text = '{\n  "the": "La carte",\n  "paid": "Paid by the shop"\n}\n';
    const found = 'the": write the translation of this English word';
    for (const file of ["web/src/i18n/fr/home.json", "wire/src/reason-texts/fr.json", "api/texts/fr.json"])
      assert.deepEqual(linesOf(file, text), [`${file}:3 "${found}`]);
    assert.deepEqual(linesOf("api/offline/french.ts", "export const words = {\n  none: `Is $" + "{1} bon`,\n};\n"), [
      'api/offline/french.ts:2 "Is": write the translation of this English word',
    ]);
    assert.deepEqual(linesOf("web/src/i18n/en/home.json", text), []);
  });

  it("finds it in the properties of a language, in what functions return and in lists of translations", () => {
    const cards = [
      "const texts = {",
      '  en: { lost: "Tell the team." },',
      '  fr: { lost: "Dites-le." },',
      "  pt: { paid: (shop: string) => `$" + "{shop}: pago with PIN.` },",
      '  sw: { howTo: ["Sema.", "Show this card."] },',
      "};",
    ].join("\n");
    assert.deepEqual(linesOf("api/scheme/cards/sheets/texts.ts", cards), [
      'api/scheme/cards/sheets/texts.ts:4 "with": write the translation of this English word',
      'api/scheme/cards/sheets/texts.ts:5 "this": write the translation of this English word',
    ]);
    const file = "connect/records/forms/texts.json";
    assert.deepEqual(linesOf(file, '{\n  "Who is it?": ["Qui ?", "Quem is?", "Nani?"]\n}\n'), [
      `${file}:2 "is": write the translation of this English word`,
    ]);
    assert.deepEqual(linesOf("connect/odk/sentences.json", '{ "a": { "fr": "Reçue.", "sw": "Not sasa." } }'), [
      'connect/odk/sentences.json:1 "Not": write the translation of this English word',
    ]);
  });

  it("finds a second word for a household in each language, and no part of a longer word", () => {
    const text = '{ "fr": ["la famille"], "pt": ["Famílias", "familiar"], "sw": ["Familia yako", "Kaya"] }';
    assert.deepEqual(linesOf("a.json", text), [
      'a.json:1 "famille": write ménage',
      'a.json:1 "Famílias": write agregado familiar',
      'a.json:1 "Familia": write kaya',
    ]);
  });

  it("passes values that are filled in and what other programs show", () => {
    const text = '{ "fr": "{{of}} : {is}, choisissez “The server”", "pt": ["Não"] }';
    assert.deepEqual(linesOf("a.json", text), []);
  });
});
