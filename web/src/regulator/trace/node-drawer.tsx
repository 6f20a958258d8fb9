import { Anchor, Button, Drawer, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { CodeValue } from "../../show/code-value.tsx";
import { ActorLines } from "../actors/actor-lines.tsx";
import { RecordTable } from "./record-table.tsx";
import type { TraceNode } from "./report.ts";

/** Details of a node: its transactions, its record, and a link to its trace. */
export function NodeDrawer({ node, onClose }: { node: TraceNode | undefined; onClose: () => void }) {
  const { t } = useTranslation();
  // Its code is loaded with the first click, and it returns the focus only if it was there, closed, before it opened.
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(node !== undefined), [node]);
  return (
    <Drawer.Root opened={isOpen} onClose={onClose} position="right">
      <Drawer.Overlay />
      <Drawer.Content>
        {/* A header element would be a second banner on the page. */}
        <Drawer.Header component="div">
          <Drawer.Title>{node && t(`regulator.trace.type.${node.type}`)}</Drawer.Title>
          <Drawer.CloseButton aria-label={t("common.close")} />
        </Drawer.Header>
        <Drawer.Body>
          {node && (
            <Stack>
              <CodeValue value={node.id} />
              <Title order={3} size="h6">
                {t("regulator.trace.transactions")}
              </Title>
              {node.transactions.length === 0 && <Text size="sm">{t("common.none")}</Text>}
              {node.transactions.map((hash) => (
                <Stack key={hash} gap={0}>
                  <CodeValue value={hash} />
                  <Anchor component={Link} to={`/regulator/trace/${hash}`} size="xs" onClick={onClose}>
                    {t("regulator.trace.follow")}
                  </Anchor>
                </Stack>
              ))}
              <Title order={3} size="h6">
                {t("regulator.trace.record")}
              </Title>
              {node.record === undefined ? (
                <Text size="sm">{t("regulator.trace.noRecord")}</Text>
              ) : (
                <RecordTable type={node.type} record={node.record} />
              )}
              {node.type === "redemption" && <ActorLines redemptionId={node.id} />}
              {isTraceable(node) && (
                <Button component={Link} to={`/regulator/trace/${encodeURIComponent(node.id)}`} onClick={onClose}>
                  {t("regulator.trace.follow")}
                </Button>
              )}
            </Stack>
          )}
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}

const untraceable = new Set(["draw", "result", "pool", "account", "action"]);
function isTraceable({ type, isSubject }: TraceNode): boolean {
  return !isSubject && !untraceable.has(type);
}
