import type { checks as english } from "../en/checks.ts";

export const checks: typeof english = {
  "certificate-over-issue": "Aucun certificat n’a alloué ni émis plus qu’il ne vérifie",
  "vouchers-within-certificate":
    "Ce que les bons d’un certificat ont dépensé et peuvent encore dépenser reste dans ce qu’il vérifie",
  "issued-within-verified": "Tout ce qui a été émis reste dans tout ce qui a été vérifié",
  "revoked-debts-paid":
    "Chaque porteur de projet a payé ce que ses certificats révoqués ont émis, et ce que la réserve n’a pas reçu",
  "overlapping-serials": "Deux certificats d’un registre ne partagent aucun numéro de série",
  "credential-reuse": "Aucune attestation ne fonde deux certificats, déclarations ou mesures",
  "campaign-certified-once": "Aucun certificat n’est fait de deux campagnes",
  "voucher-overspent": "Ce qui reste d’un bon et ce qui en a été dépensé restent dans sa valeur",
  "payment-settles-claim": "Chaque paiement règle une seule déclaration d’un seul encaissement, pour son montant",
  "carbon-supply":
    "Le CARBON créé moins le brûlé est ce que tiennent séquestre, réserve, conversions et détenteurs, et aucun compte n’est négatif",
  "carbon-minted-as-issued": "Le CARBON d’un certificat, sous séquestre ou libéré, reste dans ce qu’il vérifie",
  "conversion-burned-once": "Le CARBON d’une conversion achevée a été brûlé une fois et en entier, et aucun autre",
  "underlying-units-claimed-once":
    "Les ITMO issus du CARBON d’un certificat restent dans ce qu’il vérifie, et les sources de chaque conversion s’y additionnent",
  "authorised-quantity": "Ce qui a été converti sous une autorisation reste dans la quantité qu’elle autorise",
  "units-authorised": "Chaque bloc et chaque action relève d’une autorisation de son approche",
  "using-entities-authorised": "Chaque entité qui a utilisé ou annulé est nommée par l’autorisation",
  "use-year-in-ndc-period": "Chaque usage pour une CDN nomme une année de la période de la CDN",
  vintage: "Aucun millésime n’est dans le futur ni hors de la période autorisée",
  "itmo-range-overlap": "Deux blocs d’ITMO d’un registre ne partagent aucun numéro de série",
  "itmo-ranges-conserved": "Les blocs d’une conversion sont exactement les séries qu’elle a reçues",
  "consumed-still-held":
    "Ce qui a été utilisé, annulé ou donné au Fonds pour l’adaptation n’est plus détenu par personne",
  "itmo-used-once": "Aucune unité n’a été utilisée, annulée ou donnée deux fois",
  "first-transfer-once": "Chaque premier transfert est inscrit une fois, et sa marque reste à chaque partie",
  "holdings-follow-blocks": "Chaque bloc détenu l’est une fois, par sa Partie, et rien d’autre ne l’est",
  "block-attributes": "Approche, autorisation, Partie, registre et millésime d’un bloc ne changent jamais",
  "carbon-held": "La réserve détient le CARBON qu’elle compte",
  "stablecoin-held": "La réserve détient les stablecoins qu’elle compte",
  "obligations-covered": "Les stablecoins comptés paient tout le CARBON sous séquestre",
};
