import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { scopes } from "../api/platform/http/scopes.ts";
import { mintToken } from "../api/platform/ucan/index.ts";
import { generateKey } from "../api/platform/ucan/mint.ts";
import type { Indexer } from "../test/indexer/ponder-process.ts";
import { startSchemeIndex } from "../test/indexer/scheme-index.ts";
import { implementerDid, otherImplementerDid, planId, registerPlans } from "../test/support/campaigns.ts";
import { type Listening, listen } from "../test/support/files/http.ts";
import { openAgent } from "../test/support/files/mcp.ts";
import { usePhone } from "../test/support/odk-phone.ts";
import { type Caller, openRegistryTest, type RegistryTest, requireStatus } from "../test/support/registry.ts";
import { untilFound } from "../test/support/until.ts";
import type { CreatedCollector } from "./odk/collectors/schemas.ts";
import type { SubmissionDetail } from "./odk/submissions/schemas.ts";

// What a team has collected is seen by its own keys and by who oversees all. These tests look for it behind every other door.

const did = "did:ixo:household/behind-the-mill";
const region = "Village of the mill";
const serial = "SERIAL-OF-THE-MILL";
const number = "+260971999888";
const jpeg = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.from("photo of the mill")]);
const instanceId = `uuid:${randomUUID()}`;

let t: RegistryTest;
let indexer: Indexer;
let server: Listening;
let team: Caller;
let collector: CreatedCollector;
let record: SubmissionDetail;
/** Callers whom the record does not concern. */
let strangers: [name: string, call: Caller][];

before(async () => {
  t = await openRegistryTest({ REQUESTS_PER_MINUTE: "1000000" });
  indexer = await startSchemeIndex(t);
  server = await listen(t.app);
  await registerPlans(t);
  team = await t.as("implementer", { implementerDid });
  const about = { name: "Maria of the mill", collectorDid: "did:key:z6MkOfTheMill", implementerDid };
  const made = await t.admin("POST", "/odk/collectors", { ...about, forms: ["household", "device"], planId });
  collector = requireStatus(made, 201).body as CreatedCollector;
  const phone = usePhone(t.app, collector.url);
  const { version } = await phone.form("household-registration");
  const place = "<place>-15.416789 28.283389 1280 4</place>";
  const xml = `<data id="household-registration" version="${version}"><did>${did}</did><region>${region}</region>${place}<photo>mill.jpg</photo><meta><instanceID>${instanceId}</instanceID></meta></data>`;
  const sent = await phone.send(xml, [{ name: "mill.jpg", type: "image/jpeg", bytes: jpeg }]);
  assert.match(await sent.text(), /Received and accepted/);
  const device = { serial, model: "Jiko", planId, householdDid: did, installedOn: "2024-01-01" };
  requireStatus(await team("POST", "/devices", device), 201);
  requireStatus(await team("POST", "/phones", { householdDid: did, number, language: "en" }), 201);
  const { items } = (await team("GET", "/odk/submissions")).body as { items: { id: string }[] };
  record = (await team("GET", `/odk/submissions/${items[0]?.id}`)).body as SubmissionDetail;
  const other = { implementerDid: otherImplementerDid };
  const supplierDid = "did:ixo:supplier/other";
  await t.admin("POST", "/suppliers", { did: supplierDid, account: `0x${"5".repeat(40)}`, name: "Other shop" });
  const foreign = { scopes: [...scopes], dids: [otherImplementerDid, supplierDid] };
  strangers = [
    ["another implementer", await t.as("implementer", other)],
    ["a supplier", await t.as("supplier", { supplierDid })],
    ["an integrator of others, with every scope", await t.as("integrator", foreign)],
    ["nobody", anonymous],
  ];
});
after(async () => {
  await server?.close();
  await indexer?.stop("SIGKILL");
  await t?.close();
});

const anonymous: Caller = async (method, path, body, headers = {}) => {
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await t.app.request(`/v1${path}`, { method, headers, ...init });
  return { status: answer.status, headers: answer.headers, body: await answer.text() };
};

