import type { shell as english } from "../en/shell.ts";

export const shell: typeof english = {
  skip: "Aller au contenu",
  menu: "Menu",
  navigation: "Navigation principale",
  home: "Aperçu",
  theme: { label: "Thème", light: "Clair", dark: "Sombre", auto: "Comme sur l’appareil" },
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
    remember: "Rester connecté sur cet appareil",
    rememberHint:
      "Sinon, vous êtes déconnecté à la fermeture de cet onglet. Une clé d’administration n’est jamais conservée : saisissez-la de nouveau après chaque rechargement.",
    submit: "Se connecter",
    wallet: "Se connecter avec {{name}}",
    walletHint:
      "Votre compte signe un court texte. C’est gratuit et sans mouvement de fonds. Vous avez ensuite les droits de ce compte sur la chaîne ; un compte sans rôle peut lire les données publiques.",
    walletAsks: "Confirmez maintenant dans votre portefeuille.",
    statement: "Connexion à la console Hearth. C’est gratuit et sans mouvement de fonds.",
    noWallet:
      "Aucun portefeuille trouvé dans ce navigateur. Installez une extension de portefeuille, ouvrez cette page dans le navigateur de votre application de portefeuille, ou connectez-vous avec une clé API.",
    lookAgain: "Chercher de nouveau",
    ended: {
      "other-account":
        "Vous avez choisi un autre compte dans votre portefeuille : cette session a pris fin. Reconnectez-vous pour continuer avec ce compte.",
      "no-account": "Votre portefeuille ne montre plus de compte à ce site : cette session a pris fin.",
    },
    guest: "Continuer sans clé",
    expired: "La clé n’est plus valable. Reconnectez-vous.",
    wrongJwk: "Ce n’est pas la JWK privée d’une clé P-256 ou Ed25519.",
  },
  role: {
    admin: "Administrateur",
    implementer: "Porteur de projet",
    supplier: "Fournisseur",
    evaluator: "Évaluateur",
    regulator: "Régulateur",
    integrator: "Intégrateur",
    guest: "Visiteur",
  },
  standing: {
    admin: "Administrateur",
    regulator: "Régulateur",
    evaluator: "Évaluateur",
    implementer: "Porteur de projet",
    supplier: "Fournisseur",
    household: "Ménage",
    visitor: "Visiteur",
  },
  wallet: {
    connect: "Connecter {{name}}",
    until: "Connecté jusqu’au",
    actAs: "Continuer comme {{role}}",
    lost: "Ce compte n’a pas le rôle {{role}} pour le moment : il est suspendu, ou le rôle a été retiré. Vous pouvez encore lire les données publiques.",
    disconnected: "{{name}} n’est pas connecté. Ouvrez-le ou déverrouillez-le pour signer.",
    otherChain:
      "Votre portefeuille est sur un autre réseau. Pour signer, passez au réseau dont l’identifiant de chaîne est {{chainId}}.",
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
