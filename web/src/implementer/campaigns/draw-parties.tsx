import { Alert, List, Stack, Text } from "@mantine/core";
import { IconCheck, IconClock, IconX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { CodeValue } from "../../show/code-value.tsx";
import { Moment } from "../../show/moment.tsx";
import { DrawActs } from "./draw-acts.tsx";
import type { Campaign } from "./records.ts";

type Parties = Campaign["drawParties"];
type Party = NonNullable<Parties["operator"]>;

/** The parties of a draw: who committed to a secret, who revealed it, and whether one of them could have chosen the draw. */
export function DrawParties({ campaign }: { campaign: Campaign }) {
  const { t } = useTranslation();
  const { drawParties, discardedDraws, draw } = campaign;
  const { operator, secondParty, deadline, withheld } = drawParties;
  return (
    <Alert color={draw !== undefined && !draw.twoParties ? "red" : "gray"} title={t("implementer.parties.title")}>
      <Stack gap="xs">
        <Text size="sm">{t(`implementer.parties.${verdictOf(campaign)}`)}</Text>
        <List size="sm" spacing={4}>
          <PartyItem name="operator" party={operator} />
          <PartyItem name="secondParty" party={secondParty} />
          {withheld.map(({ round, account }) => (
            <List.Item key={`${round} ${account}`} icon={<IconX size={16} color="red" aria-hidden />}>
              {t("implementer.parties.withheld", { round: round + 1 })} <CodeValue value={account} shorten />
            </List.Item>
          ))}
          {discardedDraws.map(({ round, reason, drawBlock, transactionHash }) => (
            <List.Item key={transactionHash} icon={<IconX size={16} color="red" aria-hidden />}>
              {t(`implementer.parties.discarded.${reason}`, { round: round + 1, block: drawBlock })}
            </List.Item>
          ))}
        </List>
        {deadline !== null && draw === undefined && (
          <Text size="sm">
            {t("implementer.parties.deadline")} <Moment at={deadline} />
          </Text>
        )}
        <DrawActs campaign={campaign} />
      </Stack>
    </Alert>
  );
}

function verdictOf({ draw, drawParties }: Campaign): "two" | "one" | "waiting" | "nobody" {
  if (draw !== undefined) return draw.twoParties ? "two" : "one";
  return drawParties.secondParty === null ? "nobody" : "waiting";
}

function PartyItem({ name, party }: { name: "operator" | "secondParty"; party: Party | null }) {
  const { t } = useTranslation();
  const state = party === null ? "absent" : party.revealed ? "revealed" : "committed";
  const icon = party?.revealed ? (
    <IconCheck size={16} color="teal" aria-hidden />
  ) : (
    <IconClock size={16} color="gray" aria-hidden />
  );
  return (
    <List.Item icon={icon}>
      {t(`implementer.parties.${name}`, { state: t(`implementer.parties.state.${state}`) })}{" "}
      {party !== null && <CodeValue value={party.account} shorten />}
    </List.Item>
  );
}
