import { render, screen } from "@testing-library/react";
import { version as reactVersion, useState } from "react";
import { version as domVersion } from "react-dom";
import Markdown from "react-markdown";
import { describe, expect, inject, it } from "vitest";
import { z } from "zod";

declare module "vitest" {
  interface ProvidedContext {
    pair: string;
  }
}

function Greeting() {
  const [text] = useState("**Hearth**");
  return <Markdown>{text}</Markdown>;
}

/** If an alias failed, all other tests would run twice on the same pair. */
describe("the supported pairs of React and zod", () => {
  it("include the pair that the tests import", () => {
    const zod = "_zod" in z.string() ? 4 : 3;
    expect(`react-${reactVersion.split(".")[0]}-zod-${zod}`).toBe(inject("pair"));
    expect(domVersion).toBe(reactVersion);
  });

  it("include the pair that the rendering packages use", () => {
    render(<Greeting />);
    expect(screen.getByText("Hearth").tagName).toBe("STRONG");
  });
});
