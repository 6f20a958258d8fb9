import assert from "node:assert/strict";
import type { LookupFunction } from "node:net";
import { after, before, describe, it } from "node:test";
import { startTestServer, type TestServer } from "../../../test/support/http-server.ts";
import { callOutside, checkedHost, checkOutboundUrl, classifyAddress, OutboundError } from "./outbound.ts";

const limits = { timeoutMs: 1_000, maxBytes: 1_000 };
const local = { allowLoopback: true };
const strict = { allowLoopback: false };
const answering =
  (address: string): LookupFunction =>
  (_name, options, callback) => {
    if (options.all) callback(null, [{ address, family: 4 }]);
    else callback(null, address, 4);
  };

describe("outside calls", () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  it("tells public addresses from loopback and from every other kind", () => {
    for (const address of ["1.1.1.1", "2606:4700::1111"]) assert.equal(classifyAddress(address), "public");
    for (const address of ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"]) {
      assert.equal(classifyAddress(address), "loopback");
    }
    for (const address of [
      "10.0.0.1",
      "172.16.0.1",
      "192.168.1.1",
      "169.254.169.254",
      "100.64.0.1",
      "0.0.0.0",
      "224.0.0.1",
      "255.255.255.255",
      "fe80::1",
      "fc00::1",
      "::",
      "::ffff:10.0.0.1",
      "64:ff9b::a00:1",
      "2002:a00:1::",
      "::a00:1",
      "::7f00:1",
      "4000::1",
      "nonsense",
    ]) {
      assert.equal(classifyAddress(address), "private", address);
    }
  });

  it("refuses addresses by their text alone", () => {
    for (const url of [
      "ftp://example.org/",
      "http://example.org/",
      "https://10.0.0.1/",
      "https://[::1]/",
      "https://2130706433/",
      "https://0x7f000001/",
      "https://user:secret@example.org/",
      "https://169.254.169.254/",
      "nonsense",
      "file:///etc/passwd",
    ]) {
      assert.throws(() => checkOutboundUrl(url, strict), url);
    }
    assert.throws(() => checkOutboundUrl("http://127.0.0.1:3000/", strict));
    assert.equal(checkOutboundUrl("http://127.0.0.1:3000/", local).port, "3000");
    assert.throws(() => checkOutboundUrl("http://192.168.0.1/", local));
  });

  it("calls an address of the server's own network where an admin allowed it, and never one of the link", async () => {
    const allowed = { allowLoopback: false, allowPrivate: true };
    server.serve("/sms", "taken");
    assert.equal((await callOutside(`${server.url}/sms`, limits, allowed)).body.toString(), "taken");
    for (const url of ["http://10.0.0.1/", "http://[fd00::1]/", "http://100.64.0.1/"]) checkOutboundUrl(url, allowed);
    for (const url of ["http://169.254.169.254/", "http://[fe80::1]/", "http://1.1.1.1/", "http://0.0.0.0/"])
      assert.throws(() => checkOutboundUrl(url, allowed), OutboundError, url);
    const linked = { ...allowed, lookup: answering("169.254.169.254") };
    await assert.rejects(callOutside("http://metadata.example/", limits, linked), /private address/);
    const open = { ...allowed, lookup: answering("1.1.1.1") };
    await assert.rejects(callOutside("http://public.example/", limits, open), /https/);
  });

  it("checks the host of a connection that is not HTTP", async () => {
    for (const host of ["127.0.0.1", "10.0.0.1", "169.254.169.254", "[::1]"])
      assert.throws(() => checkedHost(host, strict), OutboundError, host);
    assert.throws(() => checkedHost("169.254.169.254", { ...strict, allowPrivate: true }), OutboundError);
    checkedHost("10.0.0.1", { ...strict, allowPrivate: true });
    const lookup = checkedHost("smsc.example", { ...strict, lookup: answering("10.0.0.1") });
    const error = await new Promise((resolve) => lookup("smsc.example", { all: true }, resolve));
    assert.match(String(error), /private address/);
  });

  it("refuses a name that leads to a private address at the moment of connecting", async () => {
    const url = `https://rebinding.example:${server.port}/`;
    const asked = server.asked.length;
    for (const address of ["127.0.0.1", "10.0.0.1", "169.254.169.254"]) {
      const rules = { allowLoopback: false, lookup: answering(address) };
      await assert.rejects(callOutside(url, limits, rules), /points to a (loopback|private) address/);
    }
    assert.equal(server.asked.length, asked);
  });

  it("applies the rules to each redirect, and follows only as many as allowed", async () => {
    server.serve("/away", "", 302, { location: "http://10.0.0.1/" });
    server.serve("/again", "", 302, { location: "/end" });
    server.serve("/end", "arrived");
    await assert.rejects(callOutside(`${server.url}/away`, { ...limits, maxRedirects: 2 }, local), /private|https/);
    await assert.rejects(callOutside(`${server.url}/again`, limits, local), /redirects too often/);
    const answer = await callOutside(`${server.url}/again`, { ...limits, maxRedirects: 1 }, local);
    assert.equal(answer.body.toString(), "arrived");
    const returned = await callOutside(`${server.url}/again`, { ...limits, returnsRedirect: true }, local);
    assert.deepEqual([returned.status, returned.headers.location], [302, "/end"]);
  });

  it("gives up on answers that are slow, endless, or encoded", async () => {
    server.answers.set("/slow", () => {});
    server.answers.set("/endless", (_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write("x".repeat(500)), 5);
      response.on("close", () => clearInterval(timer));
    });
    server.serve("/zipped", "x", 200, { "content-encoding": "gzip" });
    await assert.rejects(callOutside(`${server.url}/slow`, { ...limits, timeoutMs: 100 }, local), /in time/);
    await assert.rejects(callOutside(`${server.url}/endless`, limits, local), /more than 1000 bytes/);
    await assert.rejects(callOutside(`${server.url}/zipped`, limits, local), /encoding/);
  });
});
