import { Box } from "@mantine/core";
import type { ReactNode } from "react";

type WideTableProps = { label: string; minWidth: number; maxHeight?: number; children: ReactNode };

/** A table that can be wider than the screen: it scrolls separately, also by keyboard. */
export function WideTable({ label, minWidth, maxHeight, children }: WideTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it
    <section tabIndex={0} aria-label={label} style={{ overflow: "auto", maxHeight }}>
      <Box miw={minWidth}>{children}</Box>
    </section>
  );
}
