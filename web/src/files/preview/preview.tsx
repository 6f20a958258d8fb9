import { Button, Group, SegmentedControl, Stack, Text } from "@mantine/core";
import { IconFileTypePdf } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { lazy, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { WhenLoaded } from "../../show/when-loaded.tsx";
import type { FileStore } from "../file-store.ts";
import type { FileMetadata } from "../file-types.ts";
import classes from "../files.module.css";
import { previewKindOf, type RichKind, richKindOf } from "./preview-kind.ts";

const PdfPages = lazy(async () => ({ default: (await import("./pdf-pages.tsx")).PdfPages }));
const RichPreview = lazy(async () => ({ default: (await import("./rich-preview.tsx")).RichPreview }));

type PreviewProps = { store: FileStore; file: FileMetadata };

/** Show the content as text, image, audio or video. Nothing is executed: an HTML page is shown as its source. */
export function Preview({ store, file }: PreviewProps) {
  const { t } = useTranslation();
  const kind = previewKindOf(file);
  const content = useQuery({
    queryKey: ["files", "content", store.owner, file.id, file.cid],
    queryFn: async ({ signal }) => (await store.content(file.id, undefined, signal)).blob(),
    enabled: kind !== "none",
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
  if (kind === "none") return <Text c="dimmed">{t("files.preview.none")}</Text>;
  if (content.error !== null) return <ErrorNotice error={content.error} onRetry={() => void content.refetch()} />;
  if (content.data === undefined) return <Loading />;
  if (kind === "text") return <TextPreview content={content.data} rich={richKindOf(file)} label={file.name} />;
  if (kind === "pdf") return <PdfPreview content={content.data} label={file.name} />;
  return <MediaPreview kind={kind} content={content.data} mimeType={file.mimeType} label={file.name} />;
}

type TextProps = { content: Blob; rich: RichKind | undefined; label: string };

function TextPreview({ content, rich, label }: TextProps) {
  const { t } = useTranslation();
  const [text, setText] = useState<string>();
  const [form, setForm] = useState<"shown" | "source">("shown");
  useEffect(() => void content.text().then(setText), [content]);
  if (text === undefined) return <Loading />;
  if (text === "") return <Text c="dimmed">{t("files.preview.empty")}</Text>;
  if (rich === undefined) return <Source text={text} label={label} />;
  return (
    <Stack gap="xs">
      <SegmentedControl
        size="xs"
        aria-label={t("files.preview.form")}
        value={form}
        onChange={setForm}
        style={{ alignSelf: "flex-start" }}
        data={[
          { value: "shown", label: t("files.preview.shown") },
          { value: "source", label: t("files.preview.source") },
        ]}
      />
      {form === "source" ? (
        <Source text={text} label={label} />
      ) : (
        <WhenLoaded>
          <RichPreview kind={rich} text={text} label={label} />
        </WhenLoaded>
      )}
    </Stack>
  );
}

function Source({ text, label }: { text: string; label: string }) {
  const { t } = useTranslation();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it
    <section className={classes.text} tabIndex={0} aria-label={t("files.preview.label", { name: label })}>
      {text}
    </section>
  );
}

/** Shows the pages of a PDF, and opens it in the browser's own viewer, where its text can be read and searched. */
function PdfPreview({ content, label }: { content: Blob; label: string }) {
  const { t } = useTranslation();
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    // The type is fixed, so the browser never reads the content as a page.
    const made = URL.createObjectURL(content.slice(0, content.size, "application/pdf"));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [content]);
  if (url === undefined) return null;
  return (
    <Stack gap="xs">
      <Group>
        <Button
          component="a"
          href={url}
          target="_blank"
          rel="noopener noreferrer"
          variant="default"
          leftSection={<IconFileTypePdf size={18} aria-hidden />}
        >
          {t("files.preview.openPdf")}
        </Button>
      </Group>
      <WhenLoaded>
        <PdfPages content={content} label={label} />
      </WhenLoaded>
    </Stack>
  );
}

type MediaProps = { kind: "image" | "audio" | "video"; content: Blob; mimeType: string; label: string };

function MediaPreview({ kind, content, mimeType, label }: MediaProps) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    // previewKindOf has checked that the file's media type is safe in such an element.
    const made = URL.createObjectURL(content.slice(0, content.size, mimeType));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [content, mimeType]);
  if (url === undefined) return null;
  if (kind === "image") return <img className={classes.picture} src={url} alt={label} />;
  // biome-ignore lint/a11y/useMediaCaption: the page has no captions for a user's file
  if (kind === "audio") return <audio src={url} controls aria-label={label} />;
  // biome-ignore lint/a11y/useMediaCaption: the page has no captions for a user's file
  return <video className={classes.picture} src={url} controls aria-label={label} />;
}
