import { renderMessageContent } from "@hearth/oracles-client-sdk";
import { Table, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { ErrorNotice } from "../../show/error-notice.tsx";
import classes from "../files.module.css";
import { readRows } from "./csv-rows.ts";
import type { RichKind } from "./preview-kind.ts";

type RichProps = { kind: RichKind; text: string; label: string };

/** A text in its format: Markdown without scripts or external images, CSV as a table. */
export function RichPreview({ kind, text, label }: RichProps) {
  const { t } = useTranslation();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it
    <section className={classes.rich} tabIndex={0} aria-label={t("files.preview.label", { name: label })}>
      {kind === "markdown" && renderMessageContent(text, {})}
      {kind === "csv" && <CsvTable text={text} label={label} />}
    </section>
  );
}

function CsvTable({ text, label }: { text: string; label: string }) {
  const { t } = useTranslation();
  const { header, rows, hasMore, error } = readRows(text);
  if (error !== undefined) return <ErrorNotice error={error} />;
  return (
    <>
      <Table striped aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            {header.map((name, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have one name
              <Table.Th key={index}>{name}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row has no key but its index
            <Table.Tr key={place}>
              {row.map((cell, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: nor has a cell
                <Table.Td key={index}>{cell}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {hasMore && (
        <Text size="sm" c="dimmed">
          {t("files.preview.firstRows", { count: rows.length })}
        </Text>
      )}
    </>
  );
}
