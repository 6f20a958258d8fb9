import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Agent, request as httpRequest, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { createAdaptorServer } from "@hono/node-server";
import { and, eq } from "drizzle-orm";
import { openApp } from "../../../api/app.ts";
import { idempotencyRecords } from "../../../api/platform/idempotency/tables.ts";
import { createLog } from "../../../api/platform/log.ts";
import { serverOptions } from "../../../api/platform/server/server-options.ts";
import { implementerDid, planId, registerPlans } from "../../../test/support/campaigns.ts";
import { testAdminKey } from "../../../test/support/core.ts";
import { interruptResponse } from "../../../test/support/interrupted.ts";
import { challengeOf, digestHeader, type Password, withPassword } from "../../../test/support/odk-digest.ts";
import { usePhone } from "../../../test/support/odk-phone.ts";
import { freePorts } from "../../../test/support/ports.ts";
import { startPostgres, type TestPostgres } from "../../../test/support/postgres.ts";
import { type Caller, openRegistryTest, type RegistryTest, requireStatus } from "../../../test/support/registry.ts";
import type { CreatedCollector } from "../collectors/schemas.ts";
import { odkCollectors } from "../tables.ts";

let postgres: TestPostgres;
let registry: RegistryTest;
let implementer: Caller;
/** A second server on the same database, whose clock can be ahead. */
let other: Awaited<ReturnType<typeof openApp>>;
let aheadMs = 0;
let servers: Server[];
let here: string;
let there: string;
let maria: CreatedCollector;

before(async () => {
  postgres = await startPostgres();
  const ports = (await freePorts(2)) as [number, number];
  [here, there] = ports.map((port) => `http://127.0.0.1:${port}`) as [string, string];
  const env = {
    DATABASE_URL: await postgres.createDatabase(),
    ADMIN_API_KEY: testAdminKey,
    REQUESTS_PER_MINUTE: "100000",
    PUBLIC_URL: here,
    PUBLIC_URL_ALIASES: "https://proxy.example/hearth",
  };
  registry = await openRegistryTest(env);
  const config = registry.world.config(env);
  const clock = { now: () => new Date(Date.now() + aheadMs) };
  other = await openApp(config, createLog(config), { clock });
  servers = [registry.app, other.app].map(({ fetch }) => createAdaptorServer({ fetch, serverOptions }) as Server);
  await Promise.all(servers.map((server, i) => once(server.listen(ports[i], "127.0.0.1"), "listening")));
  await registerPlans(registry);
  implementer = await registry.as("implementer", { implementerDid });
  maria = await makeCollector({ name: "Maria", forms: ["household", "device"], planId });
});
after(async () => {
  for (const server of servers ?? []) server.close().closeAllConnections();
  await other?.close();
  await registry?.close();
  await postgres?.stop();
});

async function makeCollector(changes: object = {}): Promise<CreatedCollector> {
  const body = { name: "Otis", collectorDid: "did:key:z6MkOtis", implementerDid, forms: ["household"], ...changes };
  return requireStatus(await registry.admin("POST", "/odk/collectors", body), 201).body as CreatedCollector;
}

async function reissue({ id }: CreatedCollector): Promise<CreatedCollector> {
  return requireStatus(await registry.admin("POST", `/odk/collectors/${id}/reissue`), 200).body as CreatedCollector;
}

/** Leave the request's record as it is before the response: then it says which secrets were made. */
async function interruptCreation(idempotencyKey: string, id: string): Promise<void> {
  const { db } = registry.deps;
  await interruptResponse(registry, idempotencyKey);
  const [row] = await db.select().from(odkCollectors).where(eq(odkCollectors.id, id));
  const ofRequest = and(eq(idempotencyRecords.idempotencyKey, idempotencyKey), eq(idempotencyRecords.madeId, id));
  await db
    .update(idempotencyRecords)
    .set({ madeId: `${id} ${row?.secretHash}` })
    .where(ofRequest);
}

const collectFor = (collector: CreatedCollector) => usePhone(withPassword(collector), collector.digestUrl);
const uri = "/odk/formList";

