import { Box, Flex } from "@mantine/core";
import { lazy, type ReactNode, useRef } from "react";
import { WhenLoaded } from "./when-loaded.tsx";

const TableDownload = lazy(async () => ({
  default: (await import("../table/export/table-download.tsx")).TableDownload,
}));

type WideTableProps = { label: string; minWidth: number; maxHeight?: number; children: ReactNode };

/** Height of the download button, so that the table does not move when it is loaded. */
const buttonHeight = 26;

/**
 * A table that can be wider than the screen: it scrolls separately, also by keyboard. It can be downloaded. Every table of a page whose
 * rows are all on the page is in one; longer ones are a `DataTable`.
 */
export function WideTable({ label, minWidth, maxHeight, children }: WideTableProps) {
  const frame = useRef<HTMLElement>(null);
  return (
    <div>
      <Flex justify="flex-end" mih={buttonHeight} data-print="no">
        <WhenLoaded fallback={null}>
          <TableDownload label={label} frame={frame} />
        </WhenLoaded>
      </Flex>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it */}
      <section ref={frame} tabIndex={0} aria-label={label} style={{ overflow: "auto", maxHeight }}>
        <Box miw={minWidth}>{children}</Box>
      </section>
    </div>
  );
}
