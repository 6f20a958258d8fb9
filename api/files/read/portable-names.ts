import { makeControlsVisible } from "../../platform/ucan/index.ts";

/** Longest name in bytes that every file system accepts, minus space for an appended number. */
const maxNameBytes = 240;

// Windows reserves these names for devices, with any extension.
const deviceName = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?=$|[. ])/i;

/**
 * Names for an archive that every system can unpack: no separators, drive letters or characters that Windows refuses, no device
 * names, no dots or spaces at an end, and no two entries that differ only in case.
 */
export class PortableNames {
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();
  /** The assigned name of each folder, by its original name. */
  readonly #chosen = new Map<string, string>();
  /** The next number to try for a name, so that many equal names do not slow it down. */
  readonly #numbers = new Map<string, number>();

  /** Return the next entry's name for these segments, joined by slashes. The same segments again give another name. */
  next(segments: readonly string[]): string {
    const names = segments.map(portableName);
    let folder = "";
    for (const name of names.slice(0, -1)) folder = this.#folder(folder, name);
    const entry = this.#firstFree(folder, names.at(-1) ?? "_", (path) => !this.#folders.has(path));
    this.#files.add(folded(entry));
    return entry;
  }

  #folder(within: string, name: string): string {
    const wanted = join(within, name);
    const folder = this.#chosen.get(wanted) ?? this.#firstFree(within, name, () => true);
    this.#chosen.set(wanted, folder);
    this.#folders.add(folded(folder));
    return folder;
  }

  /** Return the name, or else the first free and suitable name with an appended number. */
  #firstFree(within: string, name: string, suits: (folded: string) => boolean): string {
    const isFree = (path: string) => !this.#files.has(folded(path)) && suits(folded(path));
    const wanted = folded(join(within, name));
    let path = join(within, name);
    for (let number = this.#numbers.get(wanted) ?? 2; !isFree(path); number += 1) {
      path = join(within, numbered(name, number));
      this.#numbers.set(wanted, number);
    }
    return path;
  }
}

/** Convert one segment to a name that every system accepts. */
export function portableName(segment: string): string {
  const plain = makeControlsVisible(segment)
    .toWellFormed()
    .replace(/[<>:"/\\|?*]/g, "_")
    .replace(/[. ]+$/, (end) => "_".repeat(end.length))
    // A leading dot only hides a file, but some programs drop a leading space.
    .replace(/^ +/, (start) => "_".repeat(start.length))
    .replace(deviceName, "_$1");
  return shortened(plain === "" ? "_" : plain);
}

function join(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

/** `a.txt` → `a (2).txt`. */
function numbered(name: string, number: number): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? `${name.slice(0, dot)} (${number})${name.slice(dot)}` : `${name} (${number})`;
}

/** The form that file systems compare if they ignore case or decompose letters. */
function folded(path: string): string {
  return path.normalize("NFC").toUpperCase().toLowerCase();
}

/** Shorten the name to fit, and keep a short extension. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= maxNameBytes) return name;
  const dot = name.lastIndexOf(".");
  const extension = dot > 0 && Buffer.byteLength(name.slice(dot)) <= 20 ? name.slice(dot) : "";
  let left = maxNameBytes - Buffer.byteLength(extension);
  let kept = "";
  for (const character of name) {
    left -= Buffer.byteLength(character);
    if (left < 0) break;
    kept += character;
  }
  return kept.replace(/[. ]+$/, "_") + extension;
}
