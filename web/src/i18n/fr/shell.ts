import type { shell as english } from "../en/shell.ts";

export const shell: typeof english = {
  skip: "Aller au contenu",
  menu: "Menu",
  navigation: "Navigation principale",
  home: "Aperçu",
  theme: { label: "Couleurs", light: "Clair", dark: "Sombre", auto: "Comme l’appareil" },
  language: { label: "Langue", en: "English", fr: "Français" },
  account: "Compte",
  signOut: "Se déconnecter",
  signIn: {
    title: "Se connecter",
    lead: "Suivez chaque bon, de son certificat à son paiement.",
    withKey: "Clé API",
    withWallet: "Portefeuille",
    key: "Clé API",
    keyHint: "Elle commence par hk_. Elle reste dans cet onglet et ne figure jamais dans une adresse.",
    proof: "Paire de clés (fournisseurs)",
    proofHint:
      "La clé API d’un fournisseur est liée à une paire de clés. Choisissez celle créée sur cet appareil, ou collez sa JWK privée.",
    proofCreate: "Créer une paire de clés sur cet appareil",
    proofPublic: "Clé publique, pour qui crée votre clé API",
    proofJwk: "JWK privée",
    remember: "Se souvenir sur cet appareil",
    rememberHint: "Sinon, tout est oublié à la fermeture de cet onglet.",
    submit: "Se connecter",
    wallet: "Connecter {{name}}",
    walletHint:
      "Un portefeuille lit ce qui est public et signe des ordres avec son compte. Ce que l’API écrit demande en plus une clé API.",
    noWallet:
      "Aucun portefeuille n’a été trouvé dans ce navigateur. Installez-en un, ou connectez-vous avec une clé API.",
    guest: "Regarder sans clé",
    expired: "La clé n’est plus valable. Reconnectez-vous.",
    wrongJwk: "Ce n’est pas la JWK privée d’une clé P-256 ou Ed25519.",
  },
  role: {
    admin: "Administration",
    implementer: "Équipe de terrain",
    supplier: "Fournisseur",
    evaluator: "Évaluation",
    regulator: "Régulateur",
    integrator: "Intégration",
    guest: "Visite",
  },
  welcome: "Bienvenue",
  welcomeLead: "Que souhaitez-vous faire ?",
  notFound: { title: "Cette page n’existe pas", back: "Vers l’aperçu" },
};
