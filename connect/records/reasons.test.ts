import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { codeOfContractError } from "../../api/platform/chain/errors/reverts.ts";
import { statusByCode } from "../../api/platform/errors.ts";
import { codesOfFields } from "../../api/platform/http/error-response.ts";
import { type Entry, thrownRules } from "../../test/support/thrown-rules.ts";
import { reasonOfErrorCode } from "../../wire/src/errors.ts";
import { codeOfKptReason, type KptReason, kptMessages } from "../../wire/src/kpt-rules.ts";
import { reasonLanguages, sayReason } from "./reason-texts.ts";
import { because } from "./reasons.ts";

/** Where records are read, and where the API writes what they say. */
const entries: Entry[] = [
  "connect/records/process.ts processRecord",
  "connect/kobo/read-record.ts readKoboRecord",
  "api/scheme/registry/households/service.ts registerHousehold",
  "api/scheme/devices/service.ts registerDevice",
  "api/scheme/campaigns/usage/records.ts recordUsage",
  "api/scheme/kpt/file-claim.ts fileKptClaim",
  "api/scheme/claims/service.ts fileClaim",
  // Called through types: the ledger's answers, and the checks of every request.
  "api/scheme/claims/errors.ts errorOf",
  "api/scheme/verification/credential-verifier.ts createCredentialVerifier",
  "api/platform/chain/errors/reverts.ts errorOf",
  "api/platform/http/error-response.ts zodDetails",
  "api/platform/idempotency/service.ts createIdempotency",
  // What a registry would refuse: the console says it by the same texts.
  "connect/cad-trust/plan/make-plan.ts makeTarget",
  "connect/cad-trust/publish/run-attempt.ts attemptRun",
  "connect/cad-trust/publish/stage.ts Stage",
  "connect/cad-trust/publications/service.ts startPublication",
  "connect/cad-trust/settings/service.ts putSettings",
  // Every request and file can meet these.
  "api/platform/http/body.ts readBody",
  "api/platform/http/pagination.ts foreignCursor",
  "api/platform/http/idempotency.ts malformedKey",
  "api/platform/server/slow-bodies.ts tooSlow",
  "api/platform/server/disk-space.ts DiskSpace",
  "api/files/blobs/bucket-unavailable.ts bucketError",
];

/** Rules without a code that a field record cannot break, by the beginning of `file text`. */
const others = [
  // Of redemptions.
  "api/platform/chain/errors/redemption-rules.ts ",
  // The evidence of a record is photos and logs by their CID. These rules are about data: URIs, series and CSV.
  "api/scheme/kpt/evidence-items.ts ",
  "api/scheme/kpt/stove-use/series.ts ",
  "api/platform/values/csv.ts ",
  "api/platform/values/json.ts ",
  "api/platform/ucan/cid.ts ",
  // Of participants other than households and devices.
  'api/scheme/registry/errors.ts { path, rule: "not-registered-before", message }',
  'api/scheme/registry/errors.ts new AppError("NOT_FOUND", ',
  // The console asks for the settings instead.
  'connect/cad-trust/settings/service.ts new AppError("NOT_FOUND", ',
  // About a whole body; a record's is made by this server.
  "api/platform/http/error-response.ts { rule, message }",
  // fileKptClaim adds the code.
  "wire/src/kpt-rules.ts { path, rule, message, reason, values }",
];

describe("a reason why a record is refused", () => {
  const thrown = thrownRules(entries);

  it("has a code wherever it is stated", () => {
    assert.deepEqual(
      thrown.uncoded.filter((each) => !others.some((other) => each.startsWith(other))),
      [],
    );
    assert.ok(thrown.sentences.size > 60, `${thrown.sentences.size} sentences`);
  });

  it("has a text of its code in every language, with values that the sentence names", async () => {
    const sentences = new Map([
      ...thrown.sentences,
      ...kptSentences(),
      ...fieldSentences(),
      ...errorSentences(),
      ...(await ledgerSentences()),
    ]);
    for (const language of reasonLanguages) {
      const file = new URL(`../../wire/src/reason-texts/${language}.json`, import.meta.url);
      const texts = JSON.parse(await readFile(file, "utf8")) as Record<string, string>;
      assert.deepEqual(Object.keys(texts).sort(), [...sentences.keys()].sort(), language);
      for (const [code, text] of Object.entries(texts)) {
        assert.match(code, /^[a-z]+(-[a-z]+)*$/);
        const named = namesIn(sentences.get(code) ?? "");
        for (const name of namesIn(text)) assert.ok(named.includes(name), `${language} ${code}: ${name}`);
      }
    }
  });

  it("is said in the reader's language, and in English where the language or the code is not known", () => {
    const reason = because("not-whole", "people.children", { question: "Children up to 14", min: 0, max: 999 });
    assert.equal(sayReason(reason, "fr"), "« Enfants jusqu'à 14 ans » : un nombre entier de 0 à 999 est attendu.");
    assert.equal(sayReason(reason, "en"), reason.message);
    assert.equal(
      sayReason(because("end-too-large", "fuels.0.end", { fuel: "wood" }), "sw"),
      "Fueli iliyobaki (kuni) inazidi ile ya mwanzo pamoja na iliyoongezwa.",
    );
    assert.equal(sayReason({ rule: "new", message: "A new sentence.", code: "new-code" }, "sw"), "A new sentence.");
  });
});

const namesIn = (sentence: string) => [...sentence.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);

function kptSentences(): [code: string, sentence: string][] {
  return Object.entries(kptMessages).map(([reason, sentence]) => [codeOfKptReason(reason as KptReason), sentence]);
}

function fieldSentences(): [code: string, sentence: string][] {
  return codesOfFields.map((code) => [code, "{field}"]);
}

/** What the console says of each error code of the API. */
function errorSentences(): [code: string, sentence: string][] {
  return Object.keys(statusByCode).map((code) => [reasonOfErrorCode(code), ""]);
}

/** The errors with which the ledger refuses a KPT claim or the registration of a household. */
async function ledgerSentences(): Promise<[code: string, sentence: string][]> {
  const source = await readFile(new URL("../../contracts/campaigns/Campaigns.sol", import.meta.url), "utf8");
  const [record = ""] = /function _record\([\s\S]+?\n {4}\}/.exec(source) ?? [];
  const refusals = [...record.matchAll(/(\w+)\.selector/g)].map(([, name]) => name as string);
  assert.ok(refusals.length > 8, record);
  // A claim that exists is the same claim: an earlier attempt has recorded it.
  const names = ["MissingRole", ...refusals.filter((name) => name !== "KptClaimExists")];
  return names.map((name) => [codeOfContractError(name), ""]);
}
