// What a phone shows of an error that is not about a record's answers is in the phone's language.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { implementerDid } from "../../test/support/campaigns.ts";
import { challengeOf, digestHeader } from "../../test/support/odk-digest.ts";
import { type Phone, usePhone } from "../../test/support/odk-phone.ts";
import { openRegistryTest, type RegistryTest, requireStatus } from "../../test/support/registry.ts";
import { xmlProblems } from "../records/parse-xml.ts";
import { reasonLanguages } from "../records/reason-texts.ts";
import type { CreatedCollector } from "./collectors/schemas.ts";
import { type Sentence, type SentenceValues, say, sentences } from "./say.ts";

const others = reasonLanguages.filter((each) => each !== "en");
/** A phone names its region, too. */
const asked = { en: "en-ZM", fr: "fr-CD,fr;q=0.9,en;q=0.5", pt: "pt-MZ", sw: "sw-KE,en;q=0.1" };

let registry: RegistryTest;
let collector: CreatedCollector;
let phone: Phone;
let version: string;
before(async () => {
  registry = await openRegistryTest();
  requireStatus(
    await registry.admin("POST", "/implementers", {
      did: implementerDid,
      account: `0x${"1".repeat(40)}`,
      name: "Implementer",
    }),
    201,
  );
  collector = await newCollector();
  phone = usePhone(registry.app, collector.url);
  ({ version } = await phone.form("household-registration"));
});
after(() => registry?.close());

async function newCollector(): Promise<CreatedCollector> {
  const body = { name: "Amina", collectorDid: "did:key:z6MkAmina", implementerDid, forms: ["household"] };
  return requireStatus(await registry.admin("POST", "/odk/collectors", body), 201).body as CreatedCollector;
}

type Sent = {
  status: number;
  sentence: Sentence;
  values?: SentenceValues;
  send: (headers: Headers) => Promise<Response>;
};

async function isSaid({ status, sentence, values, send }: Sent): Promise<void> {
  for (const language of reasonLanguages) {
    const answer = await send(new Headers({ "accept-language": asked[language] }));
    const text = await answer.text();
    assert.equal(answer.status, status, text);
    assert.equal(answer.headers.get("content-language"), language, text);
    const [, message = ""] = /<message nature="error">([^<]*)<\/message>/.exec(text) ?? [];
    const shown = message.replaceAll("&apos;", "'").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
    assert.equal(shown, say(sentence, language, values));
  }
}

const at = (url: string, init: RequestInit = {}) => {
  return async (headers: Headers) => {
    for (const [name, value] of Object.entries((init.headers as Record<string, string>) ?? {}))
      headers.set(name, value);
    return await registry.app.request(url, { ...init, headers });
  };
};
/** Send a body as the record's part of a multipart request. */
const sending = (xml: string | Uint8Array, name = "xml_submission_file", { url } = collector) => {
  const body = () => {
    const form = new FormData();
    form.set(name, new Blob([xml as BlobPart], { type: "text/xml" }), "record.xml");
    return form;
  };
  return async (headers: Headers) =>
    await registry.app.request(`${url}/submission`, { method: "POST", headers, body: body() });
};
const record = (changes: { id?: string; version?: string; meta?: string } = {}) => {
  const { id = "household-registration", meta = `<meta><instanceID>uuid:${randomUUID()}</instanceID></meta>` } =
    changes;
  return `<data id="${id}" version="${changes.version ?? version}"><did>did:ixo:household/x</did>${meta}</data>`;
};

