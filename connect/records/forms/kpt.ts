import { driedFuels, kptDayOf, kptFuels, type Schemas } from "../../../wire/src/index.ts";
import { formIds } from "./form-ids.ts";
import type { Choice, Form, Question } from "./question.ts";

type Campaign = Pick<
  Schemas["Campaign"],
  "campaignId" | "testPeriod" | "sampling" | "season" | "externalFactors" | "logConvention" | "emissions"
>;

const dayMs = 86_400_000;
const mostKilograms = 9_007_199;
const people = (name: string, label: string) => ({ kind: "integer" as const, name, label, min: 0, max: 1_000 });
const weighed = (name: string, label: string): Question => ({
  kind: "decimal",
  name,
  label,
  required: true,
  min: 0,
  max: mostKilograms,
  decimals: 3,
});

/** Days on which households are measured, by their numbers in the campaign: its first day is 0. */
export type Phase = {
  /** The group of a paired design that is measured then; undefined: both groups. */
  group: "reference" | "intervention" | undefined;
  firstDay: number;
  lastDay: number;
};

/** The days of a campaign's test. In a paired design each household is measured in two phases, as a household of each group. */
export function phasesOf({ testPeriod, sampling }: Pick<Campaign, "testPeriod" | "sampling">): Phase[] {
  const dayOf = (date: string) => kptDayOf(date) - kptDayOf(testPeriod.startDate);
  const { paired } = sampling ?? {};
  const phases = paired
    ? [
        { group: "reference" as const, ...paired.before },
        { group: "intervention" as const, ...paired.after },
      ]
    : [{ group: undefined, ...testPeriod }];
  return phases.map(({ group, startDate, endDate }) => ({
    group,
    firstDay: dayOf(startDate),
    lastDay: dayOf(endDate),
  }));
}

/** The numbers of a phase's days. */
export function daysOf({ firstDay, lastDay }: Phase): number[] {
  return Array.from({ length: lastDay - firstDay + 1 }, (_, i) => firstDay + i);
}

/** One visit of a kitchen performance test. A household's visits of all days together become its claim. */
export function kptForm(campaign: Campaign): Form {
  const { campaignId } = campaign;
  return {
    kind: "kpt",
    formId: formIds.kpt(campaignId),
    title: `KPT visit (${campaignId})`,
    questions: [
      { kind: "selectFrom", name: "household", list: "households", label: "Household", required: true },
      { kind: "select", name: "day", label: "Day of the test", choices: dayChoices(campaign), required: true },
      { kind: "dateTime", name: "at", label: "When did you weigh?", required: true },
      { kind: "geopoint", name: "place", label: "Place" },
      fuels(campaign),
      peopleFed,
      stoves,
      ...factors(campaign),
      { kind: "photo", name: "photo", label: "Photo of the scale" },
      { kind: "text", name: "notes", label: "Notes" },
    ],
  };
}

function dayChoices(campaign: Campaign): Choice[] {
  const first = Date.parse(`${campaign.testPeriod.startDate}T00:00:00Z`);
  return phasesOf(campaign)
    .flatMap(daysOf)
    .map((day) => ({
      name: String(day),
      label: `Day ${day}, ${new Date(first + day * dayMs).toISOString().slice(0, 10)}`,
    }));
}

/** Names of the readings of a moisture meter: `piece1_point1` and so on, by piece. */
export const moistureNames = [1, 2, 3].map((piece) => [1, 2, 3].map((point) => `piece${piece}_point${point}`));

function reading(name: string): Question {
  const [piece, point] = name.match(/\d/g) ?? [];
  return {
    kind: "decimal",
    name,
    label: `Piece ${piece}, point ${point}, in percent`,
    required: true,
    relevant: "../basis != ''",
    min: 0,
    max: 100,
    decimals: 2,
  };
}

/** Whether a campaign counts solid biomass without its water, so that each weighing of it needs its moisture. */
export function countsDryMass({ emissions }: Pick<Campaign, "emissions">): boolean {
  return emissions?.fuelMass === "dry";
}

/** In a campaign of dry mass: moisture is asked of solid biomass that was there, and only of that. */
const ofDryMass = {
  required: true,
  relevant: `(${driedFuels.map((fuel) => `../../fuel = '${fuel}'`).join(" or ")}) and ../../start + ../../added > 0`,
};

const tareHint = "Leave empty if you weighed without a container. Do not include it in the other masses.";

const fuels = (campaign: Campaign): Question => ({
  kind: "repeat",
  name: "fuels",
  label: "Fuel",
  questions: [
    {
      kind: "select",
      name: "fuel",
      label: "Fuel",
      required: true,
      choices: kptFuels.map((fuel) => ({ name: fuel, label: fuel === "electricity" ? "electricity (kWh)" : fuel })),
    },
    weighed("start", "At the last visit, in kg"),
    weighed("added", "Added since then, in kg"),
    {
      ...weighed("end", "Left now, in kg"),
      constraint: {
        xpath: `. >= 0 and . <= ../start + ../added`,
        message: "More is left than there was at the last visit and was added.",
      },
    } as Question,
    { ...weighed("tare", "Container alone, in kg"), required: false, hint: tareHint } as Question,
    { kind: "text", name: "scale", label: "Serial number of the scale" },
    {
      kind: "group",
      name: "moisture",
      label: "Moisture of the fuel: three pieces, at three points each",
      questions: [
        {
          kind: "select",
          name: "basis",
          label: "What does the meter show?",
          ...(countsDryMass(campaign) ? ofDryMass : { hint: "Leave empty if you did not measure moisture." }),
          choices: [
            { name: "wet", label: "Percent of the wet mass" },
            { name: "dry", label: "Percent of the dry mass" },
          ],
        },
        ...moistureNames.flat().map(reading),
      ],
    },
  ],
});

const peopleFed: Question = {
  kind: "group",
  name: "people",
  label: "People who ate since the last visit",
  questions: [
    people("children", "Children up to 14"),
    people("women", "Women over 14"),
    people("men", "Men from 15 to 59"),
    people("elderly", "Men over 59"),
    people("guests", "Guests"),
  ],
};

const stoves: Question = {
  kind: "repeat",
  name: "stoves",
  label: "Stove",
  questions: [
    { kind: "text", name: "kind", label: "Kind of stove" },
    { kind: "barcode", name: "serial", label: "Serial number" },
    {
      kind: "select",
      name: "used",
      label: "Was it used?",
      choices: [
        { name: "yes", label: "Yes" },
        { name: "no", label: "No" },
      ],
    },
  ],
};

/** What a claim must say about the circumstances, where the campaign's terms do not. */
function factors({ season, externalFactors }: Campaign): Question[] {
  const asked: Question[] = [];
  if (season === null && externalFactors?.season === undefined) {
    asked.push({ kind: "text", name: "season", label: "Season" });
  }
  if (externalFactors?.culturalEvents === undefined) {
    asked.push({
      kind: "text",
      name: "events",
      label: "Feasts and other events",
      hint: "Leave empty if there were none.",
    });
  }
  if (externalFactors?.occupationalFactors === undefined) {
    asked.push({ kind: "text", name: "work", label: "Unusual work", hint: "Leave empty if there was none." });
  }
  return asked;
}
