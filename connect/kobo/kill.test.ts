import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { createPublicClient, http } from "viem";
import { participantsAbi } from "../../deployments/abi/participants.ts";
import { type KillableServer, startKillableServer } from "../../test/support/killable-server.ts";
import { koboToken, startKoboPeer } from "../../test/support/kobo-peer.ts";
import { accountOf } from "../../test/support/registry.ts";
import { untilFound } from "../../test/support/until.ts";
import type { Schemas } from "../../wire/src/index.ts";

/** More steps in the long form; otherwise some of them, spread over the whole write. */
const every = process.env.HEARTH_LONG ? 5 : 29;
const implementerDid = "did:ixo:implementer/1";
const jpeg = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.from("a photo")]);
const photo = { name: "a.jpg", type: "image/jpeg", bytes: jpeg, question: "photo" };

let server: KillableServer;

before(async () => {
  server = await startKillableServer();
  await call("POST", "/v1/implementers", { did: implementerDid, account: accountOf(500), name: "Implementer" }, 201);
});
after(() => server?.close());

async function call(method: string, path: string, body: object | undefined, status: number) {
  const answer = await server.call(method, path, body);
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  return answer.body;
}

async function listed(): Promise<Schemas["Submission"][]> {
  const { items } = await call("GET", "/v1/odk/submissions?limit=500", undefined, 200);
  return items as Schemas["Submission"][];
}

test("a record of KoboToolbox ends once after its bell was answered, before whichever statement the server is killed", {
  timeout: 900_000,
}, async () => {
  const peer = await startKoboPeer();
  try {
    const connection = { name: "Lusaka", serverUrl: `${peer.url}/`, assetUid: peer.assetUid, token: koboToken };
    const about = { form: "household", collectorDid: "did:key:z6MkMaria", implementerDid };
    await call("POST", "/v1/kobo/connections", { ...connection, ...about }, 201);
    const { world } = server;
    const client = createPublicClient({ transport: http(world.anvil.url) });
    const contract = { abi: participantsAbi, address: world.contracts.addresses.participants } as const;
    const countHouseholds = () => client.readContract({ ...contract, functionName: "householdCount" });
    const before = await countHouseholds();
    const ring = async (root: string) => {
      const { path, init } = peer.call(root);
      return (await fetch(`${server.url}${path}`, init)).status;
    };
    const rowsOf = async (did: string) => (await listed()).filter(({ resultId }) => resultId === did);
    const dids: string[] = [];
    for (let step = 1, survived = false; !survived; step += every) {
      const did = `did:ixo:household/${randomUUID()}`;
      dids.push(did);
      const root = peer.add({ did, region: "Lusaka", place: "-15.4167 28.2833 1280.0 4.5", photo: photo.name }, [
        photo,
      ]);
      let rung: number | undefined;
      survived = await server.killBefore(step, async () => {
        rung = await ring(root).catch(() => undefined);
        // The record is read after the bell was answered.
        const end = await untilFound(async () => {
          if (!server.isRunning()) return { survived: false };
          const rows = await rowsOf(did).catch(() => []);
          return rows.length > 0 ? { survived: true } : undefined;
        });
        return end.survived;
      });
      await server.killAndStart();
      // Kobo repeats a call that was not answered, and no other.
      if (rung === undefined) assert.equal(await ring(root), 202);
      await untilFound(async () => ((await rowsOf(did)).length > 0 ? true : undefined));
    }
    for (const did of dids) {
      const rows = await rowsOf(did);
      assert.deepEqual(
        rows.map(({ status }) => status),
        ["accepted"],
      );
      const detail = await call("GET", `/v1/odk/submissions/${rows[0]?.id}`, undefined, 200);
      const { files } = detail as Schemas["SubmissionDetail"];
      assert.ok(files.some(({ name, size }) => name === photo.name && size === jpeg.length));
    }
    assert.equal(await countHouseholds(), before + dids.length);
  } finally {
    await peer.close();
  }
});

