import { Button, Group, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { cardCode, readCardId } from "../../../../wire/src/card-code.ts";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { Form } from "../../forms/form.tsx";
import { Dialog } from "../../show/dialog.tsx";

type Card = Schemas["Card"];
type Action = "link" | "activate" | "block" | "replace";

/** Key of all queries of cards: a change reads them again. */
export const cardChanges = ["implementer", "cards"];

/** What may happen next to a card in each status. */
const actionsOf: Record<Card["status"], readonly Action[]> = {
  issued: ["link"],
  linked: ["activate", "block"],
  active: ["block", "replace"],
  blocked: ["replace"],
  replaced: [],
};

/** Buttons for what may happen to a card, each with its dialog. */
export function CardActions({ card }: { card: Card }) {
  const { t } = useTranslation();
  const [action, setAction] = useState<Action>();
  return (
    <Group gap="xs">
      {actionsOf[card.status].map((each) => (
        <Button
          key={each}
          size="compact-sm"
          variant="default"
          aria-label={`${t(`implementer.cards.action.${each}`)} ${cardCode(card.cardId)}`}
          onClick={() => setAction(each)}
        >
          {t(`implementer.cards.action.${each}`)}
        </Button>
      ))}
      {action !== undefined && <ActionDialog card={card} action={action} onClose={() => setAction(undefined)} />}
    </Group>
  );
}

type ActionDialogProps = { card: Card; action: Action; onClose: () => void };
type Values = { householdDid: string; newCard: string; reason: string };

function ActionDialog({ card, action, onClose }: ActionDialogProps) {
  const { t } = useTranslation();
  const form = useForm<Values>({
    initialValues: { householdDid: "", newCard: "", reason: "" },
    validate: {
      newCard: (code) =>
        action === "replace" && readCardId(code.trim()) === undefined ? t("implementer.cards.wrongCode") : null,
    },
  });
  const work = useMutation({
    mutationFn: (values: Values) => send(card.cardId, action, values),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: cardChanges });
      onClose();
    },
  });
  const { householdDid, newCard, reason } = form.values;
  const isComplete = {
    link: householdDid.trim() !== "",
    activate: true,
    block: reason.trim() !== "",
    replace: newCard.trim() !== "" && reason.trim() !== "",
  };
  return (
    <Dialog title={t(`implementer.cards.title.${action}`, { card: cardCode(card.cardId) })} onClose={onClose}>
      <Form
        form={form}
        work={work}
        submit={t(`implementer.cards.action.${action}`)}
        canSubmit={isComplete[action]}
        onCancel={onClose}
      >
        <Text size="sm">{t(`implementer.cards.hint.${action}`)}</Text>
        {action === "link" && (
          <TextInput
            label={t("implementer.cards.household")}
            placeholder="did:ixo:household/…"
            required
            spellCheck={false}
            data-autofocus
            {...form.getInputProps("householdDid")}
          />
        )}
        {action === "replace" && (
          <TextInput
            label={t("implementer.cards.newCard")}
            description={t("implementer.cards.newCardHint")}
            required
            spellCheck={false}
            data-autofocus
            {...form.getInputProps("newCard")}
          />
        )}
        {(action === "block" || action === "replace") && (
          <TextInput
            label={t("implementer.cards.reason")}
            required
            maxLength={500}
            {...(action === "block" ? { "data-autofocus": true } : {})}
            {...form.getInputProps("reason")}
          />
        )}
      </Form>
    </Dialog>
  );
}

async function send(cardId: string, action: Action, { householdDid, newCard, reason }: Values): Promise<unknown> {
  const path = { cardId };
  switch (action) {
    case "link":
      return await hearth.post("/v1/cards/{cardId}/link", { path, body: { householdDid: householdDid.trim() } });
    case "activate":
      return await hearth.post("/v1/cards/{cardId}/activate", { path });
    case "block":
      return await hearth.post("/v1/cards/{cardId}/block", { path, body: { reason: reason.trim() } });
    case "replace": {
      const body = { newCardId: readCardId(newCard.trim()) ?? "", reason: reason.trim() };
      return await hearth.post("/v1/cards/{cardId}/replace", { path, body });
    }
  }
}
