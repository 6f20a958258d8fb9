import { useNavigate, useSearch } from "@tanstack/react-router";

/**
 * A choice of the page, such as its tab, that is in the address: it survives a reload and Back, and links can set it.
 *
 * @param values the valid choices; the first is chosen when the address has none
 */
export function useAddress<const Value extends string>(
  name: string,
  values: readonly [Value, ...Value[]],
): [Value, (next: string | null) => void] {
  const search = useSearch({ strict: false }) as Record<string, unknown>;
  const navigate = useNavigate();
  const chosen = values.find((value) => value === search[name]) ?? values[0];
  const choose = (next: string | null) => {
    const value = next === values[0] || next === null ? undefined : next;
    void navigate({
      to: ".",
      search: (was: object) => ({ ...was, [name]: value }),
      replace: true,
      resetScroll: false,
    } as never);
  };
  return [chosen, choose];
}

/**
 * Several texts of the page that are in the address, such as the choices of a report.
 *
 * @returns the texts that the address has, and a function that replaces them
 */
export function useAddressTexts<const Name extends string>(
  names: readonly Name[],
): [Partial<Record<Name, string>>, (next: Partial<Record<Name, string>>) => void] {
  const search = useSearch({ strict: false }) as Record<string, unknown>;
  const navigate = useNavigate();
  const given = names.flatMap((name) => {
    const value = search[name];
    return typeof value === "string" || typeof value === "number" ? [[name, String(value)] as const] : [];
  });
  const replace = (next: Partial<Record<Name, string>>) =>
    void navigate({ to: ".", search: (was: object) => ({ ...was, ...next }), resetScroll: false } as never);
  return [Object.fromEntries(given) as Partial<Record<Name, string>>, replace];
}
