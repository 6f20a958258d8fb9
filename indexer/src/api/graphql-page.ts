import { Hono } from "hono";

/** The console's policy: everything comes from this server, and nothing is inline. */
const headers = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), display-capture=(), geolocation=()",
  "cross-origin-opener-policy": "same-origin",
};

const page = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>GraphQL · Hearth</title><link rel="stylesheet" href="/graphql/page.css"></head>
<body><main><h1>GraphQL</h1>
<form id="form"><label for="question">Question</label><textarea id="question" rows="12" spellcheck="false">{
  vouchers(limit: 10) { items { publicId } }
}</textarea>
<label for="variables">Variables, as JSON</label><textarea id="variables" rows="3" spellcheck="false">{}</textarea>
<button type="submit">Ask</button> <button type="button" id="schema">List what can be asked</button></form>
<h2>Answer</h2><pre id="answer" role="status"></pre></main><script src="/graphql/page.js"></script></body>
</html>`;

const style = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
main { max-width: 60rem; margin: 0 auto; padding: 1rem }
label { display: block; margin-top: .75rem }
textarea { box-sizing: border-box; width: 100%; font: 14px/1.4 monospace }
button { min-height: 44px; margin-top: .75rem; padding: 0 1rem }
pre { overflow: auto }`;

const script = `const byId = (id) => document.getElementById(id);
async function ask(query, variables) {
  const body = JSON.stringify({ query, variables });
  const response = await fetch("/graphql", { method: "POST", headers: { "content-type": "application/json" }, body });
  return response.json();
}
async function show(answer) {
  try { byId("answer").textContent = JSON.stringify(await answer(), undefined, 2); }
  catch (error) { byId("answer").textContent = String(error); }
}
byId("form").addEventListener("submit", (event) => {
  event.preventDefault();
  show(() => ask(byId("question").value, JSON.parse(byId("variables").value || "{}")));
});
byId("schema").addEventListener("click", () =>
  show(() => ask("{ __schema { queryType { fields { name args { name } } } } }")));
`;

/**
 * A page for people at GET /graphql. Ponder's own page loads GraphiQL from another host, which could then read whatever this page
 * may read.
 */
export function graphqlPage(): Hono {
  const app = new Hono();
  for (const [path, type, text] of [
    ["/graphql", "text/html; charset=utf-8", page],
    ["/graphql/page.css", "text/css; charset=utf-8", style],
    ["/graphql/page.js", "text/javascript; charset=utf-8", script],
  ] as const) {
    app.get(path, (c) => c.body(text, 200, { ...headers, "content-type": type }));
  }
  return app;
}
