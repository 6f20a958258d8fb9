import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { createTestWorld, type TestWorld } from "../../test/support/chain.ts";
import {
  echoAgent,
  mintOracleToken,
  newTestUser,
  openTestOracle,
  type TestOracle,
} from "../../test/support/oracle/oracle.ts";
import { openPaidOracle, type PaidOracle } from "../../test/support/oracle/payments.ts";
import { connect, socketOf } from "../../test/support/oracle/streams.ts";
import { startPostgres, type TestPostgres } from "../../test/support/postgres.ts";
import { generateKey, mintToken } from "../platform/ucan/mint.ts";

describe("a token of somebody whose DID names an address", () => {
  /** Something else that listens on this machine. */
  let neighbour: Server;
  let asked: string[] = [];
  let world: TestWorld;
  before(async () => {
    world = await createTestWorld();
    neighbour = createServer((request, response) => {
      asked.push(request.url ?? "");
      response.end("{}");
    });
    await new Promise<void>((resolve) => neighbour.listen(0, "127.0.0.1", resolve));
  });
  after(async () => {
    neighbour?.close();
    await world?.close();
  });

  async function knock(oracle: PaidOracle): Promise<void> {
    const { port } = neighbour.address() as AddressInfo;
    const key = await generateKey();
    for (const host of ["localhost", "127.0.0.1"]) {
      const issuer = key.withDID(`did:web:${host}%3A${port}`);
      const token = await mintOracleToken({ issuer, audience: oracle.did });
      const files = await mintToken({ issuer, audience: oracle.did, abilities: ["fs/read"], path: "/" });
      const bearer = { authorization: `Bearer ${token}`, "x-auth-type": "ucan" };
      assert.equal((await fetch(`${oracle.url}/sessions`, { headers: bearer })).status, 401);
      assert.equal((await fetch(`${oracle.url}/sessions`, { headers: { "x-ucan-delegation": token } })).status, 401);
      const read = await fetch(`${oracle.url}/api/fs/list`, { headers: { authorization: `Bearer ${files}` } });
      assert.ok(read.status >= 400 && read.status < 500, `${read.status}`);
      const socket = socketOf(oracle, "$s:none", { invocation: token });
      assert.match((await connect(socket)) ?? "", /^Unauthorized/);
      socket.disconnect();
    }
  }

  for (const [name, env, reaches] of [
    ["a server that others can reach", { HOST: "0.0.0.0" }, false],
    ["a server behind a proxy", { TRUST_PROXY: "1" }, false],
    ["the embedded server, for this machine alone", {}, true],
  ] as const) {
    it(`makes ${name} ask ${reaches ? "its neighbours" : "nothing of its neighbours"}`, async () => {
      asked = [];
      const oracle = await openPaidOracle(world, env);
      try {
        await knock(oracle);
      } finally {
        await oracle.close();
      }
      assert.equal(asked.length > 0, reaches);
    });
  }
});

for (const kind of ["the embedded database", "PostgreSQL"] as const) floodTests(kind);

function floodTests(kind: "the embedded database" | "PostgreSQL"): void {
  describe(`a flood of new users from one address, on ${kind}`, () => {
    let postgres: TestPostgres | undefined;
    let env: Record<string, string>;
    let oracle: TestOracle;
    before(async () => {
      env = { ORACLE_NEW_USERS_PER_MINUTE: "3", SERVICE_KEY: "5".repeat(64) };
      if (kind === "PostgreSQL") {
        postgres = await startPostgres();
        env.DATABASE_URL = await postgres.createDatabase();
      }
      oracle = await openTestOracle(echoAgent, env);
    });
    after(async () => {
      await oracle?.close();
      await postgres?.stop();
    });

    it("meets a limit, over HTTP and sockets, that those who are known do not feel", async () => {
      const [known, ...others] = await Promise.all([1, 2, 3].map(() => newTestUser(oracle)));
      const session = (await known?.session()) ?? "";
      for (const user of others) assert.equal((await user.call("GET", "/sessions")).status, 200);
      const late = await newTestUser(oracle);
      const refused = await late.call("GET", "/sessions");
      assert.equal(refused.status, 429);
      assert.match(((await refused.json()) as { message: string }).message, /3 new users per minute/);
      assert.ok(Number(refused.headers.get("retry-after")) > 0);
      const withDelegation = await fetch(`${oracle.url}/sessions`, {
        headers: { "x-ucan-delegation": late.invocation },
      });
      assert.equal(withDelegation.status, 429);
      const socket = socketOf(oracle, session, { invocation: late.invocation });
      assert.match((await connect(socket)) ?? "", /3 new users per minute/);
      socket.disconnect();
      const own = socketOf(oracle, session, { invocation: known?.invocation ?? "" });
      assert.equal(await connect(own), undefined);
      own.disconnect();
      // A new token of a known user is none of a new user.
      assert.ok(known);
      const again = await mintOracleToken({ issuer: known.key, audience: oracle.did });
      const headers = { authorization: `Bearer ${again}`, "x-auth-type": "ucan" };
      assert.equal((await fetch(`${oracle.url}/sessions`, { headers })).status, 200);
    });

    if (kind !== "PostgreSQL") return;

    it("meets one limit at all the servers of a database", async () => {
      const second = await openTestOracle(echoAgent, env);
      try {
        const late = await newTestUser(second);
        assert.equal((await late.call("GET", "/sessions")).status, 429);
      } finally {
        await second.close();
      }
    });
  });
}
