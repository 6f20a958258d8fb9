import { writeFile } from "node:fs/promises";
import QRCode from "qrcode";

const [width, height] = [640, 480];
const [ink, paper, grey] = [16, 235, 128];

/** Chromium's arguments for a camera that shows a file, which may be written later. */
export function cameraArgs(file: string): string[] {
  return [
    "--use-fake-ui-for-media-stream",
    "--use-fake-device-for-media-stream",
    `--use-file-for-fake-video-capture=${file}`,
  ];
}

/** Write a video (YUV4MPEG2) of a QR code in front of the camera. */
export async function filmQrCode(file: string, text: string): Promise<void> {
  const { modules } = QRCode.create(text, { errorCorrectionLevel: "M" });
  const scale = Math.floor(360 / (modules.size + 8));
  const [left, top] = [width, height].map((length) => Math.floor((length - scale * modules.size) / 2)) as [
    number,
    number,
  ];
  const luma = Buffer.alloc(width * height, paper);
  for (let y = 0; y < modules.size * scale; y++) {
    for (let x = 0; x < modules.size * scale; x++) {
      const isDark = modules.get(Math.floor(y / scale), Math.floor(x / scale));
      if (isDark) luma[(top + y) * width + left + x] = ink;
    }
  }
  const chroma = Buffer.alloc((width * height) / 2, grey);
  const frame = Buffer.concat([Buffer.from("FRAME\n"), luma, chroma]);
  await writeFile(
    file,
    Buffer.concat([Buffer.from(`YUV4MPEG2 W${width} H${height} F5:1 Ip A1:1 C420jpeg\n`), frame, frame]),
  );
}
