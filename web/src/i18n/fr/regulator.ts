import type { regulator as english } from "../en/regulator.ts";

export const regulator: typeof english = {
  area: "Régulateur",
};
