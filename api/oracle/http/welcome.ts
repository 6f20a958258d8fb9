import type { Context } from "hono";

/** Whether a request comes from a browser's address bar: a program gets JSON. */
export function prefersPage(accept = ""): boolean {
  return /(^|,)\s*text\/html\b/i.test(accept);
}

const texts = {
  en: {
    lead: "Clean-cooking vouchers and their climate value, from the certificate to the payment.",
    console: ["Console", "Sign in, trace a voucher, administer the scheme."],
    docs: ["API reference", "Every request with its fields, to try in the browser."],
    openapi: ["OpenAPI document", "The same for programs."],
    oracle: ["Oracle", "What the agent is called, what it costs, and where it is registered."],
    ready: ["Status", "Whether every part of the system works."],
  },
  fr: {
    lead: "Des bons pour une cuisson propre et leur valeur climatique, du certificat au paiement.",
    console: ["Console", "Se connecter, suivre un bon, administrer le programme."],
    docs: ["Référence de l’API", "Chaque requête avec ses champs, à essayer dans le navigateur."],
    openapi: ["Document OpenAPI", "Le même pour les programmes."],
    oracle: ["Oracle", "Le nom de l’agent, son prix et son inscription."],
    ready: ["État", "Si chaque partie du système fonctionne."],
  },
} as const;

const paths = {
  console: "/console/",
  docs: "/docs",
  openapi: "/openapi.json",
  oracle: "/oracle",
  ready: "/ready",
} as const;

const style = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}
a{color:#06694b;font-weight:600}li{margin:.75rem 0}@media (prefers-color-scheme:dark){body{background:#1b1b1b;color:#eee}a{color:#63e6be}}`;

/** Show a person the way to the console, the API reference and the rest. */
export function welcome(c: Context): Response | Promise<Response> {
  const language = /^\s*fr\b/i.test(c.req.header("accept-language") ?? "") ? "fr" : "en";
  const { lead, ...links } = texts[language];
  const items = (Object.keys(links) as (keyof typeof links)[]).map((name) => {
    const [title, hint] = links[name];
    return `<li><a href="${paths[name]}">${title}</a><br>${hint}</li>`;
  });
  c.header("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'");
  c.header("Vary", "Accept, Accept-Language");
  return c.html(`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Hearth</title><style>${style}</style></head>
<body><main><h1>Hearth</h1><p>${lead}</p><ul>${items.join("")}</ul></main></body></html>`);
}
