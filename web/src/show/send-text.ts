import { saveAs } from "./save-as.ts";

/** Send text with an app of the device; where the browser cannot, download it as a file. */
export async function sendText(title: string, text: string, fileName: string): Promise<"sent" | "saved" | "cancelled"> {
  const data = { title, text };
  if (navigator.canShare?.(data)) {
    try {
      await navigator.share(data);
      return "sent";
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") return "cancelled";
      // Some browsers offer to share and then do not: the file remains.
      if (!(error instanceof DOMException)) throw error;
    }
  }
  saveAs(new Blob([text], { type: "text/plain;charset=utf-8" }), fileName);
  return "saved";
}
