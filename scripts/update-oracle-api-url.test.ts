import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { registrationWarning } from "../api/oracle/index.ts";
import { createTestWorld, type TestWorld } from "../test/support/chain.ts";
import { openPaidOracle, type PaidOracle } from "../test/support/oracle/payments.ts";

const run = promisify(execFile);

describe("update-oracle-api-url", () => {
  let world: TestWorld;
  let oracle: PaidOracle;
  before(async () => {
    world = await createTestWorld();
    oracle = await openPaidOracle(world);
  });
  after(async () => {
    await oracle?.close();
    await world?.close();
  });
  const update = (args: string[], env: Record<string, string> = {}) => {
    const own = { DATA_DIR: world.dataDir, CHAIN_PORT: `${world.anvil.port}`, PUBLIC_URL: "http://localhost:3000" };
    return run(process.execPath, ["scripts/update-oracle-api-url.ts", ...args], {
      env: { ...process.env, ...own, ...env },
    });
  };
  const registered = async () => {
    const { apiUrl, wsUrl } = (await oracle.deps.oracle.payments.terms.refresh()) ?? {};
    return [apiUrl, wsUrl];
  };
  const refusal = async (args: string[], env?: Record<string, string>, expectedCode = 1) => {
    const ended = await update(args, env).catch((error: { stderr: string; code: number }) => error);
    const { stderr, code } = { code: 0, ...ended };
    assert.equal(code, expectedCode);
    return stderr;
  };

  it("changes the registered URLs with the key that the first start kept", async () => {
    assert.deepEqual(await registered(), ["http://localhost:3000", ""]);
    const { stdout } = await update(["--did", oracle.did, "--url", "https://oracle.example/"]);
    assert.match(stdout, /http:\/\/localhost:3000 → https:\/\/oracle\.example\n/);
    assert.deepEqual(await registered(), ["https://oracle.example", ""]);
    await update(["--url", "https://oracle.example", "--ws-url", "wss://sockets.example"]);
    assert.deepEqual(await registered(), ["https://oracle.example", "wss://sockets.example"]);
  });

  it("uses this system's own oracle and URL by default", async () => {
    await update([]);
    assert.deepEqual(await registered(), ["http://localhost:3000", "wss://sockets.example"]);
    assert.match((await update(["--help"])).stdout, /--did <did>/);
  });

  it("refuses an invalid URL, an unknown oracle, and a key of another owner, each in a sentence", async () => {
    assert.match(await refusal(["--url", "nowhere"]), /^--url is not a URL: nowhere\n$/);
    assert.match(await refusal(["--did", "did:web:elsewhere"]), /did:web:elsewhere is not registered/);
    assert.match(await refusal([], { ORACLE_OWNER_KEY: "1".repeat(64) }), /The oracle belongs to 0x/);
    assert.match(await refusal([], { CHAIN_PORT: "1" }), /does not answer .*npm start/);
    assert.match(await refusal(["--what"], {}, 2), /Unknown option '--what'/);
    assert.deepEqual(await registered(), ["http://localhost:3000", "wss://sockets.example"]);
  });
});

describe("the boot line about the registered URL", () => {
  const own = { publicUrl: "http://127.0.0.1:3000", port: 3000, did: "did:web:o" };

  it("is printed when the registry names another address, with both ways to change that", () => {
    const line = registrationWarning({ apiUrl: "http://localhost:4000" }, own) ?? "";
    assert.match(
      line,
      /^\[boot\] oracle: it listens on :3000, but the registry on chain names http:\/\/localhost:4000\. .* PORT=4000, or run/,
    );
    assert.match(line, /npm run update-oracle-api-url -- --did did:web:o --url http:\/\/localhost:3000$/);
    const behind = { ...own, publicUrl: "https://oracle.example" };
    assert.match(
      registrationWarning({ apiUrl: "http://localhost:4000" }, behind) ?? "",
      /--url https:\/\/oracle\.example$/,
    );
  });

  it("is not printed when they agree", () => {
    assert.equal(registrationWarning({ apiUrl: "http://localhost:4000" }, { ...own, port: 4000 }), undefined);
    const behind = { ...own, publicUrl: "https://oracle.example" };
    assert.equal(registrationWarning({ apiUrl: "https://oracle.example/" }, behind), undefined);
  });
});
