/** How a file can be shown without executing any of it. */
export type PreviewKind = "text" | "image" | "audio" | "video" | "pdf" | "none";

const mib = 1024 ** 2;
const textTypes =
  /^(text\/|application\/(json|ld\+json|xml|yaml|x-yaml|toml|javascript|typescript|sql|x-sh|x-ndjson|jsonl|graphql)\b|.*\+(json|xml)$)/;
/** An SVG in an image element runs no script and fetches nothing. */
const imageTypes = /^image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml|x-icon|vnd\.microsoft\.icon)$/;
const textNames = /\.(md|txt|csv|tsv|json|ya?ml|toml|xml|log|html?|css|[cm]?[jt]sx?|py|sh|sql|sol|ini|env|gitignore)$/i;

/** Largest content that is fetched only to be shown, in bytes. */
const limits: Record<Exclude<PreviewKind, "none">, number> = {
  text: 2 * mib,
  image: 32 * mib,
  audio: 64 * mib,
  video: 128 * mib,
  pdf: 64 * mib,
};

/** How to show a file of this name, media type and size. HTML is shown as its source text. */
export function previewKindOf(file: { name: string; mimeType: string; size: number }): PreviewKind {
  const kind = kindOf(file.mimeType.split(";")[0]?.trim().toLowerCase() ?? "", file.name);
  return kind !== "none" && file.size <= limits[kind] ? kind : "none";
}

function kindOf(type: string, name: string): PreviewKind {
  if (imageTypes.test(type)) return "image";
  if (type === "application/pdf") return "pdf";
  if (textTypes.test(type)) return "text";
  if (type.startsWith("audio/")) return "audio";
  if (type.startsWith("video/")) return "video";
  return textNames.test(name) ? "text" : "none";
}

/** Whether the browser may edit the file: text that is small enough for a field. */
export function isEditable(file: { name: string; mimeType: string; size: number }): boolean {
  return previewKindOf(file) === "text" && file.size <= mib;
}

/** Text formats that can be shown formatted or as source. */
export type RichKind = "markdown" | "csv";

export function richKindOf({ name, mimeType }: { name: string; mimeType: string }): RichKind | undefined {
  if (/^text\/markdown\b/.test(mimeType) || /\.md$/i.test(name)) return "markdown";
  if (/^text\/(csv|tab-separated-values)\b/.test(mimeType) || /\.[ct]sv$/i.test(name)) return "csv";
  return undefined;
}
