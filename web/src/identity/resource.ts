/** The abilities that a token for the file store can give. */
export const fileAbilities = ["fs/list", "fs/read", "fs/write", "fs/delete", "fs/*"] as const;
export type FileAbility = (typeof fileAbilities)[number];

export type Claim = { can: string; with: string; nb?: Record<string, unknown> };

/** The resource of a namespace, folder or file. */
export function formatResource(owner: string, path = "/"): string {
  const encoded = path === "/" ? "" : path.split("/").map(encodeURIComponent).join("/");
  return `vfs://${encodeURIComponent(owner)}${encoded}`;
}
