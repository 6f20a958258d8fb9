import type { en } from "../en.ts";

export const home: (typeof en)["home"] = {
  firstSteps: {
    title: "Ce système est encore vide",
    demo: "Lancez cette commande pour voir un exemple, du certificat à la trace du régulateur.",
    begin: "Ou commencez avec vos données : enregistrez porteurs, fournisseurs et produits par une requête chacun.",
  },
};