/** Send a request with an Authorization header, or without one. */
async function send(authorization?: string, { at = here, path = uri, method = "GET", ...init }: Sent = {}) {
  const headers = { "x-openrosa-version": "1.0", ...init.headers, ...(authorization && { authorization }) };
  const answer = await fetch(`${at}${path}`, { method, ...init, headers: headers as Record<string, string> });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}
type Sent = { at?: string; path?: string; method?: string; body?: BodyInit; headers?: Record<string, string> };

const newNonce = async (at = here) => challengeOf((await send(undefined, { at })).headers).nonce;

async function household(phone: ReturnType<typeof collectFor>) {
  const did = `did:ixo:household/digest-${randomUUID()}`;
  const instanceId = `uuid:${randomUUID()}`;
  const { version } = await phone.form("household-registration");
  const xml = `<data id="household-registration" version="${version}"><did>${did}</did><region>Lusaka</region><meta><instanceID>${instanceId}</instanceID></meta></data>`;
  return { did, instanceId, xml };
}

describe("a collector with a password", () => {
  it("gets the server's URL, a user name and a password that people can type", () => {
    assert.equal(maria.digestUrl, `${here}/odk`);
    assert.equal(maria.username, maria.id);
    assert.match(maria.password, /^([a-km-np-z2-9]{4}-){4}[a-km-np-z2-9]{4}$/);
  });

  it("reads forms, their lists and what ended, at addresses without a token", async () => {
    const phone = collectFor(maria);
    await registry.admin("POST", "/households", { did: "did:ixo:household/listed", region: "Kafue", implementerDid });
    const forms = await phone.forms();
    assert.deepEqual(
      forms.map(({ formId, downloadUrl }) => [formId, downloadUrl]),
      ["household-registration", `device-installation.${planId}`].map((id) => [id, `${here}/odk/forms/${id}`]),
    );
    for (const { hash, downloadUrl } of forms) {
      const form = await phone.fetch(downloadUrl);
      assert.deepEqual([form.status, form.headers.get("x-openrosa-version")], [200, "1.0"]);
      const bytes = Buffer.from(await form.arrayBuffer());
      assert.equal(hash, `md5:${createHash("md5").update(bytes).digest("hex")}`);
    }
    const manifest = await (await phone.fetch(forms[1]?.manifestUrl ?? "")).text();
    const [, csvUrl = "", integrityUrl = ""] =
      /<downloadUrl>(.*?)<\/downloadUrl><integrityUrl>(.*?)<\/integrityUrl>/.exec(manifest) ?? [];
    assert.ok(csvUrl.startsWith(`${here}/odk/forms/`), manifest);
    assert.match(await (await phone.fetch(csvUrl)).text(), /did:ixo:household\/listed/);
    const ids = `${encodeURIComponent("did:ixo:household/listed")},did:ixo:gone`;
    const integrity = await (await phone.fetch(`${integrityUrl}?id=${ids}`)).text();
    assert.match(integrity, /listed"><deleted>false<\/deleted>.*gone"><deleted>true<\/deleted>/);
  });

  it("sends records: HEAD, then POST, and a record again without writing it twice", async () => {
    const phone = collectFor(maria);
    assert.equal((await phone.get("/submission", { method: "HEAD" })).status, 204);
    const { did, xml } = await household(phone);
    const sent = await phone.send(xml);
    assert.deepEqual([sent.status, /Received and accepted/.test(await sent.text())], [201, true]);
    requireStatus(await registry.admin("GET", `/households/${encodeURIComponent(did)}`), 200);
    assert.equal((await phone.send(xml)).status, 201);
    assert.equal((await phone.send(xml.replace("Lusaka", "Kitwe"))).status, 409);
    const { items } = requireStatus(await implementer("GET", "/odk/submissions"), 200).body as {
      items: { resultId: string; collector: { id: string } }[];
    };
    assert.equal(items.find(({ resultId }) => resultId === did)?.collector.id, maria.id);
  });

  const curl = spawnSync("curl", ["--version"]).status === 0;
  it("is served by curl --digest too", { skip: curl ? false : "curl is not installed" }, async () => {
    const { xml } = await household(collectFor(maria));
    const folder = await mkdtemp(join(tmpdir(), "hearth-curl-"));
    await writeFile(join(folder, "record.xml"), xml);
    const record = ["-F", `xml_submission_file=@${join(folder, "record.xml")};type=text/xml`];
    for (const [more, status] of [
      [[`${here}${uri}`], "200"],
      [["-I", `${here}/odk/submission`], "204"],
      [[...record, `${here}/odk/submission`], "201"],
      [["-u", `${maria.username}:wrong`, `${here}${uri}`], "401"],
    ] as const) {
      const account = ["-u", `${maria.username}:${maria.password}`];
      const args = ["-s", "-o", "/dev/null", "-w", "%{http_code}", "--digest", ...account, ...more];
      assert.equal((await promisify(execFile)("curl", args)).stdout, status);
    }
    await rm(folder, { recursive: true });
  });

  it("keeps password, hash and API key out of the database and of other answers", async () => {
    const [row] = await registry.deps.db.select().from(odkCollectors).where(eq(odkCollectors.id, maria.id));
    const ha1 = createHash("md5").update(`${maria.username}:Hearth:${maria.password}`).digest("hex");
    const list = await registry.admin("GET", "/odk/collectors");
    for (const text of [JSON.stringify(row), JSON.stringify(list.body)]) {
      for (const secret of [maria.password, ha1, "hk_"]) assert.ok(!text.includes(secret), text);
    }
    const [item] = (list.body as { items: object[] }).items;
    assert.deepEqual(
      Object.keys(item ?? {}).filter((name) => /seal|secret|password|ha1/i.test(name)),
      [],
    );
  });
});

