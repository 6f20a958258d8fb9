import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { RTCPeerConnection, useOPUS } from "werift";
import { CallKeys } from "../../../sdk/src/live-agent/call-keys.ts";
import {
  echoAgent,
  newTestUser,
  openTestOracle,
  type TestOracle,
  type TestUser,
} from "../../../test/support/oracle/oracle.ts";
import { connect, socketOf, type TestSocket } from "../../../test/support/oracle/streams.ts";
import { startPostgres, type TestPostgres } from "../../../test/support/postgres.ts";

type IceServer = { urls: string | string[]; username?: string; credential?: string };
type Answer = { error?: { code: string }; callId: string; participantId: string; participants: { id: string }[] };
type Heard = { eventName: string; payload: Record<string, unknown> };

const publicKey = `B${"A".repeat(86)}`;
const key = { keyId: 0, iv: "aaaa", sealed: "bbbb" };
const heardBy = (socket: TestSocket): Heard[] =>
  socket.heard.filter(({ event }) => event === "event").map(({ payload }) => payload as Heard);
const idOf = (heard: Heard | undefined) => (heard?.payload.participant as { id: string } | undefined)?.id;
const namesHeard = (socket: TestSocket) => heardBy(socket).map(({ eventName }) => eventName);
/** Whom a socket's participant knows of: found there when it joined, or heard of since. */
const knownTo = (socket: TestSocket, { participants }: Answer) => {
  const joined = heardBy(socket).filter(({ eventName }) => eventName === "call_joined");
  return [...new Set([...participants.map(({ id }) => id), ...joined.map(idOf)])];
};

async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 250 && !holds(); i += 1) await sleep(20);
  assert.ok(holds(), "it did not come");
}

