import { Text } from "@mantine/core";
import "@mantine/dropzone/styles.css";
import { Dropzone } from "@mantine/dropzone";
import type { ReactNode } from "react";
import classes from "./files.module.css";

type DropProps = { label: string; onDrop: (files: File[]) => void; children: ReactNode };

/** Accept files that are dropped on its content; a button elsewhere does the same. */
export function DropArea({ label, onDrop, children }: DropProps) {
  return (
    <Dropzone
      onDrop={onDrop}
      activateOnClick={false}
      activateOnKeyboard={false}
      p="xs"
      className={classes.dropzone ?? ""}
      styles={{ inner: { pointerEvents: "all" }, root: { cursor: "default" } }}
      role="group"
      aria-label={label}
      inputProps={{ "aria-hidden": true, tabIndex: -1 }}
      tabIndex={-1}
    >
      {children}
      <Text size="xs" c="dimmed" ta="center" mt="xs" visibleFrom="sm">
        {label}
      </Text>
    </Dropzone>
  );
}
