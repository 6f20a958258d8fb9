import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import type { PDFDocumentProxy, RenderTask } from "pdfjs-dist/legacy/build/pdf.mjs";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import classes from "../files.module.css";
import { openPdf, reasonOf } from "./pdf-document.ts";

/** Most pixels of a drawn page: some phones show no larger canvas. */
const mostPixels = 16_000_000;

type PdfProps = { content: Blob; label: string };

/** The pages of a PDF, one at a time. Each is drawn when it is shown. */
export function PdfPages({ content, label }: PdfProps) {
  const { t } = useTranslation();
  const [pdf, setPdf] = useState<PDFDocumentProxy>();
  const [error, setError] = useState<unknown>();
  const [number, setNumber] = useState(1);
  useEffect(() => {
    setPdf(undefined);
    setError(undefined);
    setNumber(1);
    let isClosed = false;
    const opened = openPdf(content);
    opened.document.then(
      (document) => isClosed || setPdf(document),
      (reason: unknown) => isClosed || setError(reason),
    );
    return () => {
      isClosed = true;
      opened.close();
    };
  }, [content]);
  if (error !== undefined) return <PdfFailure error={error} />;
  if (pdf === undefined) return <Loading />;
  const place = { number, count: pdf.numPages };
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Button size="xs" variant="default" disabled={number === 1} onClick={() => setNumber(number - 1)}>
          {t("files.preview.previousPage")}
        </Button>
        <Button size="xs" variant="default" disabled={number === pdf.numPages} onClick={() => setNumber(number + 1)}>
          {t("files.preview.nextPage")}
        </Button>
        <Text size="sm" role="status">
          {t("files.preview.page", place)}
        </Text>
      </Group>
      <PdfPage
        key={number}
        pdf={pdf}
        number={number}
        label={t("files.preview.pageOf", { ...place, name: label })}
        onError={setError}
      />
    </Stack>
  );
}

function PdfFailure({ error }: { error: unknown }) {
  const { t } = useTranslation();
  const reason = reasonOf(error);
  if (reason === undefined) return <ErrorNotice error={error} />;
  return (
    <Alert color="orange" role="alert">
      {t(`files.preview.pdf.${reason}`)}
    </Alert>
  );
}

type PageProps = { pdf: PDFDocumentProxy; number: number; label: string; onError: (error: unknown) => void };

function PdfPage({ pdf, number, label, onError }: PageProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    let isLeft = false;
    let task: RenderTask | undefined;
    const draw = async () => {
      const page = await pdf.getPage(number);
      if (isLeft || canvas.current === null) return;
      const { width, height } = page.getViewport({ scale: 1 });
      const wanted = (canvas.current.clientWidth * window.devicePixelRatio) / width;
      const viewport = page.getViewport({ scale: Math.min(wanted, Math.sqrt(mostPixels / (width * height))) });
      canvas.current.width = Math.floor(viewport.width);
      canvas.current.height = Math.floor(viewport.height);
      task = page.render({ canvas: canvas.current, viewport });
      await task.promise;
      if (!isLeft && canvas.current !== null) canvas.current.dataset.drawn = "";
    };
    draw().catch((error: unknown) => isLeft || onError(error));
    return () => {
      isLeft = true;
      task?.cancel();
    };
  }, [pdf, number, onError]);
  return <canvas ref={canvas} className={classes.pdf} role="img" aria-label={label} />;
}
