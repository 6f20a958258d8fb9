import { Button, Group } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { lazyPart } from "../../lazy-part.ts";
import { useSession } from "../../session/session.ts";
import { WhenLoaded } from "../../show/when-loaded.tsx";
import type { Campaign } from "./records.ts";

const dialogs = {
  join: lazyPart("acts", () => import("./draw-dialogs.tsx"), "JoinDrawDialog"),
  reveal: lazyPart("acts", () => import("./draw-dialogs.tsx"), "RevealSecretDialog"),
  repeat: lazyPart("acts", () => import("./draw-dialogs.tsx"), "RepeatDrawDialog"),
};
type Act = keyof typeof dialogs;

/** Buttons for what the parties of a draw can do now. */
export function DrawActs({ campaign }: { campaign: Campaign }) {
  const { t } = useTranslation();
  const role = useSession().key?.holder.role;
  const [act, setAct] = useState<Act>();
  const Shown = act && dialogs[act];
  return (
    <Group gap="sm">
      {actsOf(campaign, role).map((each) => (
        <Button key={each} size="xs" variant="default" onClick={() => setAct(each)}>
          {t(`implementer.parties.act.${each}`)}
        </Button>
      ))}
      {Shown !== undefined && (
        <WhenLoaded fallback={null}>
          <Shown campaign={campaign} onClose={() => setAct(undefined)} />
        </WhenLoaded>
      )}
    </Group>
  );
}

/** The chain knows whether the time to reveal is over, so the repetition is offered from the opening. */
function actsOf({ status, drawParties }: Campaign, role: string | undefined): Act[] {
  const { operator, secondParty } = drawParties;
  const isOwner = role === "admin" || role === "regulator" || role === "implementer";
  if (status !== "committed" || !(isOwner || role === "evaluator")) return [];
  if (operator === null) return secondParty === null ? ["join"] : [];
  const acts: Act[] = secondParty !== null && !secondParty.revealed ? ["reveal"] : [];
  return isOwner ? [...acts, "repeat"] : acts;
}
