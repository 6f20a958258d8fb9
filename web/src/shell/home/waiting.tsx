import { Anchor, Badge, Group, List, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import type { TextKey } from "../../i18n/i18n.ts";
import { pages } from "../../pages.ts";
import { useSession } from "../../session/session.ts";
import { countOf } from "./scheme-figures.tsx";
import { Section } from "./section.tsx";
import { useSummary } from "./use-summary.ts";

type Overview = Schemas["Overview"];
type Item = { key: string; text: TextKey; count: number; to?: string; search?: Record<string, string> };

/** What waits for someone's decision or work, each with a link to its records. */
export function Waiting({ overview }: { overview: Overview | undefined }) {
  const { t } = useTranslation();
  const { key } = useSession();
  const summary = useSummary().data;
  const proposals = useProposals(overview);
  const role = key?.holder.role;
  const isOfScheme = role !== "supplier" && role !== "implementer";
  const findingsPath = role === "implementer" ? "/implementer/findings" : "/regulator/findings";
  const items: Item[] = [
    ...(isOfScheme && summary !== undefined
      ? [
          {
            key: "conversions",
            text: "home.waiting.conversions" as const,
            count: countOf(summary.conversions, "requested"),
            to: "/regulator/itmos",
            search: { tab: "conversions", "conversions.status": "requested" },
          },
          {
            key: "flagged",
            text: "home.waiting.flagged" as const,
            count: countOf(summary.claims, "flagged"),
            to: "/regulator/claims",
            search: { status: "flagged" },
          },
          {
            key: "disputed",
            text: "home.waiting.disputed" as const,
            count: countOf(summary.claims, "disputed"),
            to: "/regulator/claims",
            search: { status: "disputed" },
          },
        ]
      : []),
    ...(isOfScheme && proposals !== undefined
      ? [
          {
            key: "proposals",
            text: "home.waiting.proposals" as const,
            count: proposals,
            ...(pages.some(({ path }) => path === councilPath) && { to: councilPath }),
          },
        ]
      : []),
    ...(overview?.findings?.campaigns ?? [])
      .flatMap(({ campaignId, open, answered }) => [
        { key: `open ${campaignId}`, text: "home.waiting.open" as const, count: open, name: campaignId },
        { key: `answered ${campaignId}`, text: "home.waiting.answered" as const, count: answered, name: campaignId },
      ])
      .map(({ name, ...item }) => ({ ...item, name, to: `${findingsPath}/${encodeURIComponent(name)}` })),
    ...(overview?.supplier
      ? [
          {
            key: "claim",
            text: "home.waiting.toClaim" as const,
            count: overview.supplier.toClaim.count,
            to: "/supplier/redemptions",
            search: { status: "pending_delivery" },
          },
          {
            key: "review",
            text: "home.waiting.inReview" as const,
            count: overview.supplier.inReview.count,
            to: "/supplier/claims",
          },
        ]
      : []),
    ...(role === "implementer"
      ? (overview?.campaigns ?? []).map(({ campaignId, drawn, measured }) => ({
          key: `visit ${campaignId}`,
          text: "home.waiting.visits" as const,
          count: drawn - measured,
          name: campaignId,
          to: `/implementer/measure/${encodeURIComponent(campaignId)}`,
        }))
      : []),
  ];
  const shown = items.filter(({ count }) => count > 0);
  return (
    <Section title={t("home.waiting.title")}>
      {shown.length === 0 && <Text size="sm">{t("home.waiting.none")}</Text>}
      <List listStyleType="none" spacing={6}>
        {shown.map((item) => (
          <List.Item key={item.key}>
            <Group gap="sm" wrap="nowrap" align="baseline">
              <Badge variant="light" color="orange" miw="2.5rem">
                {item.count}
              </Badge>
              <ItemText {...item} />
            </Group>
          </List.Item>
        ))}
      </List>
    </Section>
  );
}

const councilPath = "/admin/council";

function ItemText({ text, count, to, search, ...rest }: Item & { name?: string }) {
  const { t } = useTranslation();
  const { name = "" } = rest;
  const said = t(text, { count, name });
  if (to === undefined) return <Text size="sm">{said}</Text>;
  return (
    <Anchor component={Link} {...({ to, search } as object)} size="sm">
      {said}
    </Anchor>
  );
}

/** Number of the council's proposals that wait. A visitor gets it from the public list. */
function useProposals(overview: Overview | undefined): number | undefined {
  const { key } = useSession();
  const list = useQuery({
    queryKey: ["home", "proposals"],
    enabled: key === undefined,
    queryFn: ({ signal }) => hearth.get("/v1/pool/proposals", { query: { limit: 100 }, signal }),
  });
  if (overview !== undefined) {
    const { collecting, scheduled, ready } = overview.proposals;
    return collecting + scheduled + ready;
  }
  return list.data?.items.filter(({ status }) => ["collecting", "scheduled", "ready"].includes(status)).length;
}