test("no API key is left without its connection when Kobo refuses the hook, before whichever statement the server is killed", {
  timeout: 900_000,
}, async () => {
  const peers: Awaited<ReturnType<typeof startKoboPeer>>[] = [];
  const stride = process.env.HEARTH_LONG ? 1 : 2;
  try {
    // The first statements check who calls: nothing is made there.
    for (let step = 5, survived = false; !survived; step += stride) {
      const peer = await startKoboPeer();
      peers.push(peer);
      peer.state.refusesHooks = 400;
      const connection = { name: peer.assetUid, serverUrl: `${peer.url}/`, assetUid: peer.assetUid, token: koboToken };
      const body = { ...connection, form: "household", collectorDid: "did:key:z6MkMaria", implementerDid };
      const connect = () => server.call("POST", "/v1/kobo/connections", body).catch(() => undefined);
      const answer = await server.killBefore(step, connect);
      survived = answer !== undefined && server.isRunning();
      await server.killAndStart();
    }
    const { items: connections } = await call("GET", "/v1/kobo/connections?limit=500", undefined, 200);
    const used = (connections as Schemas["KoboConnection"][]).map(({ keyId }) => keyId);
    const { items } = await call("GET", "/v1/keys?limit=500", undefined, 200);
    const uids = peers.map(({ assetUid }) => `Kobo: ${assetUid}`);
    const valid = (items as Schemas["ApiKey"][]).filter(
      ({ name, revokedAt }) => revokedAt === null && uids.includes(name),
    );
    assert.deepEqual(
      valid.filter(({ id }) => !used.includes(id)),
      [],
    );
  } finally {
    for (const peer of peers) await peer.close();
  }
});

test("a project is connected once, with one hook and one API key, before whichever statement the server is killed", {
  timeout: 900_000,
}, async () => {
  const peers: Awaited<ReturnType<typeof startKoboPeer>>[] = [];
  const stride = process.env.HEARTH_LONG ? 1 : 5;
  const connect = (peer: (typeof peers)[number]) => {
    const connection = { name: peer.assetUid, serverUrl: `${peer.url}/`, assetUid: peer.assetUid, token: koboToken };
    const body = { ...connection, form: "household", collectorDid: "did:key:z6MkMaria", implementerDid };
    return server.call("POST", "/v1/kobo/connections", body, { "idempotency-key": peer.assetUid });
  };
  try {
    for (let step = 1, survived = false; !survived; step += stride) {
      const peer = await startKoboPeer();
      peers.push(peer);
      const answer = await server.killBefore(step, () => connect(peer).catch(() => undefined));
      survived = answer !== undefined && server.isRunning();
      await server.killAndStart();
      const again = await connect(peer);
      assert.equal(again.status, 201, `step ${step}: ${JSON.stringify(again.body)}`);
      const { id, hookUid } = again.body as Schemas["KoboConnection"];
      assert.deepEqual(
        peer.hooks.map((hook) => [hook.uid, hook.endpoint.endsWith(`/kobo/hooks/${id}`)]),
        [[hookUid, true]],
      );
      const root = peer.add({ did: `did:ixo:household/${randomUUID()}`, region: "Lusaka" });
      const { path, init } = peer.call(root);
      assert.equal((await fetch(`${server.url}${path}`, init)).status, 202);
    }
    const uids = peers.map(({ assetUid }) => assetUid).sort();
    for (const path of ["kobo/connections", "keys"]) {
      const { items } = await call("GET", `/v1/${path}?limit=500`, undefined, 200);
      const names = (items as { name: string }[]).map(({ name }) => name.replace("Kobo: ", ""));
      assert.deepEqual(names.filter((name) => uids.includes(name)).sort(), uids, path);
    }
  } finally {
    for (const peer of peers) await peer.close();
  }
});