describe("signalling of live calls", () => {
  let oracle: TestOracle;
  let alice: TestUser;
  let bob: TestUser;
  const sockets: TestSocket[] = [];
  let later = 0;
  before(async () => {
    const env = {
      ORACLE_ICE_SERVERS: JSON.stringify([{ urls: "stun:stun.test" }, { urls: ["turn:turn.test", "turns:turn.test"] }]),
      ORACLE_TURN_SECRET: "known to the relay too",
    };
    oracle = await openTestOracle(echoAgent, env, { clock: { now: () => new Date(Date.now() + later) } });
    [alice, bob] = [await newTestUser(oracle), await newTestUser(oracle)];
  });
  after(async () => {
    for (const socket of sockets) socket.disconnect();
    await oracle.close();
  });

  const open = async (user: TestUser, sessionId: string | undefined, more: Record<string, string> = {}) => {
    const socket = socketOf(oracle, sessionId, { invocation: user.invocation, ...more });
    sockets.push(socket);
    const refusal = await connect(socket);
    if (refusal !== undefined) throw new Error(refusal);
    return socket;
  };
  const say = async (socket: TestSocket, event: string, message: object = {}) =>
    (await socket.timeout(5_000).emitWithAck(event, message)) as Answer;
  const join = async (socket: TestSocket) => {
    const answer = await say(socket, "call_join", { publicKey });
    assert.equal(answer.error, undefined);
    return answer;
  };
  const twoTabs = async () => {
    const sessionId = await alice.session();
    const [one, two] = [await open(alice, sessionId), await open(alice, sessionId)];
    const [first, second] = [await join(one), await join(two)];
    return { sessionId, one, two, first, second };
  };

  it("brings the tabs of a session together, and tells who comes, changes and goes", async () => {
    const { one, two, first, second } = await twoTabs();
    assert.equal(first.callId, second.callId);
    assert.deepEqual(first.participants, []);
    assert.deepEqual(second.participants, [
      { id: first.participantId, did: alice.did, kind: "user", publicKey, muted: false, video: false },
    ]);
    assert.match(first.callId, /^CALL-[\w-]{22}$/);
    assert.match(first.participantId, /^PART-[\w-]{22}$/);
    await say(two, "call_state", { muted: true, video: true });
    await say(two, "call_leave");
    await until(() => namesHeard(one).includes("call_left"));
    assert.deepEqual(namesHeard(one), ["call_joined", "call_state", "call_left"]);
    const [joined, state] = heardBy(one);
    assert.equal(idOf(joined), second.participantId);
    assert.deepEqual([state?.payload.from, state?.payload.muted], [second.participantId, true]);
    one.disconnect();
  });

  it("hands descriptions, candidates and keys to the one they are for, with the true sender", async () => {
    const { sessionId, one, two, first, second } = await twoTabs();
    const third = await open(alice, sessionId);
    await join(third);
    const before = heardBy(third).length;
    const description = { type: "offer", sdp: "v=0" };
    await say(two, "call_signal", { to: first.participantId, description });
    await say(two, "call_signal", { to: first.participantId, candidate: { candidate: "candidate:1", sdpMid: "0" } });
    await say(two, "call_key", { to: first.participantId, ...key });
    await until(() => namesHeard(one).includes("call_key"));
    const told = heardBy(one).slice(-3);
    assert.deepEqual(told[0]?.payload.description, description);
    assert.deepEqual(new Set(told.map(({ payload }) => payload.from)), new Set([second.participantId]));
    assert.equal(told[2]?.payload.sealed, key.sealed);
    await sleep(50);
    assert.equal(heardBy(third).length, before);
    for (const socket of [one, two, third]) socket.disconnect();
  });

  it("refuses messages that are malformed, too large, or from outside of the call", async () => {
    const socket = await open(alice, await alice.session());
    const codeOf = async (event: string, message: object) => (await say(socket, event, message)).error?.code;
    assert.equal(await codeOf("call_signal", { to: "PART-x", candidate: { candidate: "" } }), "CONFLICT");
    assert.equal(await codeOf("call_join", {}), "INVALID_INPUT");
    assert.equal(await codeOf("call_join", { publicKey: "B" }), "INVALID_INPUT");
    const { participantId } = await join(socket);
    const sdp = "x".repeat(65 * 1024);
    assert.equal(
      await codeOf("call_signal", { to: participantId, description: { type: "offer", sdp } }),
      "INVALID_INPUT",
    );
    assert.equal(await codeOf("call_key", { to: participantId, ...key, more: 1 }), "INVALID_INPUT");
    assert.equal(await codeOf("call_key", { to: participantId, ...key }), "NOT_FOUND");
    socket.disconnect();
  });

  it("bounds what one socket says, and how many take part", async () => {
    const sessionId = await alice.session();
    const many = await Promise.all(Array.from({ length: 9 }, () => open(alice, sessionId)));
    const answers = await Promise.all(many.map((socket) => say(socket, "call_join", { publicKey })));
    assert.equal(answers.filter(({ error }) => error?.code === "CONFLICT").length, 1);
    assert.equal(new Set(answers.flatMap(({ callId }) => callId ?? [])).size, 1);
    const last = many[0] as TestSocket;
    // Each counts, also what is of no use.
    const codes = await Promise.all(Array.from({ length: 420 }, () => say(last, "call_state")));
    assert.ok(codes.some(({ error }) => error?.code === "RATE_LIMITED"));
    for (const socket of many) socket.disconnect();
  });

  it("answers a participant of another call as if the recipient were unknown, and reveals nothing", async () => {
    const { one, two, first, sessionId } = await twoTabs();
    await assert.rejects(open(bob, sessionId), /not found/);
    const own = await open(bob, await bob.session());
    await join(own);
    const heard = heardBy(one).length;
    for (const to of [first.participantId, "PART-AAAAAAAAAAAAAAAAAAAAAA"]) {
      assert.equal((await say(own, "call_key", { to, ...key })).error?.code, "NOT_FOUND");
      const candidate = { candidate: "candidate:1" };
      assert.equal((await say(own, "call_signal", { to, candidate })).error?.code, "NOT_FOUND");
    }
    await say(own, "call_state", { muted: true, video: false });
    await say(own, "call_leave");
    await sleep(50);
    assert.equal(heardBy(one).length, heard);
    assert.deepEqual(heardBy(own), []);
    for (const socket of [one, two, own]) socket.disconnect();
  });

  it("lets a guest into the call by an invitation, and shows it nothing else of the session", async () => {
    const { one, two, first, sessionId } = await twoTabs();
    const { invitation } = (await say(one, "call_invite")) as unknown as { invitation: string };
    const guest = await open(bob, undefined, { callInvitation: invitation });
    const { callId, participants } = await join(guest);
    assert.equal(callId, first.callId);
    assert.equal(participants.length, 2);
    await until(() => namesHeard(one).at(-1) === "call_joined");
    assert.match(JSON.stringify(heardBy(one).at(-1)), new RegExp(bob.did));
    assert.equal((await say(guest, "call_invite")).error?.code, "FORBIDDEN");
    oracle.oracle.emitToSession(sessionId, "tool_call", {});
    await alice.call("POST", `/messages/${encodeURIComponent(sessionId)}`, { message: "between us" });
    await say(two, "call_state", { muted: true, video: false });
    await until(() => namesHeard(guest).includes("call_state"));
    assert.deepEqual([...new Set(namesHeard(guest))], ["call_state"]);
    assert.ok(!JSON.stringify(guest.heard).includes(sessionId));
    assert.deepEqual(Object.keys((await (await bob.call("GET", "/sessions")).json()) as object), ["sessions", "total"]);
    for (const socket of [one, two]) await say(socket, "call_leave");
    await until(() => namesHeard(guest).includes("call_ended"));
    assert.equal((await say(guest, "call_join", { publicKey })).error?.code, "NOT_FOUND");
    await assert.rejects(open(bob, undefined, { callInvitation: invitation }), /no call/);
    await assert.rejects(open(bob, undefined, { callInvitation: "guess" }), /no call/);
    for (const socket of [one, two, guest]) socket.disconnect();
  });

  it("keeps the place of somebody whose connection broke, and gives it back to nobody else", async () => {
    const { sessionId, one, two, first, second } = await twoTabs();
    two.io.engine.close();
    await sleep(100);
    const resume = { publicKey, resume: second.participantId, muted: true };
    const other = await open(bob, await bob.session());
    assert.equal((await say(other, "call_join", resume)).error?.code, "NOT_FOUND");
    const back = await open(alice, sessionId);
    const foreign = { ...resume, publicKey: `B${"B".repeat(86)}` };
    assert.equal((await say(back, "call_join", foreign)).error?.code, "NOT_FOUND");
    const { participantId, participants } = await say(back, "call_join", resume);
    assert.equal(participantId, second.participantId);
    assert.deepEqual(
      participants.map(({ id }) => id),
      [first.participantId],
    );
    await until(() => namesHeard(one).includes("call_resumed"));
    assert.deepEqual(heardBy(one).at(-1)?.payload.participant, {
      id: second.participantId,
      did: alice.did,
      kind: "user",
      publicKey,
      muted: true,
      video: false,
    });
    await say(one, "call_signal", { to: second.participantId, candidate: { candidate: "candidate:1" } });
    await until(() => namesHeard(back).includes("call_signal"));
    assert.ok(!namesHeard(one).includes("call_left"));
    for (const socket of [one, two, other, back]) socket.disconnect();
  });

  it("removes a participant that does not return in half a minute, and ends the call with its owner", async () => {
    const { one, two, first, second } = await twoTabs();
    const { invitation } = (await say(one, "call_invite")) as unknown as { invitation: string };
    const guest = await open(bob, undefined, { callInvitation: invitation });
    await join(guest);
    const look = async (ms: number) => {
      later += ms;
      await oracle.oracle.liveCalls.takeOutLost();
    };
    try {
      two.io.engine.close();
      await sleep(100);
      await look(29_000);
      assert.ok(!namesHeard(guest).includes("call_left"));
      await look(2_000);
      await until(() => namesHeard(guest).includes("call_left"));
      assert.deepEqual(heardBy(guest).at(-1)?.payload.from, second.participantId);
      one.io.engine.close();
      await sleep(100);
      await look(31_000);
      await until(() => namesHeard(guest).includes("call_ended"));
      const late = { publicKey, resume: first.participantId };
      assert.equal((await say(guest, "call_join", late)).error?.code, "NOT_FOUND");
    } finally {
      later = 0;
      for (const socket of [one, two, guest]) socket.disconnect();
    }
  });

  it("gives participants credentials for its relay that end, and nobody else", async () => {
    const socket = await open(alice, await alice.session());
    assert.equal((await say(socket, "call_ice_servers")).error?.code, "CONFLICT");
    const { participantId, iceServers } = (await join(socket)) as Answer & { iceServers: IceServer[] };
    const [stun, turn] = iceServers;
    assert.deepEqual(stun, { urls: "stun:stun.test" });
    const [end, who] = (turn?.username ?? "").split(":");
    assert.equal(who, participantId);
    assert.ok(Math.abs(Number(end) - (Date.now() / 1000 + 7_200)) < 60);
    const hmac = createHmac("sha1", "known to the relay too").update(turn?.username ?? "");
    assert.equal(turn?.credential, hmac.digest("base64"));
    const again = (await say(socket, "call_ice_servers")) as unknown as { iceServers: IceServer[] };
    assert.equal(again.iceServers[1]?.username?.split(":")[1], participantId);
    socket.disconnect();
  });

  it("ends with its session, for guests too", async () => {
    const { one, sessionId } = await twoTabs();
    const { invitation } = (await say(one, "call_invite")) as unknown as { invitation: string };
    const guest = await open(bob, undefined, { callInvitation: invitation });
    await join(guest);
    assert.equal((await alice.call("DELETE", `/sessions/${encodeURIComponent(sessionId)}`)).status, 200);
    await until(() => namesHeard(guest).includes("call_ended"));
    guest.disconnect();
  });
});

