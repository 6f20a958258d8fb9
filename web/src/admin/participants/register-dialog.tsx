import { useTranslation } from "react-i18next";
import { hearth } from "../../api/client.ts";
import type { Kind } from "../../participants/use-participant.ts";
import { type Field, RecordDialog } from "../records/record-dialog.tsx";
import { didOfName, isAccount, isDid } from "./participant-fields.ts";

/** Register an implementer or a supplier. */
export function RegisterDialog({ kind, onClose }: { kind: Kind; onClose: () => void }) {
  const { t } = useTranslation();
  const region: Field = { name: "region", label: t("admin.participants.region"), maxLength: 128, isName: true };
  const fields: Field[] = [
    {
      name: "name",
      label: t("admin.participants.name"),
      hint: t("admin.participants.nameHint"),
      required: true,
      maxLength: 200,
      isName: true,
    },
    {
      name: "account",
      label: t("admin.participants.account"),
      hint: t(`admin.participants.accountHint.${kind}`),
      placeholder: "0x…",
      required: true,
      check: (account) => (isAccount(account) ? null : t("admin.participants.wrongAccount")),
    },
    ...(kind === "supplier" ? [region] : []),
    {
      name: "did",
      label: t("admin.participants.did"),
      hint: t("admin.participants.didHint"),
      placeholder: ({ name = "" }) => didOfName(kind, name),
      check: (did, { name = "" }) => (isDid(did || didOfName(kind, name)) ? null : t("admin.participants.wrongDid")),
    },
  ];
  return (
    <RecordDialog
      title={t(`admin.participants.register.${kind}`)}
      fields={fields}
      name={`admin.register.${kind}`}
      body={({ text, given }) => ({
        name: text("name"),
        did: given("did") ?? didOfName(kind, text("name")),
        account: text("account"),
        ...(kind === "supplier" && given("region") !== undefined ? { region: text("region") } : {}),
      })}
      send={(body, idempotencyKey) => hearth.post(`/v1/${kind}s`, { body, idempotencyKey })}
      changes={["participants", kind]}
      onClose={onClose}
    />
  );
}
