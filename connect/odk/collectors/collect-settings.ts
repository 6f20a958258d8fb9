import { deflateSync } from "node:zlib";

/**
 * Encode the settings of ODK Collect as its QR code holds them: base64 of zlib of JSON. The project updates its forms by itself
 * and sends finished records by any network.
 */
export function collectSettings({ url, name }: { url: string; name: string }): string {
  const settings = {
    general: { server_url: url, form_update_mode: "match_exactly", autosend: "wifi_and_cellular" },
    admin: {},
    project: { name, icon: "🔥" },
  };
  return deflateSync(JSON.stringify(settings)).toString("base64");
}

export async function qrCodeOf(settings: string): Promise<string> {
  const { default: QRCode } = await import("qrcode");
  return await QRCode.toString(settings, { type: "svg", errorCorrectionLevel: "L" });
}
