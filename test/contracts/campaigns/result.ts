import { expect } from "chai";
import { zeroHash } from "viem";
import * as S from "../scheme.ts";
import { type CampaignScheme, campaignCalls, loadCampaigns, State } from "../support/campaigns.ts";

describe("Campaigns: result and certificate", () => {
  let s: CampaignScheme;
  let c: ReturnType<typeof campaignCalls>;

  beforeEach(async () => {
    s = await loadCampaigns();
    c = campaignCalls(s);
  });

  it("closes a drawn campaign by its result's hash", async () => {
    await c.drawn();
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
    await S.connection.networkHelpers.mine(2);
    await c.draw();
    await c.close();
    await c.refuses(c.close(s.operator, S.hashOf("other")), "CampaignStatusNotAllowed", [1, State.Closed]);
    expect((await c.of()).resultHash).to.equal(S.hashOf("result"));
  });

  it("links the certificate of a closed campaign, both ways", async () => {
    await c.drawn();
    await c.close();
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
    await c.close();
    await c.missing(c.certify(certificate, s.operator), s.operator, S.Role.registrar);
    expect((await c.of()).certificate).to.equal(0);
  });

  it("links a campaign once and a certificate once", async () => {
    await c.commit({ campaignId: "another" });
    await c.commit();
    await S.connection.networkHelpers.mine(2);
    await c.draw(1);
    await c.draw(2);
    const operator = { account: s.operator.account };
    for (const campaign of [1, 2]) await s.campaigns.write.close([campaign, S.hashOf("result")], operator);
    const [first, second] = [await S.registerWhole(s, { plan: 1 }), await S.registerWhole(s, { plan: 1 })];
    await c.certify(first);
    await c.refuses(c.certify(second), "CampaignAlreadyCertified", [1, first]);
    await c.refuses(c.certify(first, s.registrar, 2), "CertificateLinked", [first, 1]);
    await c.certify(second, s.registrar, 2);
  });

  it("links no certificate that there is not, and none of another plan", async () => {
    await c.drawn();
    await c.close();
    await S.reverts(c.certify(9), s.certificates, "UnknownCertificate", [9]);
    await S.reverts(c.certify(0), s.certificates, "UnknownCertificate", [0]);
    const certificate = await S.registerWhole(s);
    await c.refuses(c.certify(certificate), "CertificatePlanDiffers", [certificate, 0, 1]);
  });
});
