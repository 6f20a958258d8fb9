import type { CampaignResponse } from "../../api/scheme/campaigns/schemas.ts";
import {
  drawnCampaign,
  exampleCampaign,
  implementerDid,
  registerOwnPlan,
  registerPlans,
  planId as sharedPlanId,
} from "./campaigns.ts";
import { testAdminKey } from "./core.ts";
import { registerDevices, surveyDevices } from "./devices.ts";
import { type Caller, openRegistryTest, type RegistryTest, registerHouseholds, requireStatus } from "./registry.ts";
import { openSecondParty, type SecondParty } from "./second-party.ts";
import { openVerifier } from "./verification.ts";

/** Terms of a result that can be certified, of a campaign whose devices are counted and surveyed. */
export const certifiableTerms = {
  method: "smec-4",
  fuel: "wood",
  area: "ZMB",
  householdSize: 4.5,
  life: 3,
  daf: 0.1,
  he: 0.9,
};

/** The same of a campaign of a plan without registered devices. No certificate can be made of its result. */
export const statedTerms = {
  ...certifiableTerms,
  units: 3,
  newUnits: 3,
  usageSurvey: { surveyed: 100, inUse: 92 },
};

/** Kilograms a day of each group's measured households; a claim has the same on each of its three days. */
export type DailyFuel = { reference: number[]; intervention: number[] };
const defaultFuel: DailyFuel = { reference: [5.9, 6, 6.1], intervention: [3, 3.1, 2.9] };

export type CampaignChoice = {
  fuel?: DailyFuel;
  /** Kilograms of charcoal a day that the second household of each group burns as well; its claim then has visits. */
  charcoal?: number;
  /** Every claim has visits, each of which fed these people; of the second household, but the first day. */
  peopleFed?: Record<string, number>;
  /** Every claim has visits, with readings of the wood's moisture on this basis. */
  moisture?: "wet" | "dry";
  emissions?: object;
  sampleSize?: number;
  frameSize?: number;
  /** Frames of households that are registered already. */
  households?: { reference: string[]; intervention: string[] };
  /** Month of 2024 in whose first days the households are measured; February by default. */
  month?: "02" | "05";
  /** First day of the test, instead of that of the month; claims then have no visits. */
  firstDay?: string;
  /** Daily logs of each claim that the terms fix. */
  days?: number;
  /** Number of intervention households that are replaced before they are measured, all by the same evidence. */
  replaced?: number;
  /** Number of reference households whose claim is revoked, and which are measured again with the same values. */
  remeasured?: number;
  /** Profile of the sample, whose terms commit the second party of the draw. */
  profile?: string;
  /** Coefficient of variation that the profile states. */
  coefficientOfVariation?: number;
  /** Second party of the draw; by default one whose key the service lacks. */
  party?: SecondParty;
  /** Another implementer with its plan. */
  plan?: { planId: string; implementer: Caller };
  /** `missing`: the last device of the usage survey is missing. `false`: the campaign is of a plan without registered devices. */
  devices?: "missing" | false;
  /** Registers another device for the first intervention household, which may not count. */
  withSecondDevice?: boolean;
  /** After the usage survey, retires the device of that household from the day on which the other one was installed. */
  retiresLate?: boolean;
  /** Other evidence of the first claim of each group, instead of a photo. */
  evidence?: string[];
  /** Scale of the visits of claims with several fuels. */
  scaleId?: string;
  /** Attaches the series of two stove-use monitors to the claim of the second household of each group. */
  withMonitors?: boolean;
};

export type ClosedScene = {
  registry: RegistryTest;
  implementer: Caller;
  regulator: Caller;
  /** A plan for several campaigns. By default each has its own plan, of which its small frames have every household. */
  sharedPlan: { planId: string; implementer: Caller };
  /** A drawn campaign whose first positions are measured; the first claim has a photo. The others are open. */
  openCampaign: (choice?: CampaignChoice) => Promise<CampaignResponse & { photo: Buffer }>;
  /** The same, with the other positions marked as missing, and closed. */
  closedCampaign: (choice?: CampaignChoice) => Promise<CampaignResponse & { photo: Buffer }>;
  /** The same, with its data room signed by a trusted verifier. */
  verifiedCampaign: (choice?: CampaignChoice) => Promise<CampaignResponse & { photo: Buffer }>;
  /** Signs the data room of a closed campaign as a trusted verifier. */
  verify: (campaignId: string) => Promise<void>;
  /** The same, and makes a certificate of it. */
  certify: (campaignId: string) => Promise<void>;
  /** The data room of a closed campaign. */
  dataRoom: (campaignId: string) => Promise<Buffer>;
  close: () => Promise<void>;
};

