import { expect } from "chai";
import { encodeAbiParameters, type Hex, keccak256, parseAbiParameters, zeroAddress, zeroHash } from "viem";
import { drawParty } from "../../../wire/src/typed-data.ts";
import * as S from "../scheme.ts";
import {
  type CampaignScheme,
  campaignCalls,
  campaignOf,
  commitmentOf,
  Discard,
  frames,
  loadCampaigns,
  reference,
  State,
  secrets,
} from "../support/campaigns.ts";

const { networkHelpers, viem } = S.connection;
/** Where EIP-2935 keeps the hashes of past blocks. */
const HISTORY = "0x0000F90827F1C53a10cb7A02335B175320002935";

const seedTypes = parseAbiParameters("bytes32, uint32, bytes32, bytes32, bytes32, bytes32");
const seedOf = (blockHash: Hex, campaign = 1, partySecret = secrets.party) => {
  const roots = [frames.reference.root, frames.intervention.root] as const;
  return keccak256(encodeAbiParameters(seedTypes, [blockHash, campaign, ...roots, secrets.operator, partySecret]));
};

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
    it("keeps the frames, with a draw that is not open", async () => {
      await c.tells(c.commit(), "CampaignCommitted", [1, 1, campaignOf()]);
      expect(await c.of()).to.deep.equal({
        plan: 1,
        startDay: 20_000,
        endDay: 20_030,
        sampleSize: 3,
        status: State.Committed,
        drawBlock: 0n,
        seed: zeroHash,
        referenceFrame: frames.reference,
        interventionFrame: frames.intervention,
        drawnTo: [0, 0],
        referenceClaims: 0,
        interventionClaims: 0,
        openPositions: 0,
        missing: [0, 0],
        termsVersion: 1,
        twoParties: false,
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
    it("replaces the terms by a new version, with its reason, until the draw is open", async () => {
      await c.commit();
      const told = [1, 2, '{"season":"wet"}', "the rains came early"];
      await c.tells(c.amend(), "CampaignAmended", told);
      await c.amend("{}", "x".repeat(256));
      expect((await c.of()).termsVersion).to.equal(3);
      await c.join();
      await c.amend("{}", "still closed");
      await c.open();
      await c.refuses(c.amend(), "DrawIsOpen", [1]);
      await networkHelpers.mine(2);
      await c.reveal();
      await c.refuses(c.amend(), "DrawIsOpen", [1]);
      await c.reveal(secrets.party);
      await c.refuses(c.amend(), "CampaignStatusNotAllowed", [1, State.Drawn]);
      await c.finish();
      await c.refuses(c.amend(), "CampaignStatusNotAllowed", [1, State.Closed]);
      expect((await c.of()).termsVersion).to.equal(4);
    });

    it("refuses anybody but an operator, an unknown campaign, and a reason out of bounds", async () => {
      await c.refuses(c.amend(), "UnknownCampaign", [1]);
      await c.commit();
      await c.missing(c.amend("{}", "why", s.registrar), s.registrar, S.Role.operator);
      await c.refuses(c.amend("{}", ""), "ReasonInvalid", [0n, 256n]);
      await c.refuses(c.amend("{}", "x".repeat(257)), "ReasonInvalid", [257n, 256n]);
    });
  });

  const operator = () => s.operator.account.address;
  const evaluator = () => s.evaluator.account.address;

  describe("abandon", () => {
    it("ends a campaign for ever, drawn or not", async () => {
      await c.drawn();
      await c.commit({ campaignId: "another" });
      for (const campaign of [1, 2]) {
        await c.tells(c.abandon(campaign), "CampaignAbandoned", [campaign, "no funds"]);
        expect((await c.of(campaign)).status).to.equal(State.Abandoned);
      }
      const ended = [1, State.Abandoned];
      await c.refuses(c.reveal(), "CampaignStatusNotAllowed", ended);
      for (const call of [c.join, c.open, c.postpone, c.repeat]) {
        await c.refuses(call(2), "CampaignStatusNotAllowed", [2, State.Abandoned]);
      }
      await c.refuses(c.amend(), "CampaignStatusNotAllowed", ended);
      await c.refuses(c.replace(0, 0), "CampaignStatusNotAllowed", ended);
      await c.refuses(c.record(reference(0)), "CampaignStatusNotAllowed", ended);
      await c.refuses(c.close(), "CampaignStatusNotAllowed", ended);
      await c.refuses(c.abandon(), "CampaignStatusNotAllowed", ended);
    });

    it("tells which draw is discarded: the seed of a known one, no seed of an open one, nothing before the opening", async () => {
      await c.drawn();
      const { drawBlock, seed } = await c.of();
      const known = [1, 0, Discard.CampaignAbandoned, operator(), evaluator(), drawBlock, seed];
      await c.tells(c.abandon(), "DrawDiscarded", known);
      await c.commit({ campaignId: "open" });
      await c.open(2);
      const open = [2, 0, Discard.CampaignAbandoned, operator(), zeroAddress, (await c.of(2)).drawBlock, zeroHash];
      await c.tells(c.abandon(2), "DrawDiscarded", open);
      await c.commit({ campaignId: "committed" });
      await c.join(3);
      await c.abandon(3);
      expect(await s.campaigns.getEvents.DrawDiscarded({ campaign: 3 }, { fromBlock: 0n })).to.deep.equal([]);
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

  const deadlineAfter = async () => (await networkHelpers.time.latest()) + 86_401;
  const passDay = () => networkHelpers.time.increase(86_401);

  describe("joinDraw", () => {
    it("keeps the commitment of a registrar, an evaluator or the guardian", async () => {
      for (const [i, party] of [s.registrar, s.evaluator, s.guardian].entries()) {
        const campaign = i + 1;
        await c.commit({ campaignId: `KPT-${i}` });
        const commitment = commitmentOf(secrets.party, party.account.address);
        await c.tells(c.join(campaign, party), "DrawJoined", [campaign, 0, party.account.address, commitment]);
        const draw = await s.campaigns.read.drawOf([campaign]);
        expect([draw.party.toLowerCase(), draw.partyCommitment]).to.deep.equal([party.account.address, commitment]);
        expect((await c.of(campaign)).drawBlock).to.equal(0n);
      }
    });

    it("refuses an operator, also with another role, an account without a role, and an empty commitment", async () => {
      await c.commit();
      for (const party of [s.operator, s.stranger]) {
        await c.refuses(c.join(1, party), "SecondPartyNotAllowed", [1, party.account.address]);
      }
      await s.participants.write.grantRole([S.Role.operator, evaluator(), 0]);
      await c.refuses(c.join(), "SecondPartyNotAllowed", [1, evaluator()]);
      const empty = s.campaigns.write.joinDraw([1, zeroHash], { account: s.registrar.account });
      await c.refuses(empty, "EmptyCommitment", [1]);
    });

    it("refuses a second one, one after the opening, and a campaign that is unknown or drawn", async () => {
      await c.refuses(c.join(), "UnknownCampaign", [1]);
      await c.commit();
      await c.join();
      await c.refuses(c.join(1, s.registrar), "DrawHasSecondParty", [1, evaluator()]);
      await c.commit({ campaignId: "another" });
      await c.open(2);
      await c.refuses(c.join(2), "DrawIsOpen", [2]);
      await c.drawn({ campaignId: "third" }, 3);
      await c.refuses(c.join(3), "CampaignStatusNotAllowed", [3, State.Drawn]);
    });
  });

  describe("joinDrawFor", () => {
    const signed = async (
      change: Partial<{ campaign: number; round: number; commitment: Hex }> = {},
      by = s.evaluator,
    ) => {
      const commitment = commitmentOf(secrets.party, by.account.address);
      const deadline = (await networkHelpers.time.latest()) + 1_000;
      const contract = {
        chainId: await (await viem.getPublicClient()).getChainId(),
        verifyingContract: s.campaigns.address,
      };
      const data = drawParty(contract, { campaign: 1, round: 0, commitment, deadline, ...change });
      const signature = await by.signTypedData(data as unknown as Parameters<typeof by.signTypedData>[0]);
      return [1, by.account.address, commitment, BigInt(deadline), signature] as const;
    };

    it("joins a party by its signature, from any sender", async () => {
      await c.commit();
      const order = await signed();
      const call = s.campaigns.write.joinDrawFor(order, { account: s.stranger.account });
      await c.tells(call, "DrawJoined", [1, 0, evaluator(), order[2]]);
    });

    it("refuses a signature of something else, of another, of no second party, and a late one", async () => {
      await c.commit();
      const join = (order: Awaited<ReturnType<typeof signed>>) =>
        s.campaigns.write.joinDrawFor(order, { account: s.stranger.account });
      const others = [{ campaign: 2 }, { round: 1 }, { commitment: S.hashOf("other") }];
      for (const change of others) {
        await c.refuses(join(await signed(change)), "DrawSignatureInvalid", [evaluator()]);
      }
      const [campaign, , commitment, deadline, signature] = await signed();
      const forged = [campaign, s.registrar.account.address, commitment, deadline, signature] as const;
      await c.refuses(join(forged), "DrawSignatureInvalid", [s.registrar.account.address]);
      await c.refuses(join(await signed({}, s.stranger)), "SecondPartyNotAllowed", [1, s.stranger.account.address]);
      const late = await signed();
      await networkHelpers.time.increaseTo(late[3] + 1n);
      await c.refuses(join(late), "DrawSignatureExpired", [late[3]]);
    });
  });

  describe("openDraw", () => {
    it("fixes the second block after, and a day to reveal", async () => {
      await c.commit();
      await c.join();
      const drawBlock = (await height()) + 3n;
      const deadline = BigInt(await deadlineAfter());
      await networkHelpers.time.setNextBlockTimestamp(deadline - 86_400n);
      const commitment = commitmentOf(secrets.operator, operator());
      await c.tells(c.open(), "DrawOpened", [1, 0, operator(), commitment, evaluator(), drawBlock, deadline]);
      expect((await c.of()).drawBlock).to.equal(drawBlock);
    });

    it("refuses anybody but an operator, an empty commitment, a second opening, and a campaign not committed", async () => {
      await c.refuses(c.open(), "UnknownCampaign", [1]);
      await c.commit();
      await c.missing(c.open(1, s.evaluator), s.evaluator, S.Role.operator);
      const empty = s.campaigns.write.openDraw([1, zeroHash], { account: s.operator.account });
      await c.refuses(empty, "EmptyCommitment", [1]);
      await c.open();
      await c.refuses(c.open(), "DrawIsOpen", [1]);
      await c.drawn({ campaignId: "another" }, 2);
      await c.refuses(c.open(2), "CampaignStatusNotAllowed", [2, State.Drawn]);
    });
  });

  describe("reveal", () => {
    it("draws by the hash of its block and both secrets, from any sender, in either order", async () => {
      const orders = [
        [secrets.operator, secrets.party],
        [secrets.party, secrets.operator],
      ] as const;
      for (const [i, [first, last]] of orders.entries()) {
        const campaign = i + 1;
        await c.commit({ campaignId: `KPT-${i}` });
        await c.join(campaign);
        await c.open(campaign);
        const { drawBlock } = await c.of(campaign);
        await networkHelpers.mine(2);
        const account = first === secrets.operator ? operator() : evaluator();
        await c.tells(c.reveal(first, campaign), "SecretRevealed", [campaign, 0, account, first]);
        expect((await c.of(campaign)).status).to.equal(State.Committed);
        const found = await blockHash(drawBlock);
        const seed = seedOf(found, campaign);
        await c.tells(c.reveal(last, campaign), "CampaignDrawn", [campaign, drawBlock, found, seed, true]);
        const drawn = await c.of(campaign);
        expect([drawn.status, drawn.seed, drawn.twoParties]).to.deep.equal([State.Drawn, seed, true]);
        expect(drawn.drawnTo).to.deep.equal([3, 3]);
      }
    });

    it("draws by the operator's secret alone when nobody joined, and says so", async () => {
      await c.commit();
      await c.open();
      const { drawBlock } = await c.of();
      await networkHelpers.mine(2);
      const found = await blockHash(drawBlock);
      const seed = seedOf(found, 1, zeroHash);
      await c.tells(c.reveal(), "CampaignDrawn", [1, drawBlock, found, seed, false]);
      expect((await c.of()).twoParties).to.equal(false);
      await c.finish();
      const certificate = await S.registerWhole(s, { plan: 1 });
      await c.refuses(c.certify(certificate), "DrawnByOneParty", [1]);
    });

    it("takes no secret before its block is over, and none that nobody committed to", async () => {
      await c.refuses(c.reveal(), "UnknownCampaign", [1]);
      await c.commit();
      await c.refuses(c.reveal(), "DrawNotOpen", [1]);
      await c.join();
      await c.open();
      const { drawBlock } = await c.of();
      for (let left = 2; left > 0; left--) {
        await c.refuses(c.reveal(), "DrawTooEarly", [1, drawBlock]);
        await networkHelpers.mine();
      }
      expect(await height()).to.equal(drawBlock);
      for (const wrong of [S.hashOf("other"), zeroHash]) await c.refuses(c.reveal(wrong), "SecretWrong", [1]);
      await c.reveal();
      await c.refuses(c.reveal(), "SecretAlreadyRevealed", [1, operator()]);
    });

    it("takes each secret once, and none after a day, or of a drawn campaign", async () => {
      await c.commit();
      await c.join();
      await c.open();
      await networkHelpers.mine(2);
      await c.reveal(secrets.party);
      await c.refuses(c.reveal(secrets.party), "SecretAlreadyRevealed", [1, evaluator()]);
      const { deadline } = await s.campaigns.read.drawOf([1]);
      await networkHelpers.time.increaseTo(deadline);
      await c.refuses(c.reveal(), "RevealOver", [1, deadline]);
      await c.drawn({ campaignId: "another" }, 2);
      await c.refuses(c.reveal(secrets.party, 2), "CampaignStatusNotAllowed", [2, State.Drawn]);
    });

    it("takes a commitment for nobody but the account that is in it", async () => {
      await c.commit();
      // The second party repeats the operator's commitment, as it saw it on its way.
      const copied = commitmentOf(secrets.operator, operator());
      await s.campaigns.write.joinDraw([1, copied], { account: s.evaluator.account });
      await c.open();
      await networkHelpers.mine(2);
      await c.reveal();
      await c.refuses(c.reveal(), "SecretAlreadyRevealed", [1, operator()]);
      expect((await c.of()).status).to.equal(State.Committed);
    });

    it("keeps its block's hash from the first secret on, however late the other one comes", async () => {
      await c.commit();
      await c.join();
      await c.open();
      const { drawBlock } = await c.of();
      const found = await blockHash(drawBlock).catch(() => undefined);
      expect(found).to.equal(undefined);
      await networkHelpers.mine(2);
      await c.reveal();
      const hash = await blockHash(drawBlock);
      await networkHelpers.mine(8_200, { interval: 1 });
      await c.refuses(c.postpone(), "DrawBlockNotLost", [1, drawBlock]);
      await c.reveal(secrets.party);
      expect((await c.of()).seed).to.equal(seedOf(hash));
    });

    it("gives two campaigns of one block and the same frames different seeds", async () => {
      await c.commit();
      await c.commit({ campaignId: "another" });
      await c.draw(1);
      await c.draw(2);
      expect((await c.of(1)).seed).not.to.equal((await c.of(2)).seed);
    });

    it("draws by the opcode for as long as that reaches, on a chain that keeps no history", async () => {
      await networkHelpers.setCode(HISTORY, "0x");
      await c.commit();
      await c.commit({ campaignId: "another" });
      await c.open();
      await c.open(2);
      const { drawBlock } = await c.of();
      await networkHelpers.mineUpTo(drawBlock + 255n);
      await c.reveal();
      expect((await c.of()).seed).to.equal(seedOf(await blockHash(drawBlock), 1, zeroHash));
      await networkHelpers.mine(2);
      await c.refuses(c.reveal(secrets.operator, 2), "DrawBlockLost", [2, drawBlock + 1n]);
    });

    it("believes the chain's history before the opcode, and no answer that is not one word", async () => {
      const told = S.hashOf("history");
      // PUSH32 told, PUSH0 MSTORE, PUSH1 32 PUSH0 RETURN; then the same with 64 bytes.
      const answer = (bytes: string): Hex => `0x7f${told.slice(2)}5f5260${bytes}5ff3`;
      await networkHelpers.setCode(HISTORY, answer("20"));
      await c.drawn();
      expect((await c.of()).seed).to.equal(seedOf(told));
      await networkHelpers.setCode(HISTORY, answer("40"));
      await c.drawn({ campaignId: "another" }, 2);
      expect((await c.of(2)).seed).to.equal(seedOf(await blockHash((await c.of(2)).drawBlock), 2));
    });
  });

  describe("postponeDraw", () => {
    it("sets a later block, with another day to reveal, when the hash went out of reach", async () => {
      await c.commit();
      await c.join();
      await c.open();
      await networkHelpers.mine(8_200, { interval: 1 });
      await c.refuses(c.reveal(), "DrawBlockLost", [1, (await c.of()).drawBlock]);
      const later = (await height()) + 3n;
      const deadline = BigInt(await deadlineAfter());
      await networkHelpers.time.setNextBlockTimestamp(deadline - 86_400n);
      await c.tells(c.postpone(), "DrawPostponed", [1, later, deadline]);
      expect((await c.of()).drawBlock).to.equal(later);
      await c.refuses(c.reveal(), "DrawTooEarly", [1, later]);
      await networkHelpers.mine(2);
      await c.reveal();
      await c.reveal(secrets.party);
      expect((await c.of()).seed).to.equal(seedOf(await blockHash(later)));
    });

    it("tells that the draw of the lost block is discarded", async () => {
      await c.commit();
      await c.join();
      await c.open();
      const { drawBlock } = await c.of();
      await networkHelpers.mine(8_200, { interval: 1 });
      const lost = [1, 0, Discard.BlockLost, operator(), evaluator(), drawBlock, zeroHash];
      await c.tells(c.postpone(), "DrawDiscarded", lost);
    });

    it("refuses while the block is ahead or its hash in reach, and a draw that is not open", async () => {
      await c.refuses(c.postpone(), "UnknownCampaign", [1]);
      await c.commit();
      await c.refuses(c.postpone(), "DrawNotOpen", [1]);
      await c.open();
      const { drawBlock } = await c.of();
      await c.refuses(c.postpone(), "DrawBlockNotLost", [1, drawBlock]);
      await networkHelpers.mine(3);
      await c.refuses(c.postpone(), "DrawBlockNotLost", [1, drawBlock]);
      await c.reveal();
      await c.refuses(c.postpone(), "CampaignStatusNotAllowed", [1, State.Drawn]);
    });
  });

  describe("repeatDraw", () => {
    it("names a second party that withheld, and draws with its replacement by another block", async () => {
      await c.commit();
      await c.join();
      await c.open();
      await networkHelpers.mine(2);
      await c.reveal();
      const { drawBlock } = await c.of();
      await passDay();
      await c.tells(c.repeat(), "SecretWithheld", [1, 0, evaluator()]);
      expect([(await c.of()).drawBlock, await s.campaigns.read.hasWithheld([1, evaluator()])]).to.deep.equal([
        0n,
        true,
      ]);
      await c.refuses(c.join(), "SecondPartyNotAllowed", [1, evaluator()]);
      const fresh = { operator: S.hashOf("another secret"), party: S.hashOf("replacement's secret") };
      await c.join(1, s.registrar, fresh.party);
      await c.open(1, s.operator, fresh.operator);
      await networkHelpers.mine(2);
      await c.refuses(c.reveal(), "SecretWrong", [1]);
      await c.reveal(fresh.operator);
      await c.tells(c.reveal(fresh.party), "SecretRevealed", [1, 1, s.registrar.account.address, fresh.party]);
      const drawn = await c.of();
      expect([drawn.status, drawn.twoParties, drawn.drawBlock > drawBlock]).to.deep.equal([State.Drawn, true, true]);
    });

    it("tells which draw of which round is discarded", async () => {
      await c.commit();
      await c.join();
      for (const [round, party] of [evaluator(), zeroAddress].entries()) {
        await c.open();
        const { drawBlock } = await c.of();
        await passDay();
        const discarded = [1, round, Discard.SecretWithheld, operator(), party, drawBlock, zeroHash];
        await c.tells(c.repeat(), "DrawDiscarded", discarded);
      }
    });

    it("counts no draw as one of two parties after the operator withheld its secret", async () => {
      await c.commit();
      await c.join();
      await c.open();
      await networkHelpers.mine(2);
      await c.reveal(secrets.party);
      await passDay();
      await c.tells(c.repeat(), "SecretWithheld", [1, 0, operator()]);
      expect(await s.campaigns.read.hasWithheld([1, evaluator()])).to.equal(false);
      await c.draw();
      expect([(await c.of()).status, (await c.of()).twoParties]).to.deep.equal([State.Drawn, false]);
    });

    it("names both when neither revealed, and nobody but the operator when it was alone", async () => {
      await c.commit();
      await c.join();
      await c.open();
      await passDay();
      await c.tells(c.repeat(), "SecretWithheld", [1, 0, evaluator()]);
      expect((await s.campaigns.read.drawOf([1])).operatorWithheld).to.equal(true);
      await c.open();
      await passDay();
      await c.tells(c.repeat(), "SecretWithheld", [1, 1, operator()]);
      expect((await s.campaigns.read.drawOf([1])).round).to.equal(2);
    });

    it("refuses before the time is over, and a draw that is not open", async () => {
      await c.refuses(c.repeat(), "UnknownCampaign", [1]);
      await c.commit();
      await c.refuses(c.repeat(), "DrawNotOpen", [1]);
      await c.open();
      const { deadline } = await s.campaigns.read.drawOf([1]);
      await networkHelpers.time.increaseTo(deadline - 1n);
      await c.refuses(c.repeat(), "RevealNotOver", [1, deadline]);
      await networkHelpers.time.increaseTo(deadline);
      await c.repeat();
      await c.draw();
      await passDay();
      await c.refuses(c.repeat(), "CampaignStatusNotAllowed", [1, State.Drawn]);
    });
  });
});
