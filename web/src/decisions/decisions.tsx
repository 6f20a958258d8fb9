import { Anchor, Button, Card, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, useEffect, useState } from "react";
import { Trans, useTranslation } from "react-i18next";
import { HearthError } from "../../../wire/src/errors.ts";
import { queryClient } from "../api/query-client.ts";
import { readLater } from "../api/read-later.ts";
import { type KeyHolder, type Role, useSession } from "../session/session.ts";
import { ErrorNotice } from "../show/error-notice.tsx";
import { Moment } from "../show/moment.tsx";
import { StateBadge, useStateWord } from "../show/state-badge.tsx";
import { WhenLoaded } from "../show/when-loaded.tsx";
import type { Act, Note, RecordKind } from "./act.ts";
import { type KindName, kindOf } from "./kinds.ts";

const DecisionDialog = lazy(async () => ({ default: (await import("./decision-dialog.tsx")).DecisionDialog }));

type DecisionsProps = { kind: KindName; id: string };

/** The state of a record, and what the signed-in person can decide about it now. Nothing without a key. */
export function Decisions({ kind, id }: DecisionsProps) {
  const { key } = useSession();
  if (key === undefined) return null;
  return <Known kind={kind} id={id} holder={key.holder} />;
}

function Known({ kind, id, holder }: DecisionsProps & { holder: KeyHolder }) {
  const { t } = useTranslation();
  const rules = kindOf(kind);
  const record = useQuery({
    queryKey: ["decisions", kind, id],
    queryFn: ({ signal }) => rules.read(id, signal),
  });
  const stateWord = useStateWord(rules.states);
  const [chosen, setChosen] = useState<Act<unknown>>();
  const [decided, setDecided] = useState<Act<unknown>>();
  const refresh = useRefresh();
  if (record.isPending || isHidden(record.error)) return null;
  if (record.isError) return <ErrorNotice error={record.error} onRetry={() => void record.refetch()} />;
  const possible = rules.acts.filter((act) => act.isPossible(record.data));
  const own = possible.filter((act) => mayDecide(act, record.data, holder));
  const others = isStaff(holder.role) ? possible.filter((act) => !own.includes(act)) : [];
  const notes = isStaff(holder.role) || holder.role === "implementer" ? (rules.notes?.(record.data) ?? []) : [];
  if (own.length === 0 && others.length === 0 && notes.length === 0 && decided === undefined) return null;
  const state = rules.stateOf(record.data);
  const onDecided = async () => {
    await queryClient.invalidateQueries({ queryKey: ["decisions"] });
    setDecided(chosen);
    refresh();
  };
  return (
    <Card withBorder padding="sm" data-print="no">
      <Stack gap="xs" component="section" aria-label={t("decisions.title")}>
        <Group gap="xs">
          <Title order={2} size="h5">
            {t("decisions.title")}
          </Title>
          <StateBadge kind={rules.states} state={state} />
        </Group>
        <Text role="status" size="sm" style={{ overflowWrap: "anywhere" }}>
          {decided !== undefined &&
            t("decisions.done", { act: t(`decisions.acts.${decided.name}.label`), state: stateWord(state) })}
        </Text>
        {own.length > 0 && (
          <Group gap="xs">
            {own.map((act) => (
              <Button key={act.name} variant={act.isGrave ? "default" : "filled"} onClick={() => setChosen(act)}>
                {t(`decisions.acts.${act.name}.label`)}
              </Button>
            ))}
          </Group>
        )}
        <Others acts={others} />
        {notes.map((note) => (
          <NoteText key={note.name} {...note} id={id} />
        ))}
      </Stack>
      {chosen !== undefined && (
        <WhenLoaded fallback={null}>
          <DecisionDialog
            act={chosen}
            id={id}
            facts={rules.facts(record.data)}
            onDecided={() => void onDecided()}
            onClose={() => setChosen(undefined)}
          />
        </WhenLoaded>
      )}
    </Card>
  );
}

/** The roles that read every record, and so see what others can decide. */
const isStaff = (role: Role) => ["admin", "regulator", "evaluator"].includes(role);

/** The record is not for this key, or not known yet: the page says so itself. */
const isHidden = (error: unknown) => error instanceof HearthError && [401, 403, 404].includes(error.status);

/** Whether a key's role may take this decision about a record. */
export function mayDecide<Row>(act: RecordKind<Row>["acts"][number], row: Row, holder: KeyHolder): boolean {
  return act.roles.includes(holder.role) && (act.isOwn?.(row, holder) ?? true);
}

/** What only other roles can decide, and which. */
function Others({ acts }: { acts: readonly Act<unknown>[] }) {
  const { t, i18n } = useTranslation();
  const list = (words: string[], type: "conjunction" | "disjunction") =>
    new Intl.ListFormat(i18n.language, { type }).format(words);
  const groups = new Map<string, Act<unknown>[]>();
  for (const act of acts) {
    const roles = act.roles.map((role) => t(`shell.role.${role}`));
    const who = list(roles, "disjunction");
    groups.set(who, [...(groups.get(who) ?? []), act]);
  }
  return [...groups].map(([who, those]) => {
    const names = those.map(({ name }) => t(`decisions.acts.${name}.label`));
    return (
      <Text key={who} size="sm">
        {t("decisions.others", { acts: list(names, "conjunction"), roles: who })}
      </Text>
    );
  });
}

function NoteText({ name, at, to, id }: Note & { id: string }) {
  const { t } = useTranslation();
  return (
    <Text size="sm" style={{ overflowWrap: "anywhere" }}>
      <Trans
        i18nKey={`decisions.notes.${name}`}
        values={{ id }}
        components={{
          moment: at === undefined ? <span /> : <Moment at={at} />,
          page: to === undefined ? <span /> : <Anchor component={Link} to={to} inherit underline="always" />,
          code: <code translate="no" />,
        }}
        t={t}
      />
    </Text>
  );
}

/** First parts of the query keys of what pages show of records. */
const areas = ["index", "regulator", "home", "supplier", "implementer", "participants"];

/** Return a function that reads again, several times, what the console shows from the index. */
function useRefresh(): () => void {
  const [decisions, setDecisions] = useState(0);
  useEffect(() => (decisions === 0 ? undefined : readLater(areas)), [decisions]);
  return () => setDecisions((count) => count + 1);
}
