import { NumberInput, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Form } from "../../forms/form.tsx";
import { Dialog } from "../../show/dialog.tsx";
import type { FileStore } from "../file-store.ts";
import type { FileMetadata, VersionEntry } from "../file-types.ts";
import { prunedBy } from "./pruned-by.ts";

type PruneProps = {
  store: FileStore;
  file: FileMetadata;
  versions: readonly VersionEntry[];
  onClose: (pruned: boolean) => void;
};

/** Destroy old versions after listing them. Pinned versions and the newest ones stay. */
export function PruneDialog({ store, file, versions, onClose }: PruneProps) {
  const { t, i18n } = useTranslation();
  const form = useForm({ initialValues: { keep: 10 as number | "" } });
  const prune = useMutation({
    mutationFn: ({ keep }: typeof form.values) => store.prune(file, Number(keep)),
    onSuccess: () => onClose(true),
  });
  const { keep } = form.values;
  // An empty field destroys nothing.
  const going = keep === "" ? [] : prunedBy(versions, keep);
  const names = new Intl.ListFormat(i18n.language, { type: "conjunction" }).format(
    going.map(({ version, label }) => (label === undefined ? String(version) : `${version} (${label})`)),
  );
  return (
    <Dialog title={t("files.prune.title", { name: file.name })} onClose={() => onClose(false)}>
      <Form
        form={form}
        work={prune}
        submit={t("files.purge.submit")}
        color="red"
        canSubmit={going.length > 0}
        onCancel={() => onClose(false)}
      >
        <NumberInput
          label={t("files.prune.keep")}
          description={t("files.prune.hint")}
          min={1}
          max={50}
          allowDecimal={false}
          clampBehavior="strict"
          data-autofocus
          {...form.getInputProps("keep")}
        />
        <Text role="status">
          {going.length === 0
            ? t("files.prune.none")
            : t("files.prune.going", { count: going.length, versions: names })}
        </Text>
      </Form>
    </Dialog>
  );
}
