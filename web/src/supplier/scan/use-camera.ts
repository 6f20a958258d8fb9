import { type RefObject, useEffect, useRef, useState } from "react";
import { loadCodeReader } from "./code-reader.ts";

export type CameraState = "starting" | "reading" | "denied" | "missing";
const lookEveryMs = 120;

/** Show the back camera in a video element and hand every code in sight to `onCode`, until the component goes. */
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
      if (!ended.signal.aborted) setState(isDenied(error) ? "denied" : "missing");
    });
    return () => ended.abort();
  }, [video]);
  return state;
}

function openCamera(): Promise<MediaStream> {
  if (navigator.mediaDevices === undefined)
    return Promise.reject(new Error("This browser has no camera for this page."));
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

function isDenied(error: unknown): boolean {
  return error instanceof DOMException && (error.name === "NotAllowedError" || error.name === "SecurityError");
}
