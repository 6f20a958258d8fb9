import { type LazyExoticComponent, lazy } from "react";
import type { textsOf } from "./i18n/texts-of.ts";
import { withTexts } from "./i18n/with-texts.ts";

/** A component with any props. */
type AnyComponent = Awaited<ReturnType<Parameters<typeof lazy>[0]>>["default"];

/** A part of a page, such as a dialog, whose code and texts are loaded when it is first shown. Show it in `WhenLoaded`. */
export function lazyPart<Name extends string, Part extends AnyComponent>(
  texts: keyof typeof textsOf,
  load: () => Promise<{ [name in Name]: Part }>,
  name: Name,
): LazyExoticComponent<Part> {
  return lazy(async () => ({ default: (await withTexts(texts, load))[name] }));
}