describe("two runtimes on one PostgreSQL", () => {
  let postgres: TestPostgres;
  let oracles: TestOracle[];
  const closers: (() => unknown)[] = [];
  before(async () => {
    postgres = await startPostgres();
    const env = { DATABASE_URL: await postgres.createDatabase(), SERVICE_KEY: "5".repeat(64) };
    const open = () => openTestOracle(echoAgent, env, { speech: { hear: undefined, speak: undefined } });
    oracles = [await open(), await open()];
  });
  after(async () => {
    for (const close of closers) await close();
    await Promise.all(oracles?.map((each) => each.close()) ?? []);
    await postgres?.stop();
  });

  it("bring two tabs of one session together that are at different ones", async () => {
    const [here, there] = oracles as [TestOracle, TestOracle];
    const alice = await newTestUser(here);
    const sessionId = await alice.session();
    const tabs = [here, there].map((each) => socketOf(each, sessionId, { invocation: alice.invocation }));
    const [one, two] = tabs as [TestSocket, TestSocket];
    for (const tab of tabs) assert.equal(await connect(tab), undefined);
    const [first, second] = (await Promise.all(
      tabs.map((tab) => tab.timeout(5_000).emitWithAck("call_join", { publicKey })),
    )) as [Answer, Answer];
    assert.equal(first.callId, second.callId);
    // A later participant finds the earlier one, who is notified. Of two that join at the same moment, each may find the other
    // and be notified too.
    await until(() => knownTo(one, first).length === 1 && knownTo(two, second).length === 1);
    assert.deepEqual(knownTo(one, first), [second.participantId]);
    assert.deepEqual(knownTo(two, second), [first.participantId]);
    assert.notEqual(first.participants.length + second.participants.length, 0, "nobody offers");
    await two.emitWithAck("call_signal", {
      to: first.participantId,
      description: { type: "offer", sdp: `v=0 ${"long ".repeat(5_000)}` },
    });
    await until(() => namesHeard(one).includes("call_signal"));
    const signal = heardBy(one).find(({ eventName }) => eventName === "call_signal");
    assert.equal(signal?.payload.from, second.participantId);
    two.disconnect();
    await until(() => namesHeard(one).includes("call_left"));
    one.io.engine.close();
    const back = socketOf(there, sessionId, { invocation: alice.invocation });
    assert.equal(await connect(back), undefined);
    const resume = { publicKey, resume: first.participantId };
    const resumed = (await back.timeout(5_000).emitWithAck("call_join", resume)) as Answer;
    assert.equal(resumed.participantId, first.participantId, "a place is not kept for who comes back elsewhere");
    for (const socket of [one, back]) socket.disconnect();
  });

  it("let the agent of one speak with a tab at the other, and bring another when its process dies", async () => {
    const [here, there] = oracles as [TestOracle, TestOracle];
    const alice = await newTestUser(here);
    const sessionId = await alice.session();
    const [one, two] = [here, there].map((each) => socketOf(each, sessionId, { invocation: alice.invocation })) as [
      TestSocket,
      TestSocket,
    ];
    closers.push(() => [one, two].map((tab) => tab.disconnect()));
    for (const tab of [one, two]) assert.equal(await connect(tab), undefined);
    await one.emitWithAck("call_join", { publicKey, agent: true });
    const cameOf = (tab: TestSocket) =>
      heardBy(tab).filter(({ eventName, payload }) => {
        return eventName === "call_joined" && (payload.participant as { kind: string }).kind === "agent";
      });
    await until(() => cameOf(one).length === 1);
    const agentId = idOf(cameOf(one)[0]) as string;
    const { publicKey: own } = await CallKeys.generate();
    const joined = (await two.emitWithAck("call_join", { publicKey: own, agent: true })) as Answer;
    assert.ok(joined.participants.some(({ id }) => id === agentId));
    const peer = new RTCPeerConnection({ codecs: { audio: [useOPUS()] } } as never);
    closers.push(() => peer.close());
    peer.addTransceiver("audio", { direction: "sendrecv" });
    await peer.setLocalDescription(await peer.createOffer());
    const description = { type: "offer", sdp: peer.localDescription?.sdp };
    assert.deepEqual(await two.emitWithAck("call_signal", { to: agentId, description }), { sent: true });
    const fromAgent = (name: string) =>
      heardBy(two).filter(({ eventName, payload }) => eventName === name && payload.from === agentId);
    await until(() => fromAgent("call_signal").some(({ payload }) => payload.description !== undefined));
    await until(() => fromAgent("call_key").length > 0);

    // The process of the agent says nothing any more: its own clock and its tabs are of no concern to the other.
    await here.oracle.runs.store.beat(here.oracle.runs.processId, new Date(Date.now() - 60_000));
    await there.oracle.liveCalls.takeOutLost();
    await until(() => cameOf(two).length === 1);
    assert.notEqual(idOf(cameOf(two)[0]), agentId);
    assert.equal(fromAgent("call_left").length, 1);
  });
});