describe("an error on the phone", () => {
  it("has a text in each language, with the same values", () => {
    const namesIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
    const values = new Proxy({}, { get: (_, name) => `{${String(name)}}` });
    for (const sentence of sentences.filter((each) => each !== "because")) {
      const english = say(sentence, "en", values);
      for (const language of others) {
        const text = say(sentence, language, values);
        assert.notEqual(text, english, `${sentence} in ${language}`);
        assert.deepEqual(namesIn(text), namesIn(english), `${sentence} in ${language}`);
      }
    }
    for (const problem of Object.keys(xmlProblems)) assert.ok(sentences.includes(problem as Sentence), problem);
  });

  it("says in its language that the link, the address or the form is wrong", async () => {
    const { url } = collector;
    await isSaid({ status: 403, sentence: "linkInvalid", send: at(`${url.slice(0, -1)}_/formList`) });
    await isSaid({ status: 404, sentence: "nothingHere", send: at(`${url}/none`) });
    await isSaid({ status: 405, sentence: "byPost", send: at(`${url}/submission`) });
    const values = { form: "none" };
    await isSaid({ status: 404, sentence: "noForm", values, send: at(`${url}/forms/none`) });
    const file = { file: "villages.csv" };
    const path = "/forms/household-registration/files/villages.csv";
    await isSaid({ status: 404, sentence: "noFile", values: file, send: at(`${url}${path}`) });
  });

  it("says in its language that a request is not a record", async () => {
    const url = `${collector.url}/submission`;
    const plain = { method: "POST", body: "x", headers: { "content-type": "text/plain" } };
    await isSaid({ status: 400, sentence: "notMultipart", send: at(url, plain) });
    const bare = { method: "POST", body: "x", headers: { "content-type": "multipart/form-data" } };
    await isSaid({ status: 400, sentence: "boundaryMissing", send: at(url, bare) });
    await isSaid({ status: 400, sentence: "recordMissing", send: sending("x", "photo.jpg") });
    await isSaid({ status: 400, sentence: "formUnsaid", send: sending("<data/>") });
    const encrypted = `<data id="household-registration" version="${version}" encrypted="yes" xmlns="http://opendatakit.org/submissions"><base64EncryptedKey>a</base64EncryptedKey></data>`;
    await isSaid({ status: 400, sentence: "encryptedRecord", send: sending(encrypted) });
    await isSaid({ status: 400, sentence: "noInstanceId", send: sending(record({ meta: "" })) });
    await isSaid({ status: 400, sentence: "xmlDoctype", send: sending("<!DOCTYPE data><data/>") });
    await isSaid({ status: 400, sentence: "xmlNotUtf8", send: sending(Uint8Array.of(0x3c, 0xff, 0xfe)) });
    const deep = `<data>${"<a>".repeat(40)}${"</a>".repeat(40)}</data>`;
    await isSaid({ status: 400, sentence: "xmlDeep", values: { limit: 32 }, send: sending(deep) });
    const values = { form: "household-registration", version: "1" };
    await isSaid({ status: 404, sentence: "formVersionUnknown", values, send: sending(record({ version: "1" })) });
  });

  it("says in its language that a record is another one, or was deleted", async () => {
    const meta = "<meta><instanceID>uuid:the-same</instanceID></meta>";
    const first = record({ meta });
    assert.equal((await phone.send(first)).status, 201);
    await isSaid({ status: 409, sentence: "otherRecord", send: sending(first.replace("household/x", "household/y")) });
    const edit = `<meta><instanceID>uuid:edit</instanceID><deprecatedID>uuid:nobody</deprecatedID></meta>`;
    await isSaid({ status: 404, sentence: "editedUnknown", send: sending(record({ meta: edit })) });
  });

  it("asks for the password in its language, and says that it is wrong or was ended", async () => {
    const { digestUrl, username, password } = await newCollector();
    const url = `${digestUrl}/formList`;
    await isSaid({ status: 401, sentence: "enterPassword", send: at(url) });
    const basic = { headers: { authorization: "Digest x" } };
    await isSaid({ status: 400, sentence: "notDigest", values: { part: "Digest" }, send: at(url, basic) });
    const uri = new URL(url).pathname;
    const signed = (who: { username: string; password: string }) => async (headers: Headers) => {
      const { nonce } = challengeOf((await registry.app.request(url)).headers);
      headers.set("authorization", digestHeader(who, { uri, nonce }));
      return await registry.app.request(url, { headers });
    };
    await isSaid({ status: 401, sentence: "passwordWrong", send: signed({ username, password: "guessed" }) });
    requireStatus(await registry.admin("DELETE", `/odk/collectors/${username}`), 200);
    await isSaid({ status: 403, sentence: "userEnded", send: signed({ username, password }) });
  });

  it("says in its language that the link's API key was revoked", async () => {
    const other = await newCollector();
    requireStatus(await registry.admin("DELETE", `/keys/${other.keyId}`), 200);
    await isSaid({ status: 403, sentence: "keyRevoked", send: sending(record(), undefined, other) });
  });
});
