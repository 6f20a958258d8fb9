import { Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { countChanges, type DiffLine, readDiffLines } from "./diff-lines.ts";
import classes from "./files.module.css";

const marks: Record<DiffLine["kind"], string> = { same: " ", added: "+", removed: "−", gap: "⋯" };

/** The lines of a unified diff; signs say what colours say. */
export function DiffView({ unified, label }: { unified: string; label: string }) {
  const { t } = useTranslation();
  const lines = readDiffLines(unified);
  if (lines.length === 0) return <Text c="dimmed">{t("files.diff.same")}</Text>;
  return (
    <Stack gap="xs">
      <Text size="sm" role="status">
        {t("files.diff.changes", countChanges(lines))}
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has only a keyboard scrolls it, too */}
      <section className={classes.diffFrame} tabIndex={0} aria-label={label}>
        <table className={classes.diff} aria-label={label}>
          <tbody>
            {lines.map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other name than its place
              <tr key={index} data-kind={line.kind}>
                <td className={classes.number}>{line.before ?? ""}</td>
                <td className={classes.number}>{line.after ?? ""}</td>
                <td className={classes.number}>{marks[line.kind]}</td>
                <td>{line.text}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Stack>
  );
}
