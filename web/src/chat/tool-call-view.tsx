import { Accordion, Group, Loader, Text } from "@mantine/core";
import { IconAlertTriangle, IconCheck } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import classes from "./chat.module.css";
import { literal } from "./components/literal.ts";

type ToolCallProps = {
  id: string;
  toolName: string;
  args?: Record<string, unknown>;
  output?: string;
  status?: "isRunning" | "done" | "error";
};

/** A tool call: its name and state; when opened, its literal arguments and its output. */
export function ToolCallView({ id, toolName, args = {}, output, status = "done" }: ToolCallProps) {
  const { t } = useTranslation();
  return (
    <Accordion variant="contained" my="xs" radius="md">
      <Accordion.Item value={id}>
        <Accordion.Control>
          <Group gap="xs" wrap="nowrap">
            <CallIcon status={status} />
            <Text size="sm" ff="monospace" truncate>
              {toolName}
            </Text>
            <Text size="xs" c="dimmed" style={{ whiteSpace: "nowrap" }}>
              {t(`chat.call.${status}`)}
            </Text>
          </Group>
        </Accordion.Control>
        <Accordion.Panel>
          <Text size="xs" c="dimmed">
            {t("chat.call.arguments")}
          </Text>
          <div className={classes.literal}>{literal(args)}</div>
          {output !== undefined && (
            <>
              <Text size="xs" c="dimmed" mt="xs">
                {t("chat.call.output")}
              </Text>
              <div className={classes.literal}>{readable(output)}</div>
            </>
          )}
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}

function CallIcon({ status }: { status: NonNullable<ToolCallProps["status"]> }) {
  if (status === "isRunning") return <Loader size={14} aria-hidden />;
  if (status === "error") return <IconAlertTriangle size={16} aria-hidden />;
  return <IconCheck size={16} aria-hidden />;
}

/** Format JSON; return other text, such as truncated JSON, unchanged. */
function readable(output: string): string {
  try {
    return literal(JSON.parse(output));
  } catch {
    return output;
  }
}
