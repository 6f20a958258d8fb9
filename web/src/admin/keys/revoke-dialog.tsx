import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { ConfirmForm } from "../../forms/confirm-form.tsx";
import { Dialog } from "../../show/dialog.tsx";

type RevokeDialogProps = {
  apiKey: Pick<Schemas["ApiKey"], "id" | "name">;
  /** What happens then; by default to a person's device. */
  hint?: string;
  onClose: () => void;
};

/** Ask before a key is revoked, which cannot be undone. */
export function RevokeDialog({ apiKey: { id, name }, hint, onClose }: RevokeDialogProps) {
  const { t } = useTranslation();
  const revoke = useMutation({
    mutationFn: () => hearth.delete("/v1/keys/{id}", { path: { id } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["admin"] });
      onClose();
    },
  });
  return (
    <Dialog title={t("people.revokeTitle", { name })} onClose={onClose}>
      <ConfirmForm work={revoke} submit={t("people.revoke")} onCancel={onClose}>
        {hint ?? t("people.revokeHint")}
      </ConfirmForm>
    </Dialog>
  );
}