/** What only this record has. A household's region alone names nobody, but with its village it nearly does. */
const marks = () => [
  "behind-the-mill",
  region,
  encodeURIComponent(region),
  serial,
  "15.416789",
  "28.283389",
  number,
  "of the mill",
  "z6MkOfTheMill",
  instanceId.slice("uuid:".length),
  record.id,
  collector.id,
  ...record.files.flatMap(({ cid, sha256 }) => [cid, sha256]),
];
const foundIn = (text: string) => marks().filter((mark) => text.includes(mark));

type Parameter = { name: string; in: string };
type Document = { paths: Record<string, Record<string, { parameters?: Parameter[] }>> };

describe("what one team has collected", () => {
  it("is found in its own lists, so that these tests would see it elsewhere", async () => {
    const seen = JSON.stringify([
      (await team("GET", `/odk/submissions?region=${encodeURIComponent(region)}`)).body,
      (await team("GET", `/devices?planId=${planId}`)).body,
      (await team("GET", `/households/${encodeURIComponent(did)}`)).body,
      record,
    ]);
    for (const mark of [did, region, serial, "15.416789", record.id, record.files[0]?.cid ?? "none"]) {
      assert.ok(seen.includes(mark), mark);
    }
  });

  it("is in no list of the API for others, whatever they filter by", async () => {
    const { paths } = JSON.parse(await readFile(new URL("../openapi.json", import.meta.url), "utf8")) as Document;
    const values: Record<string, string> = {
      region,
      planId,
      implementerDid,
      collectorId: collector.id,
      householdDid: did,
      recipientDid: did,
      did,
      status: "accepted",
      q: "mill",
      query: "mill",
    };
    const found: string[] = [];
    let asked = 0;
    for (const [path, { get }] of Object.entries(paths)) {
      if (!path.startsWith("/v1/") || path.includes("{") || get === undefined) continue;
      const known = (get.parameters ?? []).filter(({ name, in: place }) => place === "query" && name in values);
      const filters = known.map(({ name }) => `?${name}=${encodeURIComponent(values[name] ?? "")}`);
      for (const [name, call] of strangers) {
        for (const filter of ["", ...filters]) {
          const { body } = await call("GET", `${path.slice("/v1".length)}${filter}`);
          asked += 1;
          const text = typeof body === "string" ? body : JSON.stringify(body);
          // A refusal may repeat what was asked for.
          const marksSeen = foundIn(text).filter((mark) => !decodeURIComponent(filter).includes(mark));
          if (marksSeen.length > 0) found.push(`${name}: ${path}${filter}: ${marksSeen.join(", ")}`);
        }
      }
    }
    assert.deepEqual(found, []);
    assert.ok(asked > 200, `${asked} questions`);
  });

  it("is answered to others by its id like what does not exist", async () => {
    const file = record.files[0]?.name ?? "";
    const unknown = "01KQ5X7Z8M2B4C6D8E0F1G2H3J";
    const pairs = [
      [`/odk/submissions/${record.id}`, `/odk/submissions/${unknown}`],
      [`/odk/submissions/${record.id}/files/${file}`, `/odk/submissions/${unknown}/files/${file}`],
      [`/devices/${serial}`, "/devices/SERIAL-UNKNOWN"],
      [`/households/${encodeURIComponent(did)}`, `/households/${encodeURIComponent("did:ixo:household/unknown")}`],
      [`/odk/collectors/${collector.id}`, `/odk/collectors/${unknown}`],
    ];
    for (const [name, call] of strangers) {
      for (const [known = "", none = ""] of pairs) {
        const [answer, expected] = [await call("GET", known), await call("GET", none)];
        assert.ok(answer.status >= 401 && answer.status <= 404, `${name} ${known} ${answer.status}`);
        assert.equal(answer.status, expected.status, `${name} ${known}`);
      }
    }
  });

  it("is in nothing that the public can query by GraphQL or SQL", async () => {
    const ask = async (path: string, body?: object) => {
      const init = body && {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      };
      return await (await fetch(`${indexer.url}${path}`, init)).text();
    };
    await untilFound(async () =>
      (await ask("/sql", { query: "select * from household" })).includes('"rows":[{') ? true : undefined,
    );
    const { tables } = JSON.parse(await ask("/sql/tables")) as { tables: Record<string, unknown> | { name: string }[] };
    const names = Array.isArray(tables) ? tables.map(({ name }) => name) : Object.keys(tables);
    assert.ok(names.length > 20, JSON.stringify(tables).slice(0, 300));
    for (const name of names) {
      const text = await ask("/sql", { query: `select * from ${name} limit 1000` });
      assert.match(text, /^\{"rows"/, `${name} ${text.slice(0, 200)}`);
      assert.deepEqual(foundIn(text), [], name);
    }
    // The API's own tables are not there, by any name.
    for (const name of [
      "odk_submissions",
      "public.odk_submissions",
      "odk_attachments",
      "devices",
      "phones",
      "household_locations",
    ]) {
      assert.doesNotMatch(await ask("/sql", { query: `select * from ${name}` }), /^\{"rows"/, name);
    }
    // Nor are they reached by functions that run another statement, or read files or settings.
    for (const query of [
      "select query_to_xml('select * from odk_submissions', true, true, '')",
      "select table_to_xml('odk_submissions', true, true, '')",
      "select database_to_xml(true, true, '')",
      "select pg_read_file('PG_VERSION')",
      "select current_setting('data_directory')",
      "select * from information_schema.tables where table_name like 'odk%'",
      "select * from pg_catalog.pg_stat_activity",
      "select * from dblink('dbname=postgres', 'select 1') as d(a int)",
    ]) {
      assert.doesNotMatch(await ask("/sql", { query }), /^\{"rows"/, query);
    }
    const query =
      "{ __schema { queryType { fields { name type { name fields { name type { name fields { name type { kind ofType { kind ofType { kind name fields { name type { kind name ofType { kind } } } } } } } } } } } } } }";
    const schema = await ask("/graphql", { query });
    assert.deepEqual(foundIn(schema), []);
    const text = await ask("/graphql", { query: "{ households { items { id hash } } }" });
    assert.deepEqual(foundIn(text), []);
  });

  it("is in no file that another's token reads, by path, CID or search, over HTTP or MCP", async () => {
    const key = await generateKey();
    const audience = t.deps.files.identity.did;
    const path = "/connect/odk";
    const own = await mintToken({ issuer: key, audience, abilities: ["fs/*"] });
    // A token that names the service's namespace, and that its owner did not sign.
    const forged = await mintToken({ issuer: key, audience, owner: audience, abilities: ["fs/*"] });
    const cid = record.files[0]?.cid ?? "";
    for (const token of [own, forged]) {
      const agent = await openAgent(server.url, `Bearer ${token}`).catch(() => undefined);
      for (const [name, input] of [
        ["vfs_list", { path }],
        ["vfs_list", { path: "/" }],
        ["vfs_glob", { pattern: "/**" }],
        ["vfs_grep", { pattern: "mill", path: "/" }],
        ["vfs_search", { query: "mill" }],
        ["vfs_read_cid", { cid }],
        ["vfs_list_cids", {}],
      ] as const) {
        if (agent === undefined) continue;
        const answer = await agent.call(name, input);
        assert.deepEqual(
          foundIn(JSON.stringify(answer.body).replaceAll(cid, name === "vfs_read_cid" ? "" : cid)),
          [],
          name,
        );
        if (name === "vfs_read_cid") assert.ok(answer.isError, name);
      }
      await agent?.close();
      const headers = { authorization: `Bearer ${token}` };
      for (const address of [
        `/api/fs/cid/${cid}`,
        `/public/cid/${cid}`,
        "/api/fs/cids",
        "/api/fs/files",
        "/api/fs/events",
        "/api/fs/trash",
        `/api/fs/content?path=${path}/files/mill.jpg`,
        `/api/fs/tree?path=${path}`,
        `/api/fs/folder/download?path=${path}`,
        "/api/fs/glob?pattern=/**",
        "/api/fs/search?query=mill",
        "/api/fs/grep?pattern=mill",
      ]) {
        const answer = await t.app.request(address, { headers });
        assert.deepEqual(foundIn((await answer.text()).replaceAll(cid, "")), [], address);
      }
    }
  });
});
