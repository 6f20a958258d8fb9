import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AmountsOwed, Problems, VoucherCounts } from "../../plugins/indexer/figures.ts";
import type { WhereIs } from "../../plugins/indexer/where-is.ts";
import { nextStep, type ToolResult } from "./answer.ts";
import type { Question } from "./question.ts";
import type { Language } from "./words.ts";

const counts: VoucherCounts = {
  certificateId: null,
  total: 1_203,
  states: [
    { status: "active", count: 1_200, carbon: "2000.5", remaining: "1500.000001" },
    { status: "exhausted", count: 3, carbon: "3", remaining: "0" },
  ],
  newest: [],
};
const voucher: WhereIs = {
  id: "VCHR-0000000000001*",
  type: "voucher",
  status: "expired",
  certificate: { id: "CERT-456", status: "valid", verified: "100", issued: "50" },
  voucher: {
    id: "VCHR-0000000000001*",
    status: "expired",
    value: "100.5",
    remaining: "80.25",
    expiryDate: "2026-03-01",
  },
  around: { vouchers: 1, redemptions: 2, claims: 1, payments: 1, swaps: 0, conversions: 0, itmoBlocks: 0 },
  isPartial: false,
  last: [],
};
const owed: AmountsOwed = {
  role: "supplier",
  supplierDid: "did:ixo:supplier/1",
  total: "30.5",
  owed: [
    { status: "pending_delivery", count: 2, carbon: "20.5" },
    { status: "under_review", count: 1, carbon: "10" },
  ],
  paid: [{ asset: "stablecoin", count: 1, amount: "12.345678" }],
  debt: "0",
  oldest: [],
};
const problems: Problems = {
  block: 7,
  checked: 12,
  violated: [],
  unchecked: [],
  stopped: [{ what: "claims", status: "flagged", count: 2 }],
};

