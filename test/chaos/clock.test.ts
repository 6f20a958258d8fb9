// The clock of one API process jumps by an hour, forwards and back, while clients work at it and at another process.
import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { App } from "../../api/platform/http/index.ts";
import type { ServerProcess } from "../support/api-server.ts";
import type { TestWorld } from "../support/chain.ts";
import type { TestPostgres } from "../support/postgres.ts";
import { loadParts, onlyLong } from "./long.ts";

const hourMs = 3_600_000;
const preload = new URL("../support/moving-clock.mjs", import.meta.url).href;
const limit = 20;

/** A process as the app that a wallet's client sends requests to. */
const appAt = (server: ServerProcess, publicUrl: string): App =>
  ({
    request: (url: string, init: RequestInit) => fetch(url.replace(publicUrl, server.url), init),
  }) as unknown as App;

describe("a process whose clock jumps by an hour", { skip: onlyLong }, () => {
  const publicUrl = "http://127.0.0.1:3000";
  let postgres: TestPostgres;
  let world: TestWorld;
  let clockFile: string;
  let [steady, jumping]: ServerProcess[] = [];
  const setAhead = (ms: number) => writeFileSync(clockFile, String(ms));
  before(async () => {
    const { createTestWorld, startPostgres, startServers } = await loadParts();
    [postgres, world] = await Promise.all([startPostgres(), createTestWorld()]);
    clockFile = join(world.dataDir, "clock");
    setAhead(0);
    const shared = {
      PUBLIC_URL: publicUrl,
      SERVICE_KEY: randomBytes(32).toString("hex"),
      VFS_KEK: randomBytes(32).toString("hex"),
    };
    const url = await postgres.createDatabase();
    [steady] = await startServers(world, url, 1, shared);
    const options = `${process.env.NODE_OPTIONS ?? ""} --import=${preload}`;
    [jumping] = await startServers(world, url, 1, { ...shared, NODE_OPTIONS: options, CLOCK_FILE: clockFile });
  });
  after(async () => {
    for (const server of [steady, jumping]) await server?.stop("SIGKILL");
    await world?.close();
    await postgres?.stop();
  });

  it("keeps sessions, keys, limits, idempotent requests and stored transactions as they were", {
    timeout: 300_000,
  }, async (t) => {
    const { callAt, newProofKey, Redemptions, WalletClient } = await loadParts();
    const [one, other] = [steady, jumping] as [ServerProcess, ServerProcess];
    const redemptions = await Redemptions.begin([one, other]);
    const account = privateKeyToAccount(generatePrivateKey());
    const person = new WalletClient(appAt(one, publicUrl), account, {
      now: () => new Date(),
      proofKey: await newProofKey(),
    });
    await person.signIn();
    const voucherId = redemptions.voucherId;
    for (const aheadMs of [hourMs, -hourMs, 0]) {
      const name = `${aheadMs / 60_000} min`;
      setAhead(aheadMs);
      await sleep(1_500);
      t.diagnostic(`${name}: redeems after ${await redemptions.next()} ms`);
      for (const server of [one, other]) {
        const there = person.at(appAt(server, publicUrl));
        assert.equal((await there.call("GET", "/sessions/self")).status, 200, `${name}: the session holds`);
        await there.signIn();
        assert.equal((await there.call("GET", "/sessions/self")).status, 200, `${name}: a new session holds`);
      }

      const body = { name, role: "regulator", requestsPerMinute: limit };
      const { key, id } = (await one.call("POST", "/v1/keys", body)).body as { key: string; id: string };
      const resets: number[] = [];
      const statuses: Record<string, number> = {};
      for (const server of [other, one, other, one]) {
        for (let i = 0; i < 8; i++) {
          const answer = await fetch(`${server.url}/v1/vouchers/${encodeURIComponent(voucherId)}`, {
            headers: { authorization: `Bearer ${key}` },
          });
          statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
          resets.push(Number(/t=(\d+)/.exec(answer.headers.get("ratelimit") ?? "")?.[1]));
        }
      }
      assert.deepEqual(statuses, { 200: limit, 429: 32 - limit }, `${name}: both count together`);
      assert.ok(Math.max(...resets) <= 60, `${name}: a minute lasts a minute: ${resets}`);
      assert.equal((await one.call("DELETE", `/v1/keys/${encodeURIComponent(id)}`)).status < 300, true);
      await sleep(1_500);
      const revoked = await callAt(other.url)("GET", "/v1/keys", undefined, { authorization: `Bearer ${key}` });
      assert.equal(revoked.status, 401, `${name}: a revoked key is refused`);

      const household = { did: `did:ixo:household/${aheadMs}`, region: "Lusaka" };
      const headers = { "idempotency-key": randomUUID() };
      const answers = await Promise.all(
        [one, other].map((server) => server.call("POST", "/v1/households", household, headers)),
      );
      assert.deepEqual([answers[0]?.status, answers[0]], [201, answers[1]], `${name}: one household, one answer`);
    }
    t.diagnostic(await redemptions.end());
    for (const server of [one, other]) assert.ok(server.isRunning());
  });
});
