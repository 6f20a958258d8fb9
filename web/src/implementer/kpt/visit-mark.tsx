import { Badge } from "@mantine/core";
import { IconCheck, IconClockPause } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { Visit } from "./visits.ts";

/** Marks a household that is measured; nothing for one that is still to be visited. */
export function VisitMark({ state }: Pick<Visit, "state">) {
  const { t } = useTranslation();
  if (state === "open") return null;
  const Icon = state === "measured" ? IconCheck : IconClockPause;
  return (
    <Badge
      variant="outline"
      color={state === "measured" ? "teal" : "yellow"}
      c="inherit"
      leftSection={<Icon size={12} aria-hidden />}
      style={{ flexShrink: 0 }}
    >
      {t(`implementer.visit.${state}`)}
    </Badge>
  );
}
