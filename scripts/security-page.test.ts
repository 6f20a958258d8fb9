import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";

const page = readFileSync("SECURITY.md", "utf8");
const sections = new Map(
  page
    .split(/^## /m)
    .slice(1)
    .map((text): [title: string, body: string] => [text.slice(0, text.indexOf("\n")), text.slice(text.indexOf("\n"))]),
);
const bodyOf = (title: string) => sections.get(title)?.trim() ?? "";
/** GitHub's anchors of a page's headings. */
const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );

describe("SECURITY.md", () => {
  it("says how to report: in private, and with what", () => {
    const body = bodyOf("How to report");
    assert.match(body, /in private/);
    assert.match(body, /Do not open a public issue/);
    assert.match(body, /on which commit/);
    for (const file of ["README.md", "CONTRIBUTING.md"]) {
      assert.match(readFileSync(file, "utf8"), /\(SECURITY\.md\)/, `${file} does not link to it`);
    }
  });

  it("has a threat model: what is protected, against whom and by what, and what is trusted", () => {
    for (const asset of ["Value", "Personal data", "The record"]) {
      assert.match(bodyOf("What is protected"), new RegExp(`\\*\\*${asset}\\*\\*: .{20,}`));
    }
    const rows = [...bodyOf("Attackers").matchAll(/^\| (?!attacker|-)(.*?) *\| (.*?) *\|$/gm)];
    for (const attacker of [/network/, /stolen key/, /supplier/, /database/, /operator/, /logs/, /page/]) {
      const row = rows.find(([, who = ""]) => attacker.test(who));
      assert.ok((row?.[2] ?? "").length > 40, `nothing stops ${attacker}`);
    }
    assert.ok(bodyOf("What is trusted").split(/^- /m).length > 4);
  });

  it("says what is out of scope", () => {
    const points = bodyOf("Out of scope").split(/^- /m).slice(1);
    assert.ok(points.length >= 5, page);
    for (const point of points) assert.ok(point.trim().length > 20, point);
  });

  it("names only pages, headings, commands and settings that exist", () => {
    const links = [...page.matchAll(/\]\(([^)#]+)(?:#([^)]*))?\)/g)];
    assert.ok(links.length >= 4);
    for (const [, path = "", anchor] of links) {
      assert.ok(existsSync(path), `${path} does not exist`);
      if (anchor !== undefined) assert.ok(anchorsOf(readFileSync(path, "utf8")).includes(anchor), `${path}#${anchor}`);
    }
    const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
    const commands = [...page.matchAll(/`npm (?:run )?([\w:]+)`/g)].map(([, name = ""]) => name);
    assert.ok(commands.length >= 3);
    for (const name of commands) assert.ok(name in scripts, `npm run ${name}`);
    const configuration = readFileSync("docs/configuration.md", "utf8");
    const settings = [...page.matchAll(/`([A-Z]+(?:_[A-Z]+)+)(?:\/\w+)?`/g)].map(([, name = ""]) => name);
    assert.ok(settings.includes("TRUST_PROXY"));
    for (const name of settings) assert.ok(configuration.includes(`\`${name}\``), name);
  });
});