describe("a request without a password", () => {
  it("gets 401 with a challenge, in the form of OpenRosa", async () => {
    for (const [method, path] of [
      ["GET", "/odk/formList"],
      ["HEAD", "/odk/formList"],
      ["GET", "/odk/forms/household-registration"],
      ["GET", "/odk/forms/household-registration/xlsform"],
      ["GET", "/odk/forms/household-registration/manifest"],
      ["GET", "/odk/forms/household-registration/files/households.csv"],
      ["GET", "/odk/forms/household-registration/integrity/households.csv"],
      ["HEAD", "/odk/submission"],
      ["POST", "/odk/submission"],
    ] as const) {
      for (const authorization of [undefined, `Basic ${btoa(`${maria.username}:${maria.password}`)}`, "Bearer x"]) {
        const { status, headers, text } = await send(authorization, { method, path });
        assert.equal(status, 401, `${method} ${path}`);
        assert.equal(challengeOf(headers).stale, false);
        assert.equal(headers.get("x-openrosa-version"), "1.0");
        assert.equal(headers.get("x-openrosa-accept-content-length"), String(32 * 1024 * 1024));
        assert.equal(headers.get("content-type"), "text/xml; charset=utf-8");
        if (method !== "HEAD") assert.match(text, /<message nature="error">Enter the user name and password/);
      }
    }
  });

  it("gets 403 for a wrong link, and 404 for an unknown address: 401 would ask the person for a password", async () => {
    for (const [path, expected] of [
      ["/odk/key/x/formList", 403],
      ["/odk/key/x", 403],
      ["/odk/key/x/submission", 403],
      ["/odk/elsewhere", 404],
      ["/odk", 404],
    ] as const) {
      const { status, headers } = await send(undefined, { path });
      assert.deepEqual([status, headers.get("www-authenticate")], [expected, null], path);
    }
    const right = await fetch(`${maria.url.replace(/^.*(?=\/odk\/key)/, here)}/formList`);
    assert.equal(right.status, 200);
  });

  it("may send a large body slowly without waiting: it gets its 401, and its connection stays open", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const begun = new Set<object>();
    const post = (authorization?: string) =>
      new Promise<number>((resolve, reject) => {
        const headers = {
          "content-type": "multipart/form-data; boundary=x",
          "content-length": 8 * 1024 * 1024,
          ...(authorization && { authorization }),
        };
        const sending = httpRequest(`${here}/odk/submission`, { method: "POST", headers, agent });
        sending.on("socket", (socket) => begun.add(socket));
        sending.on("error", reject).on("response", (response) => {
          response.resume().on("end", () => resolve(response.statusCode ?? 0));
        });
        void (async () => {
          for (let i = 0; i < 8; i++) {
            sending.write(Buffer.alloc(1024 * 1024));
            await sleep(150);
          }
          sending.end();
        })();
      });
    try {
      assert.equal(await post(), 401);
      const wrong = { username: maria.username, password: "wrong" };
      assert.equal(
        await post(digestHeader(wrong, { method: "POST", uri: "/odk/submission", nonce: await newNonce() })),
        401,
      );
      assert.equal(begun.size, 1);
    } finally {
      agent.destroy();
    }
  });

  it("gets 401 and the end of its connection when its body is larger than any record", async () => {
    const answer = await new Promise<[number | undefined, string | undefined]>((resolve, reject) => {
      const headers = { "content-length": 100_000_000 };
      const sending = httpRequest(`${here}/odk/submission`, { method: "POST", headers, agent: false });
      sending.on("error", reject).on("response", ({ statusCode, headers: { connection } }) => {
        resolve([statusCode, connection]);
        sending.destroy();
      });
      sending.flushHeaders();
    });
    assert.deepEqual(answer, [401, "close"]);
  });
});

