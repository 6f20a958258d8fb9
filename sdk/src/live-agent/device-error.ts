import type { MediaKind } from "./media-frames.ts";

/** `refused`: the user or the browser denies access; `missing`: there is no device; `busy`: it cannot be read now. */
export type DeviceReason = "refused" | "missing" | "busy";

const reasons: Record<string, DeviceReason> = {
  NotAllowedError: "refused",
  SecurityError: "refused",
  NotFoundError: "missing",
  OverconstrainedError: "missing",
};
const names: Record<MediaKind, string> = { audio: "microphone", video: "camera" };
const sentences: Record<DeviceReason, (name: string) => string> = {
  refused: (name) => `The ${name} may not be used. Allow it in the browser's settings of this page.`,
  missing: (name) => `There is no ${name}.`,
  busy: (name) => `The ${name} cannot be read. Another program may be using it.`,
};

/**
 * Report a microphone or camera that cannot be used.
 * @example
 * ```ts
 * import { DeviceError, type LiveCall } from "@hearth/oracles-client-sdk/live-agent";
 *
 * export async function switchCameraOn(call: LiveCall): Promise<void> {
 *   try {
 *     await call.setVideoEnabled(true);
 *   } catch (error) {
 *     if (error instanceof DeviceError && error.reason === "missing") alert("Connect a camera first.");
 *     else throw error;
 *   }
 * }
 * ```
 */
export class DeviceError extends Error {
  readonly kind: MediaKind;
  readonly reason: DeviceReason;

  /** @param cause the browser's error */
  constructor(kind: MediaKind, cause: unknown) {
    const reason = reasons[(cause as { name?: string }).name ?? ""] ?? "busy";
    super(sentences[reason](names[kind]), { cause });
    this.name = "DeviceError";
    this.kind = kind;
    this.reason = reason;
  }
}
