import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { startEmbeddedChain } from "../../scripts/embedded-chain.ts";
import { startAnvil } from "../support/anvil.ts";
import { freePorts } from "../support/ports.ts";

/** More than anvil keeps in memory by default. */
const blocks = "0x5dc";

describe("a chain that is killed", () => {
  const folder = mkdtempSync(join(tmpdir(), "hearth-states-"));
  const home = join(folder, "home");
  const realHome = process.env.HOME;

  before(() => {
    mkdirSync(home);
    process.env.HOME = home;
  });
  after(() => {
    process.env.HOME = realHome;
    rmSync(folder, { recursive: true, force: true });
  });

  const filesAtHome = () => readdirSync(home, { recursive: true });

  test("of a test leaves no state in the home folder", async () => {
    const anvil = await startAnvil({ blockSeconds: 60 });
    await anvil.rpc("anvil_mine", [blocks]);
    await anvil.stop("SIGKILL");
    assert.deepEqual(filesAtHome(), []);
  });

  test("of npm start leaves no state in the home folder", async () => {
    const [port = 0] = await freePorts(1);
    const chain = await startEmbeddedChain({ folder: join(folder, "chain"), port, logFile: join(folder, "chain.log") });
    await chain.rpc("anvil_mine", [blocks]);
    process.kill(-chain.pid, "SIGKILL");
    await chain.died;
    assert.deepEqual(filesAtHome(), []);
  });
});
