import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { idsIn, languageOf, readQuestion } from "./question.ts";
import type { Language } from "./words.ts";

const count = (state?: string, certificateId?: string) => ({ about: "count", state, certificateId });

describe("a question to the offline model", () => {
  const cases: [string, object | undefined, Language][] = [
    ["How many vouchers are active?", count("active"), "en"],
    ["how many vouchers are there", count(), "en"],
    ["Number of expired vouchers of CERT-456?", count("expired", "CERT-456"), "en"],
    ["Combien de bons sont actifs ?", count("active"), "fr"],
    ["Combien de bons ont expiré ? Combien de bons périmés y a-t-il ?", count("expired"), "fr"],
    ["Combien y a-t-il de bons épuisés ?", count("exhausted"), "fr"],
    ["What is the state of VCHR-00000000000011?", { about: "voucher", id: "VCHR-00000000000011" }, "en"],
    ["What is left on vchr-00000000000011.", { about: "voucher", id: "vchr-00000000000011" }, "en"],
    ["Quel est l’état de VCHR-00000000000011 ?", { about: "voucher", id: "VCHR-00000000000011" }, "fr"],
    ["VCHR-0000000000001*", { about: "voucher", id: "VCHR-0000000000001*" }, "en"],
    ["What is the state of this voucher?", { about: "voucher", id: undefined }, "en"],
    ["Where is VCHR-00000000000011 from?", { about: "where", id: "VCHR-00000000000011" }, "en"],
    ["What is CERT-456?", { about: "where", id: "CERT-456" }, "en"],
    ["Où est CERT-456 ?", { about: "where", id: "CERT-456" }, "fr"],
    ["Where is ZM-2026-A1?", { about: "where", id: "ZM-2026-A1" }, "en"],
    ["Trace CONV-00000077", { about: "where", id: "CONV-00000077" }, "en"],
    ["Where is it?", { about: "where", id: undefined }, "en"],
    ["What am I owed?", { about: "owed" }, "en"],
    ["Have I been paid?", { about: "owed" }, "en"],
    ["Combien me doit-on ?", { about: "owed" }, "fr"],
    ["Is anything wrong?", { about: "problems" }, "en"],
    ["Is anything counted twice?", { about: "problems" }, "en"],
    ["Y a-t-il un problème ?", { about: "problems" }, "fr"],
    ["Qu’est-ce qui ne va pas ?", { about: "problems" }, "fr"],
    ["What is the weather in Lusaka?", { about: "weather", city: "Lusaka" }, "en"],
    ["Is it raining in Dar es Salaam today?", { about: "weather", city: "Dar es Salaam" }, "en"],
    ["weather in nairobi now", { about: "weather", city: "nairobi" }, "en"],
    ["Lilongwe weather", { about: "weather", city: "Lilongwe" }, "en"],
    ["Quel temps fait-il à Lusaka ?", { about: "weather", city: "Lusaka" }, "fr"],
    ["Il pleut à Kigali aujourd’hui ?", { about: "weather", city: "Kigali" }, "fr"],
    ["How warm is it?", { about: "weather", city: undefined }, "en"],
    ["What can you do?", { about: "help" }, "en"],
    ["Quantos vales estão ativos?", count("active"), "pt"],
    ["Quantos vales do CERT-456 expiraram?", count("expired", "CERT-456"), "pt"],
    ["Qual é o estado de VCHR-00000000000011?", { about: "voucher", id: "VCHR-00000000000011" }, "pt"],
    ["Quanto me devem?", { about: "owed" }, "pt"],
    ["Há algum problema?", { about: "problems" }, "pt"],
    ["Onde está CERT-456?", { about: "where", id: "CERT-456" }, "pt"],
    ["Que tempo faz em Lusaka?", { about: "weather", city: "Lusaka" }, "pt"],
    ["Chove em Maputo hoje?", { about: "weather", city: "Maputo" }, "pt"],
    ["Vocha ngapi ziko hai?", count("active"), "sw"],
    ["Kuna vocha ngapi?", count(), "sw"],
    ["Vocha ngapi zimekwisha muda?", count("expired"), "sw"],
    ["Hali ya VCHR-00000000000011 ni ipi?", { about: "voucher", id: "VCHR-00000000000011" }, "sw"],
    ["Nadai kiasi gani?", { about: "owed" }, "sw"],
    ["Kuna tatizo lolote?", { about: "problems" }, "sw"],
    ["CERT-456 iko wapi?", { about: "where", id: "CERT-456" }, "sw"],
    ["Hali ya hewa ikoje Lusaka?", { about: "weather", city: "Lusaka" }, "sw"],
    ["Bonjour", { about: "help" }, "fr"],
    ["Sing me a song", undefined, "en"],
    ["", undefined, "en"],
  ];
  for (const [text, question, language] of cases) {
    it(`reads "${text}"`, () => {
      assert.deepEqual(readQuestion(text), question);
      assert.equal(languageOf(text), language);
    });
  }

  it("means the last record that the conversation names", () => {
    const earlier = ["Where is VCHR-00000000000011?", "It is active. It comes from CERT-456."];
    assert.deepEqual(readQuestion("What is left on this voucher?", earlier), {
      about: "voucher",
      id: "VCHR-00000000000011",
    });
    assert.deepEqual(readQuestion("And where is it?", earlier), { about: "where", id: "CERT-456" });
  });

  it("finds ids in a sentence, and not their full stop", () => {
    assert.deepEqual(idsIn("Compare CERT-456. With (CLM-0000) and xVCHR-1."), ["CERT-456", "CLM-0000"]);
  });
});
