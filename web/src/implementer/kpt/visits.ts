import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { CampaignGroup } from "../../../../wire/src/ids.ts";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { keep, kept } from "../../session/vault.ts";
import type { Waiting } from "./kpt-outbox.ts";

/** A drawn household that a field team visits. `waiting`: measured, and stored on this device until it is sent. */
export type Visit = {
  group: CampaignGroup;
  householdId: string;
  state: "open" | "waiting" | "measured";
};

type Position = Schemas["CampaignPosition"];

/** The drawn positions of a campaign; without a network, the last known ones. */
export function usePositions(campaignId: string): readonly Position[] {
  const name = `implementer.kpt.positions.${campaignId}`;
  const { data } = useQuery({
    queryKey: ["implementer", "campaigns", campaignId, "positions", "all"],
    queryFn: async ({ signal }) => {
      const positions: Position[] = [];
      const path = { campaignId };
      const query = { limit: 500 };
      for await (const each of hearth.items("/v1/campaigns/{campaignId}/positions", { path, query, signal }))
        positions.push(each);
      keep(name, positions);
      return positions;
    },
  });
  return useMemo(() => data ?? kept<Position[]>(name) ?? [], [data, name]);
}

/** The households to visit, in the order of the draw, without those that were replaced or are missing. */
export function visitsOf(positions: readonly Position[], waiting: readonly Waiting[], campaignId: string): Visit[] {
  const unsent = new Set(waiting.filter((each) => each.campaignId === campaignId).map((each) => each.householdId));
  return positions.flatMap(({ group, householdId, ended }): Visit[] => {
    if (householdId === null || ended === "replaced" || ended === "missing") return [];
    if (ended === "measured") return [{ group, householdId, state: "measured" }];
    return [{ group, householdId, state: unsent.has(householdId) ? "waiting" : "open" }];
  });
}

/** The open visit that follows a household in its group, else the first open one of the group, else of the other. */
export function nextVisit(visits: readonly Visit[], group: CampaignGroup, after?: string): Visit | undefined {
  const own = visits.filter((each) => each.group === group);
  const at = own.findIndex(({ householdId }) => householdId === after);
  const inOrder = [...own.slice(at + 1), ...own.slice(0, at + 1), ...visits.filter((each) => each.group !== group)];
  return inOrder.find(({ state, householdId }) => state === "open" && householdId !== after);
}

/** Address of the form for a visit. */
export function visitLink(campaignId: string, { group, householdId }: Visit) {
  return {
    to: `/implementer/measure/${encodeURIComponent(campaignId)}`,
    search: { household: householdId, group } as never,
  };
}
