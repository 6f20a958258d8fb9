/** The last segment; empty for `/`. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The folder that holds it; `/` for itself. */
export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

/** A name, or names with slashes between, below a folder. */
export function joinPath(folder: string, name: string): string {
  const below = name.replace(/^\/+/, "");
  return folder === "/" ? `/${below}` : `${folder}/${below}`;
}

/** How deep a path lies: `/a` is at 1. */
export function depthOf(path: string): number {
  return path === "/" ? 0 : path.split("/").length - 1;
}

/** Every folder above it, the highest first: `/a/b/c` → `["/", "/a", "/a/b"]`. */
export function ancestorsOf(path: string): string[] {
  const segments = path.split("/").slice(1);
  return segments.map((_, index) => (index === 0 ? "/" : `/${segments.slice(0, index).join("/")}`));
}

/** Where a file that was dropped goes: a dropped folder keeps its inner folders. */
export function uploadPath(folder: string, file: { name: string; path?: string; webkitRelativePath?: string }): string {
  const inner = file.webkitRelativePath || file.path?.replace(/^\.?\//, "") || file.name;
  return joinPath(folder, inner).normalize("NFC");
}

/** A place beside a file that is taken: its name with the moment in it, which no other has. */
export function besidePath(path: string, now = new Date()): string {
  const name = nameOf(path);
  const dot = name.lastIndexOf(".");
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
  const moment = now.toISOString().slice(0, 19).replace("T", " ").replaceAll(":", ".");
  return joinPath(parentOf(path), `${stem} (${moment})${ending}`);
}
