import assert from "node:assert/strict";
import { it } from "node:test";
import { listen, openTestHttp } from "../../../test/support/files/http.ts";
import { openAgent } from "../../../test/support/files/mcp.ts";
import { mintToken } from "../../platform/ucan/index.ts";
import { generateKey } from "../../platform/ucan/mint.ts";

const agents = 200;
const rounds = process.env.HEARTH_LONG === "1" ? 10 : 1;

it(`never mixes ${agents} agents of as many namespaces that use equal message ids concurrently`, async () => {
  const http = await openTestHttp();
  const server = await listen(http.app);
  try {
    const audience = http.deps.files.identity.did;
    const work = Array.from({ length: agents }, async (_, index) => {
      const issuer = await generateKey();
      // Every client counts its message ids from 0.
      const agent = await openAgent(server.url, `Bearer ${await mintToken({ issuer, audience, abilities: ["fs/*"] })}`);
      const path = "/mine.txt";
      const { body } = await agent.call("vfs_write", { path, content: `agent ${index}` });
      assert.equal(body.namespace, issuer.did());
      for (let round = 0; round < rounds; round += 1) {
        const [read, listed] = await Promise.all([agent.call("vfs_read", { path }), agent.call("vfs_list")]);
        assert.equal(read.body.text, `     1\tagent ${index}`);
        assert.deepEqual(
          (listed.body.items as { namespace: string }[]).map(({ namespace }) => namespace),
          [issuer.did()],
        );
      }
      await agent.close();
    });
    await Promise.all(work);
  } finally {
    await server.close();
    await http.close();
  }
});
