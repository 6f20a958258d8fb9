import { Menu, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { queryClient } from "../api/query-client.ts";
import type { Standing } from "../session/session.ts";
import { actAs } from "../session/wallet-session.ts";
import { Moment } from "../show/moment.tsx";

/** Other roles of the wallet's account, and when its session ends. */
export function Standings({ standing }: { standing: Standing }) {
  const { t } = useTranslation();
  const isNow = (each: Standing["standings"][number]) => each.actsAs === standing.actsAs && each.did === standing.did;
  const others = standing.standings.filter((each) => !isNow(each) && each.actsAs !== "visitor");
  const choose = async (choice: Standing["standings"][number]) => {
    await actAs(choice);
    queryClient.clear();
  };
  return (
    <>
      <Text size="xs" c="dimmed" px="sm" py={2}>
        {t("shell.wallet.until")} <Moment at={standing.expiresAt} />
      </Text>
      {others.map((each) => (
        <Menu.Item key={`${each.actsAs} ${each.did}`} onClick={() => void choose(each)}>
          {t("shell.wallet.actAs", { role: t(`shell.standing.${each.actsAs}`) })}
          <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
            {each.did}
          </Text>
        </Menu.Item>
      ))}
    </>
  );
}
