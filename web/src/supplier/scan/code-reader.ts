import { BarcodeDetector, prepareZXingModule } from "barcode-detector/ponyfill";
import wasmUrl from "zxing-wasm/reader/zxing_reader.wasm?url";

/** URL of the decoder, which this server provides. */
export const codeReaderUrl = wasmUrl;

export type CodeReader = { read: (source: ImageBitmapSource) => Promise<string | undefined> };

let loading: Promise<CodeReader> | undefined;

/** Load a reader of QR codes in images and camera frames. */
export function loadCodeReader(): Promise<CodeReader> {
  loading ??= load();
  return loading;
}

async function load(): Promise<CodeReader> {
  const locateFile = (path: string, prefix: string) => (path.endsWith(".wasm") ? wasmUrl : prefix + path);
  await prepareZXingModule({ overrides: { locateFile }, fireImmediately: true });
  const detector = new BarcodeDetector({ formats: ["qr_code"] });
  return { read: async (source) => (await detector.detect(source))[0]?.rawValue };
}