describe("a wrong password", () => {
  it("answers like an unknown user, another collector's name, and one without a password", async () => {
    const otis = await makeCollector();
    const old = await makeCollector();
    const without = { sealedHa1: null, keyForPassword: null };
    await registry.deps.db.update(odkCollectors).set(without).where(eq(odkCollectors.id, old.id));
    const texts = new Set<string>();
    for (const account of [
      { username: maria.username, password: "wrong" },
      { username: maria.username, password: "" },
      { username: maria.username, password: otis.password },
      { username: maria.username.toUpperCase(), password: maria.password },
      { username: "nobody", password: maria.password },
      { username: "", password: maria.password },
      { username: old.username, password: old.password },
      { username: old.username, password: "" },
      { username: "' or 1=1 --", password: "" },
      { username: "a:Hearth", password: "" },
      { username: `${maria.username}\\"`, password: maria.password },
      { username: "é".repeat(20_000), password: "x" },
    ]) {
      const { status, headers, text } = await send(digestHeader(account, { uri, nonce: await newNonce() }));
      assert.equal(status, 401, account.username);
      assert.equal(challengeOf(headers).stale, false);
      texts.add(text);
    }
    assert.equal(texts.size, 1);
  });

  it("cannot break the header: line breaks and NUL never arrive", async () => {
    for (const part of ["a\r\nb: c", "a\0"]) {
      const header = digestHeader({ username: part, password: "" }, { uri, nonce: await newNonce() });
      await assert.rejects(send(header), TypeError);
    }
  });
});

describe("a request that was recorded", () => {
  it("is refused when it comes again, at each server, also with a lower count, and clients get a new nonce", async () => {
    const nonce = await newNonce();
    const fifth = digestHeader(maria, { uri, nonce, nc: 5 });
    assert.equal((await send(fifth)).status, 200);
    for (const [header, at] of [
      [fifth, here],
      [fifth, there],
      [digestHeader(maria, { uri, nonce, nc: 5 }), there],
      [digestHeader(maria, { uri, nonce, nc: 4 }), here],
      [digestHeader(maria, { uri, nonce, nc: 0 }), there],
    ] as const) {
      const { status, headers } = await send(header, { at });
      assert.deepEqual([status, challengeOf(headers).stale], [401, true]);
    }
    assert.equal((await send(digestHeader(maria, { uri, nonce, nc: 6 }), { at: there })).status, 200);
    assert.equal((await send(digestHeader(maria, { uri, nonce, nc: 0xffffffff }))).status, 200);
  });

  it("is accepted once, when it comes to both servers at the same time", async () => {
    for (let i = 0; i < 5; i++) {
      const header = digestHeader(maria, { uri, nonce: await newNonce(there) });
      const answers = await Promise.all([here, there, here, there].map((at) => send(header, { at })));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401]);
    }
  });

  it("is not another request: neither its address nor its method can be changed", async () => {
    const nonce = await newNonce();
    const header = digestHeader(maria, { uri, nonce });
    for (const path of ["/odk/submission", "/odk/formList?formID=x", "/odk/forms/household-registration"]) {
      assert.equal((await send(header, { path })).status, 400);
    }
    assert.equal((await send(header, { method: "HEAD" })).status, 401);
    assert.equal((await send(digestHeader(maria, { uri: "/odk/submission", nonce }))).status, 400);
    assert.equal((await send(header)).status, 200);
  });

  it("may name the path that a proxy in front of the server removed", async () => {
    const nonce = await newNonce();
    assert.equal((await send(digestHeader(maria, { uri: `/hearth${uri}`, nonce }))).status, 200);
    assert.equal((await send(digestHeader(maria, { uri: `/other${uri}`, nonce, nc: 2 }))).status, 400);
  });

  it("does not use up the nonce of another collector", async () => {
    const otis = await makeCollector();
    const nonce = await newNonce();
    assert.equal((await send(digestHeader(otis, { uri, nonce, nc: 9 }))).status, 200);
    assert.equal((await send(digestHeader(maria, { uri, nonce, nc: 1 }))).status, 200);
  });
});

