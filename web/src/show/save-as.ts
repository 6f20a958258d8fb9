/** Download bytes as a file with this name. */
export function saveAs(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads the bytes after the click; a minute is long enough.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
