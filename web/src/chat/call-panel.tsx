import { type LiveParticipant, type UseLiveAgentReturn, useLiveAgent } from "@hearth/oracles-client-sdk/live-agent";
import { Alert, Badge, Button, Group, NativeSelect, Paper, Stack, Text } from "@mantine/core";
import {
  IconMicrophone,
  IconMicrophoneOff,
  IconPhone,
  IconPhoneOff,
  IconVideo,
  IconVideoOff,
} from "@tabler/icons-react";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { ErrorNotice } from "../show/error-notice.tsx";
import type { OracleAddress } from "./oracle-provider.tsx";

type CallProps = OracleAddress & {
  sessionId: string;
  /** The oracle asks for payment before it answers; the call continues. */
  onPaymentRequired: (claimIds: string[]) => void;
  onClose: () => void;
};
type LiveCall = UseLiveAgentReturn;

/** A call with the oracle and the other participants of the session; media is encrypted between them. */
export function CallPanel({ oracleDid, overrides, sessionId, onPaymentRequired, onClose }: CallProps) {
  const { t } = useTranslation();
  const call = useLiveAgent({ oracleDid, sessionId, overrides, onPaymentRequiredError: onPaymentRequired });
  const isOn = call.status === "connected" || call.status === "reconnecting";
  const leave = async () => {
    await call.leave();
    onClose();
  };
  return (
    <Paper withBorder p="sm" role="region" aria-label={t("chat.call.label")}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Badge variant="outline" tt="none" styles={{ label: { color: "var(--mantine-color-text)" } }}>
            {t(`chat.call.status.${call.status}`)}
          </Badge>
          <Group gap="xs">
            {isOn ? (
              <>
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-pressed={call.isMuted}
                  leftSection={call.isMuted ? <IconMicrophoneOff size={16} /> : <IconMicrophone size={16} />}
                  onClick={() => void call.toggleMute()}
                >
                  {t(call.isMuted ? "chat.call.unmute" : "chat.call.mute")}
                </Button>
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-pressed={call.isVideoEnabled}
                  leftSection={call.isVideoEnabled ? <IconVideo size={16} /> : <IconVideoOff size={16} />}
                  onClick={() => void call.setVideoEnabled(!call.isVideoEnabled)}
                >
                  {t(call.isVideoEnabled ? "chat.call.cameraOff" : "chat.call.cameraOn")}
                </Button>
              </>
            ) : (
              <Button
                size="compact-sm"
                disabled={!call.isReady}
                loading={call.status === "connecting"}
                leftSection={<IconPhone size={16} aria-hidden />}
                onClick={() => void call.join()}
              >
                {t("chat.call.join")}
              </Button>
            )}
            <Button
              size="compact-sm"
              color="red"
              variant="light"
              leftSection={<IconPhoneOff size={16} aria-hidden />}
              onClick={() => void leave()}
            >
              {t("chat.call.leave")}
            </Button>
          </Group>
        </Group>
        {call.error !== undefined && <ErrorNotice error={call.error} />}
        {isOn && call.deviceProblem !== undefined && <DeviceNotice problem={call.deviceProblem} />}
        {isOn && <Microphones call={call} />}
        <Group gap="sm" align="flex-start">
          {call.isVideoEnabled && call.localStream !== null && (
            <Video stream={call.localStream} label={t("chat.call.you")} isMuted />
          )}
          {call.participants.map((each) => (
            <Participant key={each.id} participant={each} sink={call.audioOutput} />
          ))}
        </Group>
        {call.safetyNumber !== undefined && (
          <Text size="xs" c="dimmed">
            {t("chat.call.safety")} <span style={{ fontFamily: "monospace" }}>{call.safetyNumber}</span>
          </Text>
        )}
        <Captions captions={call.captions} />
      </Stack>
    </Paper>
  );
}

function DeviceNotice({ problem }: { problem: NonNullable<LiveCall["deviceProblem"]> }) {
  const { t } = useTranslation();
  return (
    <Alert color="yellow" variant="light" role="status">
      {t(`chat.call.device.${problem.kind}.${problem.reason}`)}
    </Alert>
  );
}

/** The latest captions. Known notices are shown in the page's language. */
function Captions({ captions }: Pick<LiveCall, "captions">) {
  const { t } = useTranslation();
  return (
    <div aria-live="polite">
      {captions.slice(-4).map(({ id, role, text, code }) => (
        <Text key={id} size="sm" {...(role === "notice" ? { fs: "italic" } : {})}>
          {isNotice(code) ? t(`chat.call.notice.${code}`) : text}
        </Text>
      ))}
    </div>
  );
}

const notices = [
  "cannot-hear",
  "writes-only",
  "not-understood",
  "not-answered",
  "no-voice",
  "payment-required",
] as const;
const isNotice = (code: string | undefined): code is (typeof notices)[number] =>
  (notices as readonly (string | undefined)[]).includes(code);

function Microphones({ call }: { call: LiveCall }) {
  const { t } = useTranslation();
  const { audioInputs } = call.devices;
  if (audioInputs.length < 2) return null;
  return (
    <NativeSelect
      label={t("chat.call.microphone")}
      data={audioInputs.map(({ deviceId, label }) => ({ value: deviceId, label: label || deviceId }))}
      onChange={(event) => void call.selectDevice("audioinput", event.currentTarget.value)}
    />
  );
}

function Participant({ participant, sink }: { participant: LiveParticipant; sink: string | undefined }) {
  const { t } = useTranslation();
  const { kind, stream, muted, video, speaking } = participant;
  const label = t(kind === "agent" ? "chat.call.agent" : "chat.call.person");
  return (
    <Stack gap={4}>
      {video ? <Video stream={stream} label={label} sink={sink} /> : <Sound stream={stream} sink={sink} />}
      <Group gap={6}>
        <Text size="sm">{label}</Text>
        {muted && <IconMicrophoneOff size={14} aria-label={t("chat.call.isMuted")} />}
        {speaking && <Badge variant="light">{t("chat.call.speaking")}</Badge>}
      </Group>
    </Stack>
  );
}

type MediaProps = { stream: MediaStream; sink?: string | undefined };

function Video({ stream, label, sink, isMuted = false }: MediaProps & { label: string; isMuted?: boolean }) {
  const element = useMedia<HTMLVideoElement>(stream, sink);
  return (
    <video
      ref={element}
      autoPlay
      playsInline
      muted={isMuted}
      aria-label={label}
      width={240}
      style={{ borderRadius: 8 }}
    />
  );
}

function Sound({ stream, sink }: MediaProps) {
  // biome-ignore lint/a11y/useMediaCaption: the call's captions show what the agent says
  return <audio ref={useMedia<HTMLAudioElement>(stream, sink)} autoPlay />;
}

function useMedia<Element extends HTMLMediaElement>(stream: MediaStream, sink: string | undefined) {
  const element = useRef<Element>(null);
  useEffect(() => {
    if (element.current !== null) element.current.srcObject = stream;
  }, [stream]);
  useEffect(() => {
    if (sink !== undefined) void element.current?.setSinkId(sink);
  }, [sink]);
  return element;
}
