import "../../show/print.css";
import { Alert, Button, Group, Stack, Tabs, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconPrinter } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { lazy, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { TraceReport } from "../../../../wire/src/reports.ts";
import { hearth } from "../../api/client.ts";
import { Form } from "../../forms/form.tsx";
import { lazyPart } from "../../lazy-part.ts";
import { useSession } from "../../session/session.ts";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { WhenLoaded } from "../../show/when-loaded.tsx";
import { useAddress } from "../../table/use-address.ts";
import { nodesOf } from "./report.ts";

// Loaded when someone opens them, to keep the page's first load small; and decisions for a person with a key.
const Decisions = lazyPart("decisions", () => import("../../decisions/decisions.tsx"), "Decisions");
const EmptyNotice = lazy(async () => ({ default: (await import("../../show/empty-notice.tsx")).EmptyNotice }));
const NodeDrawer = lazyPart("regulator/record", () => import("./node-drawer.tsx"), "NodeDrawer");
const StepsTable = lazy(async () => ({ default: (await import("./trace-tables.tsx")).StepsTable }));
const HistoryTable = lazy(async () => ({ default: (await import("./trace-tables.tsx")).HistoryTable }));
const TracePicture = lazy(async () => ({ default: (await import("./trace-picture.tsx")).TracePicture }));

/** The trace of an id, as a picture and as tables. */
export function TracePage() {
  const { t } = useTranslation();
  const { id } = useParams({ strict: false }) as { id?: string };
  return (
    <PageFrame title={t("regulator.trace.title")} lead={t("regulator.trace.lead")}>
      <div data-print="no">
        <IdForm key={id ?? ""} id={id ?? ""} />
      </div>
      {id !== undefined && (
        <Text size="sm" ff="monospace" translate="no" style={{ overflowWrap: "anywhere" }}>
          {id}
        </Text>
      )}
      {id === undefined ? (
        <WhenLoaded fallback={null}>
          <EmptyNotice text={t("regulator.trace.empty")} />
        </WhenLoaded>
      ) : (
        <Found key={`found ${id}`} id={id} />
      )}
    </PageFrame>
  );
}

function IdForm({ id }: { id: string }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const form = useForm({ initialValues: { id } });
  const open = (values: typeof form.values) => {
    const wanted = values.id.trim();
    if (wanted !== "") void navigate({ to: `/regulator/trace/${encodeURIComponent(wanted)}` });
  };
  const work = { mutate: open, isPending: false, error: null };
  return (
    <Form form={form} work={work} submit={t("regulator.trace.submit")} inline>
      <TextInput
        label={t("regulator.trace.id")}
        description={t("regulator.trace.idHint")}
        spellCheck={false}
        autoComplete="off"
        maw={640}
        flex="1 1 18rem"
        {...form.getInputProps("id")}
      />
    </Form>
  );
}

function Found({ id }: { id: string }) {
  const { t } = useTranslation();
  const hasKey = useSession().key !== undefined;
  const [cursor, setCursor] = useState<string>();
  const trace = useQuery({
    queryKey: ["regulator", "trace", id, cursor],
    queryFn: ({ signal }) => hearth.get("/reports/trace/{id}", { path: { id }, query: { cursor }, signal }),
  });
  if (trace.isPending) return <Loading />;
  if (trace.isError) return <ErrorNotice error={trace.error} onRetry={() => trace.refetch()} />;
  const { shownInPart, nextCursor, type } = trace.data;
  return (
    <Stack>
      {hasKey && isDecided(type) && (
        <WhenLoaded fallback={null}>
          <Decisions key={trace.data.id} kind={type} id={trace.data.id} />
        </WhenLoaded>
      )}
      {shownInPart.length > 0 && (
        <Alert color="blue">
          <Stack align="flex-start" gap="xs">
            <Text size="sm">{t("regulator.trace.inPart", { parts: shownInPart.join(", ") })}</Text>
            {nextCursor !== null && (
              <Button size="xs" variant="default" onClick={() => setCursor(nextCursor)}>
                {t("regulator.trace.more")}
              </Button>
            )}
          </Stack>
        </Alert>
      )}
      {cursor !== undefined && (
        <Button size="xs" variant="default" onClick={() => setCursor(undefined)} style={{ alignSelf: "flex-start" }}>
          {t("regulator.trace.first")}
        </Button>
      )}
      <Views trace={trace.data} />
    </Stack>
  );
}

/** Kinds of records with decisions (`decisions/kinds.ts`). */
const decided = ["claim", "kpt-claim", "redemption", "conversion", "voucher", "certificate"] as const;
const isDecided = (type: TraceReport["type"]): type is (typeof decided)[number] =>
  (decided as readonly string[]).includes(type);

function Views({ trace }: { trace: TraceReport }) {
  const { t } = useTranslation();
  const nodes = useMemo(() => nodesOf(trace), [trace]);
  const [tab, setTab] = useAddress("tab", ["picture", "steps", "history"]);
  const [openKey, setOpenKey] = useState<string>();
  const [wasOpened, setWasOpened] = useState(false);
  const openNode = (key: string) => {
    setOpenKey(key);
    setWasOpened(true);
  };
  const open = nodes.find(({ key }) => key === openKey);
  return (
    <>
      <Tabs value={tab} onChange={setTab} keepMounted={false}>
        <Tabs.List mb="sm" data-print="no">
          <Tabs.Tab value="picture">{t("regulator.trace.picture")}</Tabs.Tab>
          <Tabs.Tab value="steps">{`${t("regulator.trace.steps")} (${trace.links.length})`}</Tabs.Tab>
          <Tabs.Tab value="history">{`${t("regulator.trace.history")} (${trace.history.length})`}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="picture">
          <WhenLoaded>
            <TracePicture nodes={nodes} links={trace.links} open={open} onOpen={({ key }) => openNode(key)} />
          </WhenLoaded>
          <Group justify="space-between" align="flex-start" mt={6}>
            <Text size="xs" c="dimmed">
              {t("regulator.trace.fifo")}
            </Text>
            <Button
              size="xs"
              variant="default"
              leftSection={<IconPrinter size={16} aria-hidden />}
              onClick={() => window.print()}
              data-print="no"
            >
              {t("regulator.trace.print")}
            </Button>
          </Group>
        </Tabs.Panel>
        <Tabs.Panel value="steps">
          <WhenLoaded>
            <StepsTable links={trace.links} />
          </WhenLoaded>
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <WhenLoaded>
            <HistoryTable history={trace.history} />
          </WhenLoaded>
        </Tabs.Panel>
      </Tabs>
      {wasOpened && (
        <WhenLoaded fallback={null}>
          <NodeDrawer node={open} onClose={() => setOpenKey(undefined)} />
        </WhenLoaded>
      )}
    </>
  );
}
