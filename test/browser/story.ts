import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { runCommand } from "../../scripts/run-command.ts";
import { type Stack, stackAdminKey } from "../support/stack.ts";

/** Ids of the example scheme. */
export type StoryIds = {
  certificate: string;
  block: string;
  uniqueId: string;
  campaign: string;
  redemption: string;
  /** What the demo printed. */
  output: string;
};

const stories = new WeakMap<Stack, Promise<StoryIds>>();

/**
 * Make an example scheme with real requests, once in each system: households, certificates, vouchers, payments, a campaign, ITMOs.
 */
export function tellTheStory(stack: Stack): Promise<StoryIds> {
  const told = stories.get(stack) ?? tell(stack);
  stories.set(stack, told);
  return told;
}

async function tell(stack: Stack): Promise<StoryIds> {
  const { code, output } = await runCommand(process.execPath, ["scripts/demo.ts"], {
    env: {
      PORT: new URL(stack.url).port,
      INDEXER_PORT: new URL(stack.indexerUrl).port,
      CHAIN_PORT: new URL(stack.rpcUrl).port,
      DATA_DIR: stack.dataDir,
      ADMIN_API_KEY: stackAdminKey,
    },
    quiet: true,
  });
  assert.equal(code, 0, output);
  return { ...(await idsOf(stack)), output };
}

/** Read the ids from the index, when it has the last event. */
async function idsOf(stack: Stack): Promise<Omit<StoryIds, "output">> {
  const query = `{ itmoBlocks(limit: 1, where: { status: "used-for-ndc" }) { items { publicId uniqueId } }
    campaigns(limit: 1) { items { campaignId } } certificates(limit: 1) { items { certificateId } }
    redemptions(limit: 1) { items { publicId } } }`;
  for (const until = Date.now() + 60_000; Date.now() < until; await sleep(200)) {
    const { body } = await stack.call("POST", "/graphql", { query });
    const lists = body.data as Record<string, { items: Record<string, string>[] }>;
    const { itmoBlocks, campaigns, certificates, redemptions } = lists;
    const [block, campaign, certificate, redemption] = [itmoBlocks, campaigns, certificates, redemptions].map(
      (list) => list?.items[0],
    );
    if (!block || !campaign || !certificate || !redemption) continue;
    return {
      certificate: String(certificate.certificateId),
      block: String(block.publicId),
      uniqueId: String(block.uniqueId),
      campaign: String(campaign.campaignId),
      redemption: String(redemption.publicId),
    };
  }
  throw new Error("The index did not take the story in.");
}
