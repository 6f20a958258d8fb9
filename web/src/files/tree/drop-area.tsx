import { Box, Text } from "@mantine/core";
import { lazy, type ReactNode, useEffect, useState } from "react";
import { WhenLoaded } from "../../show/when-loaded.tsx";
import classes from "../files.module.css";

// Loaded when files are dragged over the page.
const DropZone = lazy(async () => ({ default: (await import("./drop-zone.tsx")).DropZone }));

type DropProps = { label: string; onDrop: (files: File[]) => void; children: ReactNode };

/** Accept files that are dropped on its content; a button elsewhere does the same. */
export function DropArea({ label, onDrop, children }: DropProps) {
  const { isDragging, end } = useDraggedFiles();
  return (
    <Box className={classes.dropArea} role="group" aria-label={label}>
      {children}
      <Text size="xs" c="dimmed" ta="center" mt="xs" visibleFrom="sm">
        {label}
      </Text>
      {isDragging && (
        <WhenLoaded fallback={null}>
          <DropZone label={label} onDrop={onDrop} onEnd={end} />
        </WhenLoaded>
      )}
    </Box>
  );
}

/** Whether files are dragged over the page. Meanwhile the browser does not open a file that is dropped elsewhere. */
function useDraggedFiles(): { isDragging: boolean; end: () => void } {
  const [isDragging, setDragging] = useState(false);
  useEffect(() => {
    const follow = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes("Files") !== true) return;
      // The drop zone reads what was dropped on it, and then calls `end`.
      if (event.type === "drop" && event.defaultPrevented) return;
      event.preventDefault();
      setDragging(event.type !== "drop");
    };
    /** Only when the pointer leaves the page, not an element in it. */
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setDragging(false);
    };
    const listening = new AbortController();
    const { signal } = listening;
    for (const type of ["dragenter", "dragover", "drop"] as const) window.addEventListener(type, follow, { signal });
    window.addEventListener("dragleave", leave, { signal });
    return () => listening.abort();
  }, []);
  return { isDragging, end: () => setDragging(false) };
}
