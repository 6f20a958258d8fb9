import { encodeAbiParameters, type Hex, keccak256, parseAbiParameters, toFunctionSelector, zeroHash } from "viem";
import { kptClaimIdOf } from "../../../wire/src/ids.ts";
import * as S from "../scheme.ts";
import { planOf } from "./participants.ts";

const { networkHelpers, viem } = S.connection;

export const Group = { reference: 0, intervention: 1 } as const;
export const Reason = { Other: 0, Refused: 1, Absent: 2, Moved: 3, Ineligible: 4, Incomplete: 5 } as const;
export const Discard = { SecretWithheld: 0, BlockLost: 1, CampaignAbandoned: 2 } as const;
export const State = { None: 0, Committed: 1, Drawn: 2, Closed: 3, Abandoned: 4 } as const;

/** The scheme with plan 1 and a contract for campaigns. */
async function withCampaigns() {
  const s = await S.scheme();
  const campaigns = await viem.deployContract("Campaigns", [s.participants.address, s.certificates.address]);
  await s.participants.write.registerPlan([planOf({ startDay: 1, endDay: 30_000 })], { account: s.registrar.account });
  return { ...s, campaigns };
}

export const loadCampaigns = () => networkHelpers.loadFixture(withCampaigns);
export type CampaignScheme = Awaited<ReturnType<typeof withCampaigns>>;

export const frames = {
  reference: { root: S.hashOf("reference frame"), size: 5 },
  intervention: { root: S.hashOf("intervention frame"), size: 8 },
};

/** A campaign that passes, samples 3 of 5 and 3 of 8, but for what `change` says. */
export const campaignOf = (change: Record<string, unknown> = {}) => ({
  campaignId: "KPT-2026-dry",
  plan: 1,
  startDay: 20_000,
  endDay: 20_030,
  sampleSize: 3,
  referenceFrame: frames.reference,
  interventionFrame: frames.intervention,
  terms: '{"season":"dry"}',
  ...change,
});

/** The parties' secrets of a draw. */
export const secrets = { operator: S.hashOf("operator's secret"), party: S.hashOf("party's secret") };

/** The hash of a replacement's evidence. */
export const evidence = S.hashOf("ipfs://evidence");

/** The hash that commits an account to a secret. */
export const commitmentOf = (secret: Hex, account: Hex) =>
  keccak256(encodeAbiParameters(parseAbiParameters("bytes32, address"), [secret, account]));

/** The tests' calls for campaign 1, by default from the account with the required role. */
export function campaignCalls(s: CampaignScheme) {
  const { write, read } = s.campaigns;
  const as = (who: CampaignScheme["operator"]) => ({ account: who.account });
  const commit = (change = {}, by = s.operator) => write.commit([campaignOf(change)], as(by));
  const join = (campaign = 1, by = s.evaluator, secret = secrets.party) =>
    write.joinDraw([campaign, commitmentOf(secret, by.account.address)], as(by));
  const open = (campaign = 1, by = s.operator, secret = secrets.operator) =>
    write.openDraw([campaign, commitmentOf(secret, by.account.address)], as(by));
  const reveal = (secret: Hex = secrets.operator, campaign = 1, by = s.stranger) =>
    write.reveal([campaign, secret], as(by));
  const postpone = (campaign = 1, by = s.stranger) => write.postponeDraw([campaign], as(by));
  const repeat = (campaign = 1, by = s.stranger) => write.repeatDraw([campaign], as(by));
  /** Both parties commit, and reveal after the draw's block. */
  const draw = async (campaign = 1) => {
    await join(campaign);
    await open(campaign);
    await networkHelpers.mine(2);
    await reveal(secrets.operator, campaign);
    await reveal(secrets.party, campaign);
  };
  const replace = (group: number, dropped: number, reason = 1, by = s.operator, evidenceHash = evidence) =>
    write.replace([1, group, dropped, reason, evidenceHash], as(by));
  const markMissing = (group: number, position: number, reason = 1, by = s.operator) =>
    write.markMissing([1, group, position, reason, zeroHash], as(by));
  const amend = (terms = '{"season":"wet"}', reason = "the rains came early", by = s.operator) =>
    write.amend([1, terms, reason], as(by));
  const abandon = (campaign = 1, reason = "no funds", by = s.operator) => write.abandon([campaign, reason], as(by));
  const record = (claim: bigint, by = s.operator) => write.record([claim, ...hashesOf(claim)], as(by));
  const recordMany = (claims: bigint[], by = s.operator) => write.recordMany([claims.map(orderOf)], as(by));
  const revoke = (claim: bigint, reason = "forged", by = s.evaluator) => write.revoke([claim, reason], as(by));
  const close = (by = s.operator, resultHash = S.hashOf("result")) => write.close([1, resultHash], as(by));
  const certify = (certificate: number, by = s.registrar, campaign = 1) =>
    write.certify([campaign, certificate], as(by));
  const of = (campaign = 1) => read.campaignOf([campaign]);
  const drawn = async (change = {}, campaign = 1) => {
    await commit(change);
    await draw(campaign);
  };
  /** One claim of each position that is still open. */
  const measure = async (campaign = 1) => {
    const { drawnTo } = await of(campaign);
    const open: bigint[] = [];
    for (const group of [Group.reference, Group.intervention]) {
      for (let position = 0; position < drawnTo[group]; position++) {
        const [dropped, hasClaim, isMissing] = await read.positionOf([campaign, group, position]);
        const name = group === Group.reference ? ("reference" as const) : ("intervention" as const);
        if (!dropped && !hasClaim && !isMissing)
          open.push(kptClaimIdOf({ campaign, group: name, position, number: 1 }));
      }
    }
    await recordMany(open);
  };
  /** Drawn, measured and closed. */
  const finish = async (campaign = 1) => {
    await measure(campaign);
    await write.close([campaign, S.hashOf("result")], as(s.operator));
  };
  const missing = (call: Promise<unknown>, who: CampaignScheme["operator"], role: bigint) =>
    S.reverts(call, s.participants, "MissingRole", [who.account.address, role]);
  const refuses = (call: Promise<unknown>, error: string, args: unknown[]) => S.reverts(call, s.campaigns, error, args);
  const tells = (call: Promise<unknown>, event: string, args: unknown[]) => S.emits(call, s.campaigns, event, args);
  return {
    commit,
    amend,
    abandon,
    join,
    open,
    reveal,
    postpone,
    repeat,
    draw,
    replace,
    markMissing,
    record,
    recordMany,
    revoke,
    measure,
    close,
    finish,
    certify,
    of,
    drawn,
    missing,
    refuses,
    tells,
  };
}

export const reference = (position: number, number = 1, campaign = 1) =>
  kptClaimIdOf({ campaign, group: "reference", position, number });
export const intervention = (position: number, number = 1, campaign = 1) =>
  kptClaimIdOf({ campaign, group: "intervention", position, number });

export const hashesOf = (claim: bigint): readonly [Hex, Hex] => [
  S.hashOf(`claim ${claim}`),
  S.hashOf(`credential ${claim}`),
];
const orderOf = (claim: bigint) => {
  const [claimHash, credentialHash] = hashesOf(claim);
  return { claim, claimHash, credentialHash };
};

export const selector = (error: string) => toFunctionSelector(`function ${error}`);