type Device = { serial: string; householdDid: string; installedOn: string };

/** A plan without registered devices. */
const statedPlanId = "PLAN-STATED";

let serial = 5_000_000;

/** For tests: the whole API, with an implementer whose campaigns can be closed and certified. */
export async function openClosedScene(env: Record<string, string> = {}): Promise<ClosedScene> {
  const registry = await openRegistryTest(env);
  const ownParty = await openSecondParty(registry.world);
  await registerPlans(registry);
  const period = { startDate: "2024-01-01", endDate: "2024-12-31" };
  requireStatus(
    await registry.admin("POST", "/monitoring-plans", { planId: statedPlanId, implementerDid, period }),
    201,
  );
  const regulator = await registry.as("regulator");
  const implementer = await registry.as("implementer", { implementerDid });
  const evaluator = await registry.as("evaluator");
  const verify = await openVerifier(registry);
  const photo = Buffer.from(`photo of ${serial}`);

  const sharedPlan = { planId: sharedPlanId, implementer };
  /** The plan of each household that has a device. */
  const planOfHousehold = new Map<string, string>();
  /** Those that have no device of an earlier campaign. */
  const withoutDevice = (households: readonly string[], planId: string) => {
    const found = households.filter((did) => !planOfHousehold.has(did));
    for (const did of found) planOfHousehold.set(did, planId);
    return found;
  };

  /** By default a plan of the campaign alone, of which its small frames have every household. */
  async function planOf({ devices, households, plan }: CampaignChoice, campaignId: string): Promise<string> {
    if (plan !== undefined) return plan.planId;
    if (devices === false) return statedPlanId;
    const known = households && planOfHousehold.get(households.intervention[0] ?? "");
    return known ?? registerOwnPlan(registry, campaignId);
  }

  const openCampaign: ClosedScene["openCampaign"] = async (choice = {}) => {
    const { fuel = defaultFuel, charcoal, devices, remeasured = 0 } = choice;
    const { implementer } = choice.plan ?? sharedPlan;
    const emissions = choice.emissions ?? (devices === false ? statedTerms : certifiableTerms);
    const { sampleSize = 3, frameSize = sampleSize } = choice;
    const { households, profile, days, month = "02", party = ownParty } = choice;
    const dayOf = (day: number) => dayOfTest({ ...choice, month }, day);
    const testPeriod = { startDate: dayOf(1), endDate: dayOf(4), durationDays: 3 };
    const groups = households && {
      reference: { frame: households.reference },
      intervention: { frame: households.intervention },
    };
    const sampling = profile && {
      profile,
      secondParty: party.account,
      ...(choice.coefficientOfVariation === undefined ? {} : { coefficientOfVariation: choice.coefficientOfVariation }),
    };
    const fixed = days === undefined ? {} : { days };
    const changes = {
      sampleSize,
      emissions,
      testPeriod,
      ...fixed,
      ...(groups && { groups }),
      ...(sampling && { sampling }),
    };
    const example = exampleCampaign(changes, frameSize);
    const { reference, intervention } = example.groups;
    const planId = await planOf(choice, example.campaignId);
    const body = { ...example, planId };
    if (households === undefined) {
      await registerHouseholds(registry.admin, reference.frame, planId);
      const householdSize = { men: 1, women: 1, children: 2, elderly: 0 };
      for (const did of intervention.frame) {
        requireStatus(await registry.admin("POST", "/households", { did, region: planId, householdSize }), 201);
      }
    }
    if (devices !== false)
      await registerDevices(implementer, { planId, households: withoutDevice(intervention.frame, planId) });
    if (choice.withSecondDevice) {
      const device = {
        serial: `${body.campaignId}-second`,
        model: "Jiko 2",
        planId,
        householdDid: intervention.frame[0],
      };
      requireStatus(await implementer("POST", "/devices", { ...device, installedOn: "2024-01-20" }), 201);
    }
    const drawn = await drawnCampaign(implementer, body, party);
    const campaign = await replacedIn(implementer, drawn, choice.replaced ?? 0);
    for (const group of ["reference", "intervention"] as const) {
      for (const [position, kilograms] of fuel[group].entries()) {
        const dailyLogs = [kilograms, kilograms, kilograms];
        const claim = {
          type: "KPTClaim",
          campaignId: campaign.campaignId,
          householdId: campaign.groups[group].sample[position],
          testGroup: group,
          testPeriod: { startDate: dayOf(1), endDate: dayOf(3) },
          ...(choice.moisture !== undefined ||
          choice.peopleFed !== undefined ||
          (charcoal !== undefined && position === 1)
            ? {
                visits: visitsOf(visitedFuels(kilograms, position, charcoal), {
                  moisture: choice.moisture,
                  scaleId: choice.scaleId,
                  peopleFed: choice.peopleFed,
                  firstAsked: position === 1 ? 1 : 0,
                }),
              }
            : { fuelMeasurements: { total: Number((3 * kilograms).toFixed(3)), dailyLogs } }),
          externalFactors: { season: "dry", culturalEvents: ["none"], occupationalFactors: ["typical"] },
          ...(position === 0
            ? { evidence: choice.evidence ?? [`data:image/jpeg;base64,${photo.toString("base64")}`] }
            : {}),
          ...(choice.withMonitors === true && position === 1 ? { evidence: monitorSeries(group) } : {}),
        };
        const { id } = requireStatus(await implementer("POST", "/claims", claim), 201).body as { id: string };
        if (group === "intervention" || position >= remeasured) continue;
        requireStatus(
          await evaluator("POST", `/claims/${encodeURIComponent(id)}/revoke`, { reason: "wrong scale" }),
          200,
        );
        requireStatus(await implementer("POST", "/claims", claim), 201);
      }
    }
    return { ...campaign, photo };
  };

  /** Replaces the first intervention households of a drawn campaign. */
  async function replacedIn(implementer: Caller, drawn: CampaignResponse, count: number): Promise<CampaignResponse> {
    if (count === 0) return drawn;
    const path = `/campaigns/${drawn.campaignId}`;
    for (const householdId of drawn.groups.intervention.sample.slice(0, count)) {
      const given = {
        group: "intervention",
        householdId,
        reason: "absent",
        evidence: "https://photos.example/door.jpg",
      };
      requireStatus(await implementer("POST", `${path}/replacements`, given), 201);
    }
    return requireStatus(await implementer("GET", path), 200).body as CampaignResponse;
  }

  /** Retires the first device of the household that has another one. */
  async function retireFirstDevice({ campaignId, planId }: CampaignResponse): Promise<void> {
    const second = requireStatus(await implementer("GET", `/devices/${campaignId}-second`), 200).body as Device;
    const page = requireStatus(await implementer("GET", `/devices?planId=${planId}&limit=100`), 200);
    const { items } = page.body as { items: Device[] };
    const first = items.find((each) => each.householdDid === second.householdDid && each.serial !== second.serial);
    if (first === undefined) throw new Error("The household has one device only.");
    requireStatus(await implementer("PATCH", `/devices/${first.serial}`, { retiredOn: second.installedOn }), 200);
  }

  const closedCampaign: ClosedScene["closedCampaign"] = async (choice = {}) => {
    const campaign = await openCampaign(choice);
    const { fuel = defaultFuel } = choice;
    const { implementer } = choice.plan ?? sharedPlan;
    for (const group of ["reference", "intervention"] as const) {
      for (const householdId of campaign.groups[group].sample.slice(fuel[group].length)) {
        const mark = { group, householdId, reason: "absent", note: "nobody at home" };
        requireStatus(await implementer("POST", `/campaigns/${campaign.campaignId}/missing`, mark), 201);
      }
    }
    if (choice.devices !== false) {
      await surveyDevices(implementer, campaign.campaignId, {
        lastIsMissing: choice.devices === "missing",
        date: dayOfTest(choice, 3),
      });
      if (choice.retiresLate) await retireFirstDevice(campaign);
    }
    requireStatus(await implementer("POST", `/campaigns/${campaign.campaignId}/close`, {}), 200);
    return campaign;
  };

  return {
    registry,
    implementer,
    regulator,
    sharedPlan,
    openCampaign,
    closedCampaign,
    verifiedCampaign: async (choice) => {
      const campaign = await closedCampaign(choice);
      await verify(campaign.campaignId);
      return campaign;
    },
    verify,
    certify: async (campaignId) => {
      await verify(campaignId);
      serial += 100;
      const underlyingUnits = { registry: "Gold Standard", firstSerial: serial, lastSerial: serial + 99 };
      const body = { certificateId: `CERT-${campaignId}`, activityId: "ACT-KPT", underlyingUnits };
      requireStatus(await regulator("POST", `/campaigns/${campaignId}/certificate`, body), 201);
    },
    dataRoom: async (campaignId) => {
      const headers = { authorization: `Bearer ${testAdminKey}` };
      const answer = await registry.app.request(`/v1/campaigns/${campaignId}/data-room`, { headers });
      if (answer.status !== 200) throw new Error(`No data room: ${await answer.text()}`);
      return Buffer.from(await answer.arrayBuffer());
    },
    close: () => registry.close(),
  };
}

