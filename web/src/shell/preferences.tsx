import { ActionIcon, useMantineColorScheme } from "@mantine/core";
import { IconCheck, IconLanguage, IconMoon, IconSun } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { chooseLanguage } from "../i18n/i18n.ts";
import { languageNames, languages } from "../i18n/languages.ts";
import { LazyMenu } from "../show/lazy-menu.tsx";

const schemes = ["light", "dark", "auto"] as const;

/** Language and colours; both are kept on this device. */
export function Preferences() {
  const { t, i18n } = useTranslation();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const check = (isChosen: boolean) => (isChosen ? <IconCheck size={14} /> : <span style={{ width: 14 }} />);
  return (
    <>
      <LazyMenu
        target={
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t("shell.language.label")}>
            <IconLanguage size={20} />
          </ActionIcon>
        }
        entries={languages.map((each) => ({
          label: languageNames[each],
          lang: each,
          icon: check(i18n.language === each),
          onClick: () => void chooseLanguage(each),
        }))}
      />
      <LazyMenu
        target={
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t("shell.theme.label")}>
            {colorScheme === "dark" ? <IconMoon size={20} /> : <IconSun size={20} />}
          </ActionIcon>
        }
        entries={schemes.map((each) => ({
          label: t(`shell.theme.${each}`),
          icon: check(colorScheme === each),
          onClick: () => setColorScheme(each),
        }))}
      />
    </>
  );
}
