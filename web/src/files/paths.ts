/** The last segment; empty for `/`. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The parent folder; `/` for `/`. */
export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

/** Join a folder and a name, or several names separated by slashes. */
export function joinPath(folder: string, name: string): string {
  const below = name.replace(/^\/+/, "");
  return folder === "/" ? `/${below}` : `${folder}/${below}`;
}

/** Depth of a path: `/a` is 1. */
export function depthOf(path: string): number {
  return path === "/" ? 0 : path.split("/").length - 1;
}

/** All parent folders, root first: `/a/b/c` → `["/", "/a", "/a/b"]`. */
export function ancestorsOf(path: string): string[] {
  const segments = path.split("/").slice(1);
  return segments.map((_, index) => (index === 0 ? "/" : `/${segments.slice(0, index).join("/")}`));
}

/** Destination of a dropped file: a dropped folder keeps its inner folders. */
export function uploadPath(folder: string, file: { name: string; path?: string; webkitRelativePath?: string }): string {
  const inner = file.webkitRelativePath || file.path?.replace(/^\.?\//, "") || file.name;
  return joinPath(folder, inner).normalize("NFC");
}

/** An unused path next to an existing file: its name with the current time in it. */
export function unusedPath(path: string, now = new Date()): string {
  const name = nameOf(path);
  const dot = name.lastIndexOf(".");
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
  const moment = now.toISOString().slice(0, 19).replace("T", " ").replaceAll(":", ".");
  return joinPath(parentOf(path), `${stem} (${moment})${ending}`);
}
