import { type RefObject, useEffect, useRef, useState } from "react";
import { loadCodeReader } from "./code-reader.ts";

export type CameraProblem = "denied" | "missing" | "busy" | "broken";
export type CameraState = "starting" | "reading" | CameraProblem;
const lookEveryMs = 120;

/** Show the back camera in a video element and pass each visible code to `onCode`, until the component unmounts. */
export function useCamera(video: RefObject<HTMLVideoElement | null>, onCode: (text: string) => void): CameraState {
  const [state, setState] = useState<CameraState>("starting");
  const report = useRef(onCode);
  report.current = onCode;
  useEffect(() => {
    const ended = new AbortController();
    const run = async () => {
      const stream = await openCamera();
      ended.signal.addEventListener("abort", () => stopCamera(stream));
      const element = video.current;
      if (ended.signal.aborted || element === null) return stopCamera(stream);
      element.srcObject = stream;
      await element.play();
      setState("reading");
      await readCodes(element, (text) => report.current(text), ended.signal);
    };
    run().catch((error: unknown) => {
      if (!ended.signal.aborted) setState(cameraProblem(error));
    });
    return () => ended.abort();
  }, [video]);
  return state;
}

function openCamera(): Promise<MediaStream> {
  if (navigator.mediaDevices === undefined)
    return Promise.reject(new DOMException("This browser has no camera for this page.", "NotFoundError"));
  return navigator.mediaDevices.getUserMedia({ video: { facingMode: { ideal: "environment" } }, audio: false });
}

function stopCamera(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}

async function readCodes(video: HTMLVideoElement, onCode: (text: string) => void, signal: AbortSignal): Promise<void> {
  const reader = await loadCodeReader();
  while (!signal.aborted) {
    if (video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA) {
      const text = await reader.read(video);
      if (text !== undefined && !signal.aborted) onCode(text);
    }
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
}

const problems = new Map<string, CameraProblem>([
  ["NotAllowedError", "denied"],
  ["SecurityError", "denied"],
  ["NotFoundError", "missing"],
  ["OverconstrainedError", "missing"],
  ["NotReadableError", "busy"],
  ["AbortError", "busy"],
]);

/** Why no code can be read: the browser's reason for the camera, else that its pictures cannot be read. */
export const cameraProblem = (error: unknown): CameraProblem =>
  (error instanceof DOMException ? problems.get(error.name) : undefined) ?? "broken";