describe("an answer of the offline model", () => {
  const step = (question: Question, results: ToolResult[] = [], language: Language = "en", usable = true) =>
    nextStep(question, language, { results, isUsable: () => usable, consoleUrl: "http://localhost:3000/console" });
  const said = (question: Question, toolName: string, result: unknown, language: Language = "en") => {
    const answer = step(question, [{ toolName, text: JSON.stringify(result), isError: false }], language);
    assert.ok("say" in answer);
    return answer.say;
  };

  it("calls the tool that knows", () => {
    assert.deepEqual(step({ about: "count", state: "active", certificateId: "CERT-456" }), {
      call: { toolName: "count_vouchers", input: { emissionCertificateId: "CERT-456", status: "active" } },
    });
    assert.deepEqual(step({ about: "owed" }), { call: { toolName: "get_amounts_owed", input: {} } });
  });

  it("says a count with every digit, in both languages", () => {
    const question: Question = { about: "count", state: "active", certificateId: undefined };
    assert.equal(
      said(question, "count_vouchers", counts),
      "**1,200 vouchers** are active. They hold 1,500.000001 CARBON. Of all 1,203: 1,200 active and 3 used up.",
    );
    assert.equal(
      said(question, "count_vouchers", counts, "fr").replaceAll(/\s/g, " "),
      "**1 200 bons** actifs. Il y reste 1 500,000001 CARBON. Sur 1 203 en tout : 1 200 actifs et 3 épuisés.",
    );
  });

  it("says a count, what is owed, what is wrong and the weather in Portuguese and Swahili", () => {
    const weather = { city: "Lusaka", temp_c: 24.5, conditions: "mostly dry", source: "climatology" };
    const questions: [Question, string, unknown][] = [
      [{ about: "count", state: "active", certificateId: undefined }, "count_vouchers", counts],
      [{ about: "owed" }, "get_amounts_owed", owed],
      [{ about: "problems" }, "find_problems", problems],
      [{ about: "weather", city: "Lusaka" }, "get_current_weather", weather],
    ];
    const all = (language: Language) =>
      questions.map(([question, tool, result]) => said(question, tool, result, language).replaceAll(/\s/g, " "));
    assert.deepEqual(all("pt"), [
      "**1200 vales** ativos. Restam 1500,000001 CARBON. De 1203 ao todo: 1200 ativos e 3 esgotados.",
      "Devem-lhe **30,5 CARBON**: 20,5 por entregar (2) e 10 em análise (1). Já pago: 12,345678 stablecoin (1 pagamento).",
      "Nada é contado duas vezes: **12 verificações** sem falhas. À espera ou parado: 2 pedidos: retido para análise.",
      "Em Lusaka, costumam estar **24,5 °C** neste mês (sobretudo seco). É uma média de longo prazo, não uma medição.",
    ]);
    assert.deepEqual(all("sw"), [
      "**vocha 1,200**: hai. Zimebaki CARBON 1,500.000001. Kati ya 1,203 zote: 1,200 hai na 3 imetumika yote.",
      "Unadai **CARBON 30.5**: 20.5 haijafikishwa (2) na 10 inakaguliwa (1). Kilicholipwa: stablecoin 12.345678 (malipo 1).",
      "Hakuna kilichohesabiwa mara mbili: **kaguzi 12** bila kosa. Vinavyosubiri au vilivyosimama: madai 2: imezuiwa kwa ukaguzi.",
      "Lusaka: kwa kawaida ni **24.5 °C** mwezi huu (kavu kwa kiasi kikubwa). Huu ni wastani wa muda mrefu, si kipimo.",
    ]);
  });

  it("says a voucher's state with a link to its trace", () => {
    const text = said({ about: "voucher", id: voucher.id }, "where_is", voucher);
    assert.equal(
      text,
      "Voucher [VCHR-0000000000001\\*](http://localhost:3000/console/regulator/trace/VCHR-0000000000001*) is **expired**. 80.25 of 100.5 CARBON are left. Its last day is 1 March 2026.",
    );
    const where = said({ about: "where", id: voucher.id }, "where_is", voucher);
    assert.match(where, /is a voucher, \*\*expired\*\*\. It comes from certificate \[CERT-456\]/);
    assert.match(where, /Around it: 2 redemptions, 1 claim and 1 payment\./);
  });

  it("says what is owed to a supplier, and to whom else it does not belong", () => {
    assert.equal(
      said({ about: "owed" }, "get_amounts_owed", owed),
      "You are owed **30.5 CARBON**: 20.5 to be delivered (2) and 10 under review (1). Paid so far: 12.345678 stablecoin (1 payment).",
    );
    const other = { ...owed, role: "regulator", supplierDid: null };
    assert.match(said({ about: "owed" }, "get_amounts_owed", other), /^All suppliers together.*signed in as regulator/);
    assert.match(said({ about: "owed" }, "get_amounts_owed", other, "fr"), /Votre rôle est : régulateur/);
  });

  it("says what is wrong", () => {
    assert.equal(
      said({ about: "problems" }, "find_problems", problems),
      "Nothing is counted twice: **12 checks** found no violation. Waiting or stopped: 2 claims held for review.",
    );
    const violated = [{ id: "a", title: "No serial is used twice.", violations: 1 }];
    assert.match(
      said({ about: "problems" }, "find_problems", { ...problems, violated }),
      /^1 check against double counting failed:\n\n- No serial is used twice\.: \*\*1 violation\*\*/,
    );
  });

  it("loads the weather first, and says when it is a mean", () => {
    const question: Question = { about: "weather", city: "Lusaka" };
    assert.deepEqual(step(question, [], "en", false), {
      call: { toolName: "load_capability", input: { names: ["weather"] } },
    });
    const weather = { city: "Lusaka", temp_c: 24.5, conditions: "mostly dry", source: "climatology" };
    assert.match(said(question, "get_current_weather", weather), /usually \*\*24\.5 °C\*\*.*not a measurement/);
    assert.match(said(question, "get_current_weather", weather, "fr"), /24,5/);
  });

  it("says the reason when a tool fails, and loads a capability once", () => {
    const failed = { toolName: "where_is", text: "Nothing has the id CERT-9.", isError: true };
    assert.deepEqual(step({ about: "where", id: "CERT-9" }, [failed]), {
      say: "I could not find that out. Nothing has the id CERT-9.",
    });
    const off = { toolName: "load_capability", text: 'Capability "weather" does not exist.', isError: true };
    assert.deepEqual(step({ about: "weather", city: "Lusaka" }, [off], "en", false), {
      say: 'I could not find that out. Capability "weather" does not exist.',
    });
  });
});
