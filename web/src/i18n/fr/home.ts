import type { en } from "../en.ts";

export const home: (typeof en)["home"] = {
  firstSteps: {
    title: "Ce système est encore vide",
    demo: "Voyez-le à l’œuvre : cette commande raconte un exemple, du certificat à la trace du régulateur.",
    begin: "Ou commencez avec les vôtres : porteurs, fournisseurs et produits s’enregistrent par une requête chacun.",
  },
};