describe("a nonce", () => {
  it("works at each server, and is stale when it is forged, expired or from the future", async () => {
    aheadMs = 0;
    assert.equal((await send(digestHeader(maria, { uri, nonce: await newNonce(there) }))).status, 200);
    assert.equal((await send(digestHeader(maria, { uri, nonce: await newNonce() }), { at: there })).status, 200);
    const made = await newNonce();
    const [time = "", random = "", mac = ""] = made.split(".");
    for (const nonce of [
      "",
      "x",
      `${time}.${random}`,
      `${Number(time) + 1}.${random}.${mac}`,
      `${time}.${random}.${"0".repeat(64)}`,
      `${made}0`,
    ]) {
      const { status, headers } = await send(digestHeader(maria, { uri, nonce }));
      assert.deepEqual([status, challengeOf(headers).stale], [401, true], nonce);
    }
    try {
      aheadMs = 31 * 60_000;
      const expired = await send(digestHeader(maria, { uri, nonce: await newNonce() }), { at: there });
      assert.deepEqual([expired.status, challengeOf(expired.headers).stale], [401, true]);
      const early = await send(digestHeader(maria, { uri, nonce: await newNonce(there) }));
      assert.deepEqual([early.status, challengeOf(early.headers).stale], [401, true]);
      const wrong = { username: maria.username, password: "wrong" };
      const guessed = await send(digestHeader(wrong, { uri, nonce: await newNonce() }), { at: there });
      assert.deepEqual([guessed.status, challengeOf(guessed.headers).stale], [401, false]);
    } finally {
      aheadMs = 0;
    }
  });

  it("that is stale makes clients repeat the request by themselves", async () => {
    const phone = usePhone(withPassword(maria), `${there}/odk`);
    assert.equal((await phone.get("/formList")).status, 200);
    aheadMs = 31 * 60_000;
    try {
      assert.equal((await phone.get("/formList")).status, 200);
    } finally {
      aheadMs = 0;
    }
  });
});

