import { expect } from "chai";
import { encodeAbiParameters, type Hex, keccak256, zeroHash } from "viem";
import * as S from "../scheme.ts";
import {
  type CampaignScheme,
  campaignCalls,
  campaignOf,
  frames,
  loadCampaigns,
  reference,
  State,
} from "../support/campaigns.ts";

const { networkHelpers, viem } = S.connection;
/** Where EIP-2935 keeps the hashes of past blocks. */
const HISTORY = "0x0000F90827F1C53a10cb7A02335B175320002935";

const seedOf = (blockHash: Hex, campaign = 1) =>
  keccak256(
    encodeAbiParameters(
      [{ type: "bytes32" }, { type: "uint32" }, { type: "bytes32" }, { type: "bytes32" }],
      [blockHash, campaign, frames.reference.root, frames.intervention.root],
    ),
  );

describe("Campaigns: commitment and draw", () => {
  let s: CampaignScheme;
  let c: ReturnType<typeof campaignCalls>;

  beforeEach(async () => {
    s = await loadCampaigns();
    c = campaignCalls(s);
  });

  const height = async () => (await viem.getPublicClient()).getBlockNumber({ cacheTime: 0 });
  const blockHash = async (blockNumber: bigint) =>
    (await (await viem.getPublicClient()).getBlock({ blockNumber })).hash as Hex;

  describe("commit", () => {
    it("keeps the frames, to be drawn by the second block after", async () => {
      const drawBlock = (await height()) + 3n;
      await c.tells(c.commit(), "CampaignCommitted", [1, 1, campaignOf(), drawBlock]);
      expect(await c.of()).to.deep.equal({
        plan: 1,
        startDay: 20_000,
        endDay: 20_030,
        sampleSize: 3,
        status: State.Committed,
        drawBlock,
        seed: zeroHash,
        referenceFrame: frames.reference,
        interventionFrame: frames.intervention,
        drawnTo: [0, 0],
        referenceClaims: 0,
        interventionClaims: 0,
        openPositions: 0,
        missing: [0, 0],
        termsVersion: 1,
        resultHash: zeroHash,
        certificate: 0,
      });
      await c.commit({ campaignId: "another" });
      expect(await s.campaigns.read.campaignCount()).to.equal(2);
      expect(await s.campaigns.read.campaignIndex([S.hashOf("another")])).to.equal(2);
      expect(await s.campaigns.read.campaignIndex([S.hashOf("unknown")])).to.equal(0);
      expect((await c.of(3)).status).to.equal(State.None);
    });

    it("refuses anybody but an operator", async () => {
      await c.missing(c.commit({}, s.registrar), s.registrar, S.Role.operator);
      await c.missing(c.commit({}, s.stranger), s.stranger, S.Role.operator);
    });

    it("refuses an id that is empty or taken, and a plan that nobody registered", async () => {
      await c.refuses(c.commit({ campaignId: "" }), "EmptyCampaignId", []);
      await S.reverts(c.commit({ plan: 2 }), s.participants, "UnknownPlan", [2]);
      await c.commit({ plan: 0 });
      await c.refuses(c.commit({ sampleSize: 1 }), "CampaignExists", [S.hashOf("KPT-2026-dry"), 1]);
      expect(await s.campaigns.read.campaignCount()).to.equal(1);
    });

    it("takes a period of one day, and none that ends before it starts", async () => {
      await c.refuses(c.commit({ endDay: 19_999 }), "CampaignPeriodInvalid", [20_000, 19_999]);
      await c.commit({ endDay: 20_000 });
    });

    it("refuses a frame that is none", async () => {
      const root = S.hashOf("root");
      for (const [group, name] of ["referenceFrame", "interventionFrame"].entries()) {
        for (const frame of [
          { root: zeroHash, size: 5 },
          { root, size: 0 },
          { root, size: 2 ** 31 },
        ])
          await c.refuses(c.commit({ [name]: frame }), "FrameInvalid", [group, frame.root, frame.size]);
      }
      await c.refuses(c.commit({ interventionFrame: frames.reference }), "FramesEqual", [frames.reference.root]);
      await c.commit({ interventionFrame: { root, size: 2 ** 31 - 1 } });
    });

    it("refuses an empty sample and one that a frame cannot give", async () => {
      await c.refuses(c.commit({ sampleSize: 0 }), "SampleSizeInvalid", [0, 5]);
      await c.refuses(c.commit({ sampleSize: 6 }), "SampleSizeInvalid", [6, 5]);
      const swapped = { referenceFrame: frames.intervention, interventionFrame: frames.reference };
      await c.refuses(c.commit({ sampleSize: 6, ...swapped }), "SampleSizeInvalid", [6, 5]);
      await c.commit({ sampleSize: 5 });
    });
  });

  describe("amend", () => {
    it("replaces the terms by a new version, with its reason, until the draw", async () => {
      await c.commit();
      const told = [1, 2, '{"season":"wet"}', "the rains came early"];
      await c.tells(c.amend(), "CampaignAmended", told);
      await c.amend("{}", "x".repeat(256));
      expect((await c.of()).termsVersion).to.equal(3);
      await networkHelpers.mine(2);
      await c.draw();
      await c.refuses(c.amend(), "CampaignStatusNotAllowed", [1, State.Drawn]);
      await c.finish();
      await c.refuses(c.amend(), "CampaignStatusNotAllowed", [1, State.Closed]);
      expect((await c.of()).termsVersion).to.equal(3);
    });

    it("refuses anybody but an operator, an unknown campaign, and a reason out of bounds", async () => {
      await c.refuses(c.amend(), "UnknownCampaign", [1]);
      await c.commit();
      await c.missing(c.amend("{}", "why", s.registrar), s.registrar, S.Role.operator);
      await c.refuses(c.amend("{}", ""), "ReasonInvalid", [0n, 256n]);
      await c.refuses(c.amend("{}", "x".repeat(257)), "ReasonInvalid", [257n, 256n]);
    });
  });

  describe("abandon", () => {
    it("ends a campaign for ever, drawn or not", async () => {
      await c.drawn();
      await c.commit({ campaignId: "another" });
      for (const campaign of [1, 2]) {
        await c.tells(c.abandon(campaign), "CampaignAbandoned", [campaign, "no funds"]);
        expect((await c.of(campaign)).status).to.equal(State.Abandoned);
      }
      await networkHelpers.mine(2);
      const ended = [1, State.Abandoned];
      await c.refuses(c.draw(1), "CampaignStatusNotAllowed", ended);
      await c.refuses(c.draw(2), "CampaignStatusNotAllowed", [2, State.Abandoned]);
      await c.refuses(c.amend(), "CampaignStatusNotAllowed", ended);
      await c.refuses(c.replace(0, 0), "CampaignStatusNotAllowed", ended);
      await c.refuses(c.record(reference(0)), "CampaignStatusNotAllowed", ended);
      await c.refuses(c.close(), "CampaignStatusNotAllowed", ended);
      await c.refuses(c.abandon(), "CampaignStatusNotAllowed", ended);
    });

    it("refuses anybody but an operator, an unknown campaign, a closed one, and a reason out of bounds", async () => {
      await c.refuses(c.abandon(), "UnknownCampaign", [1]);
      await c.drawn();
      await c.missing(c.abandon(1, "no funds", s.evaluator), s.evaluator, S.Role.operator);
      await c.refuses(c.abandon(1, ""), "ReasonInvalid", [0n, 256n]);
      await c.refuses(c.abandon(1, "x".repeat(257)), "ReasonInvalid", [257n, 256n]);
      await c.finish();
      await c.refuses(c.abandon(), "CampaignStatusNotAllowed", [1, State.Closed]);
    });
  });

  describe("draw", () => {
    it("draws by the hash of its block, whoever asks and however late in reach", async () => {
      await c.commit();
      const { drawBlock } = await c.of();
      await networkHelpers.mine(250);
      const found = await blockHash(drawBlock);
      await c.tells(c.draw(), "CampaignDrawn", [1, drawBlock, found, seedOf(found)]);
      const drawn = await c.of();
      expect([drawn.status, drawn.seed, drawn.drawBlock]).to.deep.equal([State.Drawn, seedOf(found), drawBlock]);
      expect(drawn.drawnTo).to.deep.equal([3, 3]);
    });

    it("draws in the block right after, and not a block before", async () => {
      await c.commit();
      const { drawBlock } = await c.of();
      for (let left = 2; left > 0; left--) {
        await c.refuses(c.draw(), "DrawTooEarly", [1, drawBlock]);
        await networkHelpers.mine();
      }
      expect(await height()).to.equal(drawBlock);
      await c.draw();
      expect((await c.of()).seed).to.equal(seedOf(await blockHash(drawBlock)));
    });

    it("gives two campaigns of one block and the same frames seeds of their own", async () => {
      await s.campaigns.write.commit([campaignOf()], { account: s.operator.account });
      await c.commit({ campaignId: "another" });
      await networkHelpers.mine(3);
      await c.draw(1);
      await c.draw(2);
      expect((await c.of(2)).seed).to.equal(seedOf(await blockHash((await c.of(2)).drawBlock), 2));
      expect((await c.of(1)).seed).not.to.equal((await c.of(2)).seed);
    });

    it("refuses a second draw, and a campaign that there is not", async () => {
      await c.refuses(c.draw(1), "UnknownCampaign", [1]);
      await c.drawn();
      const { seed } = await c.of();
      await c.refuses(c.draw(), "CampaignStatusNotAllowed", [1, State.Drawn]);
      await c.finish();
      await c.refuses(c.draw(), "CampaignStatusNotAllowed", [1, State.Closed]);
      expect((await c.of()).seed).to.equal(seed);
    });

    it("is postponed for everyone to see when the hash is out of reach, and then draws by the later block", async () => {
      await c.commit();
      await networkHelpers.mine(8_200);
      const later = (await height()) + 3n;
      await c.tells(c.draw(), "DrawPostponed", [1, later]);
      const postponed = await c.of();
      expect([postponed.status, postponed.seed, postponed.drawBlock]).to.deep.equal([State.Committed, zeroHash, later]);
      await c.refuses(c.draw(), "DrawTooEarly", [1, later]);
      await networkHelpers.mine(2);
      await c.draw();
      expect((await c.of()).seed).to.equal(seedOf(await blockHash(later)));
    });

    it("draws by the opcode for as long as that reaches, on a chain that keeps no history", async () => {
      await networkHelpers.setCode(HISTORY, "0x");
      await c.commit();
      await c.commit({ campaignId: "another" });
      const { drawBlock } = await c.of();
      // The drawing block is the last one that sees it, 256 later; then one that does not.
      await networkHelpers.mineUpTo(drawBlock + 255n);
      await c.draw();
      expect((await c.of()).seed).to.equal(seedOf(await blockHash(drawBlock)));
      await networkHelpers.mine();
      await c.draw(2);
      expect((await c.of(2)).status).to.equal(State.Committed);
    });

    it("believes the chain's history before the opcode, and no answer that is not one word", async () => {
      const told = S.hashOf("history");
      // PUSH32 told, PUSH0 MSTORE, PUSH1 32 PUSH0 RETURN; then the same with 64 bytes.
      const answer = (bytes: string): Hex => `0x7f${told.slice(2)}5f5260${bytes}5ff3`;
      await networkHelpers.setCode(HISTORY, answer("20"));
      await c.drawn();
      expect((await c.of()).seed).to.equal(seedOf(told));
      await networkHelpers.setCode(HISTORY, answer("40"));
      await c.commit({ campaignId: "another" });
      await networkHelpers.mine(2);
      await c.draw(2);
      expect((await c.of(2)).seed).to.equal(seedOf(await blockHash((await c.of(2)).drawBlock), 2));
    });
  });
});
