import type { Flag } from "../../../emissions/index.ts";
import { type EvidencePiece, marksOf } from "../../evidence-marks.ts";
import { type Group, groups } from "../../groups.ts";
import { inOrder } from "../in-order.ts";

/** Evidence that a claim, a household that was replaced or is missing, or a device of the usage survey has. */
export type EvidenceUse = {
  kind: "claim" | "replaced" | "missing" | "surveyed";
  /** Of a surveyed device: `intervention`. */
  group: Group;
  /** In the draw of the group, or of the usage survey. */
  position: number;
  /** Equal for uses that may have the same evidence. */
  id: string;
  marks: readonly string[];
};

/** Positions of households and of surveyed devices, each list in its order. */
type Places = { reference: number[]; intervention: number[]; surveyed: number[] };
/**
 * Places whose evidence another claim, household or device of the campaign has as well. Replaced households among themselves and
 * surveyed devices among themselves have their own rules.
 */
export type SharedEvidence = Places;
/** Places whose evidence another campaign has as well, by that campaign. */
export type EvidenceElsewhere = { campaignId: string } & Places;

type Drop = { group: Group; position: number; evidence: string | null };
type Given = {
  isPaired: boolean;
  claims: readonly { id: string; group: Group; position: number; marks: readonly string[] }[];
  replaced: readonly Drop[];
  missing: readonly Drop[];
  surveyed: readonly { position: number; evidence: readonly EvidencePiece[] }[];
};

/** List who has which evidence in a campaign. A pair is one household, which leaves both groups together. */
export function evidenceUses({ isPaired, claims, replaced, missing, surveyed }: Given): EvidenceUse[] {
  const dropped = (kind: "replaced" | "missing", drops: readonly Drop[]) =>
    drops.flatMap(({ group, position, evidence }): EvidenceUse[] => {
      if (evidence === null) return [];
      const id = isPaired ? `${kind} ${position}` : `${kind} ${group} ${position}`;
      return [{ kind, group, position, id, marks: marksOf([{ uri: evidence }]) }];
    });
  return [
    ...claims.map((claim): EvidenceUse => ({ kind: "claim", ...claim })),
    ...dropped("replaced", replaced),
    ...dropped("missing", missing),
    ...surveyed.map(({ position, evidence }): EvidenceUse => {
      return {
        kind: "surveyed",
        group: "intervention",
        position,
        id: `surveyed ${position}`,
        marks: marksOf(evidence),
      };
    }),
  ];
}

/** Find the uses whose evidence is that of another use. */
export function sharedEvidenceOf(uses: readonly EvidenceUse[]): SharedEvidence {
  const users = new Map<string, Map<string, EvidenceUse["kind"]>>();
  for (const { kind, id, marks } of uses) {
    for (const mark of marks) {
      const known = users.get(mark);
      if (known === undefined) users.set(mark, new Map([[id, kind]]));
      else known.set(id, kind);
    }
  }
  const isShared = (mark: string) => {
    const kinds = [...(users.get(mark)?.values() ?? [])];
    const [first] = kinds;
    const haveOwnRule = (first === "replaced" || first === "surveyed") && kinds.every((kind) => kind === first);
    return kinds.length > 1 && !haveOwnRule;
  };
  return placesOf(uses.filter(({ marks }) => marks.some(isShared)));
}

/** Find by campaign the uses whose evidence is among that of others. */
export function evidenceElsewhereOf(
  uses: readonly EvidenceUse[],
  others: readonly { campaignId: string; mark: string }[],
): EvidenceElsewhere[] {
  const byCampaign = Map.groupBy(others, ({ campaignId }) => campaignId);
  const found = [...byCampaign].map(([campaignId, ofCampaign]) => {
    const marks = new Set(ofCampaign.map(({ mark }) => mark));
    return { campaignId, ...placesOf(uses.filter((use) => use.marks.some((mark) => marks.has(mark)))) };
  });
  const shared = found.filter(({ reference, intervention, surveyed }) =>
    [reference, intervention, surveyed].some(({ length }) => length > 0),
  );
  return shared.sort((a, b) => (a.campaignId < b.campaignId ? -1 : 1));
}

function placesOf(uses: readonly EvidenceUse[]): Places {
  const of = (some: readonly EvidenceUse[]) => inOrder(some.map(({ position }) => position));
  const ofGroup = (wanted: Group) => of(uses.filter(({ kind, group }) => kind !== "surveyed" && group === wanted));
  return {
    reference: ofGroup("reference"),
    intervention: ofGroup("intervention"),
    surveyed: of(uses.filter(({ kind }) => kind === "surveyed")),
  };
}

type Compared = {
  sharedEvidence?: SharedEvidence | undefined;
  evidenceElsewhere?: readonly EvidenceElsewhere[] | undefined;
};

/** Flag evidence of several claims, households or devices of the campaign, and evidence of other campaigns. */
export function sharedEvidenceFlags({ sharedEvidence, evidenceElsewhere = [] }: Compared): Flag[] {
  const shared = sharedEvidence === undefined ? [] : flagsOf("shared-evidence", sharedEvidence, sharedMessage);
  const elsewhere = flagsOf("evidence-of-other-campaign", together(evidenceElsewhere), (who, place) => {
    const named = evidenceElsewhere.flatMap((each) => (each[place].length === 0 ? [] : [each.campaignId]));
    return `${who} have evidence that another campaign has as well: ${listed(named)}.`;
  });
  return [...shared, ...elsewhere];
}

const sharedMessage = (who: string) =>
  `${who} have the same evidence as another claim, a replaced or missing household, or a device of the usage survey.`;

function flagsOf(
  rule: "shared-evidence" | "evidence-of-other-campaign",
  places: Places,
  messageOf: (who: string, place: keyof Places) => string,
): Flag[] {
  const found = groups.flatMap((group): Flag[] => {
    const positions = places[group];
    if (positions.length === 0) return [];
    const message = messageOf(`${positions.length} households of the ${group} group`, group);
    return [{ group, rule, message, positions: [...positions] }];
  });
  if (places.surveyed.length === 0) return found;
  const message = messageOf(`${places.surveyed.length} devices of the usage survey`, "surveyed");
  return [...found, { group: "intervention", rule, message, positions: [] }];
}

function together(elsewhere: readonly EvidenceElsewhere[]): Places {
  return {
    reference: inOrder(elsewhere.flatMap(({ reference }) => reference)),
    intervention: inOrder(elsewhere.flatMap(({ intervention }) => intervention)),
    surveyed: inOrder(elsewhere.flatMap(({ surveyed }) => surveyed)),
  };
}

/** Most campaigns that a message names. */
const mostNamed = 5;

function listed(names: readonly string[]): string {
  const more = names.length - mostNamed;
  return more > 0 ? `${names.slice(0, mostNamed).join(", ")} and ${more} more` : names.join(", ");
}
