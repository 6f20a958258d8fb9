import type { en } from "../en.ts";

export const home: (typeof en)["home"] = {
  firstSteps: {
    title: "Ce système est encore vide",
    demo: "Lancez cette commande pour créer un exemple, du certificat au traçage.",
    begin:
      "Ou commencez avec vos données : enregistrez chaque porteur de projet, fournisseur et produit par une requête à l’API.",
  },
};
