// Every key is rotated as docs/operations.md says, one API process after the other, while clients work.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { ServerProcess } from "../support/api-server.ts";
import type { TestWorld } from "../support/chain.ts";
import { testAdminKey } from "../support/core.ts";
import { type Nginx, withoutNginx } from "../support/nginx.ts";
import type { TestPostgres } from "../support/postgres.ts";
import { loadParts, onlyLong } from "./long.ts";

const value = 1_000_000;
const clients = 24;
const roles = { RELAYER_KEY: 3, REGISTRAR_KEY: 2, EVALUATOR_KEY: 4 };
const secret = () => randomBytes(32).toString("hex");

describe("keys that are rotated while clients work", { skip: onlyLong || withoutNginx() || false }, () => {
  let postgres: TestPostgres;
  let world: TestWorld;
  let nginx: Nginx | undefined;
  let servers: ServerProcess[] = [];
  let shared: Record<string, string> = {};
  /** The API key that clients use; the test replaces it. */
  let key = testAdminKey;
  const call = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const json = { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${nginx?.url}${path}`, { method, headers: json, ...sent });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  /** Restart one process after the other. */
  const roll = async (changes: Record<string, string | undefined>) => {
    for (const server of servers) {
      await server.restart(changes);
      // The load balancer avoids a process for a while after it could not connect to it (fail_timeout).
      await sleep(3_000);
    }
    for (const [name, set] of Object.entries(changes)) {
      if (set === undefined) delete shared[name];
      else shared[name] = set;
    }
  };
  before(async () => {
    const { createTestWorld, outsideChain, startNginx, startPostgres, startServers } = await loadParts();
    [postgres, world] = await Promise.all([startPostgres(), createTestWorld()]);
    const database = await postgres.createDatabase();
    shared = { ...outsideChain(world), SERVICE_KEY: secret(), VFS_KEK: secret(), TRUST_PROXY: "1" };
    shared.DATABASE_URL = database;
    shared.BLOB_URL = `file://${world.dataDir}/shared-files`;
    servers = await startServers(world, database, 2, shared);
    nginx = await startNginx(servers.map(({ url }) => url));
  });
  after(async () => {
    await nginx?.close();
    for (const server of servers) await server.stop("SIGKILL");
    await world?.close();
    await postgres?.stop();
  });

  it("fail no request: roles, file store, sealing key, signing key, admin's and participants' keys", {
    timeout: 900_000,
  }, async (t) => {
    const { createCouncil, generateKey, issueOneVoucher, mintToken, productId, supplierDid } = await loadParts();
    const council = createCouncil(world);
    const voucherId = await issueOneVoucher({ call }, value);
    const didDocument = async () =>
      (await (await fetch(`${nginx?.url}/.well-known/did.json`)).json()) as {
        id: string;
        verificationMethod: { publicKeyMultibase?: string; publicKeyJwk?: { x: string } }[];
      };
    const { id: audience, verificationMethod: before } = await didDocument();
    const bearer = `Bearer ${await mintToken({ issuer: await generateKey(), audience, abilities: ["fs/*"] })}`;
    const files: { id: string; content: string }[] = [];
    const readFile = async ({ id, content }: { id: string; content: string }) => {
      const answer = await fetch(`${nginx?.url}/api/fs/files/${id}/content`, { headers: { authorization: bearer } });
      const text = await answer.text();
      return answer.status === 200 && text === content ? undefined : `read ${answer.status} ${text.slice(0, 200)}`;
    };
    let participantKey = "";
    const newParticipantKey = async () => {
      const body = { name: "regulator", role: "regulator", requestsPerMinute: 1_000_000 };
      const made = await call("POST", "/v1/keys", body);
      assert.equal(made.status, 201, JSON.stringify(made));
      return made.body as { key: string; id: string };
    };
    const firstKey = await newParticipantKey();
    participantKey = firstKey.key;

    const work: (() => Promise<string | undefined>)[] = [
      async () => {
        const body = { voucherId, supplierDid, productId, amount: 1 };
        const headers = { "idempotency-key": randomUUID() };
        const { status, body: answer } = await call("POST", "/v1/vouchers/redeem", body, headers);
        if (![201, 202].includes(status)) return `redeem ${status} ${JSON.stringify(answer)}`;
        redeemed++;
        return undefined;
      },
      async () => {
        const account = privateKeyToAccount(generatePrivateKey()).address;
        const supplier = { did: `did:ixo:supplier/${randomUUID()}`, name: "Shop", account };
        const { status, body } = await call("POST", "/v1/suppliers", supplier, { "idempotency-key": randomUUID() });
        return [201, 202].includes(status) ? undefined : `supplier ${status} ${JSON.stringify(body)}`;
      },
      async () => {
        const content = randomUUID();
        const answer = await fetch(`${nginx?.url}/api/fs/files?path=/${content}`, {
          method: "POST",
          headers: { authorization: bearer, "content-type": "text/plain" },
          body: content,
        });
        const body = (await answer.json()) as { id: string };
        if (answer.status !== 201) return `write ${answer.status} ${JSON.stringify(body)}`;
        files.push({ id: body.id, content });
        return await readFile({ id: body.id, content });
      },
      async () => {
        const old = files[Math.floor(Math.random() * files.length)];
        return old === undefined ? undefined : await readFile(old);
      },
      async () => {
        const path = `/v1/vouchers/${encodeURIComponent(voucherId)}`;
        const { status, body } = await call("GET", path, undefined, { authorization: `Bearer ${participantKey}` });
        return status === 200 ? undefined : `voucher ${status} ${JSON.stringify(body)}`;
      },
    ];
    const failures: string[] = [];
    let [isOver, redeemed, requests] = [false, 0, 0];
    let step = "at first";
    const load = Promise.all(
      Array.from({ length: clients }, async (_, client) => {
        while (!isOver) {
          const failure = await work[client % work.length]?.().catch((error: unknown) => String(error));
          if (failure !== undefined) failures.push(`${step}: ${failure}`);
          requests++;
          await sleep(20);
        }
      }),
    );
    const within = async (name: string, rotate: () => Promise<void>) => {
      [step, requests] = [name, 0];
      const begin = Date.now();
      await rotate();
      await sleep(1_000);
      t.diagnostic(`${name}: ${Date.now() - begin} ms, ${requests} requests`);
      if (failures.length > 0) t.diagnostic(String(await nginx?.errors()));
      assert.deepEqual(failures, []);
    };
    try {
      await sleep(2_000);

      await within("accounts of the roles", async () => {
        const keys = Object.fromEntries(Object.keys(roles).map((name) => [name, generatePrivateKey()]));
        for (const [name, role] of Object.entries(roles)) {
          const { address } = privateKeyToAccount(keys[name] as Hex);
          await world.anvil.rpc("anvil_setBalance", [address, `0x${(10n ** 22n).toString(16)}`]);
          await council("participants", "grantRole", [BigInt(role), address, 0]);
        }
        const former = Object.keys(roles).map((name) => privateKeyToAccount(shared[name] as Hex).address);
        await roll(keys);
        for (const [i, role] of Object.values(roles).entries()) {
          await council("participants", "revokeRole", [BigInt(role), former[i] as Hex]);
        }
      });
      await within("key-encryption key", async () => {
        const [old, next] = [shared.VFS_KEK as string, secret()];
        await roll({ VFS_KEK_PREVIOUS: next });
        await roll({ VFS_KEK: next, VFS_KEK_PREVIOUS: old });
        const env = { ...process.env, DATA_DIR: world.dataDir, ...shared };
        await promisify(execFile)(process.execPath, ["scripts/rotate-kek.ts"], { env });
        await roll({ VFS_KEK_PREVIOUS: undefined });
      });
      await within("sealing key", async () => {
        const run = (...args: string[]) =>
          promisify(execFile)(process.execPath, ["scripts/rotate-sealing-key.ts", ...args], {
            env: { ...process.env, DATA_DIR: world.dataDir, ...shared },
          });
        const { stdout } = await run("--new");
        const next = /^SEALING_KEYS_PREVIOUS=(\w{64})$/m.exec(stdout)?.[1];
        assert.ok(next !== undefined && stdout.includes(`SEALING_KEY=${next}\n`), stdout);
        await roll({ SEALING_KEYS_PREVIOUS: next });
        await roll({ SEALING_KEY: next, SEALING_KEYS_PREVIOUS: undefined });
        assert.match((await run()).stdout, /sealed with the new key/);
      });
      await within("signing key", async () => {
        const env = { ...process.env, DATA_DIR: world.dataDir, ...shared };
        const { stdout } = await promisify(execFile)(process.execPath, ["scripts/rotate-signing-key.ts"], { env });
        const [first, second] = [...stdout.matchAll(/SIGNING_KEYS_PREVIOUS=(\S+)/g)].map(([, list]) => list as string);
        const next = /SIGNING_KEY=(\w{64})/.exec(stdout)?.[1];
        assert.ok(first !== undefined && second !== undefined && next !== undefined, stdout);
        await roll({ SIGNING_KEYS_PREVIOUS: first });
        await roll({ SIGNING_KEY: next, SIGNING_KEYS_PREVIOUS: second });
        const { verificationMethod } = await didDocument();
        assert.ok(verificationMethod.length > before.length, "what the former key signed still verifies");
      });
      await within("keys of the admin and of a participant", async () => {
        const list = async () =>
          (await call("GET", "/v1/keys")).body.items as { id: string; name: string; role: string }[];
        const former = (await list()).filter(({ role }) => role === "admin");
        const made = await call("POST", "/v1/keys", { name: "next", role: "admin", requestsPerMinute: 1_000_000 });
        assert.equal(made.status, 201, JSON.stringify(made));
        const next = await newParticipantKey();
        [key, participantKey] = [(made.body as { key: string }).key, next.key];
        // Requests with the former keys end.
        await sleep(3_000);
        for (const { id } of [...former, firstKey]) {
          const { status } = await call("DELETE", `/v1/keys/${encodeURIComponent(id)}`);
          assert.ok(status < 300, `revoked: ${status}`);
        }
        await roll({ ADMIN_API_KEY: secret() });
        for (const { url } of servers) {
          const headers = { authorization: `Bearer ${testAdminKey}` };
          assert.equal((await fetch(`${url}/v1/keys`, { headers })).status, 401);
        }
      });
    } finally {
      isOver = true;
      await load;
    }
    assert.deepEqual(failures, []);
    for (const file of files) assert.equal(await readFile(file), undefined);
    const path = `/v1/vouchers/${encodeURIComponent(voucherId)}`;
    for (let i = 0; i < 300; i++) {
      if ((await call("GET", path)).body.remainingBalance === value - redeemed) return;
      await sleep(100);
    }
    assert.fail("the chain has each accepted redemption once");
  });
});
