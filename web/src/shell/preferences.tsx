import { ActionIcon, Menu, useMantineColorScheme } from "@mantine/core";
import { IconCheck, IconLanguage, IconMoon, IconSun } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { chooseLanguage } from "../i18n/i18n.ts";
import { languageNames, languages } from "../i18n/languages.ts";

const schemes = ["light", "dark", "auto"] as const;

/** Language and colours; both are kept on this device. */
export function Preferences() {
  const { t, i18n } = useTranslation();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const check = (isChosen: boolean) => (isChosen ? <IconCheck size={14} /> : <span style={{ width: 14 }} />);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t("shell.language.label")}>
            <IconLanguage size={20} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {languages.map((each) => (
            <Menu.Item
              key={each}
              lang={each}
              translate="no"
              leftSection={check(i18n.language === each)}
              onClick={() => chooseLanguage(each)}
            >
              {languageNames[each]}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t("shell.theme.label")}>
            {colorScheme === "dark" ? <IconMoon size={20} /> : <IconSun size={20} />}
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {schemes.map((each) => (
            <Menu.Item key={each} leftSection={check(colorScheme === each)} onClick={() => setColorScheme(each)}>
              {t(`shell.theme.${each}`)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
