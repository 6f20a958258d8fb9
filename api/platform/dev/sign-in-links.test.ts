import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openRegistryTest, type RegistryTest } from "../../../test/support/registry.ts";
import { readConfig } from "../../config.ts";
import { signInLinkFile } from "./index.ts";

describe("the demo's links on the sign-in page", () => {
  let api: RegistryTest;
  const links: { role: string; url: string }[] = [];
  before(async () => {
    api = await openRegistryTest({ PUBLIC_URL: "http://localhost:3000" });
    for (const role of ["regulator", "evaluator"]) {
      const { body } = await api.admin("POST", "/invitations", { key: { role, name: role } });
      links.push({ role, url: (body as { url: string }).url });
    }
    const file = signInLinkFile(api.deps.config.dataDir);
    await mkdir(join(file, ".."), { recursive: true });
    await writeFile(file, JSON.stringify({ links }));
  });
  after(() => api.close());

  const ask = async (headers: Record<string, string> = {}) => {
    // The tests' chain runs apart, so the configuration says what npm start would.
    Object.assign(api.deps.config, { isOwnMachine: true });
    const own = { host: "localhost:3000", ...headers };
    return await api.app.request("http://localhost:3000/v1/dev/sign-in-links", { headers: own });
  };

  it("are given to this site's page without a key, and only while they are open", async () => {
    const answer = await ask({ "sec-fetch-site": "same-origin" });
    assert.equal(answer.status, 200);
    assert.deepEqual(await answer.json(), { links });
    assert.equal(answer.headers.get("cache-control"), "no-store");
    const { body } = await api.admin("GET", "/invitations");
    const [newest] = (body as { items: { id: string }[] }).items;
    await api.admin("DELETE", `/invitations/${newest?.id}`);
    assert.deepEqual(await (await ask()).json(), { links: links.slice(0, 1) });
  });

  it("are hidden from other sites, from other names of this machine, and behind a proxy", async () => {
    const foreign: Record<string, string>[] = [
      { origin: "https://evil.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { host: "evil.example:3000" },
      { host: "localhost.evil.example" },
      { "x-forwarded-for": "10.0.0.1" },
      { forwarded: "for=10.0.0.1" },
      { via: "1.1 proxy" },
    ];
    for (const headers of foreign) {
      assert.equal((await ask(headers)).status, 404, JSON.stringify(headers));
    }
  });

  it("are hidden where anything runs elsewhere, or others can reach the system", async () => {
    const isOwn = (env: Record<string, string>) => readConfig(env).isOwnMachine;
    const key = `0x${"1".repeat(64)}`;
    const keys = { RELAYER_KEY: key, REGISTRAR_KEY: key, EVALUATOR_KEY: key, SCHEME_KEY: key };
    assert.equal(isOwn({}), true);
    assert.equal(isOwn({ HOST: "localhost", PORT: "4000" }), true);
    const outside: Record<string, string>[] = [
      { HOST: "0.0.0.0" },
      { HOST: "::" },
      { HOST: "192.168.1.7" },
      { PUBLIC_URL: "https://hearth.example" },
      { PUBLIC_URL_ALIASES: "https://hearth.example" },
      { TRUST_PROXY: "1" },
      { DATABASE_URL: "postgres://user:secret@db.example/hearth" },
      { INDEXER_URL: "https://index.example" },
      { INDEXER_DATABASE_URL: "postgres://user:secret@db.example/index" },
      {
        RPC_URL: "https://rpc.example",
        CHAIN_ID: "42220",
        DEPLOYMENT: "/deployment.json",
        ALLOW_PLAIN_KEY: "1",
        ...keys,
      },
    ];
    for (const env of outside) {
      assert.equal(isOwn(env), false, JSON.stringify(env));
    }
    Object.assign(api.deps.config, { isOwnMachine: false });
    const hidden = await api.app.request("http://localhost:3000/v1/dev/sign-in-links", {
      headers: { host: "localhost:3000" },
    });
    assert.equal(hidden.status, 404);
  });
});
