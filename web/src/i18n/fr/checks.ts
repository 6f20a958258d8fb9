import type { checks as english } from "../en/checks.ts";

export const checks: typeof english = {
  "certificate-over-issue": "Aucun certificat n’a alloué ni émis plus que sa réduction vérifiée",
  "vouchers-within-certificate": "Les bons d’un certificat, dépensés ou non, ne dépassent pas sa réduction vérifiée",
  "issued-within-verified": "L’ensemble des bons émis ne dépasse pas l’ensemble des réductions vérifiées",
  "revoked-debts-paid":
    "Chaque porteur de projet a payé ses dettes pour des certificats révoqués, y compris envers la réserve",
  "overlapping-serials": "Deux certificats d’un registre ne partagent aucun numéro de série",
  "credential-reuse": "Aucune attestation ne sert à deux certificats, déclarations ou mesures",
  "campaign-certified-once": "Aucun certificat ne provient de deux campagnes",
  "voucher-overspent": "Le solde d’un bon et ses dépenses ne dépassent pas sa valeur",
  "payment-settles-claim":
    "Chaque paiement règle une seule déclaration d’un seul encaissement, au montant de la déclaration",
  "carbon-supply":
    "Le CARBON créé moins le CARBON détruit est égal à ce que détiennent séquestre, réserve, conversions et détenteurs, et aucun solde n’est négatif",
  "carbon-minted-as-issued":
    "Le CARBON d’un certificat, sous séquestre ou libéré, ne dépasse pas sa réduction vérifiée",
  "conversion-burned-once":
    "Le CARBON de chaque conversion finalisée a été détruit une seule fois et en entier, et aucun autre ne l’a été",
  "underlying-units-claimed-once":
    "Les ITMO issus du CARBON d’un certificat ne dépassent pas sa réduction vérifiée, et chaque conversion est égale à la somme de ses sources",
  "lots-of-vintage":
    "Chaque conversion a pris sa quantité sur des certificats de son millésime, et sur aucun plus que ce qui a été payé ou repris",
  "authorised-quantity": "Les conversions sous une autorisation ne dépassent pas la quantité autorisée",
  "reductions-kept":
    "Les premiers transferts ne dépassent pas ce que les réductions et révocations ont laissé de l’autorisation",
  "mandatory-shares":
    "Chaque autorisation relevant de l’article 6.4 prévoit au moins les parts obligatoires pour l’OMGE et l’adaptation",
  "units-authorised": "Chaque bloc et chaque action relève d’une autorisation de son approche concertée",
  "using-entities-authorised": "Chaque entité qui a utilisé ou annulé des ITMO figure dans l’autorisation",
  "use-year-in-ndc-period": "Chaque utilisation pour une CDN indique une année de la période de la CDN",
  "used-vintage-in-ndc-period":
    "Le millésime des unités utilisées pour une CDN est une année de la période de cette CDN",
  vintage: "Aucun millésime n’est dans le futur ni hors de la période autorisée",
  "itmo-range-overlap": "Deux blocs d’ITMO d’un registre ne partagent aucun numéro de série",
  "itmo-ranges-conserved": "Les blocs d’une conversion contiennent exactement ses numéros de série",
  "consumed-still-held": "Personne ne détient d’unités utilisées, annulées ou données au Fonds pour l’adaptation",
  "itmo-used-once": "Aucune unité n’a été utilisée, annulée ou donnée deux fois",
  "first-transfer-once":
    "Chaque premier transfert est inscrit une seule fois, et chaque partie du bloc en garde la mention",
  "holdings-follow-blocks":
    "Chaque bloc détenu est compté une seule fois dans les avoirs, pour sa Partie, et aucun autre bloc ne l’est",
  "block-attributes": "Approche, autorisation, Partie, registre et millésime d’un bloc ne changent jamais",
  "carbon-held": "Le solde en CARBON de la réserve couvre ce qu’indiquent ses comptes",
  "stablecoin-held": "Le solde en stablecoins de la réserve couvre ce qu’indiquent ses comptes",
  "obligations-covered": "Les stablecoins de la réserve suffisent à payer tout le CARBON sous séquestre",
};
