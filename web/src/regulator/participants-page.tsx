import { Button, Card, SegmentedControl, Stack, Text } from "@mantine/core";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ParticipantList } from "../admin/participants/participant-list.tsx";
import { lazyPart } from "../lazy-part.ts";
import { type Kind, type Participant, useParticipant } from "../participants/use-participant.ts";
import { PageFrame } from "../show/page-frame.tsx";
import { WhenLoaded } from "../show/when-loaded.tsx";
import type { Column } from "../table/data-table.tsx";

const Decisions = lazyPart("decisions", () => import("../decisions/decisions.tsx"), "Decisions");

const kinds = ["supplier", "implementer"] as const satisfies readonly Kind[];

/** Suppliers and implementers, and what can be decided about the one in the address. */
export function ParticipantsPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { did, kind: asked } = useSearch({ strict: false }) as { did?: string; kind?: string };
  const kind = kinds.find((each) => each === asked) ?? "supplier";
  const showKind = (next: string) => void navigate({ to: ".", search: { kind: next }, replace: true } as never);
  const decide: Column<Participant> = {
    key: "decide",
    header: t("regulator.decide.column"),
    width: "7rem",
    cell: (row) => (
      <Button
        component={Link}
        {...({ to: "/regulator/participants", search: { kind, did: row.did } } as object)}
        size="compact-sm"
        variant="default"
        aria-label={t("regulator.decide.about", { id: row.did })}
      >
        {t("regulator.decide.open")}
      </Button>
    ),
  };
  return (
    <PageFrame title={t("nav.regulator.participants")} lead={t("regulator.participants.lead")}>
      {did !== undefined && <Chosen key={`${kind} ${did}`} kind={kind} did={did} />}
      <SegmentedControl
        data={kinds.map((value) => ({ value, label: t(`admin.participants.kind.${value}`) }))}
        value={kind}
        onChange={showKind}
        aria-label={t("nav.regulator.participants")}
        style={{ alignSelf: "flex-start" }}
      />
      <ParticipantList kind={kind} more={[decide]} />
    </PageFrame>
  );
}

function Chosen({ kind, did }: { kind: Kind; did: string }) {
  const name = useParticipant(kind, did).data?.name;
  return (
    <Stack gap="xs">
      <Card withBorder padding="sm">
        <Text fw={600} translate="no">
          {name}
        </Text>
        <Text size="sm" ff="monospace" translate="no" style={{ overflowWrap: "anywhere" }}>
          {did}
        </Text>
      </Card>
      <WhenLoaded fallback={null}>
        <Decisions kind={kind} id={did} />
      </WhenLoaded>
    </Stack>
  );
}