describe("a header", () => {
  it("is refused where it would weaken the check", async () => {
    const nonce = await newNonce();
    const good = digestHeader(maria, { uri, nonce });
    for (const [name, header] of Object.entries({
      "no qop": good.replace("qop=auth, ", ""),
      "qop auth-int": good.replace("qop=auth,", "qop=auth-int,"),
      "SHA-256": digestHeader(maria, { uri, nonce, algorithm: "SHA-256" }),
      "MD5-sess": digestHeader(maria, { uri, nonce, algorithm: "MD5-sess" }),
      "two user names": `${good}, username="nobody"`,
      "two responses": `${good}, response="${"0".repeat(32)}"`,
      "no count": good.replace(/nc=\w+, /, ""),
      "a short count": good.replace("nc=0000", "nc="),
      "a negative count": good.replace("nc=00000001", "nc=-0000001"),
      "no client nonce": good.replace(/cnonce="\w+", /, ""),
      "no response": good.replace(/, response="\w+"/, ""),
      "a short response": good.replace(/response="\w/, 'response="'),
      "a parameter of the prototype": `${good.replace(/username="\w+", /, "")}, __proto__="x"`,
      "an open quote": `${good}, opaque="x`,
      "words between": good.replace(", uri", " and uri"),
      "the scheme alone": "Digest",
      "many words": `Digest ${"a ".repeat(20_000)}`,
      "many parameters": `Digest ${"a=b,".repeat(20_000)}`,
      "many quotes": `Digest username="${'\\"'.repeat(20_000)}`,
    })) {
      const begun = performance.now();
      const { status, headers } = await send(header);
      assert.deepEqual([status, headers.get("x-openrosa-version")], [400, "1.0"], name);
      assert.ok(performance.now() - begun < 2_000, name);
    }
    assert.equal((await send(good)).status, 200, "none of them used the nonce");
  });

  it("may leave out the algorithm, write names of values without quotes, and have unknown parts", async () => {
    const nonce = await newNonce();
    const good = (nc: number) => digestHeader(maria, { uri, nonce, nc });
    for (const header of [
      good(1).replace("algorithm=MD5, ", ""),
      good(2).replace("qop=auth", 'qop="auth"').replace("algorithm=MD5", 'algorithm="MD5"'),
      `${good(3)}, opaque="", userhash=false`,
      good(4).replace("Digest ", "digest ").replaceAll(", ", ","),
    ]) {
      assert.equal((await send(header)).status, 200, header);
    }
  });

  it("of a browser that a page of another site uses is refused", async () => {
    const nonce = await newNonce();
    for (const [site, expected] of [
      ["cross-site", 403],
      ["same-site", 403],
      ["same-origin", 200],
    ] as const) {
      const headers = { "sec-fetch-site": site };
      assert.equal((await send(digestHeader(maria, { uri, nonce, nc: expected }), { headers })).status, expected);
    }
  });
});

describe("a password", () => {
  it("ends when its collector is revoked, and when its API key is", async () => {
    for (const path of ["/odk/collectors", "/keys"]) {
      const collector = await makeCollector();
      const phone = collectFor(collector);
      const { xml } = await household(phone);
      const id = path === "/keys" ? collector.keyId : collector.id;
      requireStatus(await registry.admin("DELETE", `${path}/${id}`), 200);
      const answer = await phone.send(xml);
      assert.equal(answer.status, 403, await answer.text());
      const again = await registry.admin("POST", `/odk/collectors/${collector.id}/reissue`);
      assert.equal(again.status, 409);
    }
  });

  it("is made again with a new link, for admins only; the former ones end", async () => {
    const former = await makeCollector();
    assert.equal((await implementer("POST", `/odk/collectors/${former.id}/reissue`)).status, 403);
    assert.equal((await registry.admin("POST", "/odk/collectors/unknown/reissue")).status, 404);
    const next = await reissue(former);
    assert.deepEqual([next.id, next.keyId, next.username], [former.id, former.keyId, former.id]);
    assert.equal((await collectFor(former).get("/formList")).status, 401);
    assert.equal((await fetch(`${former.url}/formList`)).status, 403);
    assert.equal((await collectFor(next).get("/formList")).status, 200);
    assert.equal((await fetch(`${next.url}/formList`)).status, 200);
  });

  it("is shown again to the same request after a kill, with other secrets, and to no other caller", async () => {
    const body = { name: "Otis", collectorDid: "did:key:z6MkOtis", implementerDid, forms: ["household"] };
    const key = randomUUID();
    const create = async (call: Caller) => await call("POST", "/odk/collectors", body, { "idempotency-key": key });
    const first = requireStatus(await create(registry.admin), 201).body as CreatedCollector;
    const done = await create(registry.admin);
    assert.deepEqual(
      [done.status, (done.body as { id: string }).id],
      [409, first.id],
      "An answer that came is not kept.",
    );
    await interruptCreation(key, first.id);
    const again = requireStatus(await create(registry.admin), 201).body as CreatedCollector;
    assert.deepEqual([again.id, again.keyId, again.createdAt], [first.id, first.keyId, first.createdAt]);
    assert.equal((await fetch(`${first.url}/formList`)).status, 403);
    assert.equal((await fetch(`${again.url}/formList`)).status, 200);
    assert.equal((await collectFor(again).get("/formList")).status, 200);
    const otherAdmin = await registry.as("admin");
    assert.notEqual((requireStatus(await create(otherAdmin), 201).body as CreatedCollector).id, first.id);
    // What somebody made meanwhile is in use: a late repetition does not end it.
    await interruptCreation(key, first.id);
    const next = await reissue(first);
    assert.equal((await create(registry.admin)).status, 409);
    assert.equal((await fetch(`${next.url}/formList`)).status, 200);
  });

  it("can be made for a collector from before there were passwords", async () => {
    const old = await makeCollector({ expiresAt: "2100-01-01T00:00:00Z" });
    const without = { sealedHa1: null, keyForPassword: null };
    await registry.deps.db.update(odkCollectors).set(without).where(eq(odkCollectors.id, old.id));
    assert.equal((await collectFor(old).get("/formList")).status, 401);
    assert.equal((await fetch(`${old.url}/formList`)).status, 200);
    const next = await reissue(old);
    assert.notEqual(next.keyId, old.keyId);
    const phone = collectFor(next);
    assert.equal((await phone.send((await household(phone)).xml)).status, 201);
    assert.equal((await fetch(`${next.url}/formList`)).status, 200);
    const keys = await Promise.all([old, next].map(({ keyId }) => registry.admin("GET", `/keys/${keyId}`)));
    const [ended, made] = keys.map(
      ({ body }) => body as { revokedAt: string | null; expiresAt: string; scopes: string[] },
    );
    assert.ok(ended?.revokedAt);
    assert.partialDeepStrictEqual(made, { revokedAt: null, expiresAt: "2100-01-01T00:00:00.000Z" });
    assert.deepEqual(made?.scopes, ended?.scopes);
  });

  it("is made by one of two requests at the same time, and no API key is left over", async () => {
    const old = await makeCollector();
    const without = { sealedHa1: null, keyForPassword: null };
    await registry.deps.db.update(odkCollectors).set(without).where(eq(odkCollectors.id, old.id));
    const path = `/odk/collectors/${old.id}/reissue`;
    const answers = await Promise.all([1, 2].map(() => registry.admin("POST", path)));
    const won = answers.filter(({ status }) => status === 200).map(({ body }) => body as CreatedCollector);
    assert.ok(won.length >= 1);
    for (const { status } of answers) assert.ok(status === 200 || status === 409);
    const { items } = requireStatus(await registry.admin("GET", "/keys?limit=500"), 200).body as {
      items: { id: string; revokedAt: string | null; name: string; createdAt: string }[];
    };
    const [row] = await registry.deps.db.select().from(odkCollectors).where(eq(odkCollectors.id, old.id));
    const since = items.find(({ id }) => id === old.keyId)?.createdAt ?? "";
    const valid = items.filter(({ revokedAt, createdAt }) => revokedAt === null && createdAt >= since);
    assert.deepEqual(
      valid.map(({ id }) => id),
      [row?.keyId],
    );
  });

  it("cannot be guessed without end from one address, while the right one is still accepted", async () => {
    // The wrong passwords of the other tests came from the same address.
    const guess = async (account: Password) => {
      const nonce = challengeOf((await registry.app.request(uri)).headers).nonce;
      const headers = { authorization: digestHeader(account, { uri, nonce }) };
      return await registry.app.request(uri, { headers });
    };
    const statuses = new Map<number, number>();
    for (let i = 0; i < 605; i++) {
      const { status } = await guess({ username: maria.username, password: `guess ${i}` });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    const [wrong = 0, tooMany = 0] = [401, 429].map((status) => statuses.get(status));
    assert.equal(wrong + tooMany, 605);
    assert.ok(wrong <= 600, `${wrong} guesses were answered`);
    assert.equal((await guess(maria)).status, 200);
  });
});
