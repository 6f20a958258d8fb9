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
    keyHint:
      "La clé que vous avez reçue, ou celle affichée au premier démarrage. Elle reste dans cet onglet et ne figure jamais dans une adresse.",
    proof: "Paire de clés (fournisseurs)",
    proofHint:
      "La clé API d’un fournisseur est liée à une paire de clés. Choisissez celle créée sur cet appareil, ou collez sa JWK privée.",
    proofCreate: "Créer une paire de clés sur cet appareil",
    proofPublic: "Clé publique, à envoyer à la personne qui crée votre clé API",
    proofJwk: "JWK privée",
    remember: "Se souvenir sur cet appareil",
    rememberHint:
      "Sinon, tout est oublié à la fermeture de cet onglet. La clé d’administration n’est jamais conservée : elle est redemandée après chaque rechargement.",
    submit: "Se connecter",
    wallet: "Se connecter avec {{name}}",
    walletHint:
      "Votre compte signe un court texte. Cela ne coûte rien et ne déplace rien. Vous pouvez ensuite faire ce que ce compte peut faire sur le registre ; un compte sans rôle peut lire ce qui est public.",
    walletAsks: "Confirmez maintenant dans votre portefeuille.",
    statement: "Ouvrir la console Hearth. Gratuit, et sans aucun mouvement de fonds.",
    noWallet:
      "Ce navigateur n’a pas de portefeuille. Installez-en un comme extension, ou ouvrez cette page dans le navigateur de votre portefeuille ; ou connectez-vous avec une clé d’API.",
    lookAgain: "Chercher à nouveau",
    ended: {
      "other-account":
        "Votre portefeuille utilise maintenant un autre compte : cette session a pris fin. Reconnectez-vous pour continuer avec ce compte.",
      "no-account": "Votre portefeuille ne montre plus de compte à ce site : cette session a pris fin.",
    },
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
  standing: {
    admin: "Administration",
    regulator: "Régulateur",
    evaluator: "Évaluation",
    implementer: "Équipe de terrain",
    supplier: "Fournisseur",
    household: "Ménage",
    visitor: "Visite",
  },
  wallet: {
    connect: "Connecter {{name}}",
    until: "Connecté jusqu’au",
    actAs: "Continuer comme {{role}}",
    lost: "Ce compte n’agit plus comme {{role}} pour le moment : il est suspendu, ou le rôle a été retiré. Vous pouvez encore lire ce qui est public.",
    disconnected: "{{name}} n’est pas connecté. Ouvrez-le ou déverrouillez-le pour signer.",
    otherChain:
      "Votre portefeuille est sur un autre réseau. Pour signer, il doit être sur la chaîne numéro {{chainId}}.",
    changeChain: "Changer de réseau",
  },
  welcome: "Bienvenue",
  welcomeLead: "Que souhaitez-vous faire ?",
  notFound: {
    title: "Cette page n’existe pas",
    lead: "L’adresse est peut-être mal saisie, ou la page a été déplacée.",
    back: "Vers l’aperçu",
  },
};
