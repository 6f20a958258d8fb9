import { expect } from "chai";
import { toFunctionSelector, zeroHash } from "viem";
import * as S from "../scheme.ts";
import {
  type CampaignScheme,
  campaignCalls,
  evidence,
  Group,
  hashesOf,
  intervention,
  loadCampaigns,
  Reason,
  reference,
  State,
  selector,
} from "../support/campaigns.ts";

const { viem } = S.connection;

describe("Campaigns: replacements and claims", () => {
  let s: CampaignScheme;
  let c: ReturnType<typeof campaignCalls>;

  beforeEach(async () => {
    s = await loadCampaigns();
    c = campaignCalls(s);
  });

  const recordOf = (claim: bigint) => s.campaigns.read.recordOf([claim]);
  const counts = async () => {
    const { referenceClaims, interventionClaims } = await c.of();
    return [referenceClaims, interventionClaims];
  };

  describe("replace", () => {
    it("takes the next household of the group's draw order, which may be replaced in turn", async () => {
      await c.drawn();
      const told = [1, Group.reference, 1, 3, Reason.Refused, evidence];
      await c.tells(c.replace(Group.reference, 1, Reason.Refused), "HouseholdReplaced", told);
      const again = [1, Group.reference, 3, 4, Reason.Moved, evidence];
      await c.tells(c.replace(Group.reference, 3, Reason.Moved), "HouseholdReplaced", again);
      const other = [1, Group.intervention, 1, 3, Reason.Absent, evidence];
      await c.tells(c.replace(Group.intervention, 1, Reason.Absent), "HouseholdReplaced", other);
      expect((await c.of()).drawnTo).to.deep.equal([5, 4]);
      expect(await s.campaigns.read.positionOf([1, Group.reference, 3])).to.deep.equal([true, false, false]);
      expect(await s.campaigns.read.positionOf([1, Group.reference, 4])).to.deep.equal([false, false, false]);
      expect(await s.campaigns.read.positionOf([1, Group.intervention, 3])).to.deep.equal([false, false, false]);
    });

    it("refuses anybody but an operator, and a campaign that is not being measured", async () => {
      await c.refuses(c.replace(Group.reference, 0), "UnknownCampaign", [1]);
      await c.commit();
      await c.refuses(c.replace(Group.reference, 0), "CampaignStatusNotAllowed", [1, State.Committed]);
      s = await loadCampaigns();
      c = campaignCalls(s);
      await c.drawn();
      await c.missing(c.replace(Group.reference, 0, Reason.Other, s.evaluator), s.evaluator, S.Role.operator);
      await c.finish();
      await c.refuses(c.replace(Group.reference, 0), "CampaignStatusNotAllowed", [1, State.Closed]);
    });

    it("refuses a household that was not drawn, or was dropped before", async () => {
      await c.drawn();
      await c.refuses(c.replace(Group.intervention, 3), "PositionNotDrawn", [1, Group.intervention, 3, 3]);
      await c.refuses(c.replace(Group.intervention, 2 ** 32 - 1), "PositionNotDrawn", [
        1,
        Group.intervention,
        2 ** 32 - 1,
        3,
      ]);
      await c.replace(Group.intervention, 2);
      await c.refuses(c.replace(Group.intervention, 2), "PositionDropped", [1, Group.intervention, 2]);
      expect((await c.of()).drawnTo).to.deep.equal([3, 4]);
    });

    it("refuses a household that was measured, its claim revoked or not", async () => {
      await c.drawn();
      await c.record(reference(0));
      await c.refuses(c.replace(Group.reference, 0), "PositionHasClaim", [1, Group.reference, 0]);
      await c.revoke(reference(0));
      await c.refuses(c.replace(Group.reference, 0), "PositionHasClaim", [1, Group.reference, 0]);
      await c.replace(Group.intervention, 0);
    });

    it("refuses when the frame has no household left", async () => {
      await c.drawn();
      await c.replace(Group.reference, 0);
      await c.replace(Group.reference, 1);
      await c.refuses(c.replace(Group.reference, 2), "FrameExhausted", [1, Group.reference, 5]);
      expect(await s.campaigns.read.positionOf([1, Group.reference, 2])).to.deep.equal([false, false, false]);
    });

    it("keeps neighbouring places apart, over the bounds of a slot, of a group and of a campaign", async () => {
      const frame = (name: string) => ({ root: S.hashOf(name), size: 400 });
      const wide = { sampleSize: 300, referenceFrame: frame("r"), interventionFrame: frame("i") };
      await c.commit(wide);
      await c.commit({ ...wide, campaignId: "another" });
      await c.draw(1);
      await c.draw(2);
      for (const position of [0, 63, 64, 128, 255, 299]) await c.replace(Group.reference, position);
      await c.record(reference(62));
      await c.record(reference(65));
      for (const position of [0, 1, 61, 62, 63, 64, 65, 66, 127, 128, 129, 254, 255, 256, 298, 299]) {
        const dropped = [0, 63, 64, 128, 255, 299].includes(position);
        const claimed = [62, 65].includes(position);
        expect(await s.campaigns.read.positionOf([1, 0, position]), `${position}`).to.deep.equal([
          dropped,
          claimed,
          false,
        ]);
        expect(await recordOf(reference(position)), `${position}`).to.deep.equal([claimed, false]);
        expect(await s.campaigns.read.positionOf([1, 1, position]), `${position}`).to.deep.equal([false, false, false]);
        expect(await s.campaigns.read.positionOf([2, 0, position]), `${position}`).to.deep.equal([false, false, false]);
      }
      expect(await s.campaigns.read.positionOf([1, 0, 2 ** 31])).to.deep.equal([false, false, false]);
    });
  });

  describe("markMissing", () => {
    it("ends a drawn position, which is then neither measured nor replaced", async () => {
      await c.drawn();
      const told = [1, Group.intervention, 2, Reason.Absent, zeroHash];
      await c.tells(c.markMissing(Group.intervention, 2, Reason.Absent), "PositionMissing", told);
      expect(await s.campaigns.read.positionOf([1, Group.intervention, 2])).to.deep.equal([false, false, true]);
      const { missing, openPositions } = await c.of();
      expect([missing, openPositions]).to.deep.equal([[0, 1], 5]);
      const gone = [1, Group.intervention, 2];
      await c.record(reference(0));
      await c.refuses(c.record(intervention(2)), "PositionIsMissing", gone);
      await c.refuses(c.replace(Group.intervention, 2), "PositionIsMissing", gone);
      await c.refuses(c.markMissing(Group.intervention, 2), "PositionIsMissing", gone);
      await c.recordMany([intervention(2)]);
      const [refused] = await s.campaigns.getEvents.KptClaimRefused();
      expect(refused?.args.reason).to.equal(selector("PositionIsMissing(uint32,uint8,uint32)"));
    });

    it("takes a household whose claims were all revoked, and none with one that stands", async () => {
      await c.drawn();
      await c.recordMany([reference(1), reference(1, 2)]);
      await c.refuses(c.markMissing(Group.reference, 1), "PositionHasClaim", [1, Group.reference, 1]);
      await c.revoke(reference(1));
      await c.refuses(c.markMissing(Group.reference, 1), "PositionHasClaim", [1, Group.reference, 1]);
      await c.revoke(reference(1, 2));
      await c.markMissing(Group.reference, 1);
      expect((await c.of()).openPositions).to.equal(5);
    });

    it("refuses anybody but an operator, a position that is not drawn or was dropped, and a campaign not being measured", async () => {
      await c.refuses(c.markMissing(Group.reference, 0), "UnknownCampaign", [1]);
      await c.commit();
      await c.refuses(c.markMissing(Group.reference, 0), "CampaignStatusNotAllowed", [1, State.Committed]);
      await c.draw();
      await c.missing(c.markMissing(Group.reference, 0, 1, s.evaluator), s.evaluator, S.Role.operator);
      await c.refuses(c.markMissing(Group.reference, 3), "PositionNotDrawn", [1, Group.reference, 3, 3]);
      await c.replace(Group.reference, 0);
      await c.refuses(c.markMissing(Group.reference, 0), "PositionDropped", [1, Group.reference, 0]);
      await c.markMissing(Group.reference, 3);
      await c.finish();
      await c.refuses(c.markMissing(Group.reference, 1), "CampaignStatusNotAllowed", [1, State.Closed]);
    });

    it("asks for evidence of the reason other, and a replacement for evidence of any reason", async () => {
      await c.drawn();
      await c.refuses(c.markMissing(Group.reference, 0, Reason.Other), "EvidenceMissing", []);
      for (const reason of Object.values(Reason))
        await c.refuses(c.replace(Group.reference, 0, reason, s.operator, zeroHash), "EvidenceMissing", []);
      const operator = { account: s.operator.account };
      const told = [1, Group.reference, 0, Reason.Other, evidence] as const;
      await c.tells(s.campaigns.write.markMissing(told, operator), "PositionMissing", [...told]);
      const replaced = [1, Group.reference, 1, 3, Reason.Other, evidence];
      await c.tells(c.replace(Group.reference, 1, Reason.Other), "HouseholdReplaced", replaced);
    });
  });

  describe("record", () => {
    it("keeps that there is the claim and tells its hashes", async () => {
      await c.drawn();
      const claim = reference(2);
      expect(await recordOf(claim)).to.deep.equal([false, false]);
      await c.tells(c.record(claim), "KptClaimRecorded", [claim, 1, ...hashesOf(claim)]);
      expect(await recordOf(claim)).to.deep.equal([true, false]);
      expect(await s.campaigns.read.positionOf([1, Group.reference, 2])).to.deep.equal([false, true, false]);
      await c.record(reference(2, 2));
      await c.record(intervention(0, 7));
      expect(await counts()).to.deep.equal([2, 1]);
    });

    it("refuses anybody but an operator", async () => {
      await c.drawn();
      await c.missing(c.record(reference(0), s.evaluator), s.evaluator, S.Role.operator);
      await c.missing(c.recordMany([reference(0)], s.stranger), s.stranger, S.Role.operator);
    });

    it("refuses a campaign that is unknown, not drawn, or closed", async () => {
      await c.commit();
      await c.refuses(c.record(reference(0, 1, 9)), "UnknownCampaign", [9]);
      await c.refuses(c.record(reference(0)), "CampaignStatusNotAllowed", [1, State.Committed]);
      await c.draw();
      await c.finish();
      await c.refuses(c.record(reference(0)), "CampaignStatusNotAllowed", [1, State.Closed]);
    });

    it("refuses who is not in the sample: not drawn, or dropped; and takes the replacement", async () => {
      await c.drawn();
      await c.refuses(c.record(reference(3)), "PositionNotDrawn", [1, Group.reference, 3, 3]);
      await c.replace(Group.reference, 1);
      await c.refuses(c.record(reference(1)), "PositionDropped", [1, Group.reference, 1]);
      await c.record(reference(3));
      await c.refuses(c.record(intervention(3)), "PositionNotDrawn", [1, Group.intervention, 3, 3]);
      const last = intervention(2 ** 31 - 1);
      await c.refuses(c.record(last), "PositionNotDrawn", [1, Group.intervention, 2 ** 31 - 1, 3]);
    });

    it("refuses an intervention claim without a standing reference claim", async () => {
      await c.drawn();
      await c.refuses(c.record(intervention(0)), "NoReferenceClaims", [1]);
      await c.record(reference(0));
      await c.record(intervention(0));
      await c.revoke(reference(0));
      await c.refuses(c.record(intervention(1)), "NoReferenceClaims", [1]);
      expect(await counts()).to.deep.equal([0, 1]);
    });

    it("refuses a credential twice, over all campaigns, alone and in a batch", async () => {
      await c.drawn();
      const operator = { account: s.operator.account };
      const [claimHash, credentialHash] = hashesOf(reference(0));
      const again = (claim: bigint) => s.campaigns.write.record([claim, claimHash, credentialHash], operator);
      await c.record(reference(0));
      expect(await s.campaigns.read.credentialClaim([credentialHash])).to.equal(reference(0));
      await c.refuses(again(reference(1)), "KptCredentialUsed", [credentialHash, reference(0)]);
      await c.revoke(reference(0));
      await c.refuses(again(reference(0) + 1n), "KptCredentialUsed", [credentialHash, reference(0)]);
      await c.commit({ campaignId: "KPT-2026-wet" });
      await c.draw(2);
      const other = reference(0) + (1n << 64n);
      await c.refuses(again(other), "KptCredentialUsed", [credentialHash, reference(0)]);
      const call = s.campaigns.write.recordMany([[{ claim: other, claimHash, credentialHash }]], operator);
      const refused = toFunctionSelector("KptCredentialUsed(bytes32,uint96)");
      await c.tells(call, "KptClaimRefused", [0n, other, refused]);
    });

    it("refuses a claim twice, a claim number 0, and empty hashes", async () => {
      await c.drawn();
      const claim = reference(0);
      const operator = { account: s.operator.account };
      const [claimHash, credentialHash] = hashesOf(claim);
      await c.refuses(c.record(claim - 1n), "KptClaimNumberZero", [claim - 1n]);
      for (const hashes of [[zeroHash, credentialHash] as const, [claimHash, zeroHash] as const])
        await c.refuses(s.campaigns.write.record([claim, ...hashes], operator), "KptClaimHashEmpty", [claim]);
      await c.record(claim);
      const other = s.campaigns.write.record([claim, S.hashOf("other"), credentialHash], operator);
      await c.refuses(other, "KptClaimExists", [claim]);
      await c.revoke(claim);
      await c.refuses(c.record(claim), "KptClaimExists", [claim]);
      expect(await recordOf(claim)).to.deep.equal([true, true]);
    });

    it("tells every claim of a household from the others, and from other households' claims", async () => {
      await c.drawn();
      const recorded = [reference(0, 2), reference(1), reference(1, 5), reference(2, 1), intervention(1, 2)];
      for (const claim of recorded) await c.record(claim);
      for (const ofGroup of [reference, intervention]) {
        for (const position of [0, 1, 2, 64]) {
          for (const number of [1, 2, 3, 5]) {
            const claim = ofGroup(position, number);
            const there = recorded.includes(claim);
            expect(await recordOf(claim), `${claim}`).to.deep.equal([there, false]);
            if (there) await c.refuses(c.record(claim), "KptClaimExists", [claim]);
            else await c.refuses(c.revoke(claim), "UnknownKptClaim", [claim]);
          }
        }
      }
      await c.revoke(reference(1, 5));
      expect(await recordOf(reference(1))).to.deep.equal([true, false]);
      expect(await recordOf(reference(1, 5))).to.deep.equal([true, true]);
      // A first claim may come after a later one.
      await c.record(reference(0));
      expect(await recordOf(reference(0))).to.deep.equal([true, false]);
    });
  });

  describe("recordMany", () => {
    it("records what it can and refuses the rest by event, each with its error's selector", async () => {
      await c.drawn();
      await c.replace(Group.reference, 2);
      const claims = [
        intervention(0),
        reference(0),
        reference(0),
        intervention(0),
        reference(2),
        reference(4),
        reference(1) - 1n,
        reference(0, 1, 2),
        reference(1),
      ];
      const refusals = [
        [0, "NoReferenceClaims(uint32)"],
        [2, "KptClaimExists(uint96)"],
        [4, "PositionDropped(uint32,uint8,uint32)"],
        [5, "PositionNotDrawn(uint32,uint8,uint32,uint32)"],
        [6, "KptClaimNumberZero(uint96)"],
        [7, "UnknownCampaign(uint32)"],
      ] as const;
      await c.recordMany(claims);
      const told = await s.campaigns.getEvents.KptClaimRefused();
      expect(told.map(({ args }) => [args.order, args.claim, args.reason])).to.deep.equal(
        refusals.map(([order, error]) => [BigInt(order), claims[order], selector(error)]),
      );
      const recorded = await s.campaigns.getEvents.KptClaimRecorded();
      expect(recorded.map(({ args }) => args.claim)).to.deep.equal([reference(0), intervention(0), reference(1)]);
      expect(await counts()).to.deep.equal([2, 1]);
    });

    it("takes claims of several campaigns, and none at all", async () => {
      await c.drawn();
      await c.commit({ campaignId: "another" });
      await c.draw(2);
      await c.recordMany([reference(0), reference(0, 1, 2), intervention(1, 1, 2)]);
      expect([await counts(), (await c.of(2)).interventionClaims]).to.deep.equal([[1, 0], 1]);
      await c.recordMany([]);
    });

    it("refuses a batch with an id of more than 96 bits whole, which is none of a claim", async () => {
      await c.drawn();
      const data = S.hashOf("no such encoding");
      await expectRefused(
        s.operator.sendTransaction({
          to: s.campaigns.address,
          data: `${selector("recordMany((uint96,bytes32,bytes32)[])")}${data.slice(2)}`,
        }),
      );
    });
  });

  describe("revoke", () => {
    it("marks a claim and counts it no more, of a closed campaign too", async () => {
      await c.drawn();
      await c.recordMany([reference(0), reference(1), intervention(0)]);
      await c.tells(c.revoke(reference(0), "wrong-household"), "KptClaimRevoked", [reference(0), 1, "wrong-household"]);
      expect(await recordOf(reference(0))).to.deep.equal([true, true]);
      await c.markMissing(Group.reference, 0);
      await c.finish();
      await c.revoke(intervention(0), "x".repeat(64));
      expect(await counts()).to.deep.equal([2, 2]);
    });

    it("refuses anybody but an evaluator, a reason out of bounds, and what is not there to revoke", async () => {
      await c.drawn();
      const claim = reference(0);
      await c.refuses(c.revoke(claim), "UnknownKptClaim", [claim]);
      await c.record(claim);
      await c.missing(c.revoke(claim, "forged", s.operator), s.operator, S.Role.evaluator);
      await c.refuses(c.revoke(claim, ""), "ReasonInvalid", [0n, 64n]);
      await c.refuses(c.revoke(claim, "é".repeat(33)), "ReasonInvalid", [66n, 64n]);
      await c.revoke(claim);
      await c.refuses(c.revoke(claim), "KptClaimAlreadyRevoked", [claim]);
      expect(await counts()).to.deep.equal([0, 0]);
    });
  });

  async function expectRefused(call: Promise<unknown>): Promise<void> {
    await viem.assertions.revert(call as Promise<`0x${string}`>);
  }
});
