import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { implementerDid, registerPlans } from "../test/support/campaigns.ts";
import { openRegistryTest, type RegistryTest, requireStatus } from "../test/support/registry.ts";
import type { CreatedCollector } from "./odk/collectors/schemas.ts";

type Document = { paths: Record<string, Record<string, unknown>> };

let t: RegistryTest;
let url: string;
before(async () => {
  t = await openRegistryTest();
  await registerPlans(t);
  const body = { name: "Maria", collectorDid: "did:key:z6MkMaria", implementerDid, forms: ["household"] };
  const made = requireStatus(await t.admin("POST", "/odk/collectors", body), 201).body as CreatedCollector;
  url = made.url;
});
after(() => t?.close());

describe("text that a database cannot hold", () => {
  it("in a path is refused or unknown, and never an error of ours", async () => {
    const { paths } = JSON.parse(await readFile(new URL("../openapi.json", import.meta.url), "utf8")) as Document;
    const failed: string[] = [];
    for (const [path, methods] of Object.entries(paths)) {
      if (!path.startsWith("/v1/") || !path.includes("{") || !("get" in methods)) continue;
      for (const value of ["%00", "a%00b", "%ED%A0%80", "%EF%BF%BF", "..%2F..%2Fetc", "a".repeat(3_000)]) {
        const { status } = await t.admin("GET", path.slice("/v1".length).replaceAll(/\{\w+\}/g, value));
        if (status >= 500) failed.push(`${status} ${path} ${value.slice(0, 10)}`);
      }
    }
    assert.deepEqual(failed, []);
  });

  it("in a query is refused, and never an error of ours", async () => {
    const { paths } = JSON.parse(await readFile(new URL("../openapi.json", import.meta.url), "utf8")) as {
      paths: Record<string, { get?: { parameters?: { name: string; in: string }[] } }>;
    };
    const failed: string[] = [];
    for (const [path, { get }] of Object.entries(paths)) {
      if (!path.startsWith("/v1/") || path.includes("{")) continue;
      for (const { name, in: place } of get?.parameters ?? []) {
        if (place !== "query") continue;
        for (const value of [
          "%00",
          "did:x:a%00",
          btoa('["a\\u0000",1]'),
          btoa('[1e400,"\\u0000"]'),
          btoa('[9e15,"a"]'),
        ]) {
          const { status } = await t.admin("GET", `${path.slice("/v1".length)}?${name}=${value}`);
          if (status === 500) failed.push(`${status} ${path} ${name} ${value.slice(0, 20)}`);
        }
      }
    }
    assert.deepEqual(failed, []);
  });
});

describe("a collector's link", () => {
  const send = (body: string | Buffer, headers: Record<string, string> = {}) =>
    t.app.request(`${new URL(url).pathname}/submission`, { method: "POST", body: body as BodyInit, headers });
  const multipart = (xml: string | Buffer, more = "") =>
    Buffer.concat([
      Buffer.from('--x\r\nContent-Disposition: form-data; name="xml_submission_file"; filename="a.xml"\r\n\r\n'),
      Buffer.from(xml),
      Buffer.from(`\r\n${more}--x--\r\n`),
    ]);
  const type = { "content-type": "multipart/form-data; boundary=x" };

  for (const [name, xml] of [
    ["an external entity", '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><data id="a">&x;</data>'],
    ["a billion laughs", '<!DOCTYPE d [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><data id="a">&b;</data>'],
    ["100 000 levels", `<data id="a">${"<a>".repeat(100_000)}`],
    ["100 000 attributes", `<data id="a" ${Array.from({ length: 90_000 }, (_, i) => `b${i}=""`).join(" ")}/>`],
    ["UTF-16", Buffer.from('<data id="a"/>', "utf16le")],
    ["latin-1", Buffer.from("<data id='a'>\u00e9</data>", "latin1")],
    [
      "a name of the prototype",
      '<data id="__proto__" version="constructor"><meta><instanceID>x</instanceID></meta></data>',
    ],
    ["a NUL", '<data id="a">\0</data>'],
  ] as const) {
    it(`answers ${name} with a sentence`, async () => {
      const answer = await send(multipart(xml), type);
      const text = await answer.text();
      assert.ok(answer.status === 400 || answer.status === 404, `${answer.status} ${text}`);
      assert.match(text, /<message nature="error">/);
    });
  }

  it("unpacks no body, and takes no part of a hundred thousand", async () => {
    const packed = gzipSync(multipart(`<data id="a">${"<a/>".repeat(1_000_000)}</data>`));
    assert.equal((await send(packed, { ...type, "content-encoding": "gzip" })).status, 400);
    const many = '--x\r\nContent-Disposition: form-data; name="f"\r\n\r\nv\r\n'.repeat(100_000);
    const answer = await send(multipart("<data/>", many), type);
    assert.ok(answer.status >= 400 && answer.status < 500, String(answer.status));
  });

  it("answers a form or file that is a path or holds a NUL like an unknown one", async () => {
    for (const path of ["forms/%00", "forms/..%2F..%2F", "forms/__proto__", "forms/household-registration/files/%00"]) {
      const answer = await t.app.request(`${new URL(url).pathname}/${path}`);
      assert.equal(answer.status, 404, `${path} ${await answer.text()}`);
    }
  });
});
