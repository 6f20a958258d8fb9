/**
 * Apply the console's styles, which the page fetches without waiting for them (web/early.ts). Resolves also when they cannot be
 * fetched: without them, the console is plain but works.
 */
export async function applyStyles(): Promise<void> {
  const links = [...document.querySelectorAll<HTMLLinkElement>("link[data-styles]")];
  await Promise.all(
    links.map(
      (link) =>
        new Promise((resolve) => {
          link.addEventListener("load", resolve, { once: true });
          link.addEventListener("error", resolve, { once: true });
          link.rel = "stylesheet";
        }),
    ),
  );
}
