import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import { after, before, describe, it } from "node:test";
import { type ServerProcess, startServer } from "../test/support/api-server.ts";
import { implementerDid } from "../test/support/campaigns.ts";
import { createTestWorld, type TestWorld } from "../test/support/chain.ts";
import { testAdminKey } from "../test/support/core.ts";
import { type KoboPeer, koboToken, startKoboPeer } from "../test/support/kobo-peer.ts";
import { accountOf } from "../test/support/registry.ts";

const MiB = 1024 * 1024;
/** What the server may have more in memory after bodies of 100 MB: of a record, it reads one file of up to 16 MiB at a time. */
const mostMore = 128 * MiB;

let world: TestWorld;
let server: ServerProcess;
let peer: KoboPeer;
/** Addresses that callers outside have, and the type of a body there. */
let places: Record<
  "record" | "photo" | "ussd" | "sms" | "report" | "payment" | "bell",
  { path: string; headers: Headers }
>;
type Headers = Record<string, string>;

before(async () => {
  world = await createTestWorld();
  server = await startServer(world, { REQUESTS_PER_MINUTE: "100000" });
  peer = await startKoboPeer();
  await make("/implementers", { did: implementerDid, account: accountOf(500), name: "Implementer" });
  const person = { collectorDid: "did:key:z6MkMaria", implementerDid };
  const { url } = await make("/odk/collectors", { name: "Maria", ...person, forms: ["household"] });
  const sms = { kind: "africas-talking", username: "hearth", apiKey: "secret-of-the-gateway" };
  const { ussdUrl, smsUrl, reportUrl } = await make("/phones/gateways", { name: "Zambia", sms });
  const api = {
    kind: "mtn-momo",
    url: peer.url,
    privateNetwork: true,
    subscriptionKey: "key",
    apiUser: "user",
    apiKey: "secret",
    targetEnvironment: "mtnzambia",
  };
  const partner = { name: "MTN", currency: "ZMW", account: accountOf(501), api };
  const { callbackUrl } = await make("/payouts/partners", partner);
  const project = { name: "Lusaka", serverUrl: `${peer.url}/`, assetUid: peer.assetUid, token: koboToken };
  await make("/kobo/connections", { ...project, form: "household", ...person });
  const bell = peer.call(peer.add({}));
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const at = (address: unknown, headers: Headers) => ({ path: new URL(String(address)).pathname, headers });
  places = {
    record: at(`${url}/submission`, { "content-type": "multipart/form-data; boundary=x" }),
    // Of a record that is unknown, because the length is looked at first.
    photo: at(`${server.url}/v1/odk/submissions/01KQ5X7Z8M2B4C6D8E0F1G2H3J/correction/files`, {
      authorization: `Bearer ${testAdminKey}`,
      "content-type": "application/octet-stream",
    }),
    ussd: at(ussdUrl, form),
    sms: at(smsUrl, form),
    report: at(reportUrl, form),
    payment: at(callbackUrl, { "content-type": "application/json" }),
    bell: { path: bell.path, headers: bell.init.headers as Headers },
  };
});
after(async () => {
  await server?.stop("SIGKILL");
  await peer?.close();
  await world?.close();
});

async function make(path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await server.call("POST", `/v1${path}`, body);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}

type Answer = { status: number; type: string; text: string };

/**
 * Send a body of `size` bytes that begins with `first`, as fast as the server reads it, with its length or without. The server closes
 * the connection of a body that it does not read. When that comes before the answer was read, the body is sent again.
 */
async function send(...given: Parameters<typeof sendOnce>): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    try {
      return await sendOnce(...given);
    } catch (error) {
      const { code } = error as { code?: string };
      if (tries === 10 || (code !== "ECONNRESET" && code !== "EPIPE")) throw error;
    }
  }
}

