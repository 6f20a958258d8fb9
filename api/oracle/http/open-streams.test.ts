import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { newTestUser, openTestOracle, type TestOracle, type TestUser } from "../../../test/support/oracle/oracle.ts";
import { agentOf, connect, socketOf, stream } from "../../../test/support/oracle/streams.ts";

const endless = agentOf(async ({ emit, signal }) => {
  emit({ type: "text", delta: "first" });
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  return {};
});

/** Try until the server has noticed that a client has left. */
async function statusAfterLeaving(attempt: () => Promise<Response>): Promise<number> {
  for (let tries = 0; ; tries += 1) {
    const answer = await attempt();
    await answer.body?.cancel();
    if (answer.status !== 429 || tries === 100) return answer.status;
    await sleep(20);
  }
}

async function refusal(answer: Response) {
  // Anything else may be a stream that never ends.
  if (answer.status !== 429) await answer.body?.cancel();
  assert.equal(answer.status, 429);
  const { code, message } = (await answer.json()) as { code: string; message: string };
  return { status: answer.status, code, message, retryAfter: answer.headers.get("retry-after") };
}

describe("open streams of one user", () => {
  let oracle: TestOracle;
  let alice: TestUser;
  before(async () => {
    oracle = await openTestOracle(endless);
    alice = await newTestUser(oracle);
  });
  after(() => oracle.close());

  it("are 64 at most, over all the routes that stream or wait; the next is refused and does nothing", async () => {
    const sessionId = await alice.session();
    const first = await stream(alice, sessionId);
    const runId = first.headers.get("x-run-id") ?? "";
    const join = () => alice.call("GET", `/runs/${runId}`);
    const joined = await Promise.all(Array.from({ length: 63 }, join));
    assert.deepEqual(new Set([first, ...joined].map(({ status }) => status)), new Set([200]));

    assert.equal(oracle.oracle.streams.open, 64);

    const other = await alice.session();
    const agUi = { threadId: other, runId: "r", state: {}, messages: [], tools: [], context: [], forwardedProps: {} };
    const attempts = [
      join,
      () => stream(alice, other),
      () => alice.call("POST", `/messages/${encodeURIComponent(other)}`, { message: "hello" }),
      () => alice.call("POST", "/ag-ui", { ...agUi, messages: [{ id: "1", role: "user", content: "hello" }] }),
    ];
    for (const attempt of attempts) {
      assert.deepEqual(await refusal(await attempt()), {
        status: 429,
        code: "RATE_LIMITED",
        message: "64 streams of this user are open. Close one before you open another.",
        retryAfter: "15",
      });
    }
    const { messages } = (await (await alice.call("GET", `/messages/${encodeURIComponent(other)}`)).json()) as {
      messages: unknown[];
    };
    assert.deepEqual(messages, []);

    const bob = await newTestUser(oracle);
    const bobs = await stream(bob, await bob.session());
    assert.equal(bobs.status, 200);
    await bobs.body?.cancel();

    await joined[0]?.body?.cancel();
    assert.equal(await statusAfterLeaving(join), 200);
    await Promise.all([first, ...joined.slice(1)].map(({ body }) => body?.cancel()));
  });

  it("count no response that has ended", async () => {
    const carol = await newTestUser(oracle);
    for (let i = 0; i < 70; i++) {
      const answer = await carol.call("GET", `/runs/unknown-${i}`);
      assert.equal(answer.status, 404);
    }
  });
});

describe("open streams and sockets of one address", () => {
  let oracle: TestOracle;
  before(async () => {
    oracle = await openTestOracle(endless, { TRUST_PROXY: "1" }, { connectionLimits: { perUser: 64, perAddress: 2 } });
  });
  after(() => oracle.close());
  const from = (address: string) => ({ "x-forwarded-for": address });

  it("are limited together, whatever users they belong to", async () => {
    const open = async (address: string) => {
      const user = await newTestUser(oracle);
      const body = { message: "hello", stream: true };
      const path = `/messages/${encodeURIComponent(await user.session())}`;
      return await user.call("POST", path, body, from(address));
    };
    const streams = [await open("2001:db8::1"), await open("2001:db8::2")];
    assert.deepEqual(
      streams.map(({ status }) => status),
      [200, 200],
    );
    const { status, message } = await refusal(await open("2001:db8::3"));
    assert.deepEqual(
      [status, message],
      [429, "2 streams of this address are open. Close one before you open another."],
    );
    const elsewhere = await open("2001:db8:1::1");
    assert.equal(elsewhere.status, 200);
    await Promise.all([...streams, elsewhere].map(({ body }) => body?.cancel()));
  });

  it("are limited for sockets too", async () => {
    const open = async (address: string) => {
      const user = await newTestUser(oracle);
      const socket = socketOf(oracle, await user.session(), { invocation: user.invocation });
      socket.io.opts.extraHeaders = from(address);
      return { socket, refused: await connect(socket) };
    };
    const sockets = [
      await open("192.0.2.7"),
      await open("192.0.2.7"),
      await open("192.0.2.7"),
      await open("192.0.2.8"),
    ];
    assert.deepEqual(
      sockets.map(({ refused }) => refused),
      [...[undefined, undefined], "2 sockets of this address are open. Close one before you open another.", undefined],
    );
    assert.equal(oracle.oracle.sockets.open, 3);
    for (const { socket } of sockets) socket.disconnect();
  });
});
