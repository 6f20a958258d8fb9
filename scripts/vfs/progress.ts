import { SingleBar } from "cli-progress";
import { formatSize } from "./lines.ts";

export type Progress = { at: (bytes: number) => void; end: () => void };

/** A bar on a terminal; nothing elsewhere. `total` undefined: the size is not known. */
export function showProgress(name: string, total: number | undefined, shown: boolean): Progress {
  if (!shown || !process.stderr.isTTY || total === undefined || total === 0) return { at: () => {}, end: () => {} };
  const bar = new SingleBar({
    stream: process.stderr,
    format: `${name}  {bar}  {percentage}%  {done} of {size}  {speed}/s  {eta_formatted} left`,
    hideCursor: true,
  });
  const began = Date.now();
  const notes = (bytes: number) => ({
    done: formatSize(bytes),
    speed: formatSize(Math.round((bytes * 1000) / Math.max(1, Date.now() - began))),
  });
  bar.start(total, 0, { size: formatSize(total), ...notes(0) });
  return {
    at: (bytes) => bar.update(bytes, notes(bytes)),
    end: () => bar.stop(),
  };
}
