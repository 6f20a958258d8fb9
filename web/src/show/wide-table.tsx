import { Box } from "@mantine/core";
import type { ReactNode } from "react";

type WideTableProps = { label: string; minWidth: number; maxHeight?: number; children: ReactNode };

/** A table that may be wider than the screen: it scrolls by itself, by keyboard too. */
export function WideTable({ label, minWidth, maxHeight, children }: WideTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who has only a keyboard scrolls it, too
    <section tabIndex={0} aria-label={label} style={{ overflow: "auto", maxHeight }}>
      <Box miw={minWidth}>{children}</Box>
    </section>
  );
}
