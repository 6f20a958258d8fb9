import { renderToStaticMarkup } from "react-dom/server";
import { ConsoleFrame } from "./app.tsx";
import { showLanguage, startI18n } from "./i18n/i18n.ts";
import { languages } from "./i18n/languages.ts";
import { SignInPage } from "./shell/sign-in-page.tsx";

/**
 * The sign-in page as HTML, in each language, for a browser to show before it has any script. The build loads this module
 * (web/first-paint.ts), in Node; the console never does.
 */
export const signInPages: string[] = [];

await startI18n();
for (const language of languages) {
  await showLanguage(language);
  signInPages.push(
    renderToStaticMarkup(
      <ConsoleFrame>
        <SignInPage />
      </ConsoleFrame>,
    ),
  );
}
