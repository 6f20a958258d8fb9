import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { testAdminKey } from "../../../test/support/core.ts";
import { placeDatabase } from "../../../test/support/database.ts";
import { readConfig } from "../../config.ts";
import { createLog } from "../log.ts";
import { createBaseApp, mount } from "../server/base-app.ts";
import { openCoreDeps } from "../server/core.ts";
import { accessTokenHash } from "./dpop.ts";
import { keyRoutes } from "./routes.ts";
import type { CreatedApiKey } from "./schemas.ts";

const url = "http://127.0.0.1:3000/v1/keys";

/** The embedded default in a folder, as one process after another opens it. */
async function openOn(dataDir: string) {
  const config = readConfig({ DATA_DIR: dataDir, ADMIN_API_KEY: testAdminKey, LOG_LEVEL: "silent" });
  const { deps, close } = await openCoreDeps(config, createLog(config));
  const app = createBaseApp(deps);
  mount(app, keyRoutes(deps));
  return { app, close };
}

test("refuses a used proof after a restart, even one dated ahead, and accepts an unused one", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "hearth-proofs-"));
  await placeDatabase(dataDir);
  try {
    const { publicKey, privateKey } = await generateKeyPair("ES256");
    const publicJwk = await exportJWK(publicKey);
    const first = await openOn(dataDir);
    const body = JSON.stringify({ name: "test", role: "supplier", supplierDid: "did:x:y", publicJwk });
    const created = await first.app.request(url, {
      method: "POST",
      body,
      headers: { authorization: `Bearer ${testAdminKey}` },
    });
    const { key } = (await created.json()) as CreatedApiKey;
    const prove = (ahead: number) =>
      new SignJWT({
        htm: "GET",
        htu: url,
        iat: Math.floor(Date.now() / 1000) + ahead,
        jti: randomUUID(),
        ath: accessTokenHash(key),
      })
        .setProtectedHeader({ typ: "dpop+jwt", alg: "ES256", jwk: publicJwk })
        .sign(privateKey);
    const proofs = await Promise.all([0, 50].map(prove));
    const unused = await prove(-1);
    const statusOf = async (app: typeof first.app, dpop: string) =>
      (await app.request(url, { headers: { authorization: `Bearer ${key}`, dpop } })).status;
    // 403: known, and not an admin.
    for (const proof of proofs) assert.equal(await statusOf(first.app, proof), 403);
    await first.close();

    const second = await openOn(dataDir);
    for (const proof of proofs) assert.equal(await statusOf(second.app, proof), 401);
    assert.equal(await statusOf(second.app, unused), 403);
    await second.close();
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});
