import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { checkedHost, type OutboundRules } from "../../../api/platform/outbound/index.ts";
import { type Smsc, startSmsc } from "../../../test/support/smsc.ts";
import { untilFound } from "../../../test/support/until.ts";
import type { Incoming } from "./delivery.ts";
import { SmppLink, type SmppSettings } from "./link.ts";

const times = { answerMs: 2_000, enquireMs: 50, pauseMs: 20, longestPauseMs: 50, throttledMs: 20 };
const to = "+260971234567";

describe("a link to an SMSC", () => {
  let smsc: Smsc;
  let link: SmppLink;
  let received: Incoming[];
  let notes: string[];
  /** Set to let storing fail. */
  let failure: Error | undefined;

  const settingsFor = (port: number, password = "right"): SmppSettings => ({
    kind: "smpp",
    url: `smpp://127.0.0.1:${port}`,
    privateNetwork: true,
    systemId: "hearth",
    password,
    from: "384",
    perSecond: 1000,
  });
  const open = (settings: SmppSettings, rules?: OutboundRules) =>
    new SmppLink(
      settings,
      {
        received: async (incoming) => {
          if (failure !== undefined) throw failure;
          received.push(incoming);
        },
        note: (_, what, more) => void notes.push(`${what} ${more?.reason ?? ""}`.trim()),
      },
      times,
      rules && ((host) => checkedHost(host, rules)),
    );
  const untilBound = () => untilFound(() => (link.isBound ? true : undefined));

  beforeEach(async () => {
    received = [];
    notes = [];
    failure = undefined;
    smsc = await startSmsc("right");
    link = open(settingsFor(smsc.port));
    await untilBound();
  });
  afterEach(async () => {
    await link.close();
    await smsc.close();
  });

  it("sends a short SMS in the GSM alphabet, and returns the SMSC's id", async () => {
    const text = "Vous avez payé 10 CARBON @ {Shop} à Niño";
    assert.deepEqual(await link.send({ to, text, id: "1" }), ["smsc-1"]);
    assert.deepEqual(smsc.taken, [{ id: "smsc-1", to: "260971234567", text, header: undefined, coding: 0 }]);
  });

  it("sends a long SMS in parts that belong together, and one that GSM cannot write in UCS-2", async () => {
    const long = "0123456789€".repeat(20);
    const ids = await link.send({ to, text: long, id: "2" });
    assert.deepEqual(ids, ["smsc-1", "smsc-2"]);
    assert.equal(smsc.taken.map(({ text }) => text).join(""), long);
    const headers = smsc.taken.map(({ header }) => [...(header ?? [])]);
    const reference = headers[0]?.[2];
    assert.deepEqual(headers, [
      [0, 3, reference, 2, 1],
      [0, 3, reference, 2, 2],
    ]);
    const amharic = "ሰላም ለሁላችሁ ".repeat(8).trim();
    await link.send({ to, text: amharic, id: "3" });
    const ucs2 = smsc.taken.slice(2);
    assert.deepEqual([ucs2.map(({ text }) => text).join(""), ucs2.map(({ coding }) => coding)], [amharic, [8, 8]]);
  });

  it("sends a part again when the SMSC says too fast, and fails when it refuses", async () => {
    smsc.refuse(0x58, 0x14);
    assert.deepEqual(await link.send({ to, text: "Hello", id: "4" }), ["smsc-1"]);
    smsc.refuse(0x0b);
    await assert.rejects(link.send({ to, text: "Hello", id: "5" }), { name: "SmsGatewayError" });
    smsc.refuse(0x58, 0x58, 0x58, 0x58);
    await assert.rejects(link.send({ to, text: "Hello", id: "6" }), { name: "SmsGatewayError" });
    assert.equal(smsc.taken.length, 1);
  });

  it("keeps to the agreed number of messages a second", async () => {
    await link.close();
    link = open({ ...settingsFor(smsc.port), perSecond: 20 });
    await untilBound();
    const start = performance.now();
    for (let count = 0; count < 5; count += 1) await link.send({ to, text: "Hello", id: String(count) });
    // Four pauses of 50 ms; timers may be a millisecond early.
    assert.ok(performance.now() - start >= 190);
  });

  it("receives SMS and reports, and answers them only when they are stored", async () => {
    assert.equal(await smsc.bring(to, "STOP"), 0);
    assert.equal(await smsc.report("smsc-9", "DELIVRD"), 0);
    assert.equal(await smsc.report("smsc-9", "ENROUTE"), 0);
    assert.equal(await smsc.report("smsc-8", "UNDELIV"), 0);
    assert.deepEqual(received, [
      { kind: "sms", from: to, text: "STOP" },
      { kind: "report", id: "smsc-9", status: "delivered" },
      { kind: "report", id: "smsc-9", status: undefined },
      { kind: "report", id: "smsc-8", status: "failed" },
    ]);
    failure = new Error("the database is away");
    assert.equal(await smsc.bring(to, "START"), 0x64);
    failure = undefined;
    assert.equal(await smsc.bring(to, "START"), 0);
    assert.equal(received.length, 5);
  });

  it("connects again when the SMSC closes, and when it answers no enquire_link", async () => {
    await untilFound(() => (smsc.enquiries() > 0 ? true : undefined));
    const { port } = smsc;
    await smsc.close();
    await untilFound(() => (link.isBound ? undefined : true));
    await assert.rejects(link.send({ to, text: "Hello", id: "7" }), { name: "SmsGatewayError" });
    smsc = await startSmsc("right", port);
    await untilBound();
    const [first] = smsc.bound;
    smsc.fallSilent();
    await untilFound(() => (smsc.bound.length === 1 && smsc.bound[0] !== first ? true : undefined));
    assert.ok(notes.some((note) => note.includes("did not answer in time")));
  });

  it("connects to no address that may not be called, by number or by name, and says why", async () => {
    await link.close();
    await untilFound(() => (smsc.bound.length === 0 ? true : undefined));
    for (const host of ["127.0.0.1", "localhost"]) {
      notes.length = 0;
      const settings = { ...settingsFor(smsc.port), url: `smpp://${host}:${smsc.port}` };
      link = open(settings, { allowLoopback: false });
      await untilFound(() => notes.filter((note) => note.includes("points to a loopback address"))[1]);
      assert.deepEqual([link.isBound, smsc.bound.length], [false, 0], host);
      await link.close();
      link = open(settings, { allowLoopback: false, allowPrivate: true });
      await untilBound();
      await link.close();
      await untilFound(() => (smsc.bound.length === 0 ? true : undefined));
    }
  });

  it("keeps trying when the password is refused, says why, and ends the connection when it is closed", async () => {
    await link.close();
    await untilFound(() => (smsc.bound.length === 0 ? true : undefined));
    link = open(settingsFor(smsc.port, "wrong"));
    await untilFound(() =>
      notes.filter((note) => note.includes("refused to bind: 14")).length > 1 ? true : undefined,
    );
    assert.equal(link.isBound, false);
  });
});