function sendOnce(place: { path: string; headers: Headers }, first: string, size: number, isDeclared: boolean) {
  return new Promise<Answer>((resolve, reject) => {
    const length: Headers = isDeclared ? { "content-length": String(size) } : {};
    const headers = { ...place.headers, ...length };
    const sending = httpRequest(`${server.url}${place.path}`, { method: "POST", headers, agent: false });
    sending.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => {
        resolve({ status: response.statusCode ?? 0, type: response.headers["content-type"] ?? "", text });
        sending.destroy();
      });
    });
    sending.on("error", reject);
    const chunk = Buffer.alloc(MiB, "a");
    let left = size - Buffer.byteLength(first);
    sending.write(first);
    const more = () => {
      while (left > 0 && !sending.destroyed) {
        const part = chunk.subarray(0, Math.min(left, chunk.length));
        left -= part.length;
        if (!sending.write(part)) return void sending.once("drain", more);
      }
      sending.end();
    };
    more();
  });
}

async function memory(): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]);
}

const partHead = (name: string) => `--x\r\nContent-Disposition: form-data; name="${name}"; filename="${name}"\r\n\r\n`;
const xml = '<data id="household-registration"><meta><instanceID>uuid:1</instanceID></meta></data>';

/** Begin a record whose body takes long. */
function beginRecord() {
  const { path, headers } = places.record;
  const sending = httpRequest(`${server.url}${path}`, { method: "POST", headers, agent: false });
  sending.write(`${partHead("xml_submission_file")}${xml}\r\n`);
  const answered = new Promise<{ status: number; later: string | undefined; text: string }>((resolve, reject) => {
    sending.on("error", reject).on("response", async (response) => {
      const text = Buffer.concat(await response.toArray()).toString();
      resolve({ status: response.statusCode ?? 0, later: response.headers["retry-after"], text });
    });
  });
  return { answered, end: () => sending.end("--x--\r\n") };
}

describe("records of one link", () => {
  it("are read eight at a time; a further one is asked for again later", async () => {
    const begun = Array.from({ length: 9 }, beginRecord);
    const { status, later, text } = await Promise.race(begun.map(({ answered }) => answered));
    assert.deepEqual([status, later], [503, "10"]);
    assert.match(text, /<message nature="error">A link sends at most 8 records at the same time/);
    for (const { end } of begun) end();
    const statuses = (await Promise.all(begun.map(({ answered }) => answered))).map((answer) => answer.status);
    // This version of the form was never offered.
    assert.deepEqual(statuses.sort(), [...Array(8).fill(404), 503]);
    const after = beginRecord();
    after.end();
    assert.equal((await after.answered).status, 404);
  });
});

describe("a body of 100 MB", () => {
  for (const [name, first, status, type, text] of [
    [
      "record",
      partHead("xml_submission_file"),
      413,
      /^text\/xml/,
      /<message nature="error">A request may have at most/,
    ],
    ["photo", "\xff\xd8\xff\xe0", 413, /^application\/json/, /"message":"The body is larger than 16777216 bytes\."/],
    ["ussd", "sessionId=1&text=", 413, /^text\/plain/, /^END The body is larger than 16384 bytes\.$/],
    ["sms", "from=1&text=", 413, /^text\/plain/, /^The body is larger/],
    ["report", "id=1&status=", 413, /^text\/plain/, /^The body is larger/],
    ["payment", '{"externalId":"', 413, /^application\/json/, /"code":"TOO_LARGE"/],
    ["bell", '{"_uuid":"', 413, /^application\/json/, /"message":"The body is larger/],
  ] as const) {
    for (const isDeclared of [true, false]) {
      it(`is refused as a ${name} ${isDeclared ? "by its length" : "without a length"}, in the protocol's form`, async () => {
        const before = await memory();
        const answer = await send(places[name], first, 100_000_000, isDeclared);
        assert.equal(answer.status, status, answer.text);
        assert.match(answer.type, type);
        assert.match(answer.text, text);
        const more = (await memory()) - before;
        assert.ok(more < mostMore, `${more} bytes more in memory`);
      });
    }
  }
});