/** A day of a campaign's test, from 1. */
function dayOfTest({ month = "02", firstDay = `2024-${month}-01` }: CampaignChoice, day: number): string {
  return new Date(Date.parse(firstDay) + (day - 1) * 86_400_000).toISOString().slice(0, 10);
}

/** What a household burns a day: wood, and the second one of each group charcoal as well. */
function visitedFuels(wood: number, position: number, charcoal: number | undefined): Record<string, number> {
  return charcoal !== undefined && position === 1 ? { wood, charcoal } : { wood };
}

/** Readings of a moisture meter, in percent: three pieces of wood at three points each. Their mean is 18.75 %. */
export const moistureReadings = [
  [18.5, 19, 18],
  [20, 19.25, 19],
  [18, 18, 19],
];

type VisitChoice = {
  moisture?: "wet" | "dry" | undefined;
  scaleId?: string | undefined;
  peopleFed?: Record<string, number> | undefined;
  /** The first day on which it was asked whom the household fed. */
  firstAsked?: number;
};

/** A visit on each of the three days; of each fuel 20 kg at the start of every day. */
function visitsOf(
  daily: Record<string, number>,
  { moisture, scaleId, peopleFed, firstAsked = 0 }: VisitChoice = {},
): object[] {
  return [0, 1, 2].map((day) => ({
    day,
    at: `2024-02-0${day + 1}T17:00:00Z`,
    collector: "did:key:z6MkCollector",
    ...(peopleFed === undefined || day < firstAsked ? {} : { peopleFed }),
    fuels: Object.entries(daily).map(([fuel, used]) => ({
      fuel,
      start: 20,
      added: 0,
      end: Number((20 - used).toFixed(3)),
      ...(moisture === undefined || fuel !== "wood"
        ? {}
        : { moisture: { basis: moisture, readings: moistureReadings } }),
      ...(scaleId === undefined ? {} : { scaleId }),
    })),
  }));
}

/** One monitor saw cooking every evening, the other, which reports temperatures, on the first day only. */
function monitorSeries(mark: string): object[] {
  const timesOf = (day: number) =>
    ["06:00", "17:30", "18:10", "18:30", "22:00"].map((time) => `2024-02-0${day}T${time}:00+02:00`);
  const state = [1, 2, 3].flatMap((day) =>
    timesOf(day).map((time, i) => `${time},${i === 1 || i === 2 ? "on" : "off"}`),
  );
  const celsius = [1, 2, 3].flatMap((day) =>
    timesOf(day).map((time, i) => `${time},${day === 1 && i === 2 ? 75.5 : 24.25}`),
  );
  const uriOf = (header: string, rows: string[]) =>
    `data:text/csv;base64,${Buffer.from([`timestamp,${header}`, ...rows, ""].join("\n")).toString("base64")}`;
  return [
    { type: "photo", uri: "https://photos.example/1.jpg" },
    { type: "stove-use-series", stove: `stove ${mark}`, uri: uriOf("on", state) },
    { type: "stove-use-series", uri: uriOf("temperature", celsius) },
  ];
}
