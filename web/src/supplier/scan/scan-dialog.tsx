import { Alert, Stack, Text } from "@mantine/core";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../../show/dialog.tsx";
import { useCamera } from "./use-camera.ts";

type ScanDialogProps = {
  title: string;
  onCode: (text: string) => void;
  onClose: () => void;
  problem?: string | undefined;
};

/** The camera, which reads codes until the caller closes the dialog. */
export function ScanDialog({ title, onCode, onClose, problem }: ScanDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Camera onCode={onCode} problem={problem} />
    </Dialog>
  );
}

function Camera({ onCode, problem }: { onCode: (text: string) => void; problem: string | undefined }) {
  const { t } = useTranslation();
  const video = useRef<HTMLVideoElement>(null);
  const state = useCamera(video, onCode);
  const isBroken = state !== "starting" && state !== "reading";
  return (
    <Stack gap="sm">
      {isBroken ? (
        <Alert color="orange">{t(`supplier.scan.${state}`)}</Alert>
      ) : (
        <video
          ref={video}
          muted
          playsInline
          aria-label={t("supplier.scan.picture")}
          style={{ width: "100%", aspectRatio: "1", objectFit: "cover", borderRadius: 12, background: "#000" }}
        />
      )}
      <Text size="sm" role="status">
        {problem ?? (isBroken ? "" : t(`supplier.scan.${state}`))}
      </Text>
    </Stack>
  );
}
