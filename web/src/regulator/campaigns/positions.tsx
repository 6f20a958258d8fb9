import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { StateBadge } from "../../show/state-badge.tsx";
import type { Column } from "../../table/data-table.tsx";
import { FilteredList } from "../../table/filtered-list.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";
import { optionsOf, useList } from "../../table/use-list.ts";

type Position = Schemas["CampaignPosition"];
const groups = { reference: true, intervention: true } as const;
const ends = { measured: true, replaced: true, missing: true, open: true } as const;

/** Every drawn position of a campaign, and how it ended. */
export function Positions({ campaignId }: { campaignId: string }) {
  const { t } = useTranslation();
  const columns = useColumns();
  const list = useList({
    name: "positions",
    columns,
    filters: {
      group: {
        kind: "choice",
        label: t("regulator.verify.group"),
        options: optionsOf(groups, (group) => t(`regulator.campaigns.${group}`)),
      },
      ended: {
        kind: "choice",
        label: t("regulator.verify.ended"),
        options: optionsOf(ends, (ended) => t(`state.campaignPosition.${ended}`)),
      },
    },
  });
  const { group, ended } = list.values;
  const query = { ...(group && { group }), ...(ended && { ended }) };
  const rows = useCursorRows({
    queryKey: ["implementer", "campaigns", campaignId, "positions", query],
    page: (at, signal) =>
      hearth.get("/v1/campaigns/{campaignId}/positions", { path: { campaignId }, query: { ...at, ...query }, signal }),
  });
  return (
    <FilteredList
      list={list}
      label={t("regulator.verify.sample")}
      empty={t("regulator.verify.notDrawn")}
      columns={columns}
      rows={rows}
      rowKey={(row) => `${row.group} ${row.position}`}
      wraps
    />
  );
}

function useColumns(): Column<Position>[] {
  const { t } = useTranslation();
  return [
    {
      key: "position",
      header: t("regulator.verify.position"),
      width: "6.5rem",
      cell: ({ group, position, stratum }) =>
        [`${t(`regulator.campaigns.${group}`)} ${position}`, ...(stratum === null ? [] : [stratum])].join(", "),
    },
    {
      key: "ended",
      header: t("regulator.verify.ended"),
      width: "6.5rem",
      cell: ({ ended }) => <StateBadge kind="campaignPosition" state={ended} />,
    },
    {
      key: "why",
      header: t("regulator.verify.why"),
      width: "7.5rem",
      cell: (row) => <Why {...row} />,
    },
    {
      key: "household",
      header: t("regulator.verify.household"),
      width: "12rem",
      wideOnly: true,
      cell: ({ householdId }) => householdId ?? t("common.none"),
    },
  ];
}

/** The claims of a measured position; the reason and evidence of another. */
function Why({ claimIds, reason, evidence, replacedBy }: Position) {
  const { t } = useTranslation();
  const texts = [
    ...(reason === null ? [] : [t(`implementer.reason.${reason}`)]),
    ...(replacedBy === null ? [] : [t("regulator.verify.replacedBy", { position: replacedBy })]),
    ...(evidence === null ? [] : [evidence]),
  ];
  return (
    <Text size="sm" style={{ overflowWrap: "anywhere" }} component="div">
      {claimIds.map((id) => (
        <Text key={id} size="xs" ff="monospace">
          {id}
        </Text>
      ))}
      {texts.join(" · ")}
    </Text>
  );
}
