import { Select, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { Form } from "../../forms/form.tsx";
import { Dialog } from "../../show/dialog.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { type Connection, changes } from "./kobo-queries.ts";

type Fields = Schemas["KoboConnectionFields"];
type KoboMappingProps = { connection: Connection; onClose: () => void };

/** From which question of Kobo's form each field of Hearth's form is read. */
export function KoboMapping({ connection, onClose }: KoboMappingProps) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery({
    queryKey: [...changes, connection.id, "fields"],
    staleTime: 0,
    gcTime: 0,
    queryFn: ({ signal }) => hearth.get("/v1/kobo/connections/{id}/fields", { path: { id: connection.id }, signal }),
  });
  return (
    <Dialog title={t("admin.kobo.mapTitle", { name: connection.name })} size="lg" onClose={onClose}>
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading />}
      {data !== undefined && <Questions id={connection.id} shown={data} onClose={onClose} />}
    </Dialog>
  );
}

function Questions({ id, shown: { fields, questions }, onClose }: { id: string; shown: Fields; onClose: () => void }) {
  const { t } = useTranslation();
  // By position: paths have dots and slashes, which a form would take for levels.
  const initial = fields.map(({ question, found }) => (found ? question : null));
  const form = useForm<{ chosen: (string | null)[] }>({ initialValues: { chosen: initial } });
  const save = useMutation({
    mutationFn: ({ chosen }: { chosen: (string | null)[] }) => {
      const mapping = fields.flatMap(({ field }, i) => {
        const question = chosen[i];
        return question === null || question === undefined ? [] : [{ field, question }];
      });
      return hearth.put("/v1/kobo/connections/{id}/mapping", { path: { id }, body: { mapping } });
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: changes });
      onClose();
    },
  });
  const options = questions.map(({ path, label }) => ({
    value: path,
    label: label === path ? path : `${label} (${path})`,
  }));
  return (
    <Form form={form} work={save} submit={t("admin.kobo.save")} onCancel={onClose}>
      <Text size="sm">{t("admin.kobo.mapHint")}</Text>
      <Stack gap="xs">
        {fields.map(({ field, label, required }, i) => (
          <Select
            key={field}
            label={
              <>
                <span lang="en">{label}</span> <code>{field}</code>
              </>
            }
            withAsterisk={required}
            data={options}
            placeholder={t("admin.kobo.noQuestion")}
            searchable
            clearable
            {...form.getInputProps(`chosen.${i}`)}
          />
        ))}
      </Stack>
    </Form>
  );
}
