import { Group, SegmentedControl, Stack, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import classes from "../files.module.css";
import { countChanges, type DiffLine, pairLines, readDiffLines } from "./diff-lines.ts";

const marks: Record<DiffLine["kind"], string> = { same: " ", added: "+", removed: "−", gap: "⋯" };

/** A unified diff, in one or two columns; signs repeat what the colours show. */
export function DiffView({ unified, label }: { unified: string; label: string }) {
  const { t } = useTranslation();
  const isWide = useMediaQuery("(min-width: 62em)", true, { getInitialValueInEffect: false });
  const [form, setForm] = useState<"lines" | "columns">("lines");
  const lines = readDiffLines(unified);
  if (lines.length === 0) return <Text c="dimmed">{t("files.diff.same")}</Text>;
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text size="sm" role="status">
          {t("files.diff.changes", countChanges(lines))}
        </Text>
        {isWide && (
          <SegmentedControl
            size="xs"
            aria-label={t("files.diff.form")}
            value={form}
            onChange={setForm}
            data={[
              { value: "lines", label: t("files.diff.lines") },
              { value: "columns", label: t("files.diff.columns") },
            ]}
          />
        )}
      </Group>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it */}
      <section className={classes.diffFrame} tabIndex={0} aria-label={label}>
        <table className={classes.diff} aria-label={label} data-form={isWide ? form : "lines"}>
          {isWide && form === "columns" ? <Columns lines={lines} /> : <Lines lines={lines} />}
        </table>
      </section>
    </Stack>
  );
}

type LinesProps = { lines: readonly DiffLine[] };

function Lines({ lines }: LinesProps) {
  return (
    <tbody>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line has no key but its index
        <tr key={index} data-kind={line.kind}>
          <td className={classes.number}>{line.before ?? ""}</td>
          <td className={classes.number}>{line.after ?? ""}</td>
          <td className={classes.number}>{marks[line.kind]}</td>
          <td>{line.text}</td>
        </tr>
      ))}
    </tbody>
  );
}

function Columns({ lines }: LinesProps) {
  return (
    <tbody>
      {pairLines(lines).map(({ before, after }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line has no key but its index
        <tr key={index}>
          <Cells line={before} number={before?.before} />
          <Cells line={after} number={after?.after} />
        </tr>
      ))}
    </tbody>
  );
}

function Cells({ line, number }: { line: DiffLine | undefined; number: number | undefined }) {
  return (
    <>
      <td className={classes.number} data-kind={line?.kind}>
        {number ?? ""}
      </td>
      <td className={classes.number} data-kind={line?.kind}>
        {line === undefined ? "" : marks[line.kind]}
      </td>
      <td data-kind={line?.kind}>{line?.text ?? ""}</td>
    </>
  );
}
