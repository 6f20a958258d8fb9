import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { it } from "node:test";
import { promisify } from "node:util";
import { echoAgent, openTestOracle } from "../../test/support/oracle/oracle.ts";
import { readAll } from "../../test/support/oracle/streams.ts";
import { identityRoutes } from "../platform/identity/routes.ts";

it("docs/oracle.md mints a token that opens a conversation", async () => {
  const oracle = await openTestOracle(echoAgent);
  oracle.app.route("/", identityRoutes(oracle.identity));
  try {
    const page = await readFile(new URL("../../docs/oracle.md", import.meta.url), "utf8");
    const program = /cat > token\.mjs <<'END'\n([\s\S]*?)\nEND\n/.exec(page)?.[1];
    assert.ok(program !== undefined);
    const minted = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], {
      env: { ...process.env, PORT: new URL(oracle.url).port },
    });
    const headers = { authorization: `Bearer ${minted.stdout.trim()}`, "x-auth-type": "ucan" };
    const made = await fetch(`${oracle.url}/sessions`, { method: "POST", headers });
    const { sessionId } = (await made.json()) as { sessionId: string };
    const body = JSON.stringify({ message: "Hello", stream: true });
    const frames = await readAll(await fetch(`${oracle.url}/messages/${sessionId}`, { method: "POST", headers, body }));
    assert.equal(frames.at(-1)?.event, "done");
  } finally {
    await oracle.close();
  }
});
