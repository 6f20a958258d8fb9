import { expect } from "chai";
import { zeroHash } from "viem";
import * as S from "../scheme.ts";
import {
  type CampaignScheme,
  campaignCalls,
  Group,
  intervention,
  loadCampaigns,
  Reason,
  reference,
  State,
} from "../support/campaigns.ts";

describe("Campaigns: result and certificate", () => {
  let s: CampaignScheme;
  let c: ReturnType<typeof campaignCalls>;

  beforeEach(async () => {
    s = await loadCampaigns();
    c = campaignCalls(s);
  });

  it("closes a drawn campaign by its result's hash", async () => {
    await c.drawn();
    await c.measure();
    await c.refuses(c.close(s.operator, zeroHash), "EmptyResultHash", [1]);
    await c.missing(c.close(s.registrar), s.registrar, S.Role.operator);
    await c.tells(c.close(), "CampaignClosed", [1, S.hashOf("result")]);
    const { status, resultHash } = await c.of();
    expect([status, resultHash]).to.deep.equal([State.Closed, S.hashOf("result")]);
  });

  it("closes none before its last day is over", async () => {
    const { time } = await S.now();
    const today = Number(time / S.DAY);
    await c.drawn({ startDay: today, endDay: today + 2 });
    await c.measure();
    await c.refuses(c.close(), "CampaignPeriodNotOver", [1, today + 2]);
    await S.connection.networkHelpers.time.increaseTo(BigInt(today + 3) * S.DAY - 2n);
    await c.refuses(c.close(), "CampaignPeriodNotOver", [1, today + 2]);
    await S.connection.networkHelpers.time.increaseTo(BigInt(today + 3) * S.DAY);
    await c.close();
  });

  it("closes none that is unknown, not drawn, or closed", async () => {
    await c.refuses(c.close(), "UnknownCampaign", [1]);
    await c.commit();
    await c.refuses(c.close(), "CampaignStatusNotAllowed", [1, State.Committed]);
    await c.draw();
    await c.finish();
    await c.refuses(c.close(s.operator, S.hashOf("other")), "CampaignStatusNotAllowed", [1, State.Closed]);
    expect((await c.of()).resultHash).to.equal(S.hashOf("result"));
  });

  it("links the certificate of a closed campaign, both ways", async () => {
    await c.drawn();
    await c.finish();
    const certificate = await S.registerWhole(s, { plan: 1 });
    await c.tells(c.certify(certificate), "CampaignCertified", [1, certificate]);
    expect((await c.of()).certificate).to.equal(certificate);
    expect(await s.campaigns.read.certificateCampaign([certificate])).to.equal(1);
    expect(await s.campaigns.read.certificateCampaign([certificate + 1])).to.equal(0);
  });

  it("links nothing by anybody but the registrar, and nothing to a campaign that is not closed", async () => {
    const certificate = await S.registerWhole(s, { plan: 1 });
    await c.refuses(c.certify(certificate), "UnknownCampaign", [1]);
    await c.drawn();
    await c.refuses(c.certify(certificate), "CampaignStatusNotAllowed", [1, State.Drawn]);
    await c.finish();
    await c.missing(c.certify(certificate, s.operator), s.operator, S.Role.registrar);
    expect((await c.of()).certificate).to.equal(0);
  });

  it("links a campaign once and a certificate once", async () => {
    await c.commit({ campaignId: "another" });
    await c.commit();
    await c.draw(1);
    await c.draw(2);
    for (const campaign of [1, 2]) await c.finish(campaign);
    const [first, second] = [await S.registerWhole(s, { plan: 1 }), await S.registerWhole(s, { plan: 1 })];
    await c.certify(first);
    await c.refuses(c.certify(second), "CampaignAlreadyCertified", [1, first]);
    await c.refuses(c.certify(first, s.registrar, 2), "CertificateLinked", [first, 1]);
    await c.certify(second, s.registrar, 2);
  });

  it("links no certificate that there is not, and none of another plan", async () => {
    await c.drawn();
    await c.finish();
    await S.reverts(c.certify(9), s.certificates, "UnknownCertificate", [9]);
    await S.reverts(c.certify(0), s.certificates, "UnknownCertificate", [0]);
    const certificate = await S.registerWhole(s);
    await c.refuses(c.certify(certificate), "CertificatePlanDiffers", [certificate, 0, 1]);
  });

  it("closes none while a drawn position is neither measured nor replaced nor missing", async () => {
    await c.drawn();
    await c.refuses(c.close(), "SampleIncomplete", [1, 6]);
    await c.recordMany([reference(0), reference(1), intervention(0)]);
    await c.refuses(c.close(), "SampleIncomplete", [1, 3]);
    // A second claim of a measured household ends no other position, and a replacement opens the one it takes.
    await c.record(reference(1, 2));
    await c.replace(Group.reference, 2);
    await c.refuses(c.close(), "SampleIncomplete", [1, 3]);
    await c.markMissing(Group.intervention, 1);
    await c.recordMany([reference(3), intervention(2)]);
    expect((await c.of()).openPositions).to.equal(0);
    // Without its claims a household is unmeasured again.
    await c.revoke(reference(1));
    expect((await c.of()).openPositions).to.equal(0);
    await c.revoke(reference(1, 2));
    await c.refuses(c.close(), "SampleIncomplete", [1, 1]);
    await c.record(reference(1, 3));
    await c.close();
  });

  it("certifies none with more than a tenth of a group's sample missing", async () => {
    const frame = (name: string) => ({ root: S.hashOf(name), size: 20 });
    const wide = { sampleSize: 10, referenceFrame: frame("r"), interventionFrame: frame("i") };
    await c.commit({ ...wide, campaignId: "another" });
    await c.commit(wide);
    await c.draw(1);
    await c.draw(2);
    await c.markMissing(Group.reference, 9);
    await c.markMissing(Group.intervention, 0);
    await c.finish(1);
    expect((await c.of()).missing).to.deep.equal([1, 1]);
    await c.certify(await S.registerWhole(s, { plan: 1 }));
    const operator = { account: s.operator.account };
    for (const position of [3, 4])
      await s.campaigns.write.markMissing([2, Group.intervention, position, Reason.Refused, zeroHash], operator);
    await c.finish(2);
    const second = await S.registerWhole(s, { plan: 1 });
    await c.refuses(c.certify(second, s.registrar, 2), "TooManyMissing", [2, Group.intervention, 2, 10]);
    expect((await c.of(2)).certificate).to.equal(0);
  });

  it("certifies none with too many reference households missing, or with a household whose claims were revoked", async () => {
    await c.drawn();
    await c.markMissing(Group.reference, 0);
    await c.finish();
    const certificate = await S.registerWhole(s, { plan: 1 });
    await c.refuses(c.certify(certificate), "TooManyMissing", [1, Group.reference, 1, 3]);
    s = await loadCampaigns();
    c = campaignCalls(s);
    await c.drawn();
    await c.finish();
    await c.revoke(intervention(2));
    const other = await S.registerWhole(s, { plan: 1 });
    await c.refuses(c.certify(other), "SampleIncomplete", [1, 1]);
  });
});
