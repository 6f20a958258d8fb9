import { AppError, type RuleDetail } from "../errors.ts";
import { holdsForbiddenText } from "../values/json.ts";

const MAX_CHARACTERS = 1024;

// Names are shown in terminals, pages and lists. These characters move the cursor, break the line, or turn the order of
// letters round, so that a name looks like another one: C0 and C1 controls, U+2028, U+2029, and the bidi controls.
const invisibleControls = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/** True when the text holds characters that change how the text around them is displayed. */
export function holdsInvisibleControls(text: string): boolean {
  return invisibleControls.test(text);
}

/** The text with every such character written as its code point, such as `\u{202e}`. */
export function makeControlsVisible(text: string): string {
  return text.replace(
    new RegExp(invisibleControls, "gu"),
    (character) => `\\u{${character.codePointAt(0)?.toString(16).padStart(2, "0")}}`,
  );
}

/**
 * Read a file's path: normalised to NFC once, absolute, 1–1024 characters, whole segments.
 * @throws AppError INVALID_INPUT naming every broken rule; `/` is a folder only
 */
export function parsePath(text: string, field = "path"): string {
  return checked(text, field, true);
}

/** Read a folder's path: as a file's, and `/` is one. @throws AppError INVALID_INPUT naming every broken rule */
export function parseFolder(text: string, field = "path"): string {
  return checked(text, field, false);
}

/** Every rule of paths that the text breaks; the text is taken as it comes, not normalised. */
export function brokenPathRules(text: string, field = "path"): RuleDetail[] {
  const details: RuleDetail[] = [];
  const broken = (rule: string, message: string) => details.push({ path: field, rule, message });
  const characters = [...text].length;
  const segments = text.split("/");
  if (characters < 1 || characters > MAX_CHARACTERS) broken("path-length", "A path has 1 to 1024 characters.");
  if (!text.startsWith("/")) broken("path-absolute", "A path begins with a slash.");
  if (text.length > 1 && text.endsWith("/")) broken("path-trailing-slash", "A path does not end with a slash.");
  if (text.includes("//")) broken("path-empty-segment", "A path has no empty segment.");
  if (segments.some((segment) => segment === "." || segment === "..")) {
    broken("path-dot-segment", "A path has no segment `.` or `..`.");
  }
  if (text.includes("\0")) broken("path-nul", "A path has no NUL character.");
  if (text.includes("\\")) broken("path-backslash", "A path has no backslash.");
  if (holdsForbiddenText(text) || holdsInvisibleControls(text)) {
    broken("path-text", "A path holds no control characters, line separators, unpaired surrogates or noncharacters.");
  }
  return details;
}

function checked(text: string, field: string, ofFile: boolean): string {
  const path = text.normalize("NFC");
  const details = brokenPathRules(path, field);
  if (ofFile && path === "/") details.push({ path: field, rule: "path-is-folder", message: "`/` is a folder only." });
  if (details.length > 0) throw new AppError("INVALID_INPUT", "The path is not well formed; see details.", { details });
  return path;
}

/** True when `path` is `folder` or below it, by whole segments. Everything is within `/`. */
export function isWithin(folder: string, path: string): boolean {
  return folder === "/" || path === folder || path.startsWith(`${folder}/`);
}

/** `/a/b` → `["a", "b"]`; `/` → `[]`. */
export function segmentsOf(path: string): string[] {
  return path === "/" ? [] : path.slice(1).split("/");
}

/** The last segment; empty for `/`. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The folder that holds it; `/` for itself. */
export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

/** Every folder above it, the highest first: `/a/b/c` → `["/", "/a", "/a/b"]`; `/` → `[]`. */
export function ancestorsOf(path: string): string[] {
  const segments = segmentsOf(path);
  return segments.map((_, index) => (index === 0 ? "/" : `/${segments.slice(0, index).join("/")}`));
}

/** True when any segment begins with a dot: such files are hidden. */
export function isDotPath(path: string): boolean {
  return path.includes("/.");
}
