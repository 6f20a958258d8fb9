import { Alert, Select, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { exact } from "../../../../wire/src/exact.ts";
import type { TextKey } from "../../i18n/i18n.ts";
import { Dialog } from "../../show/dialog.tsx";
import { isAccount } from "../participants/participant-fields.ts";
import { type Entered, type Field, RecordDialog } from "../records/record-dialog.tsx";
import { type CouncilAction, propose } from "./sign-decision.ts";
import { useCouncilPart } from "./use-council.ts";
import { WalletBar } from "./wallet-bar.tsx";

type FieldKind = "amount" | "whole" | "account" | "role" | "token";
const roles = ["guardian", "registrar", "operator", "evaluator"] as const;

/** The usual decisions with their fields. `npm run pool` has all. */
const actions = {
  price: { price: "amount" },
  fee: { fee: "whole" },
  unpause: {},
  caps: { perTransaction: "amount", perDay: "amount", perSupplierDay: "amount" },
  "operator-cap": { amount: "amount" },
  "pin-cap": { amount: "amount" },
  "lifecycle-cap": { amount: "amount" },
  "itmo-daily-cap": { tonnes: "whole" },
  withdraw: { token: "token", to: "account", amount: "amount" },
  "grant-role": { role: "role", account: "account" },
  "revoke-role": { role: "role", account: "account" },
  "add-member": { account: "account" },
  "remove-member": { account: "account" },
  "replace-member": { account: "account", by: "account" },
  threshold: { threshold: "whole" },
  delay: { seconds: "whole" },
  "cease-consent": {},
} as const satisfies Record<string, Record<string, FieldKind>>;
type Action = keyof typeof actions;
/** Fields that may stay empty: what they are about stays unchanged. */
const optional = new Set(["perTransaction", "perDay", "perSupplierDay"]);

/** Propose a decision by a form; the wallet of a member signs it. */
export function ProposeDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const part = useCouncilPart();
  const [action, setAction] = useState<Action>();
  const fields = useFields(action);
  if (part !== "member") {
    return (
      <Dialog title={t("admin.council.propose")} onClose={onClose}>
        <Stack>
          <WalletBar />
          <Text size="sm">{t("admin.council.membersOnly")}</Text>
        </Stack>
      </Dialog>
    );
  }
  if (action === undefined) {
    return (
      <Dialog title={t("admin.council.propose")} onClose={onClose}>
        <Select
          label={t("admin.council.decision")}
          data={(Object.keys(actions) as Action[]).map((value) => ({
            value,
            label: t(`admin.council.action.${value}`),
          }))}
          onChange={(chosen) => setAction((chosen ?? undefined) as Action | undefined)}
          searchable
          data-autofocus
        />
      </Dialog>
    );
  }
  return (
    <RecordDialog
      title={t(`admin.council.action.${action}`)}
      lead={<Alert color="gray">{t("admin.council.signHint")}</Alert>}
      submit={t("admin.council.sign")}
      fields={fields}
      name="admin.propose"
      body={(entered) => bodyOf(action, entered)}
      send={(body) => propose(body)}
      changes={["admin", "council"]}
      onClose={onClose}
    />
  );
}

function useFields(action: Action | undefined): Field[] {
  const { t } = useTranslation();
  if (action === undefined) return [];
  return Object.entries(actions[action] as Record<string, FieldKind>).map(([name, kind]): Field => {
    const key = `admin.council.field.${name === "amount" && action === "withdraw" ? "quantity" : name}` as TextKey;
    const shared = { name, label: t(key), required: !optional.has(name) };
    switch (kind) {
      case "role":
        return {
          ...shared,
          kind: "choice",
          options: roles.map((value) => ({ value, label: t(`admin.roles.role.${value}`) })),
        };
      case "token":
        return {
          ...shared,
          kind: "choice",
          options: ["stablecoin", "carbon"].map((value) => ({
            value,
            label: t(`admin.council.token.${value as "stablecoin" | "carbon"}`),
          })),
        };
      case "account":
        return {
          ...shared,
          placeholder: "0x…",
          check: (text) => (isAccount(text) ? null : t("admin.participants.wrongAccount")),
        };
      case "whole":
        return {
          ...shared,
          kind: "number",
          check: (text) => (/^\d+$/.test(text) ? null : t("admin.plans.wholeNumber")),
        };
      default:
        return {
          ...shared,
          kind: "number",
          check: (text) =>
            /^\d+(\.\d{1,6})?$/.test(text) || (text === "" && optional.has(name))
              ? null
              : t("admin.council.wrongAmount"),
        };
    }
  });
}

function bodyOf(action: Action, { given }: Entered): CouncilAction {
  const fields = Object.entries(actions[action] as Record<string, FieldKind>).flatMap(([name, kind]) => {
    const text = given(name);
    if (text === undefined) return [];
    return [[name, kind === "amount" ? exact(text) : kind === "whole" ? Number(text) : text]];
  });
  return { action, ...Object.fromEntries(fields) };
}
