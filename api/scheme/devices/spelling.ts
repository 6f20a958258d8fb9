/**
 * A serial without differences of spelling: letter case, spaces, dots, underscores, slashes and hyphens between its parts. A device that
 * is registered once more as `stove 1` instead of `STOVE-1` would count twice. The migration `device_spellings` fills it in for older devices.
 */
export function spellingOf(serial: string): string {
  return serial
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[\s._/-]+/g, "-");
}
