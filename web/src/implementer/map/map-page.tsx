import { Alert, Group, Select, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazy, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { hearth } from "../../api/client.ts";
import { EmptyNotice } from "../../show/empty-notice.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { WhenLoaded } from "../../show/when-loaded.tsx";
import { useAddressTexts } from "../../table/use-address.ts";
import { useOutbox } from "../kpt/use-outbox.ts";
import { usePositions, type Visit, visitLink, visitsOf } from "../kpt/visits.ts";
import classes from "./map.module.css";
import { type Place, type PlaceState, states } from "./place.ts";

const HouseholdMap = lazy(async () => ({ default: (await import("./household-map.tsx")).HouseholdMap }));

/** Where the households are, and which of a campaign's sample are still to be visited. */
export function MapPage() {
  const { t } = useTranslation();
  const [{ campaign }, choose] = useAddressTexts(["campaign"]);
  const campaigns = useQuery({
    queryKey: ["implementer", "campaigns", "all"],
    queryFn: async ({ signal }) => {
      const ids: string[] = [];
      for await (const { campaignId } of hearth.items("/v1/campaigns", { query: { limit: 500 }, signal }))
        ids.push(campaignId);
      return ids;
    },
  });
  return (
    <PageFrame title={t("nav.implementer.map")} lead={t("implementer.map.lead")}>
      <Select
        label={t("implementer.map.campaign")}
        placeholder={t("implementer.map.all")}
        data={campaigns.data ?? []}
        value={campaign ?? null}
        onChange={(chosen) => choose({ campaign: chosen ?? undefined } as { campaign?: string })}
        searchable
        clearable
        clearButtonProps={{ "aria-label": t("implementer.map.all") }}
        maw={360}
      />
      {campaigns.isError && <ErrorNotice error={campaigns.error} onRetry={() => void campaigns.refetch()} />}
      {campaign === undefined ? <AllHouseholds /> : <Sample key={campaign} campaignId={campaign} />}
    </PageFrame>
  );
}

/** The locations of all households that the key may read. */
function useLocations() {
  return useQuery({
    queryKey: ["implementer", "households", "locations"],
    queryFn: async ({ signal }) => {
      const found = new Map<string, { latitude: number; longitude: number }>();
      for await (const { did, latitude, longitude } of hearth.items("/v1/household-locations", {
        query: { limit: 5_000 },
        signal,
      }))
        found.set(did, { latitude: Number(latitude), longitude: Number(longitude) });
      return found;
    },
  });
}

function AllHouseholds() {
  const { data, error, refetch } = useLocations();
  const places = useMemo(
    () => [...(data ?? [])].map(([did, location]): Place => ({ did, ...location, state: "registered" })),
    [data],
  );
  if (error !== null && data === undefined) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  return data === undefined ? <Loading /> : <Places places={places} missing={0} />;
}

/** The households that a campaign has drawn, without those that were replaced or are missing. */
function Sample({ campaignId }: { campaignId: string }) {
  const { data, error, refetch } = useLocations();
  const waiting = useOutbox();
  const positions = usePositions(campaignId);
  const visits = useMemo(() => visitsOf(positions, waiting, campaignId), [positions, waiting, campaignId]);
  const places = useMemo(
    () =>
      visits.flatMap((visit): Place[] => {
        const location = data?.get(visit.householdId);
        return location === undefined ? [] : [{ did: visit.householdId, ...location, ...shownOf(campaignId, visit) }];
      }),
    [data, visits, campaignId],
  );
  if (error !== null && data === undefined) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  return data === undefined ? <Loading /> : <Places places={places} missing={visits.length - places.length} />;
}

function shownOf(campaignId: string, visit: Visit): Pick<Place, "state" | "link"> {
  return visit.state === "open" ? { state: "open", link: visitLink(campaignId, visit) } : { state: visit.state };
}

/** @param missing number of households of the sample whose location is not known */
function Places({ places, missing }: { places: Place[]; missing: number }) {
  const { t } = useTranslation();
  const counts = new Map<PlaceState, number>();
  for (const { state } of places) counts.set(state, (counts.get(state) ?? 0) + 1);
  return (
    <>
      {missing > 0 && (
        <Alert variant="light" color="gray">
          {t("implementer.map.missing", { count: missing })}
        </Alert>
      )}
      {places.length === 0 ? (
        <EmptyNotice text={t("implementer.map.empty")} />
      ) : (
        <>
          <Group gap="md" role="status">
            {states
              .filter((state) => counts.has(state))
              .map((state) => (
                <Text key={state} size="sm" span className={classes.legend}>
                  <span className={classes.dot} data-state={state} aria-hidden />
                  {t(`implementer.map.state.${state}`, { count: counts.get(state) ?? 0 })}
                </Text>
              ))}
          </Group>
          <WhenLoaded>
            <HouseholdMap places={places} />
          </WhenLoaded>
        </>
      )}
    </>
  );
}
