import { ActionIcon, Button, Kbd, Text } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { lazy } from "react";
import { useTranslation } from "react-i18next";
import { WhenLoaded } from "../../show/when-loaded.tsx";

// Loaded when someone searches, to keep the first load small.
const SearchDialog = lazy(async () => ({ default: (await import("./search-dialog.tsx")).SearchDialog }));

const hotkey = "/";

/** The search box in the header: it opens the search, as the key "/" does anywhere outside of a field. */
export function SearchButton() {
  const { t } = useTranslation();
  const [isOpen, { open, close }] = useDisclosure();
  useHotkeys([[hotkey, open]]);
  return (
    <>
      <Button
        variant="default"
        fw={400}
        c="dimmed"
        visibleFrom="sm"
        w={280}
        styles={{ label: { flex: 1 } }}
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={<Kbd size="xs">{hotkey}</Kbd>}
        aria-keyshortcuts={hotkey}
        aria-haspopup="dialog"
        onClick={open}
      >
        <Text span size="sm">
          {t("shell.search.open")}
        </Text>
      </Button>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        hiddenFrom="sm"
        aria-label={t("shell.search.open")}
        aria-haspopup="dialog"
        onClick={open}
      >
        <IconSearch size={20} stroke={1.6} />
      </ActionIcon>
      {isOpen && (
        <WhenLoaded fallback={null}>
          <SearchDialog onClose={close} />
        </WhenLoaded>
      )}
    </>
  );
}
