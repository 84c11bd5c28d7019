import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL(".", import.meta.url));
const report = process.env["JBDLAB_TEST_REPORT"];

export default defineConfig({
  resolve: {
    // Tests run the sources; only end-to-end tests start the built command.
    alias: [
      { find: /^@jbdlab\/([^/]+)$/, replacement: `${root}packages/$1/src/index.ts` },
      { find: /^@jbdlab\/([^/]+)\/(.+)$/, replacement: `${root}packages/$1/src/$2.ts` },
      { find: /^jbdlab$/, replacement: `${root}packages/cli/src/index.ts` },
    ],
  },
  test: {
    include: ["packages/*/src/**/*.test.ts", "test/**/*.test.ts", "bench/**/*.test.ts"],
    testTimeout: 60_000,
    reporters: report === undefined ? ["default"] : ["default", ["json", { outputFile: report }]],
  },
});
