import { type ComponentType, type LazyExoticComponent, lazy } from "react";
import type { textsOf } from "./i18n/texts-of.ts";
import { withTexts } from "./i18n/with-texts.ts";

/** A part of a page, such as a dialog, whose code and texts are loaded when it is first shown. Show it in `WhenLoaded`. */
export function lazyPart<Name extends string, Props>(
  texts: keyof typeof textsOf,
  load: () => Promise<{ [name in Name]: ComponentType<Props> }>,
  name: Name,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => ({ default: (await withTexts(texts, load))[name] }));
}
