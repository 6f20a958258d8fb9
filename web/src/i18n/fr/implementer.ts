import type { implementer as english } from "../en/implementer.ts";

export const implementer: typeof english = {
  area: "Équipe de terrain",
};
