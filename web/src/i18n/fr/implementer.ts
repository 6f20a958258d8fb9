import type { implementer as english } from "../en/implementer.ts";

export const implementer: typeof english = {
  area: "Équipe de terrain",
  choose: { label: "Porteur pour qui vous agissez", none: "Choisissez le porteur dont c’est le travail." },
};
