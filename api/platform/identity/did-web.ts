/** Return the did:web of the service at a URL: `https://h:1/a` → `did:web:h%3A1:a`. */
export function didWebOf(publicUrl: string): `did:web:${string}` {
  const { host, pathname } = new URL(publicUrl);
  const folders = pathname.split("/").filter((part) => part !== "");
  return `did:web:${[host, ...folders.map(decodeURIComponent)].map(encodeURIComponent).join(":")}`;
}
