import { CloseButton, Group, Modal, type ModalProps } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

type DialogProps = { title: string; size?: ModalProps["size"]; onClose: () => void; children: ReactNode };

/** A modal dialog that keeps the focus while it is rendered. */
export function Dialog({ title, size, onClose, children }: DialogProps) {
  const { t } = useTranslation();
  return (
    <Modal.Root opened onClose={onClose} centered {...(size === undefined ? {} : { size })}>
      <Modal.Overlay />
      <Modal.Content>
        <Modal.Body pt="md">
          <Group justify="space-between" align="flex-start" wrap="nowrap" mb="md">
            <Modal.Title fw={700} fz="lg" style={{ overflowWrap: "anywhere" }}>
              {title}
            </Modal.Title>
            <CloseButton aria-label={t("common.close")} onClick={onClose} />
          </Group>
          {children}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
