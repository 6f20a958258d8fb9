import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { placeDatabase } from "../../../test/support/database.ts";
import { echoAgent, newTestUser, openTestOracle } from "../../../test/support/oracle/oracle.ts";
import { framesOf, isWhole, readAll, stream, type TestFrame, textOf } from "../../../test/support/oracle/streams.ts";

it("ends a turn as interrupted with its partial text after kill -9, for who comes back with any number", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hearth-recovery-"));
  await placeDatabase(folder);
  const program = fileURLToPath(new URL("../../../test/support/oracle/process.ts", import.meta.url));
  const child = fork(program, [JSON.stringify({ DATA_DIR: folder })]);
  const [first] = (await once(child, "message")) as [{ url: string; did: string }];
  const alice = await newTestUser(first);
  const sessionId = await alice.session();
  const answer = await stream(alice, sessionId);
  const runId = answer.headers.get("x-run-id") ?? "";
  const seen: TestFrame[] = [];
  await assert.rejects(async () => {
    for await (const frame of framesOf(answer)) {
      seen.push(frame);
      if (frame.id === 40) child.kill("SIGKILL");
    }
  });
  await once(child, "exit");
  const second = await openTestOracle(echoAgent, { DATA_DIR: folder });
  try {
    const call = (path: string) => fetch(`${second.url}${path}`, { headers: alice.headers });
    const last = seen.at(-1)?.id ?? 0;
    const rest = await readAll(await call(`/runs/${runId}?after=${last}`));
    assert.ok(
      rest.every(({ id }) => id > last),
      "no number is given again",
    );
    assert.deepEqual([rest.at(-1)?.event, rest.at(-1)?.data.status], ["done", "interrupted"]);
    const whole = await readAll(await call(`/runs/${runId}`));
    assert.ok(isWhole(whole));
    const text = textOf(whole);
    assert.ok(text.length > 0 && textOf(seen).startsWith(text.slice(0, 10)));
    const resumed = whole.find(({ event, data }) => event === "run" && data.resumed === true);
    assert.deepEqual([resumed?.data.partialLength, resumed?.data.runId], [text.length, runId]);
    assert.equal(whole.filter(({ event }) => event === "tool_call").at(-1)?.data.status, "error");
    const { messages } = (await (await call(`/messages/${sessionId}`)).json()) as {
      messages: Record<string, unknown>[];
    };
    assert.deepEqual([messages[1]?.content, messages[1]?.isComplete], [text, false]);
    const parts = messages[1]?.parts as { type: string; text?: string }[];
    assert.equal(parts.map(({ type, text }) => (type === "text" ? text : "")).join(""), text);
    assert.ok(parts.some(({ type }) => type === "tool_call"));
    assert.deepEqual(await (await call(`/sessions/${sessionId}/run`)).json(), { run: null });
  } finally {
    await second.close();
    await rm(folder, { recursive: true, force: true });
  }
});
