/**
 * What all spellings of a carbon registry's name share: its letters, in lower case, and its digits, as in RegistryNames.sol.
 * @returns null for a name without them, or with a character that is not printable ASCII: it can look like another name
 */
export function registrySpelling(name: string): string | null {
  if (!/^[ -~]*$/.test(name)) return null;
  return name.toLowerCase().replace(/[^a-z0-9]/g, "") || null;
}
