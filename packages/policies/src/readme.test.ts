import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { listPolicies } from "./registry.js";

it("the README's table lists every policy with its summary", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const rows = [...readme.matchAll(/^\| `([a-z0-9-]+)` *\| (.*?) *\|$/gm)].map((row) =>
    row.slice(1),
  );
  expect(rows).toEqual(
    expect.arrayContaining(listPolicies().map((policy) => [policy.name, policy.summary])),
  );
});
