import "@mantine/dropzone/styles.css";
import { Center, Text } from "@mantine/core";
import { Dropzone } from "@mantine/dropzone";
import classes from "../files.module.css";

type ZoneProps = { label: string; onDrop: (files: File[]) => void; onEnd: () => void };

/** Covers its frame and accepts the files and folders that are dropped on it. `onEnd`: they were read. */
export function DropZone({ label, onDrop, onEnd }: ZoneProps) {
  return (
    <Dropzone
      onDrop={onDrop}
      onDropAny={onEnd}
      activateOnClick={false}
      activateOnKeyboard={false}
      className={classes.dropZone ?? ""}
      inputProps={{ "aria-hidden": true, tabIndex: -1 }}
      tabIndex={-1}
    >
      <Center h="100%">
        <Text fw={600}>{label}</Text>
      </Center>
    </Dropzone>
  );
}
